// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lbmsim/comm/mpi/mpitest"
)

// Many more ranks than cores: costs that grow with the number of ranks become visible. Every rank has two planes.
// The state, the files and the memory of a rank have to be the same as with few ranks.
func TestManyRanks(t *testing.T) {
	const few, planes = 8, 2
	t.Setenv("GOGC", "100") // whatever the tests have
	many := 64
	if launcher, _ := mpitest.Mpirun(t); !mpitest.OpenMPI(launcher[0]) {
		// MPICH's ranks do not yield while they wait: 64 of them took two minutes on two cores,
		// Open MPI's seven seconds.
		many = 16
	}
	box := func(ranks int) string {
		return fmt.Sprintf(`
[domain]
cells = [48, 40, %d]
[fluid]
viscosity = 0.03
[initial]
velocity = ["0.02*sin(2*pi*z/Lz)", "0.01*cos(2*pi*x/Lx)", 0]
[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.05, 0, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-"]
[run]
steps = 100
watch_every = 50
[output.fields]
every = 50
[checkpoint]
every = 50
`, ranks*planes)
	}
	run := func(ranks, started int) (dir string, peak int, took time.Duration) {
		dir = t.TempDir()
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		cmd := program(t, ctx, dir, started, writeCase(t, dir, box(ranks)), "--threads", "1", "--device", "cpu")
		done := make(chan struct{})
		seen := make(chan map[string]int)
		go func() { seen <- peaks(dir, done) }()
		r := finish(t, cmd)
		close(done)
		all := <-seen
		if r.code != 0 {
			t.Fatalf("%d ranks: exit code %d\n%s", started, r.code, r.out)
		}
		if len(all) != max(1, started) {
			t.Errorf("saw %d of %d ranks", len(all), started)
		}
		for _, kib := range all {
			peak = max(peak, kib)
		}
		return dir, peak, r.elapsed
	}
	_, base, _ := run(few, few)
	dir, peak, took := run(many, many)
	one, _, _ := run(many, 0)
	t.Logf("%d ranks took %v; the largest peak of a rank's memory is %d KiB, with %d ranks %d KiB", many, took, peak, few, base)
	if !bytes.Equal(lastState(t, dir), lastState(t, one)) {
		t.Errorf("the state of %d ranks differs from one rank's", many)
	}
	if got, want := tree(t, dir), tree(t, one); !slices.Equal(got, want) {
		t.Errorf("files of %d ranks: %v, of one: %v", many, got, want)
	}
	// MPI allocates memory for each rank of the node: Open MPI up to 2.8 MiB of shared memory with
	// 64. Their states, together in one rank, would be 20 MiB.
	if allowed := base + 8<<10; peak > allowed {
		t.Errorf("a rank of %d took %d KiB, a rank of %d %d KiB", many, peak, few, base)
	}
}

// peaks returns the peak memory of each rank working in a folder, in KiB by process, sampled until done.
func peaks(dir string, done <-chan struct{}) map[string]int {
	all := map[string]int{}
	for {
		found, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range found {
			at, err := os.Readlink(link)
			name, err2 := os.ReadFile(filepath.Join(filepath.Dir(link), "comm"))
			if err != nil || err2 != nil || at != dir || strings.TrimSpace(string(name)) != "lbmsim" {
				continue // another process, or already ended
			}
			status, err := os.ReadFile(filepath.Join(filepath.Dir(link), "status"))
			if err != nil {
				continue
			}
			_, after, _ := strings.Cut(string(status), "VmHWM:")
			var kib int
			if _, err := fmt.Sscan(after, &kib); err == nil {
				all[link] = max(all[link], kib)
			}
		}
		select {
		case <-done:
			return all
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tree returns the files that a run has written, by name.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "out"), func(path string, d os.DirEntry, err error) error {
		if rel, e := filepath.Rel(dir, path); e == nil && err == nil && !d.IsDir() {
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
