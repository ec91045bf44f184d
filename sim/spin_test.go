// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"lbmsim/internal/brief"
)

// couette returns two cylinders, the inner one rotating, on n x n cells, at tau = 0.8; the inner
// one's speed shrinks with the cells. torque is the analytical one.
func couette(n int, wall, collision string) (text string, torque float64) {
	const nu = 0.1
	r1, r2 := 0.2*float64(n), 0.45*float64(n)
	omega := 0.64 / float64(n) / r1
	// u = A r + B/r with u(r1) = omega r1, u(r2) = 0
	a := -omega * r1 * r1 / (r2*r2 - r1*r1)
	b := omega * r1 * r1 * r2 * r2 / (r2*r2 - r1*r1)
	c := float64(n)/2 + 0.13 // beside the middle of a cell
	factor := fmt.Sprintf("(%.17g + %.17g/((x-%[3]g)^2 + (y-%[3]g)^2))", a, b, c)
	return fmt.Sprintf(`
[domain]
cells = [%[1]d, %[1]d]
[fluid]
viscosity = %[2]g
[collision]
model = %[3]q
precision = "float64"
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+"]
[body.inner]
type = %[4]q
shape = "cylinder"
centre = [%[5]g, %[5]g]
radius = %[6]g
angular_velocity = %.17[7]g
[body.outer]
type = %[4]q
shape = "difference"
of = ["all", "bore"]
[body.all]
shape = "box"
from = [0, 0]
to = [%[1]d, %[1]d]
[body.bore]
shape = "cylinder"
centre = [%[5]g, %[5]g]
radius = %[8]g
[run]
steps = %[9]d
[output.force.inner]
every = 100
[expect.velocity]
reference = ["-(y-%[5]g)*%[10]s", "(x-%[5]g)*%[10]s"]
l2 = 1
`, n, nu, collision, wall, c, r1, omega, r2, 2*n*n, factor), 4 * math.Pi * nu * omega * r1 * r1 * r2 * r2 / (r2*r2 - r1*r1)
}

// The flow between cylinders is A r + B/r, with interpolated walls of second order, and
// the inner one bears the torque 4 pi mu omega R1^2 R2^2/(R2^2 - R1^2).
func TestRotatingCylinder(t *testing.T) {
	models := []string{"regularized", "trt"}
	if brief.Fewer(t, "closures"); testing.Short() {
		models = models[:1]
	}
	for _, model := range models {
		var err [2]float64
		for k, n := range []int{32, 64} {
			dir := t.TempDir()
			text, want := couette(n, "interpolated_wall", model)
			err[k] = trial{text: text, ranks: 2, dir: dir}.must(t).summary.Expect[0].Got
			c := table(t, filepath.Join(dir, "force_inner.csv"))["torque_z"]
			got := -c[len(c)-1]
			t.Logf("%s, %d cells: error %.3g, torque %.5g of %.5g", model, n, err[k], got, want)
			if math.Abs(got/want-1) > []float64{0.02, 0.01}[k] {
				t.Errorf("%s, %d cells: torque %.5g instead of %.5g", model, n, got, want)
			}
		}
		if order := math.Log2(err[0] / err[1]); order < 1.7 || err[1] > 0.005 {
			t.Errorf("%s: errors %.3g and %.3g, order %.2g", model, err[0], err[1], order)
		}
	}
	text, want := couette(64, "wall", "regularized")
	dir := t.TempDir()
	s := trial{text: text, ranks: 1, dir: dir}.must(t)
	c := table(t, filepath.Join(dir, "force_inner.csv"))["torque_z"]
	got := -c[len(c)-1]
	t.Logf("half-way: error %.3g, torque %.5g of %.5g", s.summary.Expect[0].Got, got, want)
	if math.Abs(got/want-1) > 0.1 {
		t.Errorf("half-way: torque %.5g instead of %.5g", got, want)
	}
}

// A belt drags the fluid along like a moving wall: Couette's linear profile.
func TestBelt(t *testing.T) {
	trial{text: `
[domain]
cells = [4, 12]
periodic = ["x"]
[fluid]
viscosity = 0.2
[collision]
precision = "float64"
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[body.belt]
shape = "box"
from = [0, 0]
to = [4, 2]
velocity = [0.02, 0]
[run]
steps = 4000
[expect.velocity]
reference = ["0.02*(12-y)/10", 0]
linf = 1e-8
`, ranks: 1}.must(t)
}

// Surfaces that move give the same bits for every cut.
func TestMovingSurfacesHaveTheSameBits(t *testing.T) {
	text := withPoint(`
[domain]
cells = [26, 14, 17]
periodic = ["y"]
[fluid]
viscosity = 0.04
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "z-", "z+"]
[body.wheel]
type = "interpolated_wall"
shape = "cylinder"
axis = "y"
centre = [9.3, 7, 8.2]
radius = 3.1
angular_velocity = -0.01
spin_axis = [0, 2, 0]
[body.ball]
shape = "sphere"
centre = [19.2, 7, 8]
radius = 3
angular_velocity = 0.01
spin_axis = [1, 1, 0]
[body.belt]
shape = "box"
from = [0, 0, 0]
to = [26, 14, 2]
velocity = [0.02, 0.01, 0]
[output.force.all]
of = ["wheel", "ball", "belt"]
every = 4
` + ending("regularized", "float32", 20))
	var want []byte
	for _, cut := range [][3]int{{1, 1, 1}, {1, 1, 5}, {1, 2, 2}} {
		dir := t.TempDir()
		s := trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
		if len(s.start.Case.Warnings) != 0 {
			t.Errorf("warnings: %q", s.start.Case.Warnings)
		}
		if got := stateIn(t, dir); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("cut into %v parts the state is another", cut)
		}
	}
}
