// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/device/cpu"
)

// onRanks makes the checks on n ranks of one process, which build gives their sites, and
// returns rank 0's findings as text.
func onRanks(t *testing.T, n int, build func(c comm.Comm) *Site) (text string, worst Severity) {
	t.Helper()
	err := comm.RunLocal(n, func(c comm.Comm) error {
		s := build(c)
		var err error
		if s.Comm, err = Punctual(s.Comm, s.Limit); err != nil {
			return err
		}
		var mine strings.Builder
		w, err := Run(s, func(check string, f Finding) {
			fmt.Fprintf(&mine, "%s %s: %s -> %s\n", f.Severity, check, f.Text, f.Advice)
		}, func(check string) { panic("check " + check + " is stuck") })
		if err != nil {
			return err
		}
		if all, err := comm.Together(c, w); err != nil || all[0] != w {
			return fmt.Errorf("rank %d ends with %v, rank 0 with %v (%v)", c.Rank(), w, all[0], err)
		}
		if c.Rank() == 0 {
			text, worst = mine.String(), w
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text, worst
}

// site returns a healthy machine.
func site(t *testing.T, c comm.Comm, dir string) *Site {
	t.Helper()
	dev, err := cpu.New(1)
	if err != nil {
		t.Error(err)
		return nil
	}
	t.Cleanup(func() { _ = dev.Close() })
	s := &Site{Comm: c, Device: dev, Dir: dir, Disk: 1 << 20, Limit: 20 * time.Second}
	for r := range c.Size() {
		s.Ranks = append(s.Ranks, Rank{Host: "n", Cores: []int{r}, Online: c.Size(), Threads: 1, Version: "v1", MPI: "test", GPUAware: "no"})
	}
	return s
}

func TestHealthy(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4} {
		dir := t.TempDir()
		text, worst := onRanks(t, n, func(c comm.Comm) *Site { return site(t, c, dir) })
		// A slow link may be seen among threads that share cores: then it is a warning.
		if worst == Fault || strings.Count(text, "every byte as sent") < min(n, 2) {
			t.Errorf("%d ranks: %v\n%s", n, worst, text)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d ranks leave %v behind", n, left)
		}
	}
}

// faulty ranks spoil one byte of each message of some length.
type faulty struct {
	able
	bytes int
}

func (f faulty) Isend(data []byte, to, tag int) (comm.Request, error) {
	if len(data) == f.bytes {
		data = append([]byte{}, data...)
		data[len(data)/3] ^= 4
	}
	return f.able.Isend(data, to, tag)
}

func TestWrongByte(t *testing.T) {
	const plane = 256 * 256 * 10 * 4
	for _, test := range []struct {
		bytes int
		want  []string
	}{
		{1 << 20, []string{"FAULT messages: rank 0: a message of 1048576 bytes from rank 2 to rank 0 arrived with a wrong byte: byte 349525 of 1048576 is 0x", "(and 1 more rank failed)",
			"check for a failing network card", "warning ghosts: not checked: messages failed"}},
		{plane, []string{" messages: inside a node, 3 pairs", "FAULT ghosts: rank 0: the ghost plane from rank 2 has a wrong byte: byte 873813 of 2621440 is 0x"}},
	} {
		dir := t.TempDir()
		text, worst := onRanks(t, 3, func(c comm.Comm) *Site {
			s := site(t, c, dir)
			if c.Rank() == 2 {
				s.Comm = faulty{c.(able), test.bytes}
			}
			return s
		})
		for _, want := range test.want {
			if worst != Fault || !strings.Contains(text, want) {
				t.Errorf("%v, no %q in\n%s", worst, want, text)
			}
		}
	}
}

// forgetful memory returns a wrong byte.
type forgetful struct{ device.Device }

type forgetfulBuffer struct{ device.Buffer }

func (f forgetful) Alloc(bytes int) (device.Buffer, error) {
	b, err := f.Device.Alloc(bytes)
	return forgetfulBuffer{b}, err
}

func (f forgetfulBuffer) Read(dst []byte, offset int) error {
	err := f.Buffer.Read(dst, offset)
	if len(dst) > 1000 {
		dst[1000]++
	}
	return err
}

func TestWrongCopy(t *testing.T) {
	dir := t.TempDir()
	text, worst := onRanks(t, 2, func(c comm.Comm) *Site {
		s := site(t, c, dir)
		if c.Rank() == 1 {
			s.Device = forgetful{s.Device}
		}
		return s
	})
	if want := "FAULT device: rank 1: cpu returned different bytes than it received: byte 1000 of 67108864"; worst != Fault || !strings.Contains(text, want) {
		t.Errorf("%v, no %q in\n%s", worst, want, text)
	}
}

// readOnly returns a folder to which no user can write, not even root where it may mount.
func readOnly(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if os.Getuid() == 0 {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_RDONLY, ""); err != nil {
			t.Skipf("root writes to every folder unless it may mount one: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		return dir
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDisk(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what string
		dirs [2]string
		disk int64
		want string
	}{
		{"read-only", [2]string{readOnly(t), ""}, 1 << 20, "outputs cannot be written: /"},
		{"below a file", [2]string{filepath.Join(file, "no"), ""}, 1 << 20, "not a directory -> grant write permission"},
		{"each its own", [2]string{here, there}, 1 << 20, "rank 1: "},
		{"each its own, why", [2]string{here, there}, 1 << 20, "does not see the file of rank 0 in its folder "},
		{"no room", [2]string{here, here}, 1 << 60, "not enough for a test file"},
	} {
		text, worst := onRanks(t, 2, func(c comm.Comm) *Site {
			s := site(t, c, test.dirs[c.Rank()])
			s.Device, s.Disk = nil, test.disk
			if s.Dir == "" {
				s.Dir = test.dirs[0]
			}
			return s
		})
		if worst != Fault || !strings.Contains(text, "FAULT disk: ") || !strings.Contains(text, test.want) {
			t.Errorf("%s: %v, no %q in\n%s", test.what, worst, test.want, text)
		}
	}
	fresh := filepath.Join(here, "a", "b")
	if text, worst := onRanks(t, 2, func(c comm.Comm) *Site {
		s := site(t, c, fresh)
		s.Device, s.Disk = nil, 1<<20
		return s
	}); worst == Fault {
		t.Errorf("a folder that is not there is made:\n%s", text)
	}
	os.RemoveAll(filepath.Join(here, "a"))
	for _, dir := range []string{here, there} {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// Rank 0 names a stuck rank, with its host and the check; no rank waits for it.
func TestStuckRank(t *testing.T) {
	var mu sync.Mutex
	said := map[int]string{}
	start := time.Now()
	err := comm.RunLocal(4, func(c comm.Comm) error {
		s := &Site{Comm: c, Dir: t.TempDir(), Disk: 1, Limit: time.Second}
		for r := range 4 {
			s.Ranks = append(s.Ranks, Rank{Host: fmt.Sprintf("n%d", r), Cores: []int{0}, Online: 4})
		}
		var err error
		if s.Comm, err = Punctual(c, s.Limit); err != nil {
			return err
		}
		if c.Rank() == 2 { // hangs where the others begin with the clocks
			time.Sleep(4 * time.Second)
			return nil
		}
		_, err = Run(s, func(string, Finding) {}, func(string) {})
		mu.Lock()
		defer mu.Unlock()
		said[c.Rank()] = fmt.Sprint(time.Since(start) < 3*time.Second, err)
		return err
	})
	var absent *Absent
	if !errors.As(err, &absent) || fmt.Sprintf("%v %v %s", absent.Ranks, absent.Hosts, absent.Check) != "[2] [n2] clocks" {
		t.Errorf("ended by %v", err)
	}
	if want := `rank 2 on n2 did not answer within 1s (check "clocks")`; !strings.Contains(said[0], "true") || !strings.Contains(said[0], want) {
		t.Errorf("rank 0: %s, want %q", said[0], want)
	}
}

// A rank whose messages to neighbours do not leave ends the checks with its name.
func TestDeafNeighbour(t *testing.T) {
	start := time.Now()
	err := comm.RunLocal(3, func(c comm.Comm) (err error) {
		s := site(t, c, os.TempDir())
		s.Device, s.Limit = nil, 8*time.Second // others have that long, too, on a busy machine
		if c.Rank() == 1 {
			s.Comm = deaf{c.(able)}
		}
		if s.Comm, err = Punctual(s.Comm, s.Limit); err != nil {
			return err
		}
		_, err = Run(s, func(string, Finding) {}, func(string) {})
		return err
	})
	want := "rank 0: rank 1 did not send or receive a message of 8 bytes in time"
	if err == nil || !strings.Contains(err.Error(), want) || time.Since(start) > 40*time.Second {
		t.Errorf("%v after %v, want %q", err, time.Since(start), want)
	}
}

// deaf sends pings nowhere.
type deaf struct{ able }

func (d deaf) Isend(data []byte, to, tag int) (comm.Request, error) {
	if tag == tagPing || tag == tagPong {
		return never{}, nil
	}
	return d.able.Isend(data, to, tag)
}

type never struct{}

func (never) Test() (bool, error) { return false, nil }
func (never) Wait() error         { select {} }
