package mesh

import "math"

// Marks are the places where a surface is bad.
type Marks struct {
	Triangles []bool          // turned against most of their part, or duplicates
	Edges     [][2][3]float64 // of the border: not used equally often in both directions
	Marked    int             // triangles
}

// Marks finds the places that keep the surface from bounding a solid.
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

// Thin is where the solid behind a closed surface is thinner than a length.
type Thin struct {
	Triangles []bool
	Share     float64    // of the area
	Least     float64    // infinite where nothing is as thin
	At        [3]float64 // the thinnest place
}

// ThinnerThan measures from the middle of each triangle along its normal to the next triangle behind. Where parts overlap, the surface
// of another part ends the length.
func (s *Surface) ThinnerThan(most float64) Thin {
	thin := Thin{Triangles: make([]bool, len(s.T)), Least: math.Inf(1)}
	inwards := -most
	if s.Volume() < 0 { // inside out
		inwards = most
	}
	tri := make([][3][3]float64, len(s.T))
	for i := range tri {
		tri[i] = s.Corners(i)
	}
	var t tree
	t.build(tri)
	all, part := 0.0, 0.0
	for i := range s.T {
		c, n := s.Corners(i), s.vector(i) // the tree may reorder tri
		area := length(n)
		if area == 0 {
			continue
		}
		all += area
		var mid, in [3]float64
		for a := range mid {
			mid[a] = (c[0][a] + c[1][a] + c[2][a]) / 3
			in[a] = inwards * n[a] / area
		}
		const skin = 1e-6 // of most
		share := t.first(tri, mid, in, skin, 1, 1e-12)
		if share >= cellWide {
			continue
		}
		thin.Triangles[i] = true
		part += area
		if l := share * most; l < thin.Least {
			thin.Least, thin.At = l, mid
		}
	}
	if all > 0 {
		thin.Share = part / all
	}
	return thin
}
