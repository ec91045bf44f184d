// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// Turbulence at an inlet gives the same bits for every cut, any device that queues steps, and after a restart; beside a
// periodic axis, on a part of a face and between walls, with a profile of its strength.
func TestTurbulenceHasTheSameBits(t *testing.T) {
	part := withPoint(`
[domain]
cells = [25, 13, 17]
periodic = ["z"]
[fluid]
viscosity = 0.03
[boundary.walls]
type = "wall"
faces = ["x-", "y-", "y+"]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
from = [0, 2, 0]
to = [0, 13, 17]
velocity = ["0.02*log(1 + y)", 0, 0.002]
turbulence_rms = "0.004 - 0.0001*y"
turbulence_length = 3
turbulence_modes = 40
turbulence_seed = 7
ramp = 20
[boundary.outlet]
type = "outflow"
faces = ["x+"]
` + ending("cumulant", "float32", 30))
	t.Run("on a part", func(t *testing.T) { turbulenceHasTheSameBits(t, part) })
	t.Run("between walls", func(t *testing.T) {
		turbulenceHasTheSameBits(t, strings.NewReplacer(`"x-", "y-"`, `"y-"`, "from = [0, 2, 0]\n", "", "to = [0, 13, 17]\n", "").Replace(part))
	})
}

func turbulenceHasTheSameBits(t *testing.T, text string) {
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	want := outputsIn(t, dir)
	for _, cut := range [][3]int{{1, 1, 2}, {1, 2, 2}, {1, 3, 2}} {
		dir = t.TempDir()
		trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
		compare(t, fmt.Sprint("cut into ", cut), outputsIn(t, dir), want)
	}
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d checkpoints, %v", len(files), err)
	}
	for _, later := range files[:len(files)-1] {
		if err := os.Remove(later); err != nil {
			t.Fatal(err)
		}
	}
	trial{text: text, ranks: 2, dir: dir, restart: "latest"}.must(t)
	compare(t, "restart", outputsIn(t, dir), want)
}

// Downstream of an inlet the flow has the prescribed rms, which decays as in docs/turbulence.md: rms/(1 + I x/(3 L)).
func TestTurbulenceDecays(t *testing.T) {
	if testing.Short() {
		t.Skip("a flow of some seconds: make test-all runs it")
	}
	const intensity, length, speed = 0.1, 4., 0.05
	dir := t.TempDir()
	trial{text: fmt.Sprintf(`
[domain]
cells = [56, 20, 20]
periodic = ["y", "z"]
[fluid]
viscosity = 0.0005
[turbulence]
model = "smagorinsky"
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [%[1]g, 0, 0]
turbulence_intensity = %[2]g
turbulence_length = %[3]g
turbulence_modes = 150
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[initial]
velocity = [%[1]g, 0, 0]
[output.profile.along]
along = "x"
fields = ["mean_velocity", "reynolds_stress"]
sample_every = 20
start = 1200
every = 3600
[run]
steps = 3600
`, speed, intensity, length), ranks: 1, dir: dir}.must(t)
	c := table(t, filepath.Join(dir, "profile_along.csv"))
	at := func(x float64) float64 {
		for i := range c["x"] {
			if c["x"][i] == x {
				return math.Sqrt((c["reynolds_stress xx"][i]+c["reynolds_stress yy"][i]+c["reynolds_stress zz"][i])/3) / (intensity * speed)
			}
		}
		t.Fatalf("there is no plane at x = %g", x)
		return 0
	}
	for _, x := range []float64{1.5, 10.5, 20.5, 40.5} {
		want := 1 / (1 + intensity*x/(3*length))
		if got := at(x); math.Abs(got/want-1) > 0.12 {
			t.Errorf("the rms at x = %g is %.3f of that at the inlet, expected %.3f", x, got, want)
		} else {
			t.Logf("x = %g: %.3f, expected %.3f", x, got, want)
		}
	}
	if mean := c["mean_velocity x"][0]; math.Abs(mean/speed-1) > 0.01 {
		t.Errorf("the mean velocity behind the inlet is %g", mean)
	}
}

// Beside impermeable faces the waves are mirrored: cells at a slip face have about the rms of the next ones. Otherwise
// motion towards the face would become jets along it, with 2.7 times the energy.
func TestTurbulenceBesideFaces(t *testing.T) {
	if testing.Short() {
		t.Skip("a flow of some seconds: make test-all runs it")
	}
	dir := t.TempDir()
	trial{text: `
[domain]
cells = [40, 24, 24]
periodic = ["y"]
[fluid]
viscosity = 1e-6
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.08, 0, 0]
turbulence_rms = 0.009
turbulence_length = 6
[boundary.sides]
type = "slip"
faces = ["z-", "z+"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[initial]
velocity = [0.08, 0, 0]
[output.profile.across]
along = "z"
fields = ["mean_velocity", "reynolds_stress"]
sample_every = 10
start = 800
every = 3000
[run]
steps = 3000
`, ranks: 1, dir: dir}.must(t)
	xx := table(t, filepath.Join(dir, "profile_across.csv"))["reynolds_stress xx"]
	for _, at := range [][2]int{{0, 1}, {23, 22}} {
		if first, second := xx[at[0]], xx[at[1]]; !(first < 1.6*second && second > 0) {
			t.Errorf("u'u' in plane %d is %.3g, in plane %d %.3g", at[0], first, at[1], second)
		} else {
			t.Logf("u'u' in plane %d is %.2f times the value in plane %d", at[0], first/second, at[1])
		}
	}
}
