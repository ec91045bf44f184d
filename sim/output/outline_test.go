// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"
	"testing"
)

// The outline of a disc is closed, with its corners on the circle; cut by an edge of the picture it ends there.
func TestOutlineOfADisc(t *testing.T) {
	const w, h, radius = 20, 16, 4.3
	for _, centre := range [][2]float64{{9.6, 7.9}, {1.2, 7.9}} {
		inside := func(x, y float64) bool { return math.Hypot(x-centre[0], y-centre[1]) < radius }
		gaps := make([]float64, 4*w*h)
		for j := range h {
			for i := range w {
				for k, d := range [4][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					x, y := float64(i)+0.5, float64(j)+0.5
					if inside(x, y) || !inside(x+d[0], y+d[1]) {
						continue
					}
					lo, hi := 0.0, 1.0
					for range 60 {
						if m := (lo + hi) / 2; inside(x+m*d[0], y+m*d[1]) {
							hi = m
						} else {
							lo = m
						}
					}
					gaps[4*(j*w+i)+k] = hi
				}
			}
		}
		ends := map[[2]float64]int{}
		for _, l := range outlineOf(w, h, gaps) {
			for _, p := range l {
				ends[p]++
				if r := math.Hypot(p[0]-centre[0], p[1]-centre[1]); p[0] > 0 && math.Abs(r-radius) > 1e-9 {
					t.Errorf("%v is %g from the centre", p, r)
				}
			}
		}
		open := 0
		for p, n := range ends {
			if n != 2 {
				if open++; p[0] != 0 || n != 1 {
					t.Errorf("%d lines end at %v", n, p)
				}
			}
		}
		if want := map[bool]int{true: 2}[centre[0] < radius]; len(ends) < 20 || open != want {
			t.Errorf("%d corners, %d open ends, want %d", len(ends), open, want)
		}
	}
}
