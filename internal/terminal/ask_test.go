// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asks makes the test's executable a program on a terminal, which prints the answer to Asked.
const asks = "LBMSIM_TEST_ASKS"

func TestMain(m *testing.M) {
	switch os.Getenv(asks) {
	case "":
		os.Exit(m.Run())
	case "background": // the first process of a session cannot leave the foreground
		run := exec.Command(os.Args[0])
		run.Env = append(os.Environ(), asks+"=foreground")
		run.Stdout, run.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setpgid: true}
		if err := run.Run(); err != nil {
			panic(err)
		}
		return
	}
	fmt.Printf("<%s>\n", Asked(os.Stdout))
}

// pair opens a new terminal: the side of its screen and keyboard, and the side of programs.
func pair(t *testing.T) (screen, program *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	screen = os.NewFile(uintptr(fd), "screen")
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return screen, program
}

// A terminal with sixel is recognized by its answer, also in pieces and behind typed text. Other terminals, and silent ones,
// show nothing. The terminal's settings stay, and a program in the background asks nothing.
func TestAsked(t *testing.T) {
	for name, c := range map[string]struct {
		as     string
		answer []string
		want   Method
	}{
		"xterm with sixel": {"foreground", []string{"\x1b[?64;1;2;4;6;22c"}, Sixel},
		"in pieces":        {"foreground", []string{"ls\x1b[?6", "2;", "4c"}, Sixel},
		"xterm":            {"foreground", []string{"\x1b[?64;1;2;6;14;22c"}, None},
		"linux":            {"foreground", []string{"\x1b[?6c"}, None},
		"silent":           {"foreground", nil, None},
		"background":       {"background", nil, None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen, program := pair(t)
			before, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			run := exec.Command(os.Args[0])
			run.Env = append(os.Environ(), asks+"="+c.as)
			run.Stdin, run.Stdout, run.Stderr = program, program, program
			run.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			seen := ""
			for answer := c.answer; !strings.Contains(seen, ">\r\n"); {
				b := make([]byte, 1000)
				_ = screen.SetReadDeadline(time.Now().Add(30 * time.Second))
				n, err := screen.Read(b)
				if err != nil {
					t.Fatalf("after %q: %v", seen, err)
				}
				if seen += string(b[:n]); strings.HasSuffix(seen, "\x1b[c") {
					for ; len(answer) > 0; answer = answer[1:] {
						if _, err := screen.WriteString(answer[0]); err != nil {
							t.Fatal(err)
						}
						time.Sleep(20 * time.Millisecond)
					}
				}
			}
			if err := run.Wait(); err != nil {
				t.Fatal(err)
			}
			want := "\x1b[c<" + string(c.want) + ">\r\n"
			if c.as == "background" {
				want = strings.TrimPrefix(want, "\x1b[c")
			}
			if seen != want {
				t.Errorf("the terminal got %q, want %q", seen, want)
			}
			if after, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS); err != nil || *after != *before {
				t.Errorf("the terminal's settings are %+v instead of %+v, %v", after, before, err)
			}
		})
	}
}
