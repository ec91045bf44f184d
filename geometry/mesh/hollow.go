// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

// Hollow reports for each axis whether the line along it through the middle of the box around the moved surface
// misses the surface, as in a duct.
func (s *Surface) Hollow(move func([3]float64) [3]float64) (free [3]bool) {
	lo, hi := s.Span(move)
	var middle [3]float64
	for a := range middle {
		middle[a], free[a] = (lo[a]+hi[a])/2, true
	}
	for i := range s.T {
		t := s.Corners(i)
		for v := range t {
			t[v] = move(t[v])
		}
		for a := range free {
			free[a] = free[a] && !pierced(t, middle, a)
		}
	}
	return free
}

// pierced reports whether the line through p along an axis meets a triangle, its edges included.
func pierced(t [3][3]float64, p [3]float64, axis int) bool {
	b, c := (axis+1)%3, (axis+2)%3
	left, right := false, false
	for v := range t {
		from, to := t[v], t[(v+1)%3]
		side := (to[b]-from[b])*(p[c]-from[c]) - (to[c]-from[c])*(p[b]-from[b])
		left, right = left || side > 0, right || side < 0
	}
	return !(left && right)
}
