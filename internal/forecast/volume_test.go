// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package forecast

import (
	"math"
	"os"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/geometry"
)

// Every output has a line in the forecast, with its files and bytes.
func TestVolumes(t *testing.T) {
	c := load(t, `
[domain]
cells = [40, 30, 20]
periodic = ["x", "y"]
[boundary.walls]
type = "wall"
faces = ["z-", "z+"]
[fluid]
viscosity = 0.05
[run]
steps = 1000
[output.fields]
every = 100
files = 4
[output.plane.upright]
normal = "x"
every = 10
[output.plane.flat]
every = 10
[output.line.l]
from = [0, 15, 10]
to = [40, 15, 10]
points = 50
every = 10
[output.probe.p]
at = [1, 2, 3]
every = 1
[output.series.s]
quantities = ["mean_velocity", "max_speed"]
every = 1
[output.force.walls]
every = 1
[output.picture]
every = 50
[output.averages]
fields = ["mean_velocity"]
over = "x"
[output.spectrum.lines]
along = "x"
at = [3, 7]
every = 100
[output.spectrum.middle]
along = "x"
fields = ["pressure_spectrum"]
every = 100
[checkpoint]
every = 100
`)
	known := map[string]Volume{}
	for _, v := range Volumes(c) {
		known[v.Head] = v
	}
	const csvStep, csvNumber = 24, 20
	head := config.FileBytes(c, 0)
	for _, w := range []struct {
		head         string
		files, bytes float64
	}{
		{"[output.fields]", 10 * (1 + 4), 10 * (head + 40*30*20*4*4)},
		{"[output.plane.upright]", 100, 100 * (head + 30*20*4*4)},
		{"[output.plane.flat]", 100, 100 * (head + 40*30*4*4)},
		{"[output.line.l]", 1, 100 * 50 * (csvStep + csvNumber*(4+4))},
		{"[output.probe.p]", 1, 1001 * (csvStep + csvNumber*(3+4))},
		{"[output.series.s]", 1, 1001 * (csvStep + csvNumber*(3+1))},
		{"[output.force.walls]", 1, 1000 * (csvStep + csvNumber*3*6)},
		{"[output.picture]", 20, math.NaN()},
		{"[output.averages]", 1, head + 30*20*3*4},
		{"[output.spectrum.lines]", 1, 10 * 2 * 20 * (csvStep + csvNumber*(3+2*3))},
		{"[output.spectrum.middle]", 1, 10 * 20 * (csvStep + csvNumber*(3+2))},
		{"[checkpoint]", 2, 2 * (head + float64(CheckpointBytes(c)))},
		{"averages beside them", 3, 3 * (head + 40*30*20*3*8)},
	} {
		v, ok := known[w.head]
		if !ok || v.Files != w.files || v.Bytes != w.bytes && !math.IsNaN(w.bytes) {
			t.Errorf("%s: %+v, want %g files, %g bytes", w.head, v, w.files, w.bytes)
		}
		delete(known, w.head)
	}
	if len(known) > 0 {
		t.Errorf("more than there are: %v", known)
	}
	text := ""
	for _, r := range Table(c, 1) {
		text += r.Name + ": " + r.Lattice + ": " + r.SI + "\n"
	}
	for _, want := range []string{"[output.plane.flat]: 100 times, 100 files: ", "[output.line.l]: 100 times, 1 file: ", "all outputs: 282 files: ", "planes, pictures, lines and spectra on rank 0: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Checkpoints keep means at walls for every cell, four values of them here; on the device there are the others' sums alone.
func TestMeansAtWallsOnDisk(t *testing.T) {
	c := load(t, `
[domain]
cells = [40, 30, 20]
periodic = ["x", "y"]
[boundary.walls]
type = "wall_model"
faces = ["z-", "z+"]
[fluid]
viscosity = 1e-4
[run]
steps = 100
[output.averages]
fields = ["mean_y_plus", "mean_pressure", "mean_wall_shear"]
[checkpoint]
every = 100
keep = 1
`)
	sums, snapshot := AverageBytes(c, 1)
	if cells := int64(40 * 30 * 20); sums != 8*cells || snapshot != cells*5*4+8*cells*5 {
		t.Errorf("sums of %d bytes, %d while they are written", sums, snapshot)
	}
	for _, v := range Volumes(c) {
		if want := config.FileBytes(c, 40*30*20*5*8); v.Head == "averages beside them" && v.Each != want {
			t.Errorf("%g bytes beside a checkpoint, want %g", v.Each, want)
		}
	}
}

// The lists of links are in the forecast where there are some, and follow the surface.
func TestListBytes(t *testing.T) {
	const text = `
[domain]
cells = [100, 100, 100]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.05
[run]
steps = 10
[body.ball]
shape = "sphere"
centre = [50, 50, 50]
`
	lists := func(more string) int64 { return ListBytes(load(t, text+more), 1) }
	if n := lists("radius = 20\ntype = \"wall\"\n"); n != 0 {
		t.Errorf("a half-way wall is in a list of %d bytes", n)
	}
	small, large := lists("radius = 20\ntype = \"interpolated_wall\"\n"), lists("radius = 40\ntype = \"interpolated_wall\"\n")
	// Lines of cells along each axis cross the ball twice: 6 pi r^2 faces.
	if faces := geometry.Faces(load(t, text+"radius = 20\n").Bodies[0].Shape(nil), [3]int{100, 100, 100}, 3); math.Abs(faces/(6*math.Pi*400)-1) > 0.02 {
		t.Errorf("%g faces", faces)
	}
	if ratio := float64(large) / float64(small); ratio < 3.6 || ratio > 4.4 {
		t.Errorf("%d bytes and %d of twice the radius", small, large)
	}
	if n := lists("radius = 20\ntype = \"wall\"\n[output.force.ball]\n"); n == 0 {
		t.Error("no list of links whose force is measured")
	}
	c := load(t, text+"radius = 20\ntype = \"wall\"\n")
	before, with := Table(c, 1), Table(c, 1, config.SolidSize{Body: "ball", Memory: 1 << 30})
	if len(with) != len(before)+1 {
		t.Errorf("%q", with)
	}
}

// Only implausibly large outputs are reported.
func TestWarnings(t *testing.T) {
	text, err := os.ReadFile("testdata/warnings.toml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/warnings.golden")
	if err != nil {
		t.Fatal(err)
	}
	c := load(t, string(text))
	got := "no errors\n"
	for _, w := range append(c.Warnings, Warnings(c)...) {
		got += "warning: " + w.Text + "\n"
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
