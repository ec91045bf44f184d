// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import "lbmsim/internal/vector"

// Split halves edges until all are at most as long as most returns for their middles, and returns for each triangle the
// original triangle that contains it. It stops early, with false, above limit triangles.
//
// Whether an edge is halved depends on the edge alone, so the triangles on both sides agree and a closed surface stays
// closed. In each triangle the longest of these edges is halved first, which bounds the smallest angle (Rivara, Int. J.
// Numer. Methods Eng. 20 (1984) 745).
func (s *Surface) Split(most func(middle [3]float64) float64, limit int) (from []int32, ok bool) {
	halves := map[[2]int32]int32{}
	middle := func(a, b int32) (p [3]float64) {
		for x := range p {
			p[x] = (s.V[a][x] + s.V[b][x]) / 2
		}
		return p
	}
	var list, rest [][3]int32
	for i, whole := range s.T {
		for rest = append(rest[:0], whole); len(rest) > 0; {
			t := rest[len(rest)-1]
			rest = rest[:len(rest)-1]
			at, longest := -1, 0.0
			for c := range t {
				a, b := t[c], t[(c+1)%3]
				if l := vector.Length(vector.Minus(s.V[max(a, b)], s.V[min(a, b)])); l > longest && l > most(middle(a, b)) {
					at, longest = c, l
				}
			}
			if at < 0 {
				if list, from = append(list, t), append(from, int32(i)); len(list) > limit {
					return nil, false
				}
				continue
			}
			a, b, c := t[at], t[(at+1)%3], t[(at+2)%3]
			edge := [2]int32{min(a, b), max(a, b)}
			m, known := halves[edge]
			if !known {
				m = int32(len(s.V))
				halves[edge] = m
				s.V = append(s.V, middle(a, b))
			}
			rest = append(rest, [3]int32{m, b, c}, [3]int32{a, m, c})
		}
	}
	if s.Solid != nil {
		solid := make([]int32, len(from))
		for i, k := range from {
			solid[i] = s.Solid[k]
		}
		s.Solid = solid
	}
	s.T = list
	return from, true
}
