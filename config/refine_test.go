// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"strings"
	"testing"

	"lbmsim/geometry"
	"lbmsim/model"
)

const refinable = `
[domain]
size = ["1 m", "0.5 m"]
cells = [32, 16]
origin = ["-1 m", 0]
[fluid]
viscosity = "0.01 m2/s"
[scaling]
lattice_velocity = 0.02
[boundary.lid]
type = "moving_wall"
faces = ["y+"]
velocity = ["1 m/s", 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-"]
[body.ball]
shape = "cylinder"
centre = ["-0.5 m", "0.25 m"]
radius = "0.1 m"
[force]
acceleration = ["1 m/s2", 0]
[initial]
velocity = ["0.1*x*y m/s", 0]
[run]
time = "2 s"
[expect.line.top]
along = "y"
through = ["-0.5 m", 0]
field = "velocity"
component = "x"
extremum = "max"
`

// inCells is the case above in its own lattice units.
const inCells = `
[domain]
cells = [32, 16]
origin = [-32, 0]
[fluid]
viscosity = 0.0064
[boundary.lid]
type = "moving_wall"
faces = ["y+"]
velocity = [0.02, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-"]
[body.ball]
shape = "cylinder"
centre = [-16, 8]
radius = 3.2
[force]
acceleration = [1.25e-5, 0]
[initial]
velocity = ["0.002*x*y/32^2", 0]
[run]
steps = 3200
[expect.line.top]
along = "y"
through = [-16, 0]
field = "velocity"
component = "x"
extremum = "max"
`

// A refined case is the same flow: dimensionless numbers stay, whatever units the file
// is in.
func TestRefinedCaseIsTheSameFlow(t *testing.T) {
	for name, text := range map[string]string{"SI": refinable, "lattice": inCells} {
		for _, s := range []Scaling{Diffusive, Acoustic} {
			for _, f := range []float64{0.5, 1, 2, 3} {
				coarse, err := Load("a.toml", []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				c, err := LoadRefined("a.toml", []byte(text), Refinement{Factor: f, Scaling: s})
				if err != nil {
					t.Fatal(err)
				}
				k := f * f // steps
				if s == Acoustic {
					k = f
				}
				same := func(what string, got, want float64) {
					t.Helper()
					if math.Abs(got-want) > 1e-12*math.Abs(want) {
						t.Errorf("%s, %v %g: %s is %g, want %g", name, s, f, what, got, want)
					}
				}
				same("steps", float64(c.Run.Steps), k*float64(coarse.Run.Steps))
				disc, large := c.Bodies[0].Shape(nil).(geometry.Cylinder), coarse.Bodies[0].Shape(nil).(geometry.Cylinder)
				for a := range 2 {
					same("cells", float64(c.Cells[a]), f*float64(coarse.Cells[a]))
					same("centre", disc.Centre[a], f*large.Centre[a])
				}
				same("radius", disc.Radius, f*large.Radius)
				same("lid", c.Boundaries[0].Velocity[0], f/k*coarse.Boundaries[0].Velocity[0])
				same("viscosity", c.Tau-0.5, f*f/k*(coarse.Tau-0.5))
				same("force", c.Force.Density[0], f/k/k*coarse.Force.Density[0])
				same("initial", c.Initial.Velocity[0].At(8*f, 4*f, 0.5), f/k*coarse.Initial.Velocity[0].At(8, 4, 0.5))
				// Measured values are returned in one unit.
				unit := coarse.Units.Factor(model.Velocity)
				same("unit", c.Units.Factor(model.Velocity), unit*k/f)
				if e := c.Expect[0]; !e.Free || len(c.Expect) != 1 {
					t.Errorf("without value and within nothing is expected: %+v", e)
				}
			}
		}
	}
	_, err := LoadRefined("a.toml", []byte(refinable), Refinement{Factor: 0.3})
	if err == nil || !strings.Contains(err.Error(), "9.6 cells along x") {
		t.Errorf("a grid of broken cells: %v", err)
	}
	for _, w := range []string{"diffusive", "acoustic"} {
		if s, err := ParseScaling(w); err != nil || s.String() != w {
			t.Errorf("%s: %v %v", w, s, err)
		}
	}
	if _, err := ParseScaling("magic"); err == nil {
		t.Error("magic is a scaling")
	}
}
