// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/internal/brief"
)

// cavity returns a square of n cells between a hot and a cold wall (de Vahl Davis, Int. J. Numer. Meth. Fluids 3 (1983) 249), Pr = 0.71.
func cavity(n int, rayleigh float64, boxes ...[][2][3]float64) (f flow, diffusivity float64) {
	const fast = 0.1 // free-fall velocity in cells per step
	h := float64(n)
	diffusivity = fast * h / math.Sqrt(rayleigh*0.71)
	return flow{boxes: boxes, text: fmt.Sprintf(`
[domain]
cells = [%d, %d]
[fluid]
viscosity = %g
[collision]
precision = "float64"
[temperature]
diffusivity = %g
expansion = 1
gravity = [0, %g]
reference = 0
[boundary.hot]
type = "wall"
faces = ["x-"]
temperature = 0.5
[boundary.cold]
type = "wall"
faces = ["x+"]
temperature = -0.5
[boundary.rest]
type = "wall"
faces = ["y-", "y+"]
[run]
steps = 1
`, n, n, 0.71*diffusivity, diffusivity, -fast*fast/h)}, diffusivity
}

// nusselt returns the mean heat flux along x by the one in a fluid at rest, and the mean temperature, after a time in which heat diffuses
// through half of the square.
func nusselt(t *testing.T, f flow, n int, diffusivity float64) (number, mean float64) {
	t.Helper()
	steps, h := int(0.5*float64(n*n)/diffusivity), float64(n)
	f.alone(t, func(g *Grid) error {
		for done := 0; done < steps; done += 64 {
			if err := g.Advance(min(64, steps-done)); err != nil {
				return err
			}
		}
		return g.eachScalar(func(_ [3]float64, volume, _ float64, u [3]float64, theta float64) {
			number += volume * u[0] * theta
			mean += volume * theta
		})
	})
	return 1 + number/h/h*h/diffusivity, mean / h / h
}

// Convection in a square with boxes at the hot and the cold wall, over their whole height: the Nusselt number is within 0.5 % of a uniform
// grid of the finer cells, and the mean temperature stays, both set before the implementation. The published one is 2.238 at Ra = 1e4 and
// 4.509 at 1e5, which 48 and 64 finest cells have to 1 %.
func TestCavity(t *testing.T) {
	brief.Fewer(t, "Rayleigh numbers")
	for _, c := range []struct {
		rayleigh, want float64
		n              int
	}{{1e4, 2.238, 24}, {1e5, 4.509, 32}} {
		if c.rayleigh > 1e4 && testing.Short() {
			continue
		}
		n := c.n
		boxes := [][2][3]float64{plane(0, n/4, 0, n), plane(n-n/4, n, 0, n)}
		refined, d := cavity(n, c.rayleigh, boxes)
		got, mean := nusselt(t, refined, n, d)
		uniform, fine := cavity(2*n, c.rayleigh)
		want, _ := nusselt(t, uniform, 2*n, fine)
		coarse, _ := cavity(n, c.rayleigh)
		worse, _ := nusselt(t, coarse, n, d)
		t.Logf("Ra %g: Nu %.4f with boxes, %.4f on the finer grid, %.4f on the coarser one, published %.3f; mean temperature %.1e", c.rayleigh, got, want, worse, c.want, mean)
		if !(math.Abs(got/want-1) <= 0.005) {
			t.Errorf("Ra %g: Nu %.4f, on a uniform grid %.4f", c.rayleigh, got, want)
		}
		if !(math.Abs(got/c.want-1) <= 0.01) {
			t.Errorf("Ra %g: Nu %.4f, published %.3f", c.rayleigh, got, c.want)
		}
		if !(math.Abs(mean) <= 1e-3) {
			t.Errorf("Ra %g: the mean temperature is %g", c.rayleigh, mean)
		}
	}
}
