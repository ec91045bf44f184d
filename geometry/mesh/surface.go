// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package mesh converts triangle meshes to solids: it checks a surface from a file, closes it on
// request, and reports which cells are inside and where a segment enters.
//
// A surface bounds a solid if its oriented triangles have no border: every edge is used equally
// often in both directions. Then the winding number of every point is defined, and a point is
// inside when it is not zero. Parts may overlap, touch, and have cavities.
package mesh

import (
	"cmp"
	"math"
	"slices"

	"lbmsim/internal/vector"
)

// Surface is a triangle mesh in which corners at the same place are one vertex.
type Surface struct {
	V [][3]float64
	T [][3]int32
	// Collapsed triangles had two corners at the same position. They are not in T: they have
	// neither an inside nor a border.
	Collapsed int
	// WrongNormals counts the triangles whose normal in the file contradicts the order
	// of their corners. The order wins.
	WrongNormals int
	// Solid is the number of each triangle's solid in the file; nil: the file has one.
	Solid []int32

	solid int32 // of the next triangles
	found map[[3]float64]int32
}

// Begin sets the solid of the next triangles.
func (s *Surface) Begin(solid int) {
	if s.solid = int32(solid); solid != 0 && s.Solid == nil {
		s.Solid = make([]int32, len(s.T))
	}
}

// Add adds a triangle; a zero normal is ignored.
func (s *Surface) Add(v [3][3]float64, normal [3]float64) {
	if s.found == nil {
		s.found = map[[3]float64]int32{}
	}
	var t [3]int32
	for c, p := range v {
		for a := range p {
			p[a] += 0 // -0 and 0 are the same position
		}
		k, ok := s.found[p]
		if !ok {
			k = int32(len(s.V))
			s.found[p] = k
			s.V = append(s.V, p)
		}
		t[c] = k
	}
	if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
		s.Collapsed++
		return
	}
	if n := vector.Cross(vector.Minus(v[1], v[0]), vector.Minus(v[2], v[0])); vector.Dot(n, normal) < 0 {
		s.WrongNormals++
	}
	s.T = append(s.T, t)
	if s.Solid != nil {
		s.Solid = append(s.Solid, s.solid)
	}
}

// Done frees the memory needed only by Add.
func (s *Surface) Done() { s.found = nil }

// Corners of triangle i.
func (s *Surface) Corners(i int) [3][3]float64 {
	t := s.T[i]
	return [3][3]float64{s.V[t[0]], s.V[t[1]], s.V[t[2]]}
}

// Bounds returns the box around the surface.
func (s *Surface) Bounds() (lo, hi [3]float64) {
	lo = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	hi = [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, v := range s.V {
		for a, x := range v {
			lo[a], hi[a] = min(lo[a], x), max(hi[a], x)
		}
	}
	return lo, hi
}

// Span returns the box around the surface after move.
func (s *Surface) Span(move func([3]float64) [3]float64) (lo, hi [3]float64) {
	moved := Surface{V: slices.Clone(s.V)}
	moved.Move(move)
	return moved.Bounds()
}

// SpansBelow returns the boxes around the parts of the moved surface with a z below height, in ascending order: parts that are
// apart along y have boxes of their own.
func (s *Surface) SpansBelow(move func([3]float64) [3]float64, height float64) (list [][2][3]float64) {
	moved := Surface{V: slices.Clone(s.V), T: s.T}
	moved.Move(move)
	for i := range moved.T {
		lo, hi := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
		add := func(p [3]float64) {
			for a := range p {
				lo[a], hi[a] = min(lo[a], p[a]), max(hi[a], p[a])
			}
		}
		corners := moved.Corners(i)
		for k, p := range corners {
			q := corners[(k+1)%3]
			if p[2] < height {
				add(p)
			}
			if (p[2] < height) != (q[2] < height) { // the edge crosses the plane
				part := (height - p[2]) / (q[2] - p[2])
				add([3]float64{p[0] + part*(q[0]-p[0]), p[1] + part*(q[1]-p[1]), height})
			}
		}
		if lo[0] <= hi[0] {
			list = append(list, [2][3]float64{lo, hi})
		}
	}
	slices.SortFunc(list, func(a, b [2][3]float64) int { return cmp.Compare(a[0][1], b[0][1]) })
	joined := list[:0]
	for _, b := range list {
		if n := len(joined); n > 0 && b[0][1] <= joined[n-1][1][1]+1e-9 {
			last := &joined[n-1]
			for a := range b[0] {
				last[0][a], last[1][a] = min(last[0][a], b[0][a]), max(last[1][a], b[1][a])
			}
			continue
		}
		joined = append(joined, b)
	}
	return joined
}

// Move applies f to every vertex.
func (s *Surface) Move(f func([3]float64) [3]float64) {
	for i, v := range s.V {
		s.V[i] = f(v)
	}
}

// vector of triangle i: as long as twice its area, outwards.
func (s *Surface) vector(i int) [3]float64 {
	t := s.Corners(i)
	return vector.Cross(vector.Minus(t[1], t[0]), vector.Minus(t[2], t[0]))
}

// volumeOf returns the signed volume of the tetrahedron that triangle i spans with o. The sum over a
// closed surface is the enclosed volume, for any o (divergence theorem).
func (s *Surface) volumeOf(i int, o [3]float64) float64 {
	t := s.Corners(i)
	return vector.Dot(vector.Minus(t[0], o), vector.Cross(vector.Minus(t[1], o), vector.Minus(t[2], o))) / 6
}

// use is a triangle at an edge: twice its number, plus 1 if it traverses the edge from the higher
// vertex to the lower.
type use struct{ b, tri int32 }

// edges visits every edge a < b with the triangles at it, in the order of the
// vertices.
func (s *Surface) edges(visit func(a, b int32, uses []use)) {
	start := make([]int32, len(s.V)+1)
	each := func(do func(a int32, u use)) {
		for i, t := range s.T {
			for c := range t {
				p, q := t[c], t[(c+1)%3]
				if p < q {
					do(p, use{q, int32(2 * i)})
				} else {
					do(q, use{p, int32(2*i + 1)})
				}
			}
		}
	}
	each(func(a int32, _ use) { start[a+1]++ })
	for a := range s.V {
		start[a+1] += start[a]
	}
	all := make([]use, 3*len(s.T))
	at := append([]int32{}, start[:len(s.V)]...)
	each(func(a int32, u use) {
		// A vertex has a handful of edges: they are kept in order as they come.
		k := at[a]
		for ; k > start[a] && all[k-1].b > u.b && at[a]-start[a] < crowded; k-- {
			all[k] = all[k-1]
		}
		all[k] = u
		at[a]++
	})
	for a := range s.V {
		list := all[start[a]:start[a+1]]
		if len(list) > crowded {
			sortUses(list)
		}
		for i := 0; i < len(list); {
			j := i + 1
			for j < len(list) && list[j].b == list[i].b {
				j++
			}
			visit(int32(a), list[i].b, list[i:j])
			i = j
		}
	}
}

// triangleBytes is the approximate memory of a triangle on rank 0: in the surface as read, in the
// body built from it, and in the body's tree during construction.
const triangleBytes = 320

// Memory of the surface and the body built from it, without its cells.
func (s *Surface) Memory() int64 { return triangleBytes * int64(len(s.T)) }

// Faces returns the number of faces between solid cells and others for vertices converted to cells
// by move: the number for a resolved surface.
func (s *Surface) Faces(move func([3]float64) [3]float64) (faces float64) {
	for i := range s.T {
		t := s.Corners(i)
		for v := range t {
			t[v] = move(t[v])
		}
		n := vector.Cross(vector.Minus(t[1], t[0]), vector.Minus(t[2], t[0]))
		faces += (math.Abs(n[0]) + math.Abs(n[1]) + math.Abs(n[2])) / 2
	}
	return faces
}
