// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"strings"
	"testing"
)

const disc = `
[domain]
size = ["2 m", "1 m"]
cells = [100, 50]
periodic = ["x"]
origin = ["-1 m", 0]
[fluid]
density = "2 kg/m3"
viscosity = "1e-3 m2/s"
[scaling]
time_step = "5 ms"
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[body.disc]
shape = "cylinder"
centre = ["-0.5 m", "0.5 m"]
radius = "0.1 m"
[body.plate]
shape = "box"
from = ["0.5 m", "0.2 m"]
to = ["0.6 m", "0.4 m"]
`

// Names become types of cells, references coefficients in lattice units.
func TestForceOutputs(t *testing.T) {
	c := load(t, disc+`
[run]
steps = 1000
stop_when = "drag.disc +-0.5 % and force_y.all ± 3 mN/m and lift.disc +/- 0.01"
[output.force.disc]
velocity = "0.5 m/s"
length = "0.2 m"
lift_direction = [0, -2]
start = "1 s"
[output.force.all]
of = ["plate", "walls", "disc"]
about = ["1 m", 0]
every = 7
[expect.force.disc]
statistic = "strouhal"
quantity = "lift"
value = 0.3
within = "1 %"
[expect.force.pull]
force = "all"
quantity = "force_x"
value = "1 N/m"
within = "0.1 N/m"
`)
	if len(c.Forces) != 2 {
		t.Fatalf("%d outputs", len(c.Forces))
	}
	a, b := c.Forces[0], c.Forces[1]
	if string(a.Types) != "\x02" || string(b.Types) != "\x03\x01\x02" {
		t.Errorf("types %v, %v", a.Types, b.Types)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s is %v instead of %v", what, got, want)
		}
	}
	near("About x", a.About[0], 25)
	near("About y", a.About[1], 25)
	near("about x", b.About[0], 100)
	near("lift", a.Lift[1], -1)
	near("start", float64(a.Start), 200)
	// A force F in N/m is F/(rho dx^3/dt^2) in lattice units.
	near("coefficient", a.Coefficient*c.Units.Factor(a.Series(2)[0].Dim)*(0.5*2*0.5*0.5*0.2), c.Units.Factor(a.Series(2)[0].Dim)*a.Coefficient*0.05)
	near("coefficient", a.Coefficient/c.Units.Factor(a.Series(2)[0].Dim), 1/(0.5*2*0.5*0.5*0.2))
	near("Strouhal", a.Strouhal*c.Units.Time, 0.2/0.5)
	var words []string
	for _, s := range a.Series(2) {
		words = append(words, s.Name)
	}
	if got := strings.Join(words, " "); got != "force_x force_y torque_z drag lift" {
		t.Errorf("series %s", got)
	}
	if n := len(b.Series(2)); n != 3 {
		t.Errorf("%d series without a reference", n)
	}
	want := []StopRule{
		{Text: "drag.disc +-0.5 %", Force: "disc", Series: "drag", Width: 0.005, Relative: true},
		{Text: "force_y.all ± 3 mN/m", Force: "all", Series: "force_y", Width: 0.003},
		{Text: "lift.disc +/- 0.01", Force: "disc", Series: "lift", Width: 0.01},
	}
	if len(c.Run.StopWhen) != 3 {
		t.Fatalf("stop_when: %+v", c.Run.StopWhen)
	}
	for i, w := range want {
		if got := c.Run.StopWhen[i]; got != w {
			t.Errorf("stop_when: %+v instead of %+v", got, w)
		}
	}
	if e := c.Expect[0]; e.Force != "disc" || e.Series != "lift" || e.Statistic != "strouhal" || e.Tolerance != 0.003 {
		t.Errorf("%+v", e)
	}
	if e := c.Expect[1]; e.Value != 1 || e.Statistic != "mean" {
		t.Errorf("%+v", e)
	}
	if d := load(t, c.Resolved); d.Forces[0].About != a.About || d.Resolved != c.Resolved {
		t.Errorf("the resolved case is another one: %v, %q", d.Forces[0].About, Diff(c.Resolved, d.Resolved, nil))
	}
}

func TestForceMistakes(t *testing.T) {
	for _, m := range []struct{ text, want string }{
		{"[run]\nsteps = 10\n[output.force.disk]", `there is no [body.disk] and no [boundary.disk]; did you mean "disc"`},
		{"[run]\nsteps = 10\n[output.force.disc]\nof = []", "lists no surfaces"},
		{"[run]\nsteps = 10\n[output.force.disc]\nof = [\"disc\", \"disc\"]", "listed twice"},
		{"[run]\nsteps = 10\n[output.force.disc]\nvelocity = \"1 m/s\"", "has velocity but no length"},
		{"[run]\nsteps = 10\n[output.force.disc]\narea = \"1 m2\"", "an area in 2D"},
		{"[run]\nsteps = 10\n[output.force.disc]\ndrag_direction = [0, 0]", "has no length"},
		{"[run]\nsteps = 10\nstop_when = \"drag\"", "is not a condition"},
		{"[run]\nsteps = 10\nstop_when = \"drag.disc +-1 %\"", "there is no [output.force.disc]"},
		{"[run]\nsteps = 10\nstop_when = \"drag.disc +-1 %\"\n[output.force.disc]", `has no "drag"`},
		{"[run]\nsteps = 10\nstop_when = \"force_x.disc +-1\"\n[output.force.disc]", "must be a percentage or a force per metre of depth (N/m)"},
		{"[run]\nsteps = 10\nstop_when = \"force_x.disc +-0 %\"\n[output.force.disc]", "above 0"},
		{"[run]\nsteps = 10\n[output.force.disc]\n[expect.force.disc]\nquantity = \"force_x\"\nvalue = 1\nwithin = 1", "value has no unit: it must be a force"},
		{"[run]\nsteps = 10\n[output.force.disc]\n[expect.force.disc]\nquantity = \"force_x\"\nstatistic = \"strouhal\"\nvalue = 1\nwithin = 0.1", "no velocity, or no length"},
	} {
		_, err := Load("test.toml", []byte(disc+m.text))
		if err == nil || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%s\n  got %v\n  want %s", m.text, err, m.want)
		}
	}
}

// A Nusselt number in 2D is by the length of the surface that gives the heat: the length of its
// faces without other parts and bodies, a cylinder's, a box's, or a given one.
func TestNusseltByTheHeatedLength(t *testing.T) {
	c := load(t, `
[domain]
cells = [40, 20]
spacing = "5 mm"
periodic = ["x"]
[fluid]
viscosity = "2e-5 m2/s"
[temperature]
diffusivity = "1e-5 m2/s"
[scaling]
tau = 0.8
[boundary.floor]
type = "wall"
faces = ["y-"]
temperature = "1 K"
[boundary.heater]
type = "wall"
faces = ["y-"]
from = ["20 mm", 0]
to = ["50 mm", 0]
temperature = "2 K"
[boundary.ceiling]
type = "wall"
faces = ["y+"]
[body.block]
shape = "box"
from = ["100 mm", 0]
to = ["130 mm", "10 mm"]
[body.rod]
shape = "cylinder"
centre = ["100 mm", "50 mm"]
radius = "15 mm"
temperature = "2 K"
[run]
steps = 10
[output.force.floor]
temperature_difference = "2 K"
length = "100 mm"
[output.force.heater]
temperature_difference = "2 K"
length = "100 mm"
[output.force.rod]
temperature_difference = "2 K"
length = "30 mm"
[output.force.block]
temperature_difference = "2 K"
length = "10 mm"
[output.force.given]
of = ["rod"]
temperature_difference = "2 K"
length = "30 mm"
heated_length = "60 mm"
[output.force.own]
of = ["rod"]
temperature_difference = "2 K"
`)
	own := 1 / (c.Temperature.Diffusivity * 2)
	for i, want := range []float64{100. / (200 - 30 - 30), 100. / 30, 1 / math.Pi, 10. / 80, 0.5, 1} {
		f := c.Forces[i]
		if got := f.Nusselt / own; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: heat is multiplied by %v instead of %v", f.Name, got, want)
		}
	}
	if !strings.Contains(c.Resolved, `heated_length = "0.14 m"`) {
		t.Errorf("the length that was found is not told:\n%s", c.Resolved)
	}
}

// Each word for a statistic has a dimension.
func TestStatisticsHaveDimensions(t *testing.T) {
	for _, word := range Statistics() {
		c := load(t, disc+"[run]\nsteps = 10\n[output.force.disc]\nvelocity = \"0.5 m/s\"\nlength = \"0.2 m\"\n"+
			"[expect.force.disc]\nquantity = \"lift\"\nstatistic = \""+word+"\"\n")
		if len(c.Expect) != 1 || c.Expect[0].Statistic != word {
			t.Errorf("%s: %+v", word, c.Expect)
		}
	}
}

// The lift is at a right angle to the drag unless the case says otherwise.
func TestDirectionOfTheLift(t *testing.T) {
	const flow, rounding = "[run]\nsteps = 10\n[output.force.disc]\n", 1e-9
	for name, c := range map[string]struct {
		keys        string
		want        [3]float64
		fails, warn string
	}{
		"default":        {"", [3]float64{0, 1}, "", ""},
		"along y":        {"drag_direction = [0, 1]", [3]float64{-1}, "", ""},
		"inclined":       {"drag_direction = [3, 4]", [3]float64{-0.8, 0.6}, "", ""},
		"backwards":      {"drag_direction = [-1, 0]", [3]float64{0, 1}, "", ""},
		"both":           {"drag_direction = [0, 1]\nlift_direction = [2, 0]", [3]float64{1}, "", ""},
		"parallel":       {"lift_direction = [1, 0]", [3]float64{}, "the lift has the direction of the drag", ""},
		"opposite":       {"drag_direction = [0, 1]\nlift_direction = [0, -1]", [3]float64{}, "the lift has the direction of the drag", ""},
		"not at a right": {"lift_direction = [1, 1]", [3]float64{math.Sqrt2 / 2, math.Sqrt2 / 2}, "", "not perpendicular (cosine 0.71)"},
	} {
		got, err := Load("a.toml", []byte(disc+flow+c.keys))
		if err != nil {
			if c.fails == "" || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %q", name, err, c.fails)
			}
			continue
		}
		for a, want := range c.want {
			if math.Abs(got.Forces[0].Lift[a]-want) > rounding {
				t.Errorf("%s: lift along %v, want %v", name, got.Forces[0].Lift, c.want)
				break
			}
		}
		if text := strings.Join(got.Warnings.Texts(), "\n"); !strings.Contains(text, c.warn) || c.warn == "" && strings.Contains(text, "not perpendicular") {
			t.Errorf("%s: warnings %q, want %q", name, text, c.warn)
		}
	}
	for _, drag := range [][3]float64{{1}, {0, 1}, {0, 0, 1}, {0.6, 0.8}, {0, -1}} {
		lift := acrossDrag(drag, 3)
		if dot := drag[0]*lift[0] + drag[1]*lift[1] + drag[2]*lift[2]; math.Abs(dot) > rounding || math.Abs(sizeOf(lift)-1) > rounding {
			t.Errorf("drag along %v, lift along %v", drag, lift)
		}
	}
}
