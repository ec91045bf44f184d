// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import "testing"

// A shape in cells of a finer level has the same points and surface, in three dimensions and in the plane of the cells' centres.
func TestFiner(t *testing.T) {
	ball := Sphere{Centre: [3]float64{5, 4, 0.5}, Radius: 2}
	if Finer(ball, 0, 3) != Shape(ball) {
		t.Error("level 0 has other cells")
	}
	for dims := 2; dims <= 3; dims++ {
		s := Finer(ball, 2, dims)
		z := map[int]float64{2: 0.5, 3: 2}[dims]
		for _, at := range [][2]float64{{20, 16}, {13, 16}, {27.9, 16}, {28.1, 16}, {11.9, 16}, {20, 24.1}} {
			if got, want := s.Contains(at[0], at[1], z), ball.Contains(at[0]/4, at[1]/4, 0.5); got != want {
				t.Errorf("%dD: contains %v is %v", dims, at, got)
			}
		}
		if q, ok := s.Hit([3]float64{11.5, 16, z}, [3]float64{1, 0, 0}); !ok || q != 0.5 {
			t.Errorf("%dD: the surface is at %g of the link, %v", dims, q, ok)
		}
	}
}
