// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/model"
)

// channel2D returns a channel of 48 x 16 cells at tau = 0.8 that flows from x- to x+.
func channel2D(collision, inlet, outlet string, u float64) string {
	const h, nu = 16., 0.1
	profile := fmt.Sprintf("%g*4*y*(Ly-y)/Ly^2", u)
	drop := 8 * nu * u * 48 / h / h // pressure
	kinds := map[string]string{
		"velocity": fmt.Sprintf("type = \"velocity\"\nvelocity = [%q, 0]\n", profile),
		"pressure": fmt.Sprintf("type = \"pressure\"\npressure = %g\n", drop),
		"zero":     "type = \"pressure\"\n",
		"outflow":  "type = \"outflow\"\n",
	}
	return fmt.Sprintf(`
[domain]
cells = [48, 16]
[fluid]
viscosity = %g
[collision]
model = %q
precision = "float64"
[initial]
velocity = [%q, 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[boundary.inlet]
faces = ["x-"]
%s
[boundary.outlet]
faces = ["x+"]
%s
[run]
steps = 8000
[expect.velocity]
reference = [%[3]q, 0]
l2 = 0.01
`, nu, collision, profile, kinds[inlet], kinds[outlet])
}

// A channel between open faces of all kinds has the parabola of its walls. Two velocity faces need
// only a mean pressure, which they maintain.
func TestOpenChannels(t *testing.T) {
	for _, c := range model.Collisions {
		pairs := [][2]string{{"pressure", "zero"}, {"velocity", "outflow"}}
		if c.Name == "regularized" { // docs/validation has all of the others
			pairs = append(pairs, [][2]string{{"velocity", "zero"}, {"pressure", "outflow"}, {"velocity", "velocity"}}...)
		}
		for _, faces := range pairs {
			s := trial{text: channel2D(c.Name, faces[0], faces[1], 0.002), ranks: 1}.must(t)
			t.Logf("%s, %v: error %.2g", c.Name, faces, s.summary.Expect[0].Got)
		}
	}
}

// Moving walls conserve the mass of a closed box, also where they meet, and where a body rests on
// one. (Two that meet and end at faces that slip do not: docs/decisions.md.)
func TestMovingWallsKeepTheMass(t *testing.T) {
	moves := func(name, face, velocity string) string {
		return fmt.Sprintf("[boundary.%s]\ntype = \"moving_wall\"\nfaces = [%q]\nvelocity = [%s]\n", name, face, velocity)
	}
	rests := func(law string, faces string) string {
		return fmt.Sprintf("[boundary.rest]\ntype = %q\nfaces = [%s]\n", law, faces)
	}
	lid := moves("lid", "y+", "0.05, 0")
	for name, text := range map[string]string{
		"lid":              lid + rests("wall", `"x-", "x+", "y-"`),
		"two lids":         lid + moves("side", "x-", "0, -0.05") + rests("wall", `"x+", "y-"`),
		"four lids":        lid + moves("a", "x+", "0, -0.05") + moves("b", "y-", "-0.05, 0") + moves("c", "x-", "0, 0.05"),
		"a block, slip":    lid + rests("slip", `"x-", "x+", "y-"`) + "[body.b]\nshape = \"box\"\nfrom = [8, 18]\nto = [12, 24]\n",
		"nothing but slip": lid + rests("slip", `"x-", "x+", "y-"`),
	} {
		for _, c := range model.Collisions {
			_, err := trial{text: fmt.Sprintf("[domain]\ncells = [24, 24]\n[fluid]\nviscosity = 0.03\n[collision]\nmodel = %q\nprecision = \"float64\"\n[run]\nsteps = 2000\n[expect]\nmass_error = 1e-11\n%s", c.Name, text), ranks: 1}.run(t)
			if err != nil {
				t.Errorf("%s, %s: %v", name, c.Name, err)
			}
		}
	}
}

// As close to tau = 1/2 as config allows without a warning, a parabola from an inlet is preserved.
// trt is most sensitive: its exact wall position depends on what it keeps above second order. The
// bound was set after the largest, 0.20 %, had been seen, in the cells beside the walls; trt has
// 0.08 %.
func TestParabolaNearTheLimit(t *testing.T) {
	brief.Fewer(t, "closures")
	for _, c := range model.Collisions {
		if testing.Short() && c.Name != "trt" && c.Name != "cumulant" {
			continue
		}
		tau := max(c.OpenTau, 0.505)
		const parabola = "0.2*y/20*(1-y/20)"
		trial{text: fmt.Sprintf(`
[domain]
cells = [60, 20]
[fluid]
viscosity = %g
[collision]
model = %q
precision = "float64"
[initial]
velocity = [%[3]q, 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [%[3]q, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[run]
steps = 20000
[expect.velocity]
reference = [%[3]q, 0]
linf = 0.003
`, (tau-0.5)/3, c.Name, parabola), ranks: 1}.must(t)
	}
}

// A sound pulse leaves through an outflow: less than a hundredth of it comes back.
func TestSoundLeaves(t *testing.T) {
	for _, c := range model.Collisions {
		text := fmt.Sprintf(`
[domain]
cells = [400, 3]
periodic = ["y"]
[fluid]
viscosity = 0.02
[collision]
model = %q
precision = "float64"
[initial]
density = "1 + 1e-3*exp(-((x-200)/20)^2)"
velocity = ["0.05 + 1e-3/sqrt(3)*exp(-((x-200)/20)^2)", 0]
[boundary.in]
type = "velocity"
velocity = [0.05, 0]
faces = ["x-"]
[boundary.out]
type = "outflow"
faces = ["x+"]
[run]
steps = 560
[expect.max_speed]
value = 0.05
within = %g
`, c.Name, 0.01*1e-3/math.Sqrt(3))
		s := trial{text: text, ranks: 2}.must(t)
		t.Logf("%s: %.2g of the pulse is left", c.Name, math.Abs(s.summary.Expect[0].Got-0.05)*math.Sqrt(3)/1e-3)
	}
}

// A vortex leaves through an outflow: less than a hundredth of its velocity remains, also between
// frictionless sides, which confine the sound that it emits at the outflow.
func TestVortexLeaves(t *testing.T) {
	brief.Fewer(t, "lattices")
	const u, top, radius = 0.05, 0.01, 8
	for _, c := range []struct{ model, lattice, side string }{
		{"cumulant", "D2Q9", "slip"}, {"recursive_regularized", "D2Q9", "periodic"}, {"cumulant", "D3Q27", "slip"},
	} {
		if testing.Short() && c.lattice != "D2Q9" {
			continue // three planes take most of the time
		}
		cells, zero, zeroText, periodic := "[128, 96]", "", "", ""
		if c.lattice != "D2Q9" {
			cells, zero, zeroText, periodic = "[128, 96, 3]", ", 0", `, "0"`, `"z"`
		}
		sides := ""
		if c.side == "slip" {
			sides = "[boundary.sides]\ntype = \"slip\"\nfaces = [\"y-\", \"y+\"]"
		} else {
			periodic = strings.Trim(periodic+`, "y"`, ", ")
		}
		shape := fmt.Sprintf("exp(0.5*(1-((x-88)^2+(y-48)^2)/%d))", radius*radius)
		text := fmt.Sprintf(`
[domain]
lattice = %q
cells = %s
periodic = [%s]
[fluid]
viscosity = %g
[collision]
model = %[5]q
precision = "float64"
[initial]
velocity = ["%[6]g-%[7]g*(y-48)*%[9]s", "%[7]g*(x-88)*%[9]s"%[10]s]
density = "1-%[8]g*%[9]s^2"
[boundary.in]
type = "velocity"
velocity = [%[6]g, 0%[10]s]
faces = ["x-"]
[boundary.out]
type = "outflow"
faces = ["x+"]
%[11]s
[run]
steps = 2600
[expect.velocity]
reference = ["%[6]g", "0"%[12]s]
linf = %[13]g
`, c.lattice, cells, periodic, u*2*radius/1e4, c.model, u, top/radius, 1.5*top*top, shape, zero, sides, zeroText, 0.01*top/u)
		s := trial{text: text, ranks: 1}.must(t)
		t.Logf("%v: %.2g of the vortex is left", c, s.summary.Expect[0].Got*u/top)
	}
}

// An empty tunnel with inlet, outflow, road and slip stays empty at tau = 0.50001, whatever axis the
// flow is along.
func TestTunnelIsQuiet(t *testing.T) {
	brief.Fewer(t, "models for each axis")
	for axis := range 3 {
		for _, c := range [][2]string{{"cumulant", "D3Q19"}, {"cumulant", "D3Q27"}, {"recursive_regularized", "D3Q27"}} {
			if axis != 2 && c[1] == "D3Q27" && c[0] != "cumulant" {
				continue
			}
			if testing.Short() && ((c[1] == "D3Q19") != (axis == 1) || axis == 2 && c[0] == "cumulant") {
				continue
			}
			n, v := [3]int{16, 16, 16}, [3]float64{}
			if testing.Short() {
				n = [3]int{12, 12, 12}
			}
			b, d := (axis+1)%3, (axis+2)%3
			n[axis], v[axis] = 48, 0.05
			name := func(a int, side string) string { return string("xyz"[a]) + side }
			text := fmt.Sprintf(`
[domain]
lattice = %q
cells = [%d, %d, %d]
[fluid]
viscosity = 3.3333e-6
[collision]
model = %q
[initial]
velocity = [%[6]g, %[7]g, %[8]g]
[boundary.in]
type = "velocity"
velocity = [%[6]g, %[7]g, %[8]g]
faces = [%[9]q]
[boundary.out]
type = "outflow"
faces = [%[10]q]
[boundary.road]
type = "moving_wall"
velocity = [%[6]g, %[7]g, %[8]g]
faces = [%[11]q]
[boundary.slip]
type = "slip"
faces = [%[12]q, %[13]q, %[14]q]
[run]
steps = 6000
[expect.velocity]
reference = ["%[6]g", "%[7]g", "%[8]g"]
linf = 1e-3
`, c[1], n[0], n[1], n[2], c[0], v[0], v[1], v[2], name(axis, "-"), name(axis, "+"), name(d, "-"), name(b, "-"), name(b, "+"), name(d, "+"))
			s := trial{text: text, ranks: 1}.must(t)
			t.Logf("%v along %c: %.2g", c, "xyz"[axis], s.summary.Expect[0].Got)
		}
	}
}

// Half a channel below a frictionless face has the flow of half of a whole one, to rounding: the
// exact wall law.
func TestSlipIsAPlaneOfSymmetry(t *testing.T) {
	const h, force, tau = 8, 1e-6, 0.8
	nu := (tau - 0.5) / 3
	for _, c := range models(t) {
		lambda := 3. / 16
		if c.WallLambda != nil {
			lambda = c.WallLambda(tau)
		}
		text := fmt.Sprintf(`
[domain]
cells = [3, 4, 8]
periodic = ["x", "y"]
[fluid]
viscosity = %.17g
[collision]
model = %q
precision = "float64"
[force]
acceleration = [%g, 0, 0]
[boundary.floor]
type = "wall"
faces = ["z-"]
[boundary.middle]
type = "slip"
faces = ["z+"]
[run]
steps = %d
[expect.velocity]
reference = ["%.17g*(z*(2*Lz-z) + %.17g)", 0, 0]
linf = 1e-8
[expect]
mass_error = 1e-12
`, nu, c.Name, force, int(80*h*h/nu/4), force/2/nu, 4./3*(lambda-3./16))
		trial{text: text, ranks: 1}.must(t)
	}
}

// Walls at any position between cells: with interpolated walls the flow is correct, half-way walls
// have a first-order error.
func TestInterpolatedWallsLieWhereTheyAre(t *testing.T) {
	const force, tau, at = 1e-6, 0.8, 1.85 // the walls are at so many cells from the faces
	nu := (tau - 0.5) / 3
	for _, c := range models(t) {
		var err [2]float64
		for k, wall := range []string{"wall", "interpolated_wall"} {
			text := fmt.Sprintf(`
[domain]
cells = [4, 20]
periodic = ["x"]
[fluid]
viscosity = %.17g
[collision]
model = %q
precision = "float64"
[force]
acceleration = [%g, 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[body.floor]
type = %[4]q
shape = "box"
from = [0, 0]
to = [4, %[5]g]
[body.ceiling]
type = %[4]q
shape = "box"
from = [0, %[6]g]
to = [4, 20]
[run]
steps = 20000
[expect.velocity]
reference = ["max(0, %.17[7]g*(y-%[5]g)*(%[6]g-y))", 0]
l2 = 1
`, nu, c.Name, force, wall, at, 20-at, force/2/nu)
			err[k] = trial{text: text, ranks: 1}.must(t).summary.Expect[0].Got
		}
		t.Logf("%s: error %.2g half-way, %.2g interpolated", c.Name, err[0], err[1])
		if err[1] > 0.01 || err[1] > err[0]/5 {
			t.Errorf("%s: errors %.3g half-way, %.3g interpolated", c.Name, err[0], err[1])
		}
	}
}

// Open faces and curved walls give the same bits for every cut, pencils too.
func TestOpenFlowsHaveTheSameBitsForEveryCut(t *testing.T) {
	brief.Fewer(t, "cuts")
	for i, c := range model.Collisions {
		text := withPoint(variety["open channel with a curved body"] + ending(c.Name, "float32", 20))
		var want []byte
		for k, cut := range [][3]int{{1, 1, 1}, {1, 1, 5}, {1, 2, 2}, {1, 4, 1}} {
			if testing.Short() && k > 0 && k != 1+i%3 {
				continue // another closure has it
			}
			dir := t.TempDir()
			trial{text: text, ranks: cut[0] * cut[1] * cut[2], cut: cut, dir: dir}.must(t)
			if got := stateIn(t, dir); want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s: cut into %v parts the state is another", c.Name, cut)
			}
		}
	}
}

// Stokes' second problem: a fluid over a plane that oscillates in itself, u = U exp(-ky) cos(wt -
// ky) with k = sqrt(w/2nu). The plane is a face whose velocity changes with time.
func TestSwingingPlane(t *testing.T) {
	const nu, period, steps = 0.05, 2000, 10000 // the transient decays within whole periods
	w := 2 * math.Pi / period
	k := math.Sqrt(w / 2 / nu)
	brief.Fewer(t, "closures")
	for _, c := range model.Collisions {
		if testing.Short() && c.Name != "cumulant" && c.Name != "regularized" {
			continue
		}
		text := fmt.Sprintf(`
[domain]
cells = [3, 120]
periodic = ["x"]
[fluid]
viscosity = %g
[collision]
model = %q
precision = "float64"
[boundary.plane]
type = "velocity"
faces = ["y-"]
velocity = ["0.01*cos(%.17[3]g*t)", 0]
[boundary.above]
type = "slip"
faces = ["y+"]
[run]
steps = %[4]d
[expect.velocity]
reference = ["0.01*exp(-%.17[5]g*y)*cos(%.17[3]g*t - %.17[5]g*y)", 0]
l2 = 5e-3
`, nu, c.Name, w, steps, k)
		ranks := 1
		if c.Name == "regularized" {
			ranks = 3
		}
		s := trial{text: text, ranks: ranks}.must(t)
		t.Logf("%s: error %.2g", c.Name, s.summary.Expect[0].Got)
	}
}
