// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// The friction of channels agrees with direct numerical simulations (Lee & Moser, J. Fluid Mech. 774 (2015) 395), within
// the error of Dean's law.
func TestChannelLayer(t *testing.T) {
	for tau, nu := range map[float64]float64{182.09: 3.5e-4, 543.5: 1e-4, 1000.5: 5e-5, 5185.9: 8e-6} {
		const half = 100 // cells
		l := channelLayer(0.05, 2*half, 0.05*half*nu)
		if got := l.first * 2 * half; math.Abs(got/tau-1) > 0.05 || !l.turbulent {
			t.Errorf("Re_tau %.1f instead of %.1f", got, tau)
		}
	}
	// The parabola: tau_w = 6 mu U/H.
	l := channelLayer(0.01, 20, 0.01)
	if want := 0.5 * math.Sqrt(6*0.01*0.01/20) / 0.01; math.Abs(l.first/want-1) > 1e-12 || l.turbulent {
		t.Errorf("y+ %v instead of %v", l.first, want)
	}
}

// check reports each wall and body with a layer, and whether its cells resolve it.
func TestNearWalls(t *testing.T) {
	const text = `
[domain]
cells = [200, 80, 40]
periodic = ["z"]
[fluid]
viscosity = %NU
[boundary.in]
type = "velocity"
velocity = [0.05, 0, 0]
faces = ["x-"]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.floor]
type = "wall"
faces = ["y-"]
[boundary.lid]
type = "slip"
faces = ["y+"]
[body.ball]
shape = "sphere"
centre = [60, 40, 20]
radius = 10
[run]
steps = 10
`
	for nu, want := range map[string][]string{
		"1":    nil, // Re 10 and less: no layer
		"0.01": {"[boundary.floor] y-|y+ 0.36, layer of 31 cells|Re 1000 based on the length of the domain, laminar: wall-resolved", "[body.ball]|y+ 0.64, layer of 9.8 cells|Re 100 based on the length of the body, laminar: wall-resolved"},
		"1e-5": {"[boundary.floor] y-|y+ 120, layer of 4.7 cells|Re 1e6 based on the length of the domain, turbulent: not wall-resolved: friction and separation from smooth walls are unreliable", "[body.ball]|y+ 110, layer of 0.31 cells|Re 100,000 based on the length of the body, laminar: not wall-resolved: friction and separation from smooth walls are unreliable"},
	} {
		c, err := Load(filepath.Join(t.TempDir(), "case.toml"), []byte(strings.ReplaceAll(text, "%NU", nu)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range c.NearWalls() {
			got = append(got, r.Name+"|"+r.Lattice+"|"+r.SI)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("viscosity %s:\n%s\ninstead of\n%s", nu, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A body counts by its side along the flow, whatever its height; a flow rate is a speed; where the run alone reports the speed
// check states it.
func TestNearWallsOfBodies(t *testing.T) {
	const mast = "\n[body.mast]\nshape = \"box\"\nfrom = [20, 20, 0]\nto = [24, 24, %TOP]\n[run]\nsteps = 10\n"
	const duct = "[domain]\ncells = [60, 40, 40]\n"
	const walls = "[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\", \"z-\", \"z+\"]\n"
	for _, c := range []struct{ text, row string }{
		{"periodic = [\"x\", \"y\", \"z\"]\n[force]\nmean_velocity = [0.05, 0, 0]", "[body.mast]|Re 2000 based on the length of the body, laminar"},
		{"periodic = [\"x\", \"y\", \"z\"]\n[force]\nflow_rate = 80", "[body.mast]|Re 2000 based on the length of the body, laminar"},
		{"periodic = [\"x\", \"y\", \"z\"]\n[force]\nmean_velocity = [0, 0.05, 0]\n", "[body.mast]|Re 2000 based on the length of the body, laminar"},
		{"[boundary.in]\ntype = \"velocity\"\nvelocity = [\"0.05*y/Ly\", 0, 0]\nturbulence_rms = \"0.02*(1 - y/Ly)\"\nturbulence_length = 8\nfaces = [\"x-\"]\n[boundary.out]\ntype = \"outflow\"\nfaces = [\"x+\"]\n" + walls, "[body.mast]|Re 2000 based on the length of the body, laminar"},
		{"[boundary.in]\ntype = \"pressure\"\npressure = 1e-4\nfaces = [\"x-\"]\n[boundary.out]\ntype = \"pressure\"\npressure = 0\nfaces = [\"x+\"]\n" + walls, "not estimated|the speed is a result"},
	} {
		for _, top := range []string{"40", "30"} {
			text := duct + c.text + "\n[fluid]\nviscosity = 1e-4\n" + strings.ReplaceAll(mast, "%TOP", top)
			loaded, err := Load(filepath.Join(t.TempDir(), "case.toml"), []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, r := range loaded.NearWalls() {
				found = found || strings.HasPrefix(r.Name+"|"+r.SI, c.row)
			}
			if !found {
				t.Errorf("%s, up to %s: %v has no %s", c.text, top, loaded.NearWalls(), c.row)
			}
		}
	}
}

// The mean speed of a channel is the one that its force keeps, or leads to.
func TestDrivenSpeed(t *testing.T) {
	c := &Case{}
	c.Force.Density = [3]float64{0, 1e-6, 0}
	if got, want := c.drivenSpeed(20, 0.1), 1e-6*20*20/(12*0.1); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("the parabola's is %v instead of %v", got, want)
	}
	// Of Re_tau 544 (Lee & Moser): u_tau/U = 0.0543, within 3 %.
	c.Force.Density = [3]float64{math.Pow(0.05, 2) / 50, 0, 0} // u_tau = 0.05, half height 50
	if got := c.drivenSpeed(100, 0.05*50/543.5); math.Abs(0.05/got/0.05435-1) > 0.03 {
		t.Errorf("u_tau/U = %v", 0.05/got)
	}
	c.Force.Drive = &Drive{Velocity: [3]float64{0, 0, 0.03}}
	if got := c.drivenSpeed(100, 1e-3); got != 0.03 {
		t.Errorf("kept: %v", got)
	}
}

// A channel that a force drives bears G h/2 on each wall by every law, and y+ is by the viscosity that the law has at
// this stress: K rate^n = G h/2.
func TestNearWallsOfALaw(t *testing.T) {
	const g, h, n, nu, at = 1e-5, 60, 0.6, 0.01, 0.001
	stress := g * h / 2.
	rate := at * math.Pow(stress/(nu*at), 1/n)
	c, err := Load(filepath.Join(t.TempDir(), "case.toml"), []byte(`
domain.cells = [4, 60]
domain.periodic = ["x"]
fluid.viscosity = 0.01
fluid.viscosity_law = "power_law"
fluid.index = 0.6
fluid.shear_rate = 0.001
force.acceleration = [1e-5, 0]
boundary.walls = { type = "wall", faces = ["y-", "y+"] }
run.steps = 10
`))
	if err != nil {
		t.Fatal(err)
	}
	l := c.atWall(func(nu float64) layer { return c.channel(h, nu) })
	if want := 0.5 * math.Sqrt(stress) / (stress / rate); math.Abs(l.first/want-1) > 1e-6 {
		t.Errorf("y+ %v instead of %v", l.first, want)
	}
	rows := c.NearWalls()
	if len(rows) != 1 || !strings.Contains(rows[0].SI, "based on the channel height with the viscosity at the wall") {
		t.Errorf("%+v", rows)
	}
}

// Bodies that are thin along the flow have a layer, too, along their front.
func TestNearWallsOfThinBodies(t *testing.T) {
	for name, c := range map[string]struct{ body, row string }{
		"a disc across":   {"from = [20.2, 20, 10]\nto = [20.8, 44, 34]", "Re 1200 based on half the width of the body"},
		"a plate along":   {"from = [20, 20, 10]\nto = [60, 20.6, 34]", "Re 4000 based on the length of the body"},
		"from end to end": {"from = [20.2, 20, -1]\nto = [20.8, 44, 41]", "Re 1200 based on half the width of the body"},
	} {
		loaded := load(t, tunnel+"[body.plate]\nshape = \"box\"\n"+c.body+"\n")
		var got []string
		for _, r := range loaded.NearWalls() {
			if r.Name == "[body.plate]" {
				got = append(got, r.SI)
			}
		}
		if len(got) != 1 || !strings.HasPrefix(got[0], c.row) {
			t.Errorf("%s: %q, want %q", name, got, c.row)
		}
	}
}

// tunnel is a stream of Reynolds number 100 per cell.
const tunnel = `
[domain]
cells = [120, 64, 40]
periodic = ["z"]
[fluid]
viscosity = 0.0005
[boundary.in]
type = "velocity"
velocity = [0.05, 0, 0]
faces = ["x-"]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[run]
steps = 10
`

// A wall model needs a turbulent layer of some cells: check states it, and a force on a body without one is doubtful.
func TestNearWallsWithAModel(t *testing.T) {
	const text = `
[domain]
cells = [60, 30, 40]
periodic = ["x", "z"]
[fluid]
viscosity = VISCOSITY
[boundary.plates]
type = "wall_model"
faces = ["y-", "y+"]
[force]
mean_velocity = [0.1, 0, 0]
[output.force.plates]
of = ["plates"]
[run]
steps = 10
`
	for viscosity, want := range map[string]struct {
		verdict string
		doubts  int
	}{"1e-4": {"wall-modelled", 0}, "0.02": {"wall-resolved", 0}} {
		c := load(t, strings.Replace(text, "VISCOSITY", viscosity, 1))
		rows := c.NearWalls()
		if len(rows) != 1 || !strings.HasSuffix(rows[0].SI, ": "+want.verdict) || len(c.Doubts()) != want.doubts {
			t.Errorf("viscosity %s: %+v, %d doubts", viscosity, rows, len(c.Doubts()))
		}
	}
	thin := layer{turbulent: true, modelled: true, thickness: 5, first: 100}
	laminar := layer{modelled: true, thickness: 0.5, first: 100}
	for _, l := range []layer{thin, laminar} {
		if l.resolved() || !strings.HasSuffix(l.verdict(), "friction is unreliable") {
			t.Errorf("%+v: %s", l, l.verdict())
		}
	}
}
