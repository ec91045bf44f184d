// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"math"
	"testing"

	"lbmsim/internal/vector"
)

// A split surface is as closed as before, with the same volume, in the same order each time, and no edge is too long.
func TestSplit(t *testing.T) {
	most := func(p [3]float64) float64 { // finer on one side, as at the end of a refinement box
		if p[0] > 3 {
			return 0.4
		}
		return 0.8
	}
	cut := func() (*Surface, []int32) {
		s := &Surface{}
		corner := func(k int) [3]float64 {
			return [3]float64{float64(k & 1 * 7), float64(k >> 1 & 1 * 2), float64(k >> 2)}
		}
		for _, q := range [][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
			s.Add([3][3]float64{corner(q[0]), corner(q[1]), corner(q[2])}, [3]float64{})
			s.Add([3][3]float64{corner(q[0]), corner(q[2]), corner(q[3])}, [3]float64{})
		}
		s.Done()
		from, ok := s.Split(most, 1e6)
		if !ok {
			t.Fatal("too many triangles")
		}
		return s, from
	}
	s, from := cut()
	if f := s.Inspect(); !f.Watertight() {
		t.Errorf("open: %+v", f)
	}
	if v := s.Volume(); math.Abs(v-14) > 1e-12 {
		t.Errorf("volume %g", v)
	}
	for i := range s.T {
		c := s.Corners(i)
		for k := range c {
			p, q := c[k], c[(k+1)%3]
			if l := vector.Length(vector.Minus(p, q)); l > most([3]float64{(p[0] + q[0]) / 2}) {
				t.Fatalf("an edge of %g at %v", l, p)
			}
		}
		if i > 0 && from[i] < from[i-1] || int(from[i]) >= 12 {
			t.Fatalf("triangle %d is of %d", i, from[i])
		}
	}
	again, _ := cut()
	for i := range s.T {
		if s.T[i] != again.T[i] {
			t.Fatal("another order")
		}
	}
	if _, ok := again.Split(func([3]float64) float64 { return 0.01 }, 1000); ok {
		t.Error("no limit")
	}
}

// Triangles keep their solid through a split, a repair and the search for sheets: the area of each stays.
func TestSolidsOfTriangles(t *testing.T) {
	s := &Surface{}
	corner := func(k int) [3]float64 {
		return [3]float64{float64(k & 1 * 3), float64(k >> 1 & 1 * 2), float64(k >> 2)}
	}
	for i, q := range [][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		s.Begin(min(i, 2)) // bottom, top, sides
		s.Add([3][3]float64{corner(q[0]), corner(q[1]), corner(q[2])}, [3]float64{})
		if i > 0 { // the bottom lacks a half
			s.Add([3][3]float64{corner(q[0]), corner(q[2]), corner(q[3])}, [3]float64{})
		}
	}
	s.Begin(3)
	s.Add([3][3]float64{{9, 9, 9}, {10, 9, 9}, {9, 10, 9}}, [3]float64{}) // a sheet
	s.Begin(1)
	s.Add([3][3]float64{corner(4), corner(5), corner(7)}, [3]float64{}) // twice
	areas := func() (a [4]float64) {
		for i := range s.T {
			a[s.Solid[i]] += vector.Length(s.vector(i)) / 2
		}
		return a
	}
	near := func(what string, want [4]float64) {
		for i, a := range areas() {
			if math.Abs(a-want[i]) > 1e-12 || len(s.Solid) != len(s.T) {
				t.Errorf("%s: areas %v, want %v, %d numbers of %d triangles", what, areas(), want, len(s.Solid), len(s.T))
				return
			}
		}
	}
	near("read", [4]float64{3, 9, 10, 0.5})
	if n := s.Sheets(); n == 0 || s.Solid[len(s.T)-1] == 0 {
		t.Errorf("%d sheets", n)
	}
	near("sheets", [4]float64{3, 9, 10, 0.5})
	s.Repair(nil) // closes the bottom with triangles beside it, and the sheet with its back
	if f := s.Inspect(); !f.Watertight() {
		t.Errorf("%+v", f)
	}
	got := areas()
	if sum := got[0] + got[2]; math.Abs(sum-16) > 1e-12 || math.Abs(got[1]-6) > 1e-12 || math.Abs(got[3]-1) > 1e-12 { // the hole touches bottom and sides
		t.Errorf("repaired: areas %v", got)
	}
	s.Split(func([3]float64) float64 { return 0.3 }, 1e6)
	near("split", got)
}
