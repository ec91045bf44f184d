// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lbmsim/io/checkpoint"
)

// Disk failures during a run: the test injects them, and compares the run's behaviour, log and files with on_error.
// Mounting needs root.

// A case with frequent checkpoints, fields and rows, large enough to run for some time without
// them.
var busy = strings.NewReplacer("[output.fields]", "[output.fields]\nevery = 90", "cells = [30, 22, 17]", "cells = [60, 44, 34]").
	Replace(fmt.Sprintf(box, 1000, 60)) + `
[output.line.across]
from = [3, 4, 5]
to = [55, 40, 30]
every = 20
`

func goingOn(text string) string {
	return strings.Replace(text, "[checkpoint]\n", "[output]\non_error = \"go_on\"\n[checkpoint]\non_error = \"go_on\"\n", 1)
}

// disk is a separate file system below a test's folder, in memory or ext4 on a loop device.
type disk struct {
	t     *testing.T
	dir   string
	image string // "": in memory
}

func newDisk(t *testing.T, kind string) *disk {
	t.Helper()
	if os.Geteuid() != 0 { // whose PATH may not have mkfs either
		notMounted(t, "a file system of our own: it needs root")
	}
	d := &disk{t: t, dir: filepath.Join(t.TempDir(), "disk")}
	if err := os.Mkdir(d.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if kind == "ext4" {
		d.image = filepath.Join("/dev/shm", "lbmsim-"+filepath.Base(filepath.Dir(filepath.Dir(d.dir)))+filepath.Base(filepath.Dir(d.dir)))
		t.Cleanup(func() { os.Remove(d.image) })
		if out, err := exec.Command("sh", "-c", "truncate -s 96M "+d.image+" && mkfs.ext4 -q "+d.image).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	if out, err := d.mount(); err != nil {
		if kind == "ext4" { // a container of root's may have no loop devices
			t.Skipf("NOT TESTED: disks that fail: mounting ext4 from a file needs loop devices: %v %s", err, out)
		}
		notMounted(t, fmt.Sprintf("tmpfs: it needs a container that allows it: %v %s", err, out))
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", d.dir).Run() })
	return d
}

// notMounted skips a test that has to mount a disk, where none can be; with LBMSIM_REQUIRE_MOUNT that is a failure.
func notMounted(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("LBMSIM_REQUIRE_MOUNT") != "" {
		t.Fatalf("LBMSIM_REQUIRE_MOUNT is set, but nothing mounts %s", why)
	}
	t.Skipf("NOT TESTED: disks that fail: nothing mounts %s", why)
}

func (d *disk) mount() ([]byte, error) {
	if d.image != "" {
		return exec.Command("mount", "-o", "loop", d.image, d.dir).CombinedOutput()
	}
	return exec.Command("mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", d.dir).CombinedOutput()
}

// fill uses up all space; the returned function frees it.
func (d *disk) fill() (heal func()) {
	path := filepath.Join(d.dir, "ballast")
	f, err := os.Create(path)
	for b := make([]byte, 1<<16); err == nil; {
		_, err = f.Write(b)
	}
	f.Close()
	return func() { os.Remove(path) }
}

// control issues an ioctl on the disk.
func (d *disk) control(request uint, value int) {
	d.t.Helper()
	f, err := os.Open(d.dir)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), request, value)
		f.Close()
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

const (
	freeze   = 0xc0045877 // FIFREEZE
	thaw     = 0xc0045878 // FITHAW
	shutdown = 0x8004587d // FS_IOC_SHUTDOWN: from now on all is an error, as when the disk has gone
)

// fail makes a disk fail under a run once it has its first checkpoints, and returns how the run ended. heal, unless nil, is
// called once the run has printed the word, or after some time.
func (d *disk) fail(text, word string, fault func() (heal func())) (r result, last string) {
	t := d.t
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := program(t, ctx, home, 2, "run", writeCase(t, home, text), "--output", filepath.Join(d.dir, "out"), "--threads", "1")
	var out syncedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	await := func(word string, limit time.Duration) {
		for end := time.Now().Add(limit); time.Now().Before(end) && !strings.Contains(out.String(), word); {
			select {
			case err := <-ended:
				ended <- err
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	await("wrote checkpoint", time.Minute)
	heal := fault()
	if word != "" {
		await(word, 5*time.Second)
	}
	if heal != nil {
		heal()
	}
	<-ended
	return result{code: cmd.ProcessState.ExitCode(), out: out.String()}, home
}

func TestDisksFail(t *testing.T) {
	reference := t.TempDir()
	if r := runProgram(t, reference, 0, writeCase(t, reference, busy)); r.code != 0 {
		t.Fatal(r.out)
	}
	wantRows := map[string][]byte{}
	for _, name := range []string{"probe_p.csv", "line_across.csv"} {
		rows, err := os.ReadFile(filepath.Join(reference, "out", "case", name))
		if err != nil {
			t.Fatal(err)
		}
		wantRows[name] = body(rows)
	}
	wantState := stateIn(t, filepath.Join(reference, "out", "case"))

	// same compares the results of a run with the uninterrupted one.
	same := func(t *testing.T, dir string) {
		t.Helper()
		if !bytes.Equal(stateIn(t, dir), wantState) {
			t.Error("the state differs from the uninterrupted run's")
		}
		for name, want := range wantRows {
			rows, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !bytes.Equal(body(rows), want) {
				t.Errorf("%s: rows differ from the uninterrupted run's (%v)", name, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*", ".*.part")); len(left) > 0 {
			t.Errorf("left over: %v", left)
		}
	}
	stopped := func(t *testing.T, r result, words ...string) {
		t.Helper()
		if r.code != 1 {
			t.Errorf("exit code %d instead of 1", r.code)
		}
		if !strings.Contains(r.out, "is missing, and there is no other") {
			words = append(words, "the last good checkpoint is", "--restart latest")
		}
		for _, w := range append(words, "step ", "rank ") {
			if !strings.Contains(r.out, w) {
				t.Errorf("the message does not say %q", w)
			}
		}
		if t.Failed() {
			t.Log(r.out)
		}
	}
	resumeFrom := func(t *testing.T, d *disk, home string) {
		t.Helper()
		if r := runProgram(t, home, 3, "run", "case.toml", "--output", filepath.Join(d.dir, "out"), "--restart", "latest"); r.code != 0 {
			t.Fatalf("the continued run: exit code %d\n%s", r.code, r.out)
		}
		same(t, filepath.Join(d.dir, "out"))
	}

	t.Run("full, stop", func(t *testing.T) {
		d := newDisk(t, "memory")
		var heal func()
		r, home := d.fail(busy, "", func() func() { heal = d.fill(); return nil })
		stopped(t, r, "no space left on device")
		heal()
		resumeFrom(t, d, home)
	})
	t.Run("full for a while, go on", func(t *testing.T) {
		d := newDisk(t, "memory")
		r, _ := d.fail(goingOn(busy), "continues without it", d.fill)
		if r.code != 0 || !strings.Contains(r.out, "continues without it") || !strings.Contains(r.out, "not written because of errors: ") {
			t.Fatalf("exit code %d\n%s", r.code, r.out)
		}
		same(t, filepath.Join(d.dir, "out"))
	})
	// An output due at the last step has no next time: a period that divides the steps
	// does not make it a file that a run may do without.
	t.Run("full to the end, go on", func(t *testing.T) {
		d := newDisk(t, "memory")
		var heal func()
		text := strings.Replace(goingOn(busy), "every = 60", "every = 50", 1)
		r, home := d.fail(text, "", func() func() { heal = d.fill(); return nil })
		// Whether creating the file or writing it fails depends on the bytes that are left.
		stopped(t, r, "continues without it", "step 1000: checkpoint: ", "no space left on device", "the last good checkpoint is ")
		heal()
		resumeFrom(t, d, home)
	})
	t.Run("gone, stop", func(t *testing.T) {
		d := newDisk(t, "ext4")
		r, home := d.fail(busy, "", func() func() { d.control(shutdown, 0); return nil })
		stopped(t, r, "input/output error")
		if out, err := exec.Command("umount", d.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		if out, err := d.mount(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		resumeFrom(t, d, home)
	})
	t.Run("gone, go on", func(t *testing.T) {
		d := newDisk(t, "ext4")
		r, _ := d.fail(goingOn(busy), "", func() func() { d.control(shutdown, 0); return nil })
		stopped(t, r, "continues without it", "step 1000", "input/output error")
	})
	t.Run("hangs for a while", func(t *testing.T) {
		d := newDisk(t, "ext4")
		r, _ := d.fail(busy, "", func() func() {
			d.control(freeze, 0)
			time.Sleep(time.Second)
			return func() { d.control(thaw, 0) }
		})
		if r.code != 0 {
			t.Fatalf("exit code %d\n%s", r.code, r.out)
		}
		same(t, filepath.Join(d.dir, "out"))
	})
	t.Run("the folder is removed", func(t *testing.T) {
		d := newDisk(t, "memory")
		r, _ := d.fail(busy, "", func() func() {
			// At once: while files are removed one by one, a run may still find a checkpoint.
			aside := filepath.Join(d.dir, "aside")
			if err := os.Rename(filepath.Join(d.dir, "out"), aside); err != nil {
				t.Error(err)
			}
			for os.RemoveAll(aside) != nil {
				time.Sleep(time.Millisecond)
			}
			return nil
		})
		// A checkpoint that begins afterwards recreates its folder, and is valid.
		if files, _ := filepath.Glob(filepath.Join(d.dir, "out", "checkpoints", "checkpoint_*.h5")); len(files) > 0 {
			stopped(t, r, "no such file or directory", "the last good checkpoint is "+files[len(files)-1])
		} else {
			stopped(t, r, "no such file or directory", "is missing, and there is no other")
		}
	})
	t.Run("at the start", func(t *testing.T) {
		d := newDisk(t, "memory")
		if out, err := exec.Command("mount", "-o", "remount,ro", d.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		home := t.TempDir()
		for _, n := range []int{0, 2} {
			r := runProgram(t, home, n, "run", writeCase(t, home, goingOn(busy)), "--output", filepath.Join(d.dir, "out"))
			if r.code != 1 || !strings.Contains(r.out, "read-only file system") || strings.Count(r.out, "lbmsim: ") != 1 {
				t.Errorf("read-only, %d ranks: exit code %d\n%s", n, r.code, r.out)
			}
		}
		if out, err := exec.Command("mount", "-o", "remount,rw", d.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		heal := d.fill()
		defer heal()
		if r := runProgram(t, home, 2, "run", "case.toml", "--output", filepath.Join(d.dir, "out")); r.code != 1 || !strings.Contains(r.out, "no space left on device") {
			t.Errorf("full: exit code %d\n%s", r.code, r.out)
		}
	})
}

// stateIn returns the state of the newest checkpoint in an output folder.
func stateIn(t *testing.T, dir string) []byte {
	t.Helper()
	files, err := checkpoint.Latest(filepath.Join(dir, "checkpoints"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no checkpoint: %v", err)
	}
	f, err := checkpoint.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, f.Header.Planes*f.Header.PlaneBytes())
	if err := f.ReadPlanes(0, f.Header.Planes, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// body returns a table without the comments on top.
func body(table []byte) []byte {
	for bytes.HasPrefix(table, []byte("#")) {
		_, table, _ = bytes.Cut(table, []byte("\n"))
	}
	return table
}

// syncedBuffer is written by a process and read meanwhile.
type syncedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncedBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncedBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
