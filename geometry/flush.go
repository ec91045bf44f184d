// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"

	"lbmsim/internal/vector"
)

// flushWithin is the distance from the face of a cell, in cells, within which a plane counts as on it: far above rounding,
// and irrelevant for the flow.
const flushWithin = 1e-3

// Flush reports whether the surface of a shape coincides with cell faces wherever it is inside the domain: the wall
// half-way between a fluid and a solid cell is then the surface itself. It knows shapes in closed form; for others it
// returns false.
func Flush(s Shape, cells [3]int, dims int) bool {
	return flush(s, NewMotion(1, [3]float64{}, [3]float64{}), cells, dims)
}

// flush reports the same as Flush for a shape moved by m.
func flush(s Shape, m Motion, cells [3]int, dims int) bool {
	switch s := s.(type) {
	case Moved:
		return flush(s.Shape, m.After(s.Motion), cells, dims)
	case Combination:
		for _, p := range s.Parts {
			if !flush(p, m, cells, dims) {
				return false
			}
		}
		return true
	case Box:
		lo, hi := m.Apply(s.Lo), m.Apply(s.Hi)
		for a := range dims {
			if !along(m.Turn[a]) || !onFace(lo[a], cells[a]) || !onFace(hi[a], cells[a]) {
				return false
			}
		}
		return true
	case HalfSpace:
		var n [3]float64
		for a := range n {
			n[a] = vector.Dot(m.Turn[a], s.Normal)
		}
		p := m.Apply(s.Point)
		for a := range dims {
			if n[a] != 0 && !onFace(p[a], cells[a]) {
				return false
			}
		}
		return along(n)
	}
	return false
}

// along reports whether a vector is parallel to an axis.
func along(v [3]float64) bool {
	zeros := 0
	for _, x := range v {
		if x == 0 {
			zeros++
		}
	}
	return zeros == 2
}

// onFace reports whether a plane normal to an axis of n cells is on a cell face, or outside.
func onFace(p float64, n int) bool {
	return p <= 0 || p >= float64(n) || math.Abs(p-math.Round(p)) < flushWithin
}
