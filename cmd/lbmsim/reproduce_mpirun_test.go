// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/compare"
)

// A case with every kind of output, a surface and a table.
const manifold = `
[domain]
cells = [30, 20, 16]
periodic = ["y"]
[fluid]
viscosity = 0.03
[boundary.walls]
type = "wall"
faces = ["z-", "z+"]
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0, 0]
table = "rise of the flow.csv"
[boundary.out]
type = "outflow"
faces = ["x+"]
[body.block]
shape = "stl"
file = "shapes ü/block.stl"
[run]
steps = 60
[checkpoint]
every = 20
[output.fields]
every = 20
files = 2
[output.averages]
sample_every = 4
every = 30
fields = ["mean_velocity"]
[output.plane.middle]
normal = "x"
at = 10
every = 30
[output.picture]
every = 30
[output.probe.wake]
at = [20, 9, 8]
every = 5
[output.force.block]
every = 5
[output.line.across]
from = [20.5, 9.5, 0.5]
to = [20.5, 9.5, 15.5]
every = 30
`

func writeManifold(t *testing.T, dir string) {
	t.Helper()
	writeCase(t, dir, manifold)
	var b strings.Builder
	corner := func(i int) string {
		return fmt.Sprintf("vertex %g %g %g\n", []float64{8.2, 13.7}[i>>2], []float64{5.3, 14.1}[i>>1&1], []float64{4.4, 10.9}[i&1])
	}
	b.WriteString("solid block\n")
	for _, q := range [][4]int{{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}} {
		for _, f := range [][3]int{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}} {
			b.WriteString("facet normal 0 0 0\nouter loop\n" + corner(f[0]) + corner(f[1]) + corner(f[2]) + "endloop\nendfacet\n")
		}
	}
	b.WriteString("endsolid block\n")
	if err := os.Mkdir(filepath.Join(dir, "shapes ü"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"shapes ü/block.stl": b.String(), "rise of the flow.csv": "0,0\n40,1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A single output suffices to recompute it, elsewhere, on another number of ranks.
func TestReproduce(t *testing.T) {
	there, here := t.TempDir(), t.TempDir()
	writeManifold(t, there)
	if r := runProgram(t, there, 2, "case.toml", "--output", "a b ü"); r.code != 0 {
		t.Fatalf("code %d\n%s", r.code, r.out)
	}
	moved := filepath.Join(here, "moved")
	if err := os.Rename(filepath.Join(there, "a b ü"), moved); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(there, "shapes ü")); err != nil {
		t.Fatal(err)
	}
	for name, ranks := range map[string]int{
		"fields/fields_0000000020.hdf":                          0,
		"checkpoints/checkpoint_000000000040.h5":                3,
		"checkpoints/averages/checkpoint_000000000040.h5":       0,
		"averages/averages_0000000060.hdf":                      2,
		"planes/middle/middle_0000000030.hdf":                   0,
		"probe_wake.csv":                                        0,
		"force_block.csv":                                       3,
		strings.TrimPrefix(one(t, moved, "*30.png"), moved+"/"): 2,
	} {
		to := "again " + strings.ReplaceAll(name, "/", "_")
		r := runProgram(t, here, ranks, "reproduce", "moved/"+name, "--output", to)
		if r.code != 0 || !strings.Contains(r.out, "reproduced bit for bit") || !strings.Contains(r.out, "the cases are identical") {
			t.Errorf("%s on %d ranks: code %d\n%s", name, ranks, r.code, r.out)
		}
	}

	// A renamed file matches the only one of its kind and step.
	renamed := filepath.Join(here, "seen.hdf")
	if err := os.Link(filepath.Join(moved, "planes/middle/middle_0000000030.hdf"), renamed); err != nil {
		t.Fatal(err)
	}
	if r := runProgram(t, moved, 2, "reproduce", renamed, "--output", "../of several"); r.code != 2 || !strings.Contains(r.out, "is missing: the folder") {
		t.Errorf("a file away from its inputs: code %d\n%s", r.code, r.out)
	}
	if err := os.Rename(renamed, filepath.Join(moved, "seen.hdf")); err != nil {
		t.Fatal(err)
	}
	if r := runProgram(t, here, 2, "reproduce", "moved/seen.hdf", "--output", "of several"); r.code != 1 || !strings.Contains(r.out, "3 new files of step 30 may correspond to moved/seen.hdf") {
		t.Errorf("a file of another name: code %d\n%s", r.code, r.out)
	}

	// Differences from the description are reported.
	r := runProgram(t, here, 0, "reproduce", "moved/probe_wake.csv", "--output", ".")
	if r.code != 2 || !strings.Contains(r.out, "the folder is not empty") {
		t.Errorf("into its own folder: code %d\n%s", r.code, r.out)
	}
	table := filepath.Join(moved, "probe_wake.csv")
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	rows[len(rows)-1] = "60,60,20.5,9.5,8.5,0,0,0,0\n"
	if err := os.WriteFile(table, []byte(strings.Join(rows, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := runProgram(t, here, 2, "reproduce", "moved/probe_wake.csv", "--output", "other"); r.code != 5 || !strings.Contains(r.out, "not reproduced") || !strings.Contains(r.out, "1 of 13 numbers differ") {
		t.Errorf("a changed row: code %d\n%s", r.code, r.out)
	}
	if err := os.Remove(one(t, filepath.Join(moved, "inputs"), "*.stl")); err != nil {
		t.Fatal(err)
	}
	if r := runProgram(t, here, 2, "reproduce", "moved/probe_wake.csv"); r.code != 2 || !strings.Contains(r.out, "block.stl of the case in moved/probe_wake.csv is missing") {
		t.Errorf("without the surface: code %d\n%s", r.code, r.out)
	}
}

// one returns the only file that matches a pattern.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v (%v) instead of one %s", files, err, pattern)
	}
	return files[0]
}

func TestDiffOfRuns(t *testing.T) {
	dir := t.TempDir()
	writeManifold(t, dir)
	for to, c := range map[string]struct {
		ranks int
		args  []string
	}{
		"a": {0, nil},
		"b": {3, nil},
		"c": {2, []string{"--set", "fluid.viscosity=0.04"}},
	} {
		if r := runProgram(t, dir, c.ranks, append([]string{"case.toml", "--output", to}, c.args...)...); r.code != 0 {
			t.Fatalf("%s: code %d\n%s", to, r.code, r.out)
		}
	}
	same := runProgram(t, dir, 0, "diff", "a", "b")
	if same.code != 0 || !strings.Contains(same.out, "ranks: 1 / 3") || !strings.Contains(same.out, "bit-identical: pressure, solid, velocity") || strings.Contains(same.out, "numbers differ") {
		t.Errorf("another number of ranks: code %d\n%s", same.code, same.out)
	}
	other := runProgram(t, dir, 0, "diff", "a", "c", "--json")
	var got struct {
		Same    bool
		Reports []compare.Report
	}
	if err := json.Unmarshal([]byte(other.out), &got); err != nil || other.code != 5 || got.Same {
		t.Fatalf("another viscosity: code %d, %v\n%s", other.code, err, other.out)
	}
	kinds := map[compare.Kind]int{}
	for _, r := range got.Reports {
		kinds[r.Kind]++
		if len(r.Case) != 1 || !strings.HasPrefix(r.Case[0], "fluid.viscosity: 0.03 / 0.04") || len(r.Differences) == 0 {
			t.Errorf("%s: case %q, %d parts", r.A, r.Case, len(r.Differences))
		}
	}
	if kinds[compare.Fields] != 3+2+2 || kinds[compare.Checkpoint] < 2 || kinds[compare.Table] != 2+1 || kinds[compare.Picture] != 2 {
		t.Errorf("kinds of files: %v", kinds)
	}
	if r := runProgram(t, dir, 0, "diff", "a", "c", "--tolerance", "1000"); r.code != 0 {
		t.Errorf("within a large tolerance: code %d\n%s", r.code, r.out)
	}

	// The provenance of a run continued elsewhere has both legs.
	if r := runProgram(t, dir, 2, "case.toml", "--output", "b", "--restart", "latest", "--set", "run.steps=80"); r.code != 0 {
		t.Fatalf("code %d\n%s", r.code, r.out)
	}
	o, err := compare.Open(filepath.Join(dir, "b/fields/fields_0000000080.hdf"))
	if err != nil {
		t.Fatal(err)
	}
	if l := o.Provenance.Legs; len(l) != 2 || l[0].From != 0 || l[0].Ranks != 3 || l[1].From != 60 || l[1].Ranks != 2 || len(l[1].Devices) != 1 || l[1].Devices[0].Ranks != 2 {
		t.Errorf("%+v", o.Provenance)
	}
}
