// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lbmsim/io/status"
)

// underLimit starts four ranks under a limit of 10 s, within which a busy machine writes a checkpoint, and injects a fault. It returns
// the folder and the result.
func underLimit(t *testing.T, happen func(dir string, pids []int)) (dir string, r result) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	text := strings.Replace(fmt.Sprintf(box, 1_000_000_000, 200), "[run]", "[run]\nstall_limit = \"10 s\"", 1)
	cmd := program(t, ctx, dir, 4, writeCase(t, dir, text))
	happened := make(chan struct{})
	go func() {
		defer close(happened)
		started(t, dir, cmd)
		happen(dir, pidsOf(dir))
	}()
	r = finish(t, cmd)
	<-happened
	for end := time.Now().Add(10 * time.Second); len(pidsOf(dir)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("ranks are left behind: %v", pidsOf(dir))
			for _, pid := range pidsOf(dir) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	return dir, r
}

// A stopped process blocks all others: the job ends within its limit with a message that names it, and the process does
// not remain, whether it is rank 0, which reports for all, or another one.
func TestStoppedRankIsNamed(t *testing.T) {
	for victim := range 2 {
		t.Run(fmt.Sprintf("process %d", victim), func(t *testing.T) {
			t.Parallel()
			var name string
			var stopped time.Time
			_, r := underLimit(t, func(_ string, pids []int) {
				if victim < len(pids) {
					name, stopped = fmt.Sprintf("(process %d on ", pids[victim]), time.Now()
					_ = syscall.Kill(pids[victim], syscall.SIGSTOP)
				}
			})
			if took := time.Since(stopped); r.code == 0 || stopped.IsZero() || took > 30*time.Second {
				t.Fatalf("exit code %d, %v after the stop\n%s", r.code, took, r.out)
			}
			// Without rank 0 the others speak in turn, and on a busy machine two may speak.
			if said := strings.Count(r.out, "ending all ranks"); said < 1 || said > 2 || victim > 0 && said > 1 || said != strings.Count(r.out, name) || !strings.Contains(r.out, name) || !strings.Contains(r.out, "has not answered for") || !strings.Contains(r.out, "at step ") {
				t.Errorf("not a message that names %q:\n%s", name, r.out)
			}
		})
	}
}

// A job that is suspended as a whole, for longer than its limit, continues afterwards.
func TestSuspendedJobGoesOn(t *testing.T) {
	t.Parallel()
	_, r := underLimit(t, func(dir string, pids []int) {
		for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
			for _, pid := range pids {
				_ = syscall.Kill(pid, s)
			}
			time.Sleep(13 * time.Second)
		}
		if err := os.WriteFile(filepath.Join(dir, "out", "case", "stop.now"), nil, 0o666); err != nil {
			t.Error(err)
		}
	})
	if r.code != 0 || !strings.Contains(r.out, "stop.now") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
}

// The message of a rank that ends all ranks is in status.json, too, although rank 0 usually writes it.
func TestStatusOfAStuckJob(t *testing.T) {
	t.Parallel()
	dir, r := underLimit(t, func(_ string, pids []int) {
		if len(pids) > 0 {
			_ = syscall.Kill(pids[0], syscall.SIGSTOP)
		}
	})
	s, err := status.Read(filepath.Join(dir, "out", "case"))
	if err != nil || s.Phase != status.Failed || s.ExitCode == nil || !strings.Contains(s.Error, "has not answered") {
		t.Errorf("%v %+v\n%s", err, s, r.out)
	}
}
