// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/geometry/intake"
	"lbmsim/internal/finding"
)

// openBlock is a box without one of its twelve triangles, in ASCII.
const openBlock = `solid block
facet normal 0 0 -1 outer loop vertex 0 0 0 vertex 0 2 0 vertex 3 0 0 endloop endfacet
facet normal 0 0 -1 outer loop vertex 3 0 0 vertex 0 2 0 vertex 3 2 0 endloop endfacet
facet normal 0 0 1 outer loop vertex 0 0 1 vertex 3 0 1 vertex 0 2 1 endloop endfacet
facet normal 0 0 1 outer loop vertex 3 0 1 vertex 3 2 1 vertex 0 2 1 endloop endfacet
facet normal 0 -1 0 outer loop vertex 0 0 0 vertex 3 0 0 vertex 3 0 1 endloop endfacet
facet normal 0 -1 0 outer loop vertex 0 0 0 vertex 3 0 1 vertex 0 0 1 endloop endfacet
facet normal 0 1 0 outer loop vertex 0 2 0 vertex 3 2 1 vertex 3 2 0 endloop endfacet
facet normal 0 1 0 outer loop vertex 0 2 0 vertex 0 2 1 vertex 3 2 1 endloop endfacet
facet normal -1 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 2 1 endloop endfacet
facet normal 1 0 0 outer loop vertex 0 0 0 vertex 0 2 1 vertex 0 2 0 endloop endfacet
facet normal 1 0 0 outer loop vertex 3 0 0 vertex 3 2 0 vertex 3 2 1 endloop endfacet
endsolid block
`

// The report of a dirty file lists the defects with their places, and the effect of a repair.
func TestIntakeReport(t *testing.T) {
	dir := t.TempDir()
	path, preview := filepath.Join(dir, "block.stl"), filepath.Join(dir, "block.png")
	if err := os.WriteFile(path, []byte(openBlock), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() *intake.Source {
		s, err := intake.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	tenth := func(p [3]float64) [3]float64 { return [3]float64{10 * p[0], 10 * p[1], 10 * p[2]} }
	var out bytes.Buffer
	s := read()
	grid := intake.Grid{Lattice: anyLattice()}
	_, _, err := judge(&out, s, func() error { return s.Close(false, nil) }, "in cells", tenth, grid, preview)
	if err == nil || !strings.Contains(err.Error(), "block.stl is not closed: 3 open edges (one triangle)") {
		t.Error(err)
	}
	for _, want := range []string{
		`ASCII STL, `, `"block"`, "11, with 8 vertices in 1 connected parts", "(0, 0, 0) to (3, 2, 1)", "no: 3 open edges", "2.24 wide at (3, 1, 0.5)",
		"1 normals inconsistent with vertex order", "30 x 20 x 10 cells", "6000 solid cells", "LEAKS", "picture " + preview,
	} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "2.236", "2.24"), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if b, err := os.ReadFile(preview); err != nil || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("no picture: %v", err)
	}
	out.Reset()
	s = read()
	if _, warnings, err := judge(&out, s, func() error { return s.Close(true, nil) }, "in cells", tenth, grid, ""); err != nil || warnings > 0 {
		t.Errorf("%d warnings, %v", warnings, err)
	}
	if _, after, _ := strings.Cut(out.String(), "after the repair"); !strings.Contains(after, "1 holes closed, the widest 2.24 wide, with 3 triangles") || !strings.Contains(after, "6000 cells of the surface, 6000 solid cells") || !strings.Contains(after, "tight") {
		t.Errorf("after the repair:%s", after)
	}
}

// check tests whether a body leaks, with the links of the case, and warns as the run does.
func TestCheckOfThinBody(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	fmt.Fprintln(&b, "solid plate")
	corner := func(k int) string {
		return fmt.Sprintf("vertex %g %d %d", []float64{-0.3, 0.3}[k&1], []int{-90, 90}[k>>1&1], []int{-5, 5}[k>>2])
	}
	for _, q := range [][4]int{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
		for _, tri := range [][3]int{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}} {
			fmt.Fprintf(&b, "facet normal 0 0 0 outer loop %s %s %s endloop endfacet\n", corner(tri[0]), corner(tri[1]), corner(tri[2]))
		}
	}
	fmt.Fprintln(&b, "endsolid plate")
	if err := os.WriteFile(filepath.Join(dir, "plate.stl"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, thicken := range []bool{false, true} {
		caseFile, err := config.Load(filepath.Join(dir, "case.toml"), fmt.Appendf(nil, `[domain]
cells = [120, 60]
periodic = ["x", "y"]
[fluid]
viscosity = 0.05
[run]
steps = 1
[body.plate]
shape = "stl"
file = "plate.stl"
translate = [60, 30]
rotate = [0, 0, 30]
thicken = %v
`, thicken))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := checkFiles(&out, caseFile, nil, ""); err != nil {
			t.Fatal(err)
		}
		want, warnings := "LEAKS: 34.2 % of the D2Q9 links that cross the surface pass between its solid cells\n                 warning: 0.6 cells thick", 1
		if thicken {
			want, warnings = "tight: thicken = true closes the gaps, 34.2 % of the D2Q9 links", 0
		}
		for _, w := range caseFile.Warnings {
			if strings.Contains(w.Text, "[body.plate] is too thin for the grid, 0.6 cells at (") {
				warnings--
			}
		}
		if warnings != 0 || !strings.Contains(out.String(), want) || thicken && strings.Contains(out.String(), "warning") {
			t.Errorf("thicken = %v: %q is not in\n%s\nor its warning in %q", thicken, want, out.String(), caseFile.Warnings)
		}
	}
}

// check examines all files of a case, in the cells of the case.
func TestCheckJudgesFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "block.stl"), []byte(openBlock), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "foam.raw"), append(make([]byte, 20), 1, 2, 3, 255), 0o600); err != nil {
		t.Fatal(err)
	}
	text := func(repair bool) []byte {
		return fmt.Appendf(nil, `[domain]
size = ["8 mm", "8 mm", "8 mm"]
cells = [40, 40, 40]
periodic = ["x", "y", "z"]
[fluid]
viscosity = "1e-6 m2/s"
[scaling]
tau = 0.8
[run]
steps = 1
[body.foam]
shape = "image"
file = "foam.raw"
voxels = [4, 3, 2]
unit = "1 mm"
[body.block]
shape = "stl"
file = "block.stl"
unit = "1 mm"
repair = %v
translate = ["4 mm", "4 mm", "4 mm"]
`, repair)
	}
	for _, repair := range []bool{true, false} {
		caseFile, err := config.Load(filepath.Join(dir, "case.toml"), text(repair))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		_, err = checkFiles(&out, caseFile, nil, dir)
		if repair == (err != nil) || err != nil && exitCode(err) != 2 {
			t.Errorf("repair %v: %v", repair, err)
		}
		if got := caseFile.Warnings.Of(finding.Repaired); repair && (len(got) != 1 || !strings.Contains(got[0].Text, "[body.block] was repaired: ")) {
			t.Errorf("the repair is not a warning, as it is in a run: %v", caseFile.Warnings)
		}
		for _, want := range []string{"image of 4 x 3 x 2 voxels", "4 voxels, 16.7 % of all", "(20, 20, 20) to (35, 30, 25)", "no: 3 open edges"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in\n%s", want, out.String())
			}
		}
	}
	// A body without effect on any cell of the domain is refused here already, with its line.
	for _, wrong := range [][2]string{{`unit = "1 mm"
repair`, `unit = "1 um"
repair`}, {`translate = ["4 mm"`, `translate = ["9 mm"`}, {`translate = ["4 mm"`, `translate = ["-9 mm"`}} {
		caseFile, err := config.Load(filepath.Join(dir, "case.toml"), bytes.Replace(text(true), []byte(wrong[0]), []byte(wrong[1]), 1))
		if err != nil {
			t.Fatal(err)
		}
		_, err = checkFiles(io.Discard, caseFile, nil, "")
		if err == nil || exitCode(err) != 2 || !strings.Contains(err.Error(), "[body.block] has no cell") || !strings.Contains(err.Error(), "case.toml:18:") {
			t.Errorf("%s: %v", wrong[1], err)
		}
	}
}
