package refined

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/device/cpu"
)

// At a level places are in its cells, times in its steps; velocities and densities are those of level 0.
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
	same("initial velocity", at.Initial.Velocity[0](10, 20, 30), c.Initial.Velocity[0](2.5, 5, 7.5))
	same("velocity at the face", at.Boundaries[0].Profile[0](0, 10, 20, 0), c.Boundaries[0].Profile[0](0, 2.5, 5, 0))
	same("part of the face", at.Boundaries[0].Region.Lo[2], 8)
	same("part of the face", at.Boundaries[0].Region.Hi[2], 36)
	same("relaxation", at.Boundaries[1].Relax, c.Boundaries[1].Relax/4)
	if c.Boundaries[1].Relax == 0 || at.Cells != [3]int{64, 32, 48} || c.Cells != [3]int{16, 8, 12} || c.Force.Density[0] != 1e-5 {
		t.Errorf("cells %v of %v, force %g, relaxation %g", at.Cells, c.Cells, c.Force.Density[0], c.Boundaries[1].Relax)
	}
}

// What refined grids do not have is refused by name.
func TestRefusals(t *testing.T) {
	dev, err := cpu.New(1)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const domain = "[domain]\ncells = [16, 12]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n"
	const channel = "[domain]\ncells = [16, 12]\nperiodic = [\"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n[boundary.out]\ntype = \"pressure\"\nfaces = [\"x+\"]\npressure = 0\n[boundary.in]\ntype = \"velocity\"\nfaces = [\"x-\"]\n"
	for _, c := range []struct{ text, want string }{
		{domain, ""},
		{domain + "[collision]\nmodel = \"trt\"\n", "models of moments"},
		{domain + "[collision]\nprecision = \"float16\"\n", "models of moments"},
		{domain + "[temperature]\ndiffusivity = 0.01\ninitial = 1\n", "without temperature"},
		{domain + "[turbulence]\nmodel = \"smagorinsky\"\n", "constant viscosity"},
		{domain + "[force]\nacceleration = [\"1e-5*sin(t)\", 0]\n", "[force] changes with time"},
		{domain + "[force]\nmean_velocity = [0.05, 0]\n", "[force] changes with time"},
		{channel + "velocity = [0.03, 0]\n", ""},
		{channel + "velocity = [\"0.03*sin(t)\", 0]\n", "[boundary.in]: it changes with time"},
		{channel + "velocity = [0.03, 0]\nramp = 10\n", "[boundary.in]: it changes with time"},
		{domain + "[body.ball]\nshape = \"stl\"\nfile = \"ball.stl\"\n", "no bodies from files: remove [body.ball]"},
		{domain + "[body.plate]\nshape = \"box\"\nfrom = [4, 4]\nto = [4, 8]\nthicken = true\n", "[body.plate]: it is thickened"},
		{strings.Replace(channel, "pressure = 0", "pressure = 0\nsponge = 4", 1) + "velocity = [0.03, 0]\n", "[boundary.out]: it has a sponge"},
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

// A body may be in a box of a level or beside it. Near the level's ends it is refused, by the centres of its cells, also across a periodic end.
func TestBodiesNearInterfaces(t *testing.T) {
	for _, c := range []struct {
		centre string
		radius float64
		near   bool
	}{
		{"16, 16", 5.9, false}, {"16, 16", 6.3, true}, {"16, 16", 3, false}, {"26, 16", 2, true}, {"35, 16", 7.9, false}, {"35, 16", 8.3, true},
		{"4, 16", 0.9, false}, {"4, 16", 1.3, true}, {"16, 24", 1, true}, {"16, 30", 2.9, false},
	} {
		f := flow{text: fmt.Sprintf("[domain]\ncells = [48, 36]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n[body.disc]\nshape = \"cylinder\"\ncentre = [%s]\nradius = %g\n", c.centre, c.radius),
			boxes: [][][2][3]float64{{plane(8, 24, 8, 24)}}}
		given, err := config.Load("test.toml", []byte(f.text))
		if err != nil {
			t.Fatal(err)
		}
		h, err := f.hierarchy(given, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := apart(given, h); (err != nil) != c.near || c.near && !strings.Contains(err.Error(), "[body.disc] is within 4 cells of level 1") {
			t.Errorf("centre %s, radius %g: error %v", c.centre, c.radius, err)
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
