// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const stream = `
[domain]
cells = [40, 24]
[fluid]
reynolds = 50
length = 8
velocity = 0.05
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.bar]
shape = "cylinder"
centre = [14, 12]
radius = 4
[run]
steps = 200
[checkpoint]
[output.fields]
files = 2
[expect.max_speed]
`

// The flow of another run through the commands: check and run report it, its copy is enough to reproduce the run, and a
// study passes it from grid to grid, on several ranks, too.
func TestFlowOfAnotherRun(t *testing.T) {
	dir := t.TempDir()
	name := writeCase(t, dir, stream)
	ok := func(ranks int, want string, args ...string) {
		t.Helper()
		if r := runProgram(t, dir, ranks, args...); r.code != 0 || !strings.Contains(r.out, want) {
			t.Fatalf("%v: exit code %d, no %q in\n%s", args, r.code, want, r.out)
		}
	}
	ok(1, "all steps done", "run", name, "--output", "out/first")
	ok(1, "copied bit for bit", "check", name, "--set", `initial.from="out/first"`)
	fine := []string{name, "--set", "domain.cells=[80, 48]", "--set", "fluid.length=16", "--set", "body.bar.centre=[28, 24]", "--set", "body.bar.radius=8"}
	ok(1, "40 x 24 to 80 x 48 cells", append(append([]string{"check"}, fine...), "--set", `initial.from="out/first"`)...)
	ok(1, "2 (lengths)", append(append([]string{"check"}, fine...), "--set", `initial.from="out/first"`)...)
	ok(2, "fields of step 200", append(append([]string{"run"}, fine...), "--set", `initial.from="out/first/fields"`, "--output", "out/second")...)
	if err := os.RemoveAll(filepath.Join(dir, "out/first")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"fields/fields_0000000200.hdf", "checkpoints/checkpoint_000000000200.h5"} {
		ok(3, "reproduced bit for bit", "reproduce", "out/second/"+file)
	}
	r := runProgram(t, dir, 1, "check", name, "--set", `initial.from="out/first"`)
	if r.code != 2 || !strings.Contains(r.out, "there is no file or folder out/first") {
		t.Errorf("exit code %d:\n%s", r.code, r.out)
	}
	ok(2, "max_speed", "study", name, "--levels", "3", "--first", "0.5", "--scaling", "acoustic", "--continue")
	table, err := filepath.Glob(filepath.Join(dir, "out/case/study/refined_*/fields/*.hdf"))
	if err != nil || len(table) != 2 {
		t.Errorf("grids that leave their flow: %v, %v", table, err)
	}
}

// The command check reads all of the flow that a case starts from: a byte that changed is found before the run.
func TestCheckReadsTheFlow(t *testing.T) {
	dir := t.TempDir()
	path := writeCase(t, dir, strings.NewReplacer("steps = 200", "steps = 5", "files = 2\n", "").Replace(stream))
	if r := runProgram(t, dir, 0, "run", path, "--output", "first"); r.code != 0 {
		t.Fatal(r.out)
	}
	for _, name := range []string{"checkpoints/checkpoint_000000000005.h5", "fields/fields_0000000005.hdf"} {
		from := filepath.Join(dir, "first", name)
		whole, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.Clone(whole)
		changed[len(changed)*3/4] ^= 1
		for what, c := range map[string]struct {
			data []byte
			want string
		}{"whole": {whole, ""}, "changed": {changed, "checksum"}, "cut": {whole[:len(whole)/2], "truncated"}} {
			if err := os.WriteFile(from, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			r := runProgram(t, dir, 0, "check", path, "--set", "initial.from="+from)
			if (r.code == 2) != (c.want != "") || !strings.Contains(r.out, c.want) || strings.Contains(r.out, "eof") {
				t.Errorf("%s, %s: exit code %d, want %q\n%s", name, what, r.code, c.want, r.out)
			}
		}
	}
}
