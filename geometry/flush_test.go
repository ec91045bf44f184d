// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import "testing"

// Boxes and planes on cell faces are flush, under any rotation by right angles; all others are not.
func TestFlush(t *testing.T) {
	box := func(x0, y0, z0, x1, y1, z1 float64) Box {
		return Box{[3]float64{x0, y0, z0}, [3]float64{x1, y1, z1}}
	}
	turned := func(s Shape, degrees float64) Shape {
		return Moved{Shape: s, Motion: NewMotion(1, [3]float64{0, 0, degrees}, [3]float64{10, 10, 0})}
	}
	half := func(x, nx, ny float64) HalfSpace {
		return HalfSpace{[3]float64{x, 0, 0}, [3]float64{nx, ny, 0}}
	}
	for i, c := range []struct {
		shape Shape
		dims  int
		want  bool
	}{
		{box(2, 3, 4, 5, 6, 7), 3, true},
		{box(2, 3, 4, 5, 6.0000001, 7), 3, true},
		{box(2, 3, 4, 5, 6.5, 7), 3, false},
		{box(2, 3, 0.5, 5, 6, 0.7), 2, true},
		{box(-7.3, 3, 4, 5, 60.7, 7), 3, true}, // the faces beyond the domain do not count
		{turned(box(2, 3, 4, 5, 6, 7), 90), 3, true},
		{turned(box(2, 3, 4, 5, 6.5, 7), 90), 3, false},
		{turned(box(2, 3, 4, 5, 6, 7), 30), 3, false},
		{half(3, 1, 0), 3, true},
		{half(3.5, 1, 0), 3, false},
		{half(3, 1, 1), 3, false},
		{turned(half(3, 1, 0), 90), 3, true},
		{Sphere{[3]float64{5, 5, 5}, 2}, 3, false},
		{Combination{Difference, []Shape{box(2, 3, 4, 5, 6, 7), box(3, 3, 4, 4, 6, 7)}}, 3, true},
		{Combination{Difference, []Shape{box(2, 3, 4, 5, 6, 7), Sphere{[3]float64{3, 4, 5}, 1}}}, 3, false},
	} {
		if got := Flush(c.shape, [3]int{20, 20, 20}, c.dims); got != c.want {
			t.Errorf("%d: %+v: %v", i, c.shape, got)
		}
	}
}
