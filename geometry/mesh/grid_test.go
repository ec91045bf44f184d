// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"math"
	"slices"
	"testing"

	"lbmsim/internal/vector"
)

func lookAt(t *testing.T, s *Surface) Grid {
	t.Helper()
	g, d, err := s.Look()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, v := range d.Values {
		if !math.IsNaN(v) {
			sum += v / g.Scale
		}
	}
	if int(math.Round(sum)) != g.Solid {
		t.Errorf("the picture has %v solid cells of %d", sum, g.Solid)
	}
	return g
}

func TestLookAtABall(t *testing.T) {
	const r = 12.
	c := [3]float64{-3.1, 40, 7} // the equator's end in x lies between four rows
	s := ball(60, c, r)
	g := lookAt(t, s)
	volume := s.Inspect().Volume
	about(t, "the number of solid cells", float64(g.Solid), volume, 1e-2)
	// The mean of |n_x| + |n_y| + |n_z| over a sphere is 3/2.
	about(t, "the faces that are meant", g.Meant, 1.5*4*math.Pi*r*r, 2e-3)
	about(t, "the faces that there are", g.Faces, g.Meant, 1e-2)
	if g.Leaked != 0 || g.Enclosed != 0 || g.Broken != 0 || g.Thin != [3]float64{} || g.Narrow != [3]float64{} || !math.IsInf(g.Least, 1) {
		t.Errorf("%+v", g)
	}
	near := func(n int, w float64) *Surface { // a hole around a point of the equator
		s := ball(n, c, r)
		s.T = slices.DeleteFunc(s.T, func(k [3]int32) bool {
			p := s.V[k[0]]
			return vector.Length(vector.Minus(p, [3]float64{c[0] + r, c[1], c[2]})) < w
		})
		return s
	}
	if g := lookAt(t, near(60, 3)); g.Leaked < g.Solid/2 || g.Broken == 0 {
		t.Errorf("through a hole of six cells no fluid comes in: %+v", g)
	} else {
		about(t, "the number of solid cells all the same", float64(g.Solid), volume, 5e-2)
	}
	if g := lookAt(t, near(130, 0.1)); g.Leaked != 0 || g.Broken != 0 {
		t.Errorf("through a hole of less than a cell fluid comes in: %+v", g)
	}
}

// Slopes of a car pass exactly through cell centres: by rounding they are before them on one axis and
// behind them on another, and the fluid still stays outside.
func TestLookAtSlopesThroughCentres(t *testing.T) {
	side := [][2]float64{{0, 0.2}, {0, 0.7}, {0.2, 0.85}, {1.1, 0.95}, {1.8, 1.45}, {3.1, 1.45}, {3.9, 0.95}, {4, 0.8}, {4, 0.2}}
	for _, spacing := range []float64{0.1, 0.05, 0.04, 0.025} {
		s := &Surface{}
		at := func(k, y int) [3]float64 {
			p := side[k%len(side)]
			return [3]float64{p[0] / spacing, 0.85 * float64(y) / spacing, p[1] / spacing}
		}
		for k := range side {
			left, right := [3]float64{2 / spacing, -0.85 / spacing, 0.7 / spacing}, [3]float64{2 / spacing, 0.85 / spacing, 0.7 / spacing}
			s.Add([3][3]float64{at(k, -1), at(k+1, 1), at(k, 1)}, [3]float64{})
			s.Add([3][3]float64{at(k, -1), at(k+1, -1), at(k+1, 1)}, [3]float64{})
			s.Add([3][3]float64{at(k, 1), at(k+1, 1), right}, [3]float64{})
			s.Add([3][3]float64{at(k, -1), left, at(k+1, -1)}, [3]float64{})
		}
		s.Done()
		if !s.Inspect().Watertight() {
			t.Fatal("the car is open")
		}
		if g := lookAt(t, s); g.Leaked != 0 || g.Enclosed != 0 || g.Broken != 0 {
			t.Errorf("spacing %g: %+v", spacing, g)
		}
	}
}

func TestLookAtThinParts(t *testing.T) {
	// A plate between two planes of centres contains no cell centre.
	g := lookAt(t, block([3]float64{0, 0, 5.6}, [3]float64{20, 20, 6}))
	if g.Solid != 0 || math.Abs(g.Least-0.4) > 1e-9 || g.Thin[0] < 0.9 || g.Faces != 0 || g.Meant < 800 {
		t.Errorf("a plate of 0.4 cells: %+v", g)
	}
	// Two of the 12 sides face each other, half a cell apart.
	s := join(block([3]float64{0, 0, 0}, [3]float64{8, 8, 8}), block([3]float64{0, 0, 8.5}, [3]float64{8, 8, 16.5}))
	if g := lookAt(t, s); math.Abs(g.Narrow[0]-1./6) > 1e-9 || g.Thin[2] != 0 || g.Solid != 1024 {
		t.Errorf("a gap of half a cell: %+v", g)
	}
	hole := block([3]float64{2, 2, 2}, [3]float64{5, 4, 4})
	for i := range hole.T {
		hole.T[i][1], hole.T[i][2] = hole.T[i][2], hole.T[i][1]
	}
	if g := lookAt(t, join(block([3]float64{0, 0, 0}, [3]float64{8, 8, 8}), hole)); g.Enclosed != 12 || g.Solid != 500 || g.Leaked != 0 {
		t.Errorf("a cavity: %+v", g)
	}
}

// A plate, or a gap, of exactly one cell is not thinner than one, wherever it is.
func TestSharesOfOneCell(t *testing.T) {
	for _, c := range []struct{ at, wide, thin, narrow float64 }{{10, 1, 0, 0}, {10.3, 1, 0, 0}, {10.1, 0.99, 1, 1}, {10, 1.01, 0, 0}} {
		plate := block([3]float64{c.at, 2, 2}, [3]float64{c.at + c.wide, 18, 18})
		gap := join(block([3]float64{c.at - 5, 2, 2}, [3]float64{c.at, 18, 18}), block([3]float64{c.at + c.wide, 2, 2}, [3]float64{c.at + 6, 18, 18}))
		thin, _, _ := solid(t, plate, Whole([3]int{20, 20, 20})).Shares()
		_, narrow, _ := solid(t, gap, Whole([3]int{20, 20, 20})).Shares()
		if (thin > 0.5) != (c.thin > 0) || (narrow > 0.1) != (c.narrow > 0) {
			t.Errorf("%g wide at %g: shares %g and %g", c.wide, c.at, thin, narrow)
		}
	}
}

func TestLookInCoarserCells(t *testing.T) {
	g := lookAt(t, block([3]float64{0, 0, 0}, [3]float64{64000, 32, 32}))
	if g.Scale != 2 || g.Solid != 32000*16*16 {
		t.Errorf("%+v", g)
	}
	if _, _, err := (&Surface{}).Look(); err == nil {
		t.Error("no surface, and no error")
	}
}
