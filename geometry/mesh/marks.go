// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"cmp"
	"math"
	"slices"

	"lbmsim/internal/vector"
)

// Marks are the defects of a surface.
type Marks struct {
	Triangles []bool          // flipped, or duplicates
	Edges     [][2][3]float64 // of the border: not used equally often in both directions
	Marked    int             // triangles
}

// Marks finds the defects that keep the surface from bounding a solid.
func (s *Surface) Marks() Marks {
	m := Marks{Triangles: make([]bool, len(s.T))}
	s.edges(func(a, b int32, uses []use) {
		up := 0
		for _, u := range uses {
			up += 1 - 2*int(u.tri&1)
		}
		if up != 0 {
			m.Edges = append(m.Edges, [2][3]float64{s.V[a], s.V[b]})
		}
		for _, i := range s.twins(a, b, uses) {
			m.Triangles[i] = true
		}
	})
	flip, _ := s.orient()
	for i, turn := range flip.turn {
		m.Triangles[i] = m.Triangles[i] || turn
	}
	for _, bad := range m.Triangles {
		if bad {
			m.Marked++
		}
	}
	return m
}

// Thin describes where the solid behind a closed surface is thinner than a length.
type Thin struct {
	Triangles []bool
	Share     float64    // of the area
	Least     float64    // infinite if no part is thinner
	At        [3]float64 // position of the least thickness
}

// thinSamples is the largest number of triangles whose thickness is measured; larger surfaces are sampled.
const thinSamples = 200000

// ThinnerThan measures the thickness from the middle of each triangle along its normal through the solid behind it. Parts
// that overlap or touch are one solid, and triangles inside it do not count.
func (s *Surface) ThinnerThan(most float64) Thin {
	thin := Thin{Triangles: make([]bool, len(s.T)), Least: math.Inf(1)}
	outwards := 1
	if s.Volume() < 0 { // inside out
		outwards = -1
	}
	r := ray{outwards: outwards, tri: make([][3][3]float64, len(s.T))}
	for i := range r.tri {
		r.tri[i] = s.Corners(i)
	}
	r.tree.build(r.tri) // which may reorder them
	lo, hi := s.Bounds()
	far := vector.Length(vector.Minus(hi, lo))
	all, part := 0.0, 0.0
	step := max(1, len(s.T)/thinSamples)
	for i := step / 2; i < len(s.T); i += step {
		c, n := s.Corners(i), s.vector(i)
		area := vector.Length(n)
		if area == 0 {
			continue
		}
		var mid, out, in [3]float64
		for a := range mid {
			mid[a] = (c[0][a] + c[1][a] + c[2][a]) / 3
			out[a], in[a] = float64(outwards)*far*n[a]/area, -float64(outwards)*most*n[a]/area
		}
		if inside, _ := r.through(mid, out, 0); inside != 0 {
			continue
		}
		all += area
		if _, share := r.through(mid, in, 1); share < cellWide {
			thin.Triangles[i] = true
			part += area
			if l := share * most; l < thin.Least {
				thin.Least, thin.At = l, mid
			}
		}
	}
	if all > 0 {
		thin.Share = part / all
	}
	return thin
}

// ray follows lines through a surface.
type ray struct {
	tri      [][3][3]float64
	tree     tree
	outwards int // 1; -1: the surface is inside out
	hits     []hit
}

// hit is where a line meets a triangle: 1 where it enters a part, -1 where it leaves one.
type hit struct {
	at   float64
	turn int
}

// through follows a line from p to p + d. It returns the changes of the winding number, with opposite sign, and the first
// parameter at which the number has become 0 from a start, or one beyond the end.
func (r *ray) through(p, d [3]float64, start int) (lost int, end float64) {
	const skin, same = 1e-6, 1e-9 // of d
	r.hits = r.hits[:0]
	r.tree.along(p, d, func(i int) {
		if at, met := meet(&r.tri[i], p, d, 1e-12); met && at > skin && at <= 1 {
			t, turn := &r.tri[i], r.outwards
			if vector.Dot(d, vector.Cross(vector.Minus(t[1], t[0]), vector.Minus(t[2], t[0]))) > 0 {
				turn = -turn
			}
			r.hits = append(r.hits, hit{at, turn})
		}
	})
	slices.SortFunc(r.hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.at, b.at), a.turn-b.turn) })
	end = 2
	winding := start
	for i := 0; i < len(r.hits); {
		// Triangles with an edge in common are one, and a part may begin where another ends.
		enters, leaves, first := false, false, r.hits[i].at
		for ; i < len(r.hits) && r.hits[i].at <= first+same; i++ {
			enters, leaves = enters || r.hits[i].turn > 0, leaves || r.hits[i].turn < 0
		}
		if enters {
			winding++
		}
		if leaves {
			winding--
		}
		if winding == 0 && start != 0 && end > 1 {
			end = first
		}
	}
	return start - winding, end
}
