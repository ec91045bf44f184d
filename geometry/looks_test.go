// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"
	"testing"
)

// voxels returns an image of n x n x 4 voxels with the given edge, in cells, that are solid where in holds for their centre.
func voxels(n int, edge float64, in func(x, y float64) bool) *Voxels {
	size := [3]int{n, n, 4}
	v := NewVoxels(size, [3]float64{}, [3]float64{edge, edge, edge}, [3]int{}, size)
	for z := range 4 {
		for y := range n {
			for x := range n {
				if in(float64(x)+0.5-float64(n)/2, float64(y)+0.5-float64(n)/2) {
					v.Fill(x, y, z)
				}
			}
		}
	}
	return v
}

// turned returns a rotation about the middle of a square, along a path of a number of cells.
func turned(middle float64) func(p [3]float64, by float64) [3]float64 {
	return func(p [3]float64, by float64) [3]float64 {
		x, y := p[0]-middle, p[1]-middle
		sin, cos := math.Sincos(by / math.Hypot(x, y))
		return [3]float64{middle + cos*x - sin*y, middle + sin*x + cos*y, p[2]}
	}
}

// Fluid would not cross the staircase of a voxel disc that rotates about its axis, on any grid, but
// would cross a voxel paddle.
func TestLeavingOfVoxels(t *testing.T) {
	for _, radius := range []float64{4, 6.3, 9, 19, 40} {
		n := 2*int(radius) + 4
		for _, edge := range []float64{0.5, 1, 3} {
			cells := [3]int{int(float64(n)*edge) + 1, int(float64(n)*edge) + 1, int(4 * edge)}
			after := turned(float64(n) * edge / 2)
			disc := voxels(n, edge, func(x, y float64) bool { return math.Hypot(x, y) < radius })
			if share := Leaving(disc, cells, 3, after); share > 0.01 {
				t.Errorf("a disc of %g voxels of %g cells: %g of its surface leaves it", radius, edge, share)
			}
			for what, in := range map[string]func(x, y float64) bool{
				"paddle": func(x, y float64) bool { return math.Abs(x) < radius && math.Abs(y) < radius/4 },
				"square": func(x, y float64) bool { return max(math.Abs(x), math.Abs(y)) < radius },
			} {
				if share := Leaving(voxels(n, edge, in), cells, 3, after); share < 0.08 && min(radius, radius*edge) > 4 {
					t.Errorf("a %s of %g voxels of %g cells: only %g of its surface leaves it", what, radius, edge, share)
				}
			}
		}
	}
}

// A blade is found anywhere in a large box, although only some of its cells are sampled.
func TestLeavingOfLargeBodies(t *testing.T) {
	cells := [3]int{256, 256, 256}
	blade := Combination{Operation: Union, Parts: []Shape{
		Box{Lo: [3]float64{10, 126, 240}, Hi: [3]float64{246, 130, 250}},
		Box{Lo: [3]float64{0, 0, 0}, Hi: [3]float64{1, 1, 1}},
	}}
	if share := Leaving(blade, cells, 3, turned(128)); share < 0.2 {
		t.Errorf("%g of a blade's surface leaves it", share)
	}
}

// The largest value at a shape's cells is the largest at its voxels, not in the box around them.
func TestMost(t *testing.T) {
	disc := voxels(60, 1, func(x, y float64) bool { return math.Hypot(x, y) < 9 })
	if r := Most(disc, [3]int{60, 60, 4}, 3, func(p [3]float64) float64 { return math.Hypot(p[0]-30, p[1]-30) }); r < 8.5 || r > 9 {
		t.Errorf("a radius of %g, expected 9", r)
	}
}

// The box around solid voxels excludes the empty ones.
func TestSolidBox(t *testing.T) {
	v := voxels(20, 0.5, func(x, y float64) bool { return x > 2 && x < 4 && y > -5 })
	want := Box{Lo: [3]float64{6, 2.5, 0}, Hi: [3]float64{7, 10, 2}}
	if got := v.Solid(); got != want {
		t.Errorf("%v, expected %v", got, want)
	}
	if got := voxels(4, 1, func(x, y float64) bool { return false }).Solid(); got != (Box{}) {
		t.Errorf("nothing is in %v", got)
	}
}
