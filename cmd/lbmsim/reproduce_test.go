// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/compare"
	"lbmsim/sim"
)

// A run that ended early proves nothing about the file.
func TestReproducedInPart(t *testing.T) {
	_, err := recipe{Step: 60, Output: t.TempDir()}.compare("a.csv", sim.Summary{Last: 30, Reason: "signal"})
	if err == nil || !strings.Contains(err.Error(), "ended at step 30 of 60 (signal): nothing to compare") {
		t.Error(err)
	}
}

// Files of earlier runs are neither mistaken for new ones nor overwritten.
func TestReproducedIntoAFreshFolder(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(home) })
	const path = "run/probe_a.csv"
	want := filepath.Join("out", "reproduced-probe_a")
	for _, name := range []string{want, want + "-2", want + "-3"} {
		got, err := fresh(path, "")
		if err != nil || got != name {
			t.Fatalf("%s, %v; want %s", got, err, name)
		}
		if err := os.MkdirAll(got, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := fresh(path, want); err != nil || got != want {
		t.Errorf("an empty folder: %s, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(want, "probe_a.csv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(want, "link"); err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{want, "link"} {
		if _, err := fresh(path, output); err == nil || !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("%s: %v", output, err)
		}
	}
}

// A table of a run extended by a restart is computed to its last row, and damaged files are refused before the first step.
func TestReproducedAfterARestart(t *testing.T) {
	dir := t.TempDir()
	text := `
[domain]
cells = [12, 10]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[initial]
velocity = ["0.01*sin(2*pi*y/Ly)", 0]
[run]
steps = 20
[output.probe.p]
at = [3.5, 3.5]
every = 5
[output.fields]
every = 10
[checkpoint]
every = 10
`
	path := writeCase(t, dir, text)
	for _, args := range [][]string{
		{"run", path, "--output", "o"},
		{"run", path, "--output", "o", "--restart", "latest", "--set", "run.steps=40"},
		{"reproduce", "o/probe_p.csv", "--output", "again"},
	} {
		if r := runProgram(t, dir, 0, args...); r.code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, r.code, r.out)
		}
	}
	fields := filepath.Join(dir, "o/fields/fields_0000000010.hdf")
	b, err := os.ReadFile(fields)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(b) - 1; ; at -= 16 { // a byte of the numbers, which reading the header alone does not see
		if at < 0 {
			t.Fatal("no byte of numbers was found")
		}
		b[at]++
		if err := os.WriteFile(fields, b, 0o666); err != nil {
			t.Fatal(err)
		}
		_, header := compare.Open(fields)
		if _, err := compare.Files(fields, fields); header == nil && err != nil {
			break
		}
		b[at]--
	}
	if r := runProgram(t, dir, 0, "reproduce", fields, "--output", "damaged"); r.code != sim.ExitUsage || strings.Contains(r.out, "step 10") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
	if _, err := os.Stat(filepath.Join(dir, "damaged")); err == nil {
		t.Error("it computed before it looked")
	}
}
