// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"lbmsim/io/status"
)

// Commands whose output does not reach a full device fail; the same commands succeed otherwise.
func TestStandardOutputIsFull(t *testing.T) {
	old := os.Stdout
	t.Cleanup(func() { os.Stdout = old })
	dir := t.TempDir()
	writeCase(t, dir, "[domain]\ncells = [6, 4]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n")
	for name, text := range map[string]string{"b.stl": openBlock, status.Name: `{"phase":"finished"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for device, want := range map[string]int{"/dev/full": 1, "/dev/null": 0} {
		out, err := os.OpenFile(device, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"check", filepath.Join(dir, "case.toml")}, {"list"}, {"list", "reference"}, {"status", dir}, {"version"}, {"--version"}, {"--help"}, {"example"},
			{"stl", filepath.Join(dir, "b.stl"), "--repair"},
		} {
			os.Stdout = out
			code := execute(args)
			os.Stdout = old
			if code != want {
				t.Errorf("%v > %s: exit code %d", args, device, code)
			}
		}
		out.Close()
	}
}

// A pipe without a writer ends a command: as a state at once, as a case after a while, in which a shell starts the writer.
func TestPipesWithoutWriters(t *testing.T) {
	patience := pipePatience
	t.Cleanup(func() { pipePatience = patience })
	pipePatience = 200 * time.Millisecond
	dir := t.TempDir()
	for _, name := range []string{"case.toml", "late.toml", status.Name} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code := execute([]string{"status", dir}); code != 1 {
		t.Errorf("status: exit code %d", code)
	}
	if code := execute([]string{"check", filepath.Join(dir, "case.toml")}); code != 2 {
		t.Errorf("check: exit code %d", code)
	}
	pipePatience = time.Minute
	late := filepath.Join(dir, "late.toml")
	go func() {
		time.Sleep(100 * time.Millisecond)
		_ = os.WriteFile(late, []byte("domain = { cells = [6, 4], periodic = [\"x\", \"y\"] }\nfluid.viscosity = 0.1\nrun.steps = 1\n"), 0o600)
	}()
	if code := execute([]string{"check", late}); code != 0 {
		t.Errorf("check of a case that is written late: exit code %d", code)
	}
}
