// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lbmsim/comm"
)

// A second signal ends lbmsim at once, with the shell's code of that signal, if it comes late
// enough to be from a person. SLURM repeats SIGTERM as late.
func TestSecondSignalForces(t *testing.T) {
	if os.Getenv("LBMSIM_TEST_CATCH") != "" {
		_ = comm.RunLocal(1, func(c comm.Comm) error {
			signals := catch(c, false)
			signals.Stepping(true)
			fmt.Println("ready")
			fmt.Println("caught", <-signals.caught)
			time.Sleep(insist + 3*time.Second) // as a checkpoint on a slow disk
			os.Exit(0)
			return nil
		})
	}
	for _, c := range []struct {
		first, second syscall.Signal
		job           string
		wait          time.Duration
		code          int
	}{
		{syscall.SIGINT, syscall.SIGINT, "", insist, 130},
		{syscall.SIGUSR1, syscall.SIGTERM, "", insist, 143},
		{syscall.SIGTERM, syscall.SIGTERM, "7", insist, 0},
		{syscall.SIGTERM, syscall.SIGINT, "7", insist, 130},
		{syscall.SIGUSR1, syscall.SIGUSR1, "", insist, 0},
		{syscall.SIGTERM, syscall.SIGTERM, "", 0, 0}, // as a launcher does
		{syscall.SIGHUP, syscall.SIGHUP, "", insist, 0},
		{syscall.SIGHUP, syscall.SIGTERM, "", insist, 143},
	} {
		t.Run(fmt.Sprintf("%v, %v, job %s, after %v", c.first, c.second, c.job, c.wait), func(t *testing.T) {
			t.Parallel()
			// The tests themselves may run under nohup.
			cmd := exec.Command("env", "--default-signal=HUP", os.Args[0], "-test.run", "^TestSecondSignalForces$")
			cmd.Env = append(os.Environ(), "LBMSIM_TEST_CATCH=1", "SLURM_JOB_ID="+c.job)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			lines.Scan()
			_ = cmd.Process.Signal(c.first)
			lines.Scan()
			if lines.Text() != "caught "+c.first.String() {
				t.Errorf("the program said %q", lines.Text())
			}
			time.Sleep(c.wait + 100*time.Millisecond)
			_ = cmd.Process.Signal(c.second)
			err = cmd.Wait()
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
		})
	}
}

// A run continues when its output has lost its reader, as behind `| head`, and under nohup when
// the terminal is lost.
func TestGoesOnWithoutItsTerminal(t *testing.T) {
	if os.Getenv("LBMSIM_TEST_CATCH") != "" {
		_ = comm.RunLocal(1, func(c comm.Comm) error {
			kept := signal.Ignored(syscall.SIGHUP)
			signals := catch(c, false)
			signals.Stepping(true)
			fmt.Println("nohup is seen:", kept)
			for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				fmt.Println("a line")
				fmt.Fprintln(os.Stderr, "a line")
			}
			select {
			case <-signals.caught:
				os.Exit(3)
			default:
				os.Exit(7)
			}
			return nil
		})
	}
	cmd := exec.Command("nohup", os.Args[0], "-test.run", "^TestGoesOnWithoutItsTerminal$")
	cmd.Env = append(os.Environ(), "LBMSIM_TEST_CATCH=1")
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "nohup is seen") { // nohup prints a line, too
	}
	in.Close()
	if strings.HasSuffix(lines.Text(), "true") {
		_ = cmd.Process.Signal(syscall.SIGHUP)
	} else {
		t.Log("a C library of this build takes SIGHUP for itself when it is loaded, so that nohup cannot be seen: not sent")
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("%v: it did not go on to its end", err)
	}
}

// Before the first step a signal ends lbmsim at once: a case that is a pipe without a writer is never read.
func TestSignalBeforeTheFirstStep(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "case.toml"), 0o666); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("LBMSIM_TEST_CATCH") != "" {
		fmt.Println("ready")
		os.Exit(execute(strings.Fields(os.Getenv("LBMSIM_TEST_CATCH"))))
	}
	for _, c := range []struct {
		sent    syscall.Signal
		command string
		code    int
	}{
		{syscall.SIGINT, "run", 130}, {syscall.SIGTERM, "run", 143}, {syscall.SIGUSR1, "run", 138}, {syscall.SIGINT, "study", 130},
	} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestSignalBeforeTheFirstStep$")
		cmd.Env = append(os.Environ(), "LBMSIM_TEST_CATCH="+c.command+" "+filepath.Join(dir, "case.toml"))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var told strings.Builder
		cmd.Stderr = &told
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if lines := bufio.NewScanner(out); !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("it said %q", lines.Text())
		}
		time.Sleep(300 * time.Millisecond) // until it waits for the pipe
		began := time.Now()
		_ = cmd.Process.Signal(c.sent)
		giveUp := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		err = cmd.Wait()
		giveUp.Stop()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != c.code || !strings.Contains(told.String(), "before the first step: nothing to save") {
			t.Errorf("%+v: %v after %v: %s", c, err, time.Since(began), &told)
		}
	}
}

// Long work shows its progress, and leaves no text on the terminal.
func TestLongWorkGivesASign(t *testing.T) {
	old := [3]time.Duration{workSilent, workTerminal, workLog}
	t.Cleanup(func() { workSilent, workTerminal, workLog = old[0], old[1], old[2] })
	workSilent, workLog = 20*time.Millisecond, time.Hour
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = out
	working("short work")()
	done := working("closing b.stl")
	lines := bufio.NewScanner(in)
	lines.Scan()
	done()
	done()
	os.Stderr = stderr
	if lines.Text() != "closing b.stl: 0s" {
		t.Errorf("%q", lines.Text())
	}
}
