// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"math/bits"
	"testing"

	"lbmsim/decomp"
	"lbmsim/model"
)

// A block moves at a speed that changes with time, and (1, -1, 0) and (-1, 0, -1) meet it with the same momentum up to rounding:
// each link has the bits of its own direction, wherever the list begins. A shared law made a run depend on the
// decomposition.
func TestLaterLawsAreOfTheirDirection(t *testing.T) {
	n := [3]int{5, 5, 5}
	lattice, _ := model.FindLattice("D3Q27")
	cells := NewCells(n)
	cells.Periodic = [3]bool{true, true, true}
	motion := Scaled{Constant{0.02, 0.01, -0.03}, func(t float64) float64 { return 0.3 + 0.2*t }}
	cells.Walls = []Wall{{Motion: motion}}
	cells.Type[cells.Index(2, 2, 2)] = 1
	w, err := FindWalls(lattice, decomp.NewLayout(n, [3]int{0, 1, 1}, 10), cells.Periodic, cells, 32)
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.Special()
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, time := range []float64{0, 1, 2.5} {
		w.AdvanceTo(l, time)
		for _, c := range l.Cells {
			x, at := [3]int{int(c.X), int(c.Row) % n[1], int(c.Row) / n[1]}, c.First
			for rest := c.Links; rest != 0; rest &= rest - 1 {
				i := bits.TrailingZeros32(rest)
				if got, want := l.Laws[l.List[at]], w.law(x, i, 1, motion, time); got != want {
					t.Errorf("cell %v, direction %v at time %g: %v, want %v to the bit", x, lattice.Velocities[i], time, got, want)
				}
				at++
				links++
			}
		}
	}
	if links != 3*26 {
		t.Fatalf("%d links, want 26 at each of 3 times", links)
	}
}

// What a device evaluates at each step is the law at that time, also on links from behind the edge between a moving face and a slip
// face, where the velocity has no component normal to the slip face. GPUs took all of it for the force, which was off by a sixth of
// the product of two components.
func TestLaterLawsAreTheLawsOfTheirTime(t *testing.T) {
	n := [3]int{5, 6, 4}
	lattice, _ := model.FindLattice("D3Q27")
	cells := NewCells(n)
	cells.Periodic = [3]bool{false, false, true}
	factor := func(t float64) float64 { return 0.3 + 0.2*t }
	cells.Walls = []Wall{{Measured: true, Motion: Scaled{Constant{0.02, 0, -0.03}, factor}}, {Law: Slip}}
	for z := -1; z <= n[2]; z++ {
		for x := -1; x <= n[0]; x++ {
			cells.Type[cells.Index(x, -1, z)], cells.Type[cells.Index(x, n[1], z)] = 1, 1
		}
		for y := range n[1] {
			cells.Type[cells.Index(-1, y, z)], cells.Type[cells.Index(n[0], y, z)] = 2, 2
		}
	}
	w, err := FindWalls(lattice, decomp.NewLayout(n, [3]int{0, 1, 1}, 10), cells.Periodic, cells, 32)
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.Measured()
	if err != nil {
		t.Fatal(err)
	}
	later, without := w.Later(l), 0
	for _, time := range []float64{0, 2.5} {
		w.AdvanceTo(l, time)
		for k, of := range later {
			v := of.Base
			for _, term := range of.Terms {
				for a := range 3 {
					u := term.At[a] * term.Gain * factor(time)
					if v[0] += term.Share[a] * u; int(term.Share[3])>>a&1 == 0 {
						v[1+a] += u
					} else {
						without++
					}
				}
			}
			want := l.Laws[l.Steady+k]
			for a, x := range [4]float64{want.K, want.Velocity[0], want.Velocity[1], want.Velocity[2]} {
				if math.Abs(v[a]-x) > 1e-17 {
					t.Errorf("law %d at time %g: number %d is %g, want %g", k, time, a, v[a], x)
				}
			}
		}
	}
	if len(later) == 0 || without == 0 {
		t.Errorf("%d laws change, %d components are left out", len(later), without)
	}
}
