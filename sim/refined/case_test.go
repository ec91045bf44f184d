// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"math"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/device/cpu"
)

// At a level places are in its cells, times in its steps; velocities and densities are level 0's.
func TestCaseAtLevel(t *testing.T) {
	c, err := config.Load("test.toml", []byte(`
[domain]
cells = [16, 8, 12]
[fluid]
viscosity = 0.02
[force]
force_density = ["1e-5", 0, 0]
[initial]
velocity = ["0.01*sin(x)*cos(z)", 0, "0.01*y"]
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = ["0.03*y*(8-y)/16", 0, 0]
from = [0, 0, 2]
to = [0, 8, 9]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.rest]
type = "wall"
faces = ["x-", "y-", "y+", "z-", "z+"]
[run]
steps = 1
`))
	if err != nil {
		t.Fatal(err)
	}
	at := atLevel(c, 2, [3]int{64, 32, 48})
	same := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	same("tau", at.Tau, 0.5+4*3*0.02)
	same("omega", 1/numbers(c, 2).Omega, 0.5+4*3*0.02)
	same("bulk", 1/numbers(c, 2).OmegaBulk, 0.5+4*0.5) // cumulant has 1 on level 0
	same("force", at.Force.Density[0], 1e-5/4)
	same("force of a step", numbers(c, 2).Force[0], 1e-5/4)
	same("initial velocity", at.Initial.Velocity[0].At(10, 20, 30), c.Initial.Velocity[0].At(2.5, 5, 7.5))
	same("velocity at the face", at.Boundaries[0].Profile[0](0, 10, 20, 0), c.Boundaries[0].Profile[0](0, 2.5, 5, 0))
	same("part of the face", at.Boundaries[0].Region.Lo[2], 8)
	same("part of the face", at.Boundaries[0].Region.Hi[2], 36)
	same("relaxation", at.Boundaries[1].Relax, c.Boundaries[1].Relax/4)
	if c.Boundaries[1].Relax == 0 || at.Cells != [3]int{64, 32, 48} || c.Cells != [3]int{16, 8, 12} || c.Force.Density[0] != 1e-5 {
		t.Errorf("cells %v of %v, force %g, relaxation %g", at.Cells, c.Cells, c.Force.Density[0], c.Boundaries[1].Relax)
	}
}

// Devices without kernels for a model are named.
func TestModelsThatDoNotCouple(t *testing.T) {
	dev, err := cpu.New(1)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const domain = "[domain]\ncells = [16, 12]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n"
	for _, c := range []struct{ text, want string }{
		{domain, ""},
		{domain + "[collision]\nprecision = \"float64\"\n", ""},
		{domain + "[collision]\nmodel = \"trt\"\n", "models of moments"},
		{domain + "[collision]\nprecision = \"float16\"\n", "models of moments"},
		{domain + "[temperature]\ndiffusivity = 0.01\ninitial = 1\n", ""},
	} {
		given, err := config.Load("test.toml", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		h, err := flow{}.hierarchy(given, 1)
		if err != nil {
			t.Fatal(err)
		}
		err = possible(given, h, dev)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
}

// Each patch has tags of its own: enough for 1133.
func TestTooManyPatches(t *testing.T) {
	f := flow{text: "[domain]\ncells = [300, 300]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n", boxes: make([][][2][3]float64, 1)}
	for _, c := range []struct {
		side int
		fits bool
	}{{33, true}, {34, false}} {
		f.boxes[0] = nil
		for k := range c.side * c.side {
			x, y := 8*(k%c.side), 8*(k/c.side)
			f.boxes[0] = append(f.boxes[0], plane(x, x+2, y, y+2))
		}
		given, err := config.Load("test.toml", []byte(f.text))
		if err != nil {
			t.Fatal(err)
		}
		h, err := f.hierarchy(given, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := few(h); (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), "1156 patches, more than 1133") {
			t.Errorf("%d patches: %v", c.side*c.side, err)
		}
	}
}
