// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The second run's error names the first, and it gets the folder once the first has ended.
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

// A killed process keeps its lock until its last thread has returned from the disk; the
// next run waits for that, but not for a process that is alive.
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
