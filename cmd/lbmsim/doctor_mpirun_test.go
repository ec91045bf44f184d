// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A healthy machine is ready to run, for any number of ranks; no file is left in the folder.
func TestDoctorOnRealRanks(t *testing.T) {
	for _, n := range []int{0, 3} {
		dir := t.TempDir()
		r := runProgram(t, dir, n, "doctor", "--device", testDevice(), "--disk-mib", "8")
		if shared := n > 1 && testDevice() == "cuda" && r.code == 1; shared && strings.Contains(r.out, "would both use the GPU") {
			continue // more ranks than GPUs, which doctor reports
		}
		for _, want := range []string{"ok       versions", "ok       clocks", " messages ", "ok       kernel", "ok       ghosts", "visible to all", "ready to run"} {
			if r.code != 0 || !strings.Contains(r.out, want) {
				t.Errorf("%d ranks: exit code %d, no %q in\n%s", n, r.code, want, r.out)
			}
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d ranks leave %v behind", n, left)
		}
	}
}

// The classic mistake: all ranks on one core. --strict makes it an error.
func TestDoctorFindsRanksOnOneCore(t *testing.T) {
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Skipf("NOT TESTED: doctor finds ranks on one core: binding them needs taskset (util-linux): %v", err)
	}
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		t.Fatal(err)
	}
	core := 0
	for !mask.IsSet(core) {
		core++
	}
	for _, strict := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		cmd := program(t, ctx, t.TempDir(), 2, "doctor", "--device", "cpu", "--disk-mib", "8", fmt.Sprintf("--strict=%v", strict))
		cmd.Args = append([]string{"taskset", "-c", fmt.Sprint(core)}, cmd.Args...)
		cmd.Path = taskset
		r := finish(t, cmd)
		if (r.code != 0) != strict || !strings.Contains(r.out, "warning  cores     ranks 0, 1 on ") || !strings.Contains(r.out, fmt.Sprintf("share 1 core (%d)\n", core)) {
			t.Errorf("strict %v: exit code %d\n%s", strict, r.code, r.out)
		}
	}
}

// An obstacle to a job is reported once, and ends all ranks with the code.
func TestDoctorRefuses(t *testing.T) {
	for _, c := range []struct {
		ranks int
		args  []string
		code  int
		want  string
	}{
		{2, []string{"--device", "cpu", "--output", "/dev/null/out"}, 1, "FAULT    disk      rank 0: outputs cannot be written: /dev/null: not a directory"},
		{0, []string{"--limit", "1ms"}, 2, "--limit at least 1s"},
		{0, []string{"--device", "gpu"}, 2, "--device gpu: must be cpu"},
		{0, []string{"case.toml"}, 2, "accepts no case"},
	} {
		r := runProgram(t, t.TempDir(), c.ranks, append([]string{"doctor"}, c.args...)...)
		if r.code != c.code || strings.Count(r.out, c.want) != 1 {
			t.Errorf("%v: exit code %d, want %d and once %q\n%s", c.args, r.code, c.code, c.want, r.out)
		}
	}
}

// A rank that makes no progress, here a stopped one, is named, and all ranks
// end.
func TestDoctorNamesAStoppedRank(t *testing.T) {
	const victim = 2
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := program(t, ctx, dir, 4, "doctor", "--device", "cpu", "--limit", "4s", "--disk-mib", "8")
	var all bytes.Buffer
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &all
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The table precedes the first check: the ranks have begun, and checks follow.
	stopped := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "rank  host") {
			if stopped = rankIn(dir, victim); stopped > 0 {
				if err := syscall.Kill(stopped, syscall.SIGSTOP); err != nil {
					t.Error(err)
				}
			}
		}
	}
	err = cmd.Wait()
	if stopped == 0 {
		t.Fatalf("found no process of rank %d: %v\n%s", victim, err, all.String())
	}
	// A rank that waits for it inside the library may be named as well.
	named := regexp.MustCompile(fmt.Sprintf(`: ranks? (\d, )*%[1]d(, \d)* on \S+ did not answer|: rank %[1]d did not send or receive a message`, victim))
	if text := all.String(); err == nil || ctx.Err() != nil || !named.MatchString(text) {
		t.Errorf("ended with %v (time over: %v) and\n%s", err, ctx.Err(), text)
	}
	for end := time.Now().Add(10 * time.Second); rankIn(dir, victim) == stopped; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(stopped, syscall.SIGKILL)
			t.Fatalf("the stopped rank, process %d, is left behind", stopped)
		}
	}
}

// rankIn returns the process of a rank that works in a folder, 0 if there is no such process.
func rankIn(dir string, rank int) int {
	found, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range found {
		at, err := os.Readlink(link)
		if err != nil || at != dir {
			continue
		}
		env, err := os.ReadFile(filepath.Join(filepath.Dir(link), "environ"))
		if err != nil {
			continue
		}
		for _, v := range strings.Split(string(env), "\x00") {
			if v == fmt.Sprintf("OMPI_COMM_WORLD_RANK=%d", rank) || v == fmt.Sprintf("PMI_RANK=%d", rank) {
				var pid int
				if _, err := fmt.Sscanf(link, "/proc/%d/cwd", &pid); err == nil {
					return pid
				}
			}
		}
	}
	return 0
}
