// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/io/checkpoint"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// eddying is a flow with a significant eddy viscosity: waves beside a body, walls, an inlet and an outflow, at tau =
// 0.503.
const eddying = `
[domain]
cells = [25, 13, 17]
periodic = ["z"]
[fluid]
viscosity = 1e-3
[turbulence]
model = "wale"
constant = 0.6
[initial]
velocity = ["0.05 + 0.02*sin(2*pi*y/Ly)*cos(2*pi*z/Lz)", "0.02*sin(2*pi*x/10)*cos(2*pi*z/Lz)", "0.02*cos(2*pi*x/10)"]
[boundary.inlet]
type = "velocity"
velocity = ["0.05*(1 + 0.2*sin(2*pi*z/Lz))", 0, 0]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.walls]
type = "wall"
faces = ["y-"]
[boundary.top]
type = "slip"
faces = ["y+"]
[body.ball]
type = "interpolated_wall"
shape = "sphere"
centre = [12, 6, 9]
radius = 2.5
`

// Eddy viscosities updated every few steps have the same bits for every cut, whether steps are queued or not, and after
// restarts between updates and at one of them. So has a temperature with eddy diffusivity.
func TestEddiesHaveTheSameBits(t *testing.T) {
	warm := strings.NewReplacer("[boundary.inlet]", "[boundary.inlet]\ntemperature = 1", "[body.ball]", "[temperature]\ndiffusivity = 1e-4\n[body.ball]\ntemperature = 2").Replace(eddying)
	for i, c := range [][2]string{{"cumulant", "float32"}, {"trt", "float64"}, {"recursive_regularized", "float16"}, {"regularized", "float32"}, {"bgk", "float32"}} {
		flow := eddying
		if i >= 3 {
			flow = warm
		}
		text := withPoint(flow + ending(c[0], c[1], 30))
		dir := t.TempDir()
		trial{text: text, ranks: 1, dir: dir}.must(t)
		want := outputsIn(t, dir)
		cut := [][3]int{{1, 1, 2}, {1, 3, 2}, {1, 2, 1}, {1, 2, 2}, {1, 1, 3}}[i]
		dir = t.TempDir()
		trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
		compare(t, fmt.Sprint(c, " cut into ", cut), outputsIn(t, dir), want)
		files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
		if err != nil {
			t.Fatal(err)
		}
		between := false
		for k, path := range files {
			f, err := checkpoint.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			step := int(f.Header.Step)
			_ = f.Close()
			if k > 0 { // the latest one has been continued
				between = between || step%model.EddySteps != 0
				trial{text: text, ranks: 2, dir: dir, restart: path}.must(t)
				compare(t, fmt.Sprintf("%v restarted at step %d", c, step), outputsIn(t, dir), want)
			}
		}
		if !between {
			t.Fatalf("of the checkpoints %v none is between two of the steps that find eddies", files)
		}
	}
}

// Without gradients in more than one direction the eddy viscosity is zero: plain shear decays by the molecular
// viscosity, as without a model.
func TestNoEddiesInShear(t *testing.T) {
	text := `
[domain]
cells = [6, 24, 5]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.01
[collision]
model = "recursive_regularized"
precision = "float64"
[initial]
velocity = ["0.05*sin(2*pi*y/Ly)", 0, 0]
[output.series.flow]
quantities = ["kinetic_energy"]
every = 10
[run]
steps = 200
`
	var energy [2][]float64
	for i, more := range []string{"", "[turbulence]\nmodel = \"wale\"\n"} {
		dir := t.TempDir()
		trial{text: text + more, ranks: 1, dir: dir}.must(t)
		energy[i] = table(t, filepath.Join(dir, "series_flow.csv"))["kinetic_energy"]
	}
	for i, want := range energy[0] {
		if got := energy[1][i]; !(got <= want*(1+1e-12) && got >= want*(1-1e-12)) {
			t.Errorf("row %d: the energy is %.17g, without a model %.17g", i, got, want)
		}
	}
	if n := len(energy[0]); n < 20 || !(energy[0][n-1] < 0.9*energy[0][0]) {
		t.Fatal("the shear has to decay")
	}
}
