// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import "math"

// corners of a square of four cells' centres, anticlockwise from the lower left: the edges run from each to the next.
var corners = [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}}

// outlineOf returns the lines of a picture of w x h cells where surfaces of bodies cut its plane, in cells from its lower left
// corner. gaps are the result of derive.View.Gaps. Between the centres of a fluid and a solid cell the surface is where it is;
// lines lead from such a place to the next around each square of four centres (marching squares).
func outlineOf(w, h int, gaps []float64) (lines [][2][2]float64) {
	// place returns the point of the surface between two neighbouring centres. Values are extrapolated as constant beyond the
	// outermost centres.
	place := func(from, to [2]int) (p [2]float64, ok bool) {
		a, b := [2]int{min(max(from[0], 0), w-1), min(max(from[1], 0), h-1)}, [2]int{min(max(to[0], 0), w-1), min(max(to[1], 0), h-1)}
		if a == b {
			return p, false
		}
		axis := 0
		if a[1] != b[1] {
			axis = 1
		}
		if a[axis] > b[axis] {
			a, b = b, a
		}
		up, down := gaps[(a[1]*w+a[0])*4+2*axis], gaps[(b[1]*w+b[0])*4+2*axis+1]
		across := 1 - axis
		p[across] = math.Min(math.Max(float64(from[across])+0.5, 0), float64([2]int{w, h}[across]))
		switch {
		case up > 0:
			p[axis] = float64(a[axis]) + 0.5 + up
		case down > 0:
			p[axis] = float64(b[axis]) + 0.5 - down
		}
		return p, up > 0 || down > 0
	}
	for j := -1; j < h; j++ {
		for i := -1; i < w; i++ {
			var met [][2]float64
			for k, c := range corners {
				d := corners[(k+1)%4]
				if p, ok := place([2]int{i + c[0], j + c[1]}, [2]int{i + d[0], j + d[1]}); ok {
					met = append(met, p)
				}
			}
			for k := 0; k+1 < len(met); k += 2 {
				lines = append(lines, [2][2]float64{met[k], met[k+1]})
			}
		}
	}
	return lines
}
