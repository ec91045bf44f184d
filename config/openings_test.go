// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/model"
)

// Only a model beside a velocity face below the tau that it needs there is warned of.
func TestWarnsOfTauAtInlets(t *testing.T) {
	for _, m := range model.Collisions {
		for _, tau := range []float64{0.503, 0.505 - 1e-9, 0.51, 0.52 - 1e-9, 0.53} {
			c, err := Load("a.toml", []byte(fmt.Sprintf(`
[domain]
cells = [60, 20]
periodic = ["y"]
[fluid]
viscosity = %g
[collision]
model = %q
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[run]
steps = 10
`, (tau-0.5)/3, m.Name)))
			if err != nil {
				t.Fatal(err)
			}
			least := map[string]float64{"bgk": 0.505, "trt": 0.52}[m.Name]
			if warned := strings.Contains(strings.Join(c.Warnings.Texts(), "\n"), "unstable in a channel"); warned != (tau < least-1e-8) {
				t.Errorf("%s at tau = %g: warnings %q", m.Name, tau, c.Warnings)
			}
		}
	}
}

// Walls move by ghost cells only where those keep the mass, or where faces let it out.
func TestHowWallsMove(t *testing.T) {
	const (
		road = "[boundary.road]\ntype = \"moving_wall\"\nfaces = [\"y-\"]\nvelocity = [0.05, 0]\n"
		side = "[boundary.side]\ntype = \"moving_wall\"\nfaces = [\"x-\"]\nvelocity = [0, 0.05]\n"
		top  = "[boundary.top]\ntype = \"slip\"\nfaces = [\"y+\"]\n"
		ends = "[boundary.ends]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\"]\n"
		in   = "[boundary.in]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = [0.05, 0]\n"
		out  = "[boundary.out]\ntype = \"outflow\"\nfaces = [\"x+\"]\n"
		rest = "[boundary.rest]\ntype = \"wall\"\nfaces = [\"x+\"]\n"
		ball = "[body.b]\nshape = \"cylinder\"\nradius = 4\ncentre = [16, %d]\n"
	)
	for _, c := range []struct {
		model, text string
		want        boundary.Law
	}{
		{"cumulant", ends + top + road, boundary.MovingFace},
		{"trt", ends + top + road, boundary.Bounce},
		{"cumulant", ends + strings.Replace(top, "slip", "wall", 1) + road, boundary.Bounce}, // the cavity
		{"cumulant", in + out + top + road + fmt.Sprintf(ball, 4), boundary.MovingFace},
		{"cumulant", rest + top + road + side, boundary.Bounce},
		{"cumulant", ends + top + road + fmt.Sprintf(ball, 4), boundary.Bounce},
		{"cumulant", ends + top + road + fmt.Sprintf(ball, 9), boundary.MovingFace},
	} {
		k, err := Load("a.toml", []byte("[domain]\ncells = [32, 32]\n[fluid]\nviscosity = 0.1\n[collision]\nmodel = \""+c.model+"\"\n"+c.text+"[run]\nsteps = 10\n"))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for _, b := range k.Boundaries {
			if b.Name == "road" && b.Kind.Law != c.want {
				t.Errorf("%s\n%s: law %d instead of %d", c.model, c.text, b.Kind.Law, c.want)
			}
		}
	}
}

// Pressure faces, too, are open.
func TestWarnsOfTauBetweenPressures(t *testing.T) {
	c, err := Load("a.toml", []byte(`
[domain]
cells = [60, 20]
periodic = ["y"]
[fluid]
viscosity = 0.002
[collision]
model = "trt"
[boundary.ends]
type = "pressure"
faces = ["x-", "x+"]
[run]
steps = 10
`))
	if err != nil || strings.Count(strings.Join(c.Warnings.Texts(), "\n"), "unstable in a channel") != 1 {
		t.Errorf("%v %q", err, c.Warnings)
	}
}

// An outflow behind an inlet that pulsates as a whole is warned of, unless a pressure is given or its relaxation is
// fast against a slow pulsation; one whose flux stays is not. Where sound is not fast, a face of given pressure is
// no remedy.
func TestPulsation(t *testing.T) {
	const text = `
[domain]
cells = [200, 40]
[fluid]
viscosity = 0.02
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [%q, 0]
[boundary.outlet]
type = %q
faces = ["x+"]
%s
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[run]
steps = 20000
`
	for _, c := range []struct {
		inlet, outlet, more string
		remedy              string // of the warning; "": no warning
	}{
		{"0.02*(1 + 0.5*sin(2*pi*t/8000))", "outflow", "", "A face of type \"pressure\" there avoids it"},
		{"0.02*(1 + 0.5*sin(2*pi*t/8000))", "outflow", "relaxation = 0.5", ""},
		{"0.02*(1 + 0.5*sin(2*pi*t/2000))", "outflow", "", "Sound needs 4 L/c = 1386 steps for two round trips"},
		{"0.02*(1 + 0.5*sin(2*pi*t/2000))", "outflow", "relaxation = 0.5", "would make the domain resonate"},
		{"0.02*(1 + 0.5*sin(2*pi*t/2000))", "pressure", "", ""},
		{"0.02*(1 + 0.5*sin(2*pi*t/2000)*sin(2*pi*y/Ly))", "outflow", "", ""},
		{"0.02*(1 + 0*y)", "outflow", "", ""},
	} {
		loaded := load(t, fmt.Sprintf(text, c.inlet, c.outlet, c.more))
		found := ""
		for _, w := range loaded.Warnings {
			if strings.Contains(w.Text, "responds like an infinite duct, with a pressure of about +- 0.005") {
				found = w.Text
			}
		}
		if (found == "") != (c.remedy == "") || !strings.Contains(found, c.remedy) {
			t.Errorf("%+v: warnings %q", c, loaded.Warnings)
		}
	}
}

// Waves are mirrored by the faces beside an inlet that nothing passes, wholly or in part; on a part of a face they are not.
func TestPlanesOfInflow(t *testing.T) {
	const text = `
[domain]
cells = [40, 24, 20]
%s
[fluid]
viscosity = 0.05
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.02, 0, 0]
turbulence_intensity = 0.1
turbulence_length = 4
[boundary.outlet]
type = "outflow"
faces = ["x+"]
%s
[run]
steps = 10
`
	const sides = "[boundary.sides]\ntype = \"slip\"\nfaces = [\"z-\", \"z+\"]\n"
	const periodic = "periodic = [\"y\"]"
	for _, c := range []struct {
		domain, faces string
		want          [3][]float64
	}{
		{"", "[boundary.duct]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\", \"z-\", \"z+\"]\n", [3][]float64{1: {0, 24}, 2: {0, 20}}},
		{periodic, sides, [3][]float64{2: {0, 20}}},
		{periodic, "[boundary.belt]\ntype = \"moving_wall\"\nvelocity = [0.02, 0, 0]\nfaces = [\"z-\"]\n[boundary.sky]\ntype = \"pressure\"\npressure = 0\nfaces = [\"z+\"]\n", [3][]float64{2: {0}}},
		{periodic, sides + "[boundary.vent]\ntype = \"pressure\"\npressure = 0\nfaces = [\"z-\"]\nfrom = [4, 4, 0]\nto = [8, 8, 0]\n", [3][]float64{2: {0, 20}}},
		{periodic, sides + "[boundary.plate]\ntype = \"wall\"\nfaces = [\"z-\"]\nfrom = [4, 4, 0]\nto = [8, 8, 0]\n", [3][]float64{2: {0, 20}}},
		{"periodic = [\"y\", \"z\"]", "", [3][]float64{}},
	} {
		loaded, err := Load("case.toml", fmt.Appendf(nil, text, c.domain, c.faces))
		if err != nil {
			t.Errorf("%s: %v", c.faces, err)
			continue
		}
		if got := loaded.Boundaries[0].Inflow.Spectrum.Planes; fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: planes %v, want %v", c.faces, got, c.want)
		}
	}
	loaded, err := Load("case.toml", []byte(strings.Replace(fmt.Sprintf(text, periodic, sides+"[boundary.rest]\ntype = \"wall\"\nfaces = [\"x-\"]\n"), "turbulence_i", "from = [0, 4, 4]\nto = [0, 20, 16]\nturbulence_i", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range loaded.Boundaries {
		if b.Inflow != nil && fmt.Sprint(b.Inflow.Spectrum.Planes) != "[[] [] []]" {
			t.Errorf("on a part of a face: planes %v", b.Inflow.Spectrum.Planes)
		}
	}
}
