// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/study"
)

const studied = `
[domain]
cells = [16, 16]
periodic = ["x", "y"]
[fluid]
viscosity = 0.05
[collision]
model = "bgk"
precision = "float64"
[initial]
velocity = ["0.02*sin(2*pi*y/Ly)", 0]
[run]
steps = 64
[output.fields]
[checkpoint]
[expect.velocity]
reference = ["0.02*sin(2*pi*y/Ly)*exp(-0.05*(2*pi/16)^2*t)", 0]
l2 = 1e-9
[expect.max_speed]
`

// A study finds the order of the lattice with one rank and with two, in the same numbers,
// whether or not the case's own expectations are met, and leaves no files of fields.
func TestStudyFindsTheOrder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "wave.toml"), []byte(studied), 0o666); err != nil {
		t.Fatal(err)
	}
	var first *study.Study
	for _, n := range []int{0, 2} {
		r := runProgram(t, dir, n, "study", "wave.toml", "--json", "--device", testDevice(), "--set", "collision.model=trt")
		var s study.Study
		// The lines of the grids go to stderr, which is included here.
		object := r.out[max(0, strings.Index(r.out, "{\"case\"")):]
		object, _, _ = strings.Cut(object, "\n")
		if err := json.Unmarshal([]byte(object), &s); r.code != 0 || err != nil {
			t.Fatalf("%d ranks: exit code %d, %v\n%s", n, r.code, err, r.out)
		}
		if len(s.Levels) != 3 || len(s.Results) != 2 || s.Levels[2].Cells[0] != 64 || s.Levels[2].Steps != 16*64 {
			t.Fatalf("%d ranks: %+v", n, s)
		}
		for _, r := range s.Results {
			if strings.Contains(r.Quantity, "velocity") && math.Abs(float64(r.Order)-2) > 0.1 {
				t.Errorf("%d ranks: %+v", n, r)
			}
		}
		if first == nil {
			first = &s
		} else if a, b := first.Results[0].Values[2], s.Results[0].Values[2]; a != b {
			t.Errorf("two ranks measure %v, one %v", b, a)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("files beside the case: %v %v", left, err)
	}
	for _, c := range []struct{ args, want string }{
		{"--levels 1", "--levels 1"}, {"--ratio 1", "--ratio 1"}, {"--scaling magic", "diffusive or acoustic"},
		{"--first 0.7", "wave.toml:2:1: error: a grid refined by 0.7"}, {"--set run.stops=1", "unknown key"},
	} {
		r := runProgram(t, dir, 0, append([]string{"study", "wave.toml"}, strings.Fields(c.args)...)...)
		if r.code != 2 || !strings.Contains(r.out, c.want) {
			t.Errorf("%s: exit code %d\n%s", c.args, r.code, r.out)
		}
	}
}

// The tables of a study are in separate folders, one for each grid: the tables of the case's own run stay as they are, and an
// earlier study's are removed.
func TestStudyHasItsOwnFolder(t *testing.T) {
	dir := t.TempDir()
	text := strings.Replace(studied, "[expect.max_speed]", `[expect.max_speed]
[body.disc]
shape = "cylinder"
centre = [8, 8]
radius = 2
[output.force.disc]
[output.series.flow]
quantities = ["kinetic_energy"]
[output.probe.p]
at = [2, 2]
[output.line.l]
from = [0, 2]
to = [16, 2]
[output.averages]
fields = ["mean_velocity"]
`, 1)
	if err := os.WriteFile(filepath.Join(dir, "wave.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out", "wave")
	device := []string{"--device", testDevice()}
	runProgram(t, dir, 0, append([]string{"run", "wave.toml"}, device...)...) // it fails its expectations
	before := contents(t, out)
	if len(before) < 8 {
		t.Fatalf("%d files of the case's own run", len(before))
	}
	for _, levels := range []string{"3", "2"} {
		r := runProgram(t, dir, 0, append([]string{"study", "wave.toml", "--levels", levels}, device...)...)
		if r.code != 0 || !strings.Contains(r.out, "tables of the grids are in out/wave/study") {
			t.Fatalf("exit code %d\n%s", r.code, r.out)
		}
	}
	after := contents(t, out)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("the study has changed %s of the case's own run", name)
		}
		delete(after, name)
	}
	for _, grid := range []string{"refined_1", "refined_2", "refined_4"} {
		for _, table := range []string{"force_disc.csv", "series_flow.csv", "probe_p.csv"} {
			text, there := after[filepath.Join("study", grid, table)]
			if !there {
				t.Errorf("no %s of %s", table, grid)
			}
			// The case in its head is the unrefined one, of factor 1, and not what was computed.
			factor := strings.TrimPrefix(grid, "refined_")
			if said := strings.Contains(text, "computed on a grid refined by "+factor+", diffusive scaling"); said != (factor != "1") {
				t.Errorf("%s of %s: says that its grid is refined: %v", table, grid, said)
			}
		}
	}
	for name := range after {
		if filepath.Ext(name) != ".csv" {
			t.Errorf("the study has written %s", name)
		}
	}
}

// A study prints each warning of its runs once, with the grids that have it, and its JSON has them, too.
func TestStudyRepeatsWarnings(t *testing.T) {
	dir := t.TempDir()
	text := strings.NewReplacer("0.05\n", "0.0005\n", "= 64", "= 8", "\nvelocity = [\"0.02", "\nvelocity = [\"0.08", "float64", "float32").Replace(studied)
	if err := os.WriteFile(filepath.Join(dir, "wave.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	want := []string{"warning: refined by 1: Mach number 0.13", "warning: refined by 1, 2: the cell Reynolds number"}
	for _, args := range []string{"", "--json"} {
		r := runProgram(t, dir, 0, append([]string{"study", "wave.toml", "--levels", "2", "--device", testDevice()}, strings.Fields(args)...)...)
		for _, w := range want {
			if strings.Count(r.out, w) != 1 {
				t.Errorf("%q: %q is not there once\n%s", args, w, r.out)
			}
		}
		if json := strings.Contains(r.out, `"warnings":[{"kind":"mach_number"`); json != (args != "") {
			t.Errorf("%q\n%s", args, r.out)
		}
	}
}
