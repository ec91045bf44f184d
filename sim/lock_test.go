package sim

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Who comes second is told who is there, and comes in when that one has gone.
func TestOneRunAFolder(t *testing.T) {
	dir := t.TempDir()
	first, err := hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d on", os.Getpid())) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the second: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if _, err := hold(dir + "/none"); err == nil {
		t.Error("a folder that is not there was held")
	}
}

// A run finds its folder taken by another process, says so, and leaves everything as it was.
func TestFolderOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 10))
	trial{text: text, ranks: 1, dir: dir}.must(t)
	before := outputsIn(t, dir)
	if _, err := exec.LookPath("flock"); err != nil {
		t.Fatal("flock, a part of util-linux, is not here")
	}
	other := exec.Command("flock", "--no-fork", dir+"/"+lockName, "sh", "-c", "echo there; exec cat")
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{1, 2} {
		if _, err := (trial{text: text, ranks: ranks, dir: dir}).run(t); err == nil || !strings.Contains(err.Error(), "another run writes into the output folder") {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	in.Close()
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	compare(t, "after the runs that were refused", outputsIn(t, dir), before)
	trial{text: text, ranks: 2, dir: dir}.must(t)
}

// A process that was killed keeps its lock until its last thread is back from the disk; the
// run that follows waits for that, but not for a process that is alive.
func TestKilledHolder(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	text := func(pid int, host string) string { return fmt.Sprintf(holderText, pid, host) }
	for _, c := range []struct {
		holder string
		dying  bool
	}{
		{text(gone.Process.Pid, hostname()), true},
		{text(gone.Process.Pid, hostname()) + ", SLURM job 12", true},
		{text(gone.Process.Pid, "another"), false},
		{text(os.Getpid(), hostname()), false},
		{"", false},
	} {
		if got := dying(c.holder); got != c.dying {
			t.Errorf("%q: %v", c.holder, got)
		}
	}
	dir := t.TempDir()
	first, err := hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.WriteAt([]byte(text(gone.Process.Pid, hostname())+strings.Repeat(" ", 20)), 0); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { first.Close() })
	again, err := hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
