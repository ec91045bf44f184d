// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
)

// A disc has the symmetries of the cells around its centre.
func TestDiscsAreSymmetric(t *testing.T) {
	for _, centre := range []float64{10, 10.5} {
		for _, radius := range []float64{1, 2.5, 5, 6.3} {
			r := Region{Centre: [3]float64{0, centre, centre}, Radius: radius}
			cells, mirror := 0, int(2*centre)-1
			for y := range 21 {
				for z := range 21 {
					in := r.Covers(0, [3]int{0, y, z})
					if in {
						cells++
					}
					if in != r.Covers(0, [3]int{0, mirror - y, z}) || in != r.Covers(0, [3]int{0, y, mirror - z}) || in != r.Covers(0, [3]int{0, z, y}) {
						t.Errorf("centre %g, radius %g: cell %d, %d and its images differ", centre, radius, y, z)
					}
				}
			}
			if cells == 0 && radius > 1 {
				t.Errorf("centre %g, radius %g: no cell", centre, radius)
			}
		}
	}
}

// A wheel at a periodic face has its surface velocity there on both sides.
func TestMotionAcrossAPeriodicFace(t *testing.T) {
	const n = 12
	d := Scene{Cells: [3]int{n, 4, 4}, Periodic: [3]bool{true, true, true}}
	d.Walls = []boundary.Wall{{Motion: boundary.Spin{Angular: [3]float64{0, 0, 1}, Centre: [3]float64{n - 1, 2, 2}}}}
	d.Bodies = []Body{{Shape: Box{[3]float64{n - 2, 0, 0}, [3]float64{n, 4, 4}}, Type: 1}}
	for _, box := range []decomp.Box{{Hi: d.Cells}, {Lo: [3]int{0, 2, 0}, Hi: d.Cells}} {
		c := d.Sample(box)
		for _, q := range []float64{0.25, 0.5, 1} {
			left := c.Motion(1).At(c.Place([3]int{n - 3, 0, 0}, q, [3]int{-1, 0, 0}), 0) // from the fluid below the wheel
			right := c.Motion(1).At(c.Place([3]int{0, 0, 0}, q, [3]int{1, 0, 0}), 0)     // and from that behind the face
			if want := q - 1.5; left[1] != want {
				t.Errorf("distance %g, below: %g, want %g", q, left[1], want)
			}
			if want := 1.5 - q; right[1] != want {
				t.Errorf("distance %g, across the face: %g, want %g", q, right[1], want)
			}
		}
	}
}
