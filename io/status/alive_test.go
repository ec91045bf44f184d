// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package status

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The state of a running run follows from its lock and its process on its own host, and from the clock elsewhere.
func TestStanding(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	free := filepath.Join(t.TempDir(), "free")
	if err := os.WriteFile(free, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	dead := gone.Process.Pid
	for _, c := range []struct {
		name, host string
		process    int
		lock       string
		ago        time.Duration
		phase      Phase
		want       string
		bad        bool
	}{
		{"killed just now", host, dead, free, time.Second, Running, "killed: process", true},
		{"killed, no lock file", host, dead, free + "x", time.Second, Running, "killed: process", true},
		{"the lock is held", host, dead, lock, time.Second, Running, "running", false},
		{"the process is there", host, os.Getpid(), free, time.Second, Running, "running", false},
		{"it hangs", host, os.Getpid(), lock, time.Hour, Running, "silent for 1h0m0s", true},
		{"another host", "elsewhere", dead, free, time.Second, Running, "running", false},
		{"another host, long ago", "elsewhere", dead, free, time.Hour, Running, "silent", true},
		{"another host, of tomorrow", "elsewhere", dead, free, -24 * time.Hour, Running, "unknown: its last word is of a time 24h0m0s ahead", true},
		{"clocks of tomorrow, but it is gone", host, dead, free, -24 * time.Hour, Running, "killed", true},
		{"ended", host, dead, free, time.Second, Finished, "finished", false},
		{"failed", host, dead, free, time.Second, Failed, "failed", true},
	} {
		now := time.Now()
		s := State{
			Phase: c.phase, Identity: Identity{Host: c.host, Process: c.process}, Progress: Progress{Updated: now.Add(-c.ago), Every: 5},
		}
		if text, bad := s.Standing(c.lock, now); !strings.HasPrefix(text, c.want) || bad != c.bad {
			t.Errorf("%s: %q, %v", c.name, text, bad)
		}
	}
}
