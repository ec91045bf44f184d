// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"errors"
	"strings"
	"testing"
)

// A coarser case has the same flow: the lattice velocity and the viscosity stay, whatever determines the time step.
func TestCoarser(t *testing.T) {
	for _, closure := range []string{"lattice_velocity = 0.05\nvelocity = \"1 m/s\"", "tau = 0.5015", "time_step = \"5 ms\""} {
		text := strings.Replace(boxed, "lattice_velocity = 0.05\nvelocity = \"1 m/s\"", closure, 1) + "[output.series.a]\nquantities = [\"kinetic_energy\"]\nevery = 5\n"
		c, err := Load("case.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := Coarser(c, 4)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Load("case.toml", []byte(text), changes...)
		if err != nil {
			t.Fatal(err)
		}
		near := func(what string, got, want float64) {
			if got < want*(1-1e-9) || got > want*(1+1e-9) {
				t.Errorf("%s: %s is %g, want %g", closure, what, got, want)
			}
		}
		near("spacing", d.Units.Length, 4*c.Units.Length)
		near("time step", d.Units.Time, 4*c.Units.Time)
		near("tau - 1/2", d.Tau-0.5, (c.Tau-0.5)/4)
		if d.Cells != [3]int{10, 5, 1} || d.Run.Steps != 3 || d.Series[0].Schedule.Period != 2 {
			t.Errorf("%v, %d steps, every %g", d.Cells, d.Run.Steps, d.Series[0].Schedule.Period)
		}
	}
}

// Whole factors leave whole numbers of cells.
func TestWholeFactors(t *testing.T) {
	g := Grid{Cells: [3]int{24, 16, 5}}
	for _, c := range []struct {
		dims       int
		near, want float64
	}{{2, 0.5, 0.5}, {2, 0.3, 0.25}, {2, 0, 0.125}, {2, 2, 2}, {3, 0.4, 1}} {
		if got := g.Whole(c.dims, c.near); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// Only tables and keys are cut out, with the comments above tables.
func TestWithout(t *testing.T) {
	const text = `title = "a"
# of a
[refine.a] # here
level = 1
from = [1,
  2]
# of b

# of c
[body.c]
shape = "sphere"   # kept
[refine]
b = { level = 2 }
[run]
stop_when = ["x"]
steps = 3
`
	const want = `title = "a"
# of b

# of c
[body.c]
shape = "sphere"   # kept
[run]
steps = 3
`
	got := Without([]byte(text), func(path []string) bool { return path[0] == "refine" || path[len(path)-1] == "stop_when" })
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A box is around a body from a file once its extent is known, with the margin of its wall; a file that cannot be read is an error at
// its line.
func TestRefinementAroundFiles(t *testing.T) {
	const text = boxed + "[body.wing]\nshape = \"stl\"\nfile = \"wing.stl\"\nunit = \"1 m\"\n[body.disc]\nshape = \"cylinder\"\ncentre = [\"2.5 m\", 0]\nradius = \"0.2 m\"\n[body.both]\nshape = \"union\"\nof = [\"wing\", \"disc\"]\n[refine.a]\nlevel = 1\naround = \"both\"\n"
	if _, err := Load("case.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), "whose extent is in a file") {
		t.Errorf("without extents: %v", err)
	}
	asked := 0
	extents := func(f SolidFile) (lo, hi [3]float64, err error) {
		asked++
		return [3]float64{12, 8, 0}, [3]float64{14, 11, 1}, nil
	}
	c, err := LoadRefined("case.toml", []byte(text), Refinement{Extents: extents})
	if err != nil {
		t.Fatal(err)
	}
	if b := c.Refine[0]; asked != 1 || b.From != [3]float64{9, 5, 0} || b.To != [3]float64{40, 15, 1} { // the disc ends at 37 + 3
		t.Errorf("asked %d times: %+v", asked, b)
	}
	deep := strings.NewReplacer("of = [", "type = \"wall_model\"\nof = [", "\"2 m\"]", "\"2 m\", \"2 m\"]", "\"-1 m\"]", "\"-1 m\", 0]", "\"1 m/s\", 0]", "\"1 m/s\", 0, 0]", "\"2.5 m\", 0]", "\"2.5 m\", 0, 0]", "[\"y\"]", "[\"y\", \"z\"]").Replace(text)
	c, err = LoadRefined("case.toml", []byte(deep), Refinement{Extents: extents})
	if err != nil || c.Refine[0].From[0] != 4.5 || c.Refine[0].From[1] != 0.5 { // 15 cells of level 1
		t.Fatalf("with a wall model: %v", err)
	}
	_, err = LoadRefined("case.toml", []byte(text), Refinement{Extents: func(SolidFile) (lo, hi [3]float64, err error) { return lo, hi, errors.New("not an STL file") }})
	if err == nil || !strings.Contains(err.Error(), "file = \"wing.stl\"") || !strings.Contains(err.Error(), "[body.wing]: not an STL file") {
		t.Errorf("%v", err)
	}
}
