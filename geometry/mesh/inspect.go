// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"math"
	"slices"

	"lbmsim/internal/vector"
)

// crowded is the number of edges above which the edges of a vertex are sorted at the end.
const crowded = 64

func sortUses(list []use) {
	slices.SortFunc(list, func(a, b use) int {
		if a.b != b.b {
			return int(a.b) - int(b.b)
		}
		return int(a.tri) - int(b.tri)
	})
}

// Findings are the properties of a surface known without a grid. Lengths are in the unit
// of its vertices.
type Findings struct {
	Triangles, Vertices int
	Lo, Hi              [3]float64
	Area, Volume        float64 // the volume is valid for a closed surface

	Collapsed    int // triangles with two corners at the same position; omitted
	WrongNormals int // normals in the file inconsistent with vertex order
	Needles      int // zero-area triangles with three distinct corners
	Duplicates   int // duplicate triangles in the same orientation

	Open    int // edges of a single triangle
	Crowded int // edges of more than two triangles
	Against int // edges of two triangles with opposite orientation
	Border  int // edges not used equally often in both directions: 0 means watertight
	Gaps
	Parts     int // connected parts
	Turned    int // flipped triangles of a part
	OneSided  int // non-orientable parts, such as a Moebius strip
	InsideOut int // parts with a negative volume: cavities, or inside out
}

// Gaps are the holes of a surface: the connected pieces of its border.
type Gaps struct {
	Holes    int
	Widest   float64
	WidestAt [3]float64 // middle of the widest hole
}

// Watertight surfaces bound a solid.
func (f Findings) Watertight() bool { return f.Triangles > 0 && f.Border == 0 }

// Inspect examines the surface without changing it.
func (s *Surface) Inspect() Findings {
	f := Findings{Triangles: len(s.T), Vertices: len(s.V), Collapsed: s.Collapsed, WrongNormals: s.WrongNormals}
	f.Lo, f.Hi = s.Bounds()
	var o [3]float64
	for a := range o {
		o[a] = (f.Lo[a] + f.Hi[a]) / 2
	}
	for i := range s.T {
		twice := vector.Length(s.vector(i))
		f.Area += twice / 2
		t := s.Corners(i)
		longest := max(vector.Length(vector.Minus(t[1], t[0])), vector.Length(vector.Minus(t[2], t[1])), vector.Length(vector.Minus(t[0], t[2])))
		if twice <= 1e-10*longest*longest {
			f.Needles++
		}
	}
	f.Volume = s.Volume()
	border := borders{of: map[int32]int32{}}
	s.edges(func(a, b int32, uses []use) {
		up := 0
		for _, u := range uses {
			up += 1 - 2*int(u.tri&1)
		}
		switch {
		case len(uses) == 1:
			f.Open++
		case len(uses) > 2:
			f.Crowded++
		case up != 0:
			f.Against++
		}
		if up != 0 {
			f.Border++
			border.join(a, b)
		}
		f.Duplicates += len(s.twins(a, b, uses))
	})
	for _, h := range border.pieces(s) {
		f.Holes++
		if h.width > f.Widest {
			f.Widest, f.WidestAt = h.width, h.middle
		}
	}
	flip, parts := s.orient()
	f.Parts = len(parts)
	for _, p := range parts {
		f.Turned += p.turned
		if p.oneSided {
			f.OneSided++
		}
	}
	volume := make([]float64, len(parts))
	for i, part := range flip.part {
		v := s.volumeOf(i, o)
		if flip.turn[i] {
			v = -v
		}
		volume[part] += v
	}
	for _, v := range volume {
		if v < 0 {
			f.InsideOut++
		}
	}
	return f
}

// Volume that a closed surface encloses, negative where it is inside out.
func (s *Surface) Volume() (v float64) {
	lo, hi := s.Bounds()
	var o [3]float64
	for a := range o {
		o[a] = (lo[a] + hi[a]) / 2
	}
	for i := range s.T {
		v += s.volumeOf(i, o)
	}
	return v
}

// Sheets moves the triangles that bound no solid to the end, and returns their number: the triangles of
// connected parts with a border, and of parts without volume.
func (s *Surface) Sheets() (n int) {
	flip, parts := s.orient()
	open := make([]bool, len(parts))
	s.edges(func(_, _ int32, uses []use) {
		sum := map[int32]int{}
		for _, u := range uses {
			sum[flip.part[u.tri/2]] += 1 - 2*int(u.tri&1)
		}
		for part, n := range sum {
			open[part] = open[part] || n != 0
		}
	})
	for i, flat := range s.flat(flip.part, len(parts)) {
		open[i] = open[i] || flat
	}
	order := make([]int, 0, len(s.T))
	for i := range s.T {
		if !open[flip.part[i]] {
			order = append(order, i)
		}
	}
	solids := len(order)
	for i := range s.T {
		if open[flip.part[i]] {
			order = append(order, i)
		}
	}
	s.T = ordered(s.T, order)
	if s.Solid != nil {
		s.Solid = ordered(s.Solid, order)
	}
	return len(s.T) - solids
}

// ordered returns elements in another order.
func ordered[T any](list []T, order []int) []T {
	moved := make([]T, len(order))
	for k, i := range order {
		moved[k] = list[i]
	}
	return moved
}

// noVolume is the share of the box around a part below which its volume is only rounding.
const noVolume = 1e-9

// flat reports which parts enclose no volume.
func (s *Surface) flat(part []int32, parts int) []bool {
	volume := make([]float64, parts)
	lo, hi := make([][3]float64, parts), make([][3]float64, parts)
	for i := range parts {
		lo[i], hi[i] = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	}
	var o [3]float64
	if len(s.V) > 0 {
		o = s.V[0]
	}
	for i, k := range part {
		volume[k] += s.volumeOf(i, o)
		for _, v := range s.Corners(i) {
			for a, x := range v {
				lo[k][a], hi[k][a] = min(lo[k][a], x), max(hi[k][a], x)
			}
		}
	}
	flat := make([]bool, parts)
	for i := range flat {
		d := vector.Minus(hi[i], lo[i])
		flat[i] = math.Abs(volume[i]) <= noVolume*d[0]*d[1]*d[2]
	}
	return flat
}

// twins returns duplicate triangles at an edge; each is found only at the edge of its two lowest
// vertices.
func (s *Surface) twins(a, b int32, uses []use) (list []int32) {
	if len(uses) < 2 {
		return nil
	}
	type side struct{ third, way int32 }
	var few [crowded]side
	seen := few[:0]
	many := map[side]bool{}
	for _, u := range uses {
		k := side{s.third(a, b, u.tri/2), u.tri & 1}
		switch {
		case k.third < b:
			continue
		case slices.Contains(seen, k) || many[k]:
			list = append(list, u.tri/2)
		case len(seen) < crowded:
			seen = append(seen, k)
		default:
			many[k] = true
		}
	}
	return list
}

// third returns the corner of triangle i that is not at the edge.
func (s *Surface) third(a, b, i int32) int32 {
	for _, v := range s.T[i] {
		if v != a && v != b {
			return v
		}
	}
	return a // a triangle has three corners
}

// part is a connected part of the surface.
type part struct {
	size, turned int
	oneSided     bool
}

// flips returns, for each triangle, its part and whether it is flipped against most of the part.
type flips struct {
	part []int32
	turn []bool
}

// orient visits all edges with two triangles.
func (s *Surface) orient() (flips, []part) {
	const none = -1
	next := make([][3]int32, len(s.T)) // twice the neighbour, +1 if one of the two must be flipped
	for i := range next {
		next[i] = [3]int32{none, none, none}
	}
	link := func(i, j, turn int32) {
		for c := range next[i] {
			if next[i][c] == none {
				next[i][c] = 2*j + turn
				return
			}
		}
	}
	s.edges(func(_, _ int32, uses []use) {
		if len(uses) == 2 {
			i, j := uses[0].tri/2, uses[1].tri/2
			turn := 1 - (uses[0].tri^uses[1].tri)&1
			link(i, j, turn)
			link(j, i, turn)
		}
	})
	f := flips{make([]int32, len(s.T)), make([]bool, len(s.T))}
	for i := range f.part {
		f.part[i] = none
	}
	var parts []part
	var queue []int32
	for i := range s.T {
		if f.part[i] != none {
			continue
		}
		p := part{}
		me := int32(len(parts))
		f.part[i] = me
		queue = append(queue[:0], int32(i))
		for k := 0; k < len(queue); k++ {
			at := queue[k]
			p.size++
			if f.turn[at] {
				p.turned++
			}
			for _, n := range next[at] {
				if n == none {
					continue
				}
				turn := f.turn[at] != (n&1 == 1)
				switch j := n / 2; {
				case f.part[j] == none:
					f.part[j], f.turn[j] = me, turn
					queue = append(queue, j)
				case f.turn[j] != turn:
					p.oneSided = true
				}
			}
		}
		if 2*p.turned > p.size {
			p.turned = p.size - p.turned
			for _, j := range queue {
				f.turn[j] = !f.turn[j]
			}
		}
		parts = append(parts, p)
	}
	return f, parts
}

// borders joins edges of the border to connected pieces: a forest of vertices.
type borders struct{ of map[int32]int32 }

func (b borders) root(v int32) int32 {
	for {
		up, ok := b.of[v]
		if !ok {
			b.of[v] = v
			return v
		}
		if up == v {
			return v
		}
		b.of[v] = b.of[up]
		v = up
	}
}

func (b borders) join(v, w int32) {
	v, w = b.root(v), b.root(w)
	if v < w { // the lowest vertex represents the piece
		b.of[w] = v
	} else {
		b.of[v] = w
	}
}

// hole is a connected piece of the border.
type hole struct {
	middle [3]float64
	width  float64
}

// pieces of the border by their representative vertices.
func (b borders) pieces(s *Surface) map[int32]hole {
	type box struct{ lo, hi [3]float64 }
	boxes := map[int32]box{}
	for v := range b.of {
		r, p := b.root(v), s.V[v]
		o, ok := boxes[r]
		if !ok {
			o = box{p, p}
		}
		for a := range p {
			o.lo[a], o.hi[a] = min(o.lo[a], p[a]), max(o.hi[a], p[a])
		}
		boxes[r] = o
	}
	list := map[int32]hole{}
	for r, o := range boxes {
		h := hole{width: vector.Length(vector.Minus(o.hi, o.lo))}
		for a := range h.middle {
			h.middle[a] = (o.lo[a] + o.hi[a]) / 2
		}
		list[r] = h
	}
	return list
}

// Repairs lists the effects of Repair.
type Repairs struct {
	Snapped   int     // border corners snapped to another one
	Tolerance float64 // within this distance
	Removed   int     // duplicates
	Turned    int     // triangles
	Closed    int     // holes
	Widest    float64
	Added     int     // triangles that close them
	Invented  float64 // the guessed share of the area: these triangles, except for
	Unseen    float64 // the share of added triangles that affect no cell
}

// Any reports whether there was any repair.
func (r Repairs) Any() bool { return r.Snapped+r.Removed+r.Turned+r.Added > 0 }

// Repair makes the surface watertight. Corners at the border that lie within 1e-5 of
// the surface's diagonal become one; one of two duplicate triangles is removed; triangles flipped
// against most of their part are turned; and every remaining piece of the border is closed with
// triangles to its middle. A border has no border itself, so the result is always closed, though
// not always the intended surface: Invented reports the guessed share. unseen reports that no cell
// depends on a new triangle; nil: never.
func (s *Surface) Repair(unseen func([3][3]float64) bool) Repairs {
	r := Repairs{}
	lo, hi := s.Bounds()
	r.Tolerance = 1e-5 * vector.Length(vector.Minus(hi, lo))
	r.Snapped = s.snap(r.Tolerance)
	drop := make([]bool, len(s.T))
	s.edges(func(a, b int32, uses []use) {
		for _, i := range s.twins(a, b, uses) {
			drop[i] = true
			r.Removed++
		}
	})
	s.keep(func(i int) bool { return !drop[i] })
	flip, _ := s.orient()
	for i, turn := range flip.turn {
		if turn {
			s.T[i][1], s.T[i][2] = s.T[i][2], s.T[i][1]
			r.Turned++
		}
	}
	before := len(s.T)
	r.Closed, r.Widest = s.closeHoles()
	r.Added = len(s.T) - before
	all := 0.0
	for i := range s.T {
		area := vector.Length(s.vector(i))
		all += area
		switch {
		case i < before:
		case unseen != nil && unseen(s.Corners(i)):
			r.Unseen += area
		default:
			r.Invented += area
		}
	}
	if all > 0 {
		r.Invented /= all
		r.Unseen /= all
	}
	return r
}

// keep removes all but the marked triangles.
func (s *Surface) keep(is func(i int) bool) {
	n := 0
	for i, t := range s.T {
		if is(i) {
			if s.Solid != nil {
				s.Solid[n] = s.Solid[i]
			}
			s.T[n] = t
			n++
		}
	}
	if s.T = s.T[:n]; s.Solid != nil {
		s.Solid = s.Solid[:n]
	}
}

// snap merges vertices of the border with the first one within the tolerance.
func (s *Surface) snap(tolerance float64) (snapped int) {
	atBorder := map[int32]bool{}
	s.edges(func(a, b int32, uses []use) {
		if len(uses) == 1 {
			atBorder[a], atBorder[b] = true, true
		}
	})
	list := make([]int32, 0, len(atBorder))
	for v := range atBorder {
		list = append(list, v)
	}
	slices.Sort(list)
	if tolerance <= 0 {
		return 0
	}
	bin := func(p [3]float64) (b [3]int64) {
		for a, x := range p {
			b[a] = int64(math.Floor(x / tolerance))
		}
		return b
	}
	first := map[[3]int64][]int32{}
	to := map[int32]int32{}
	for _, v := range list {
		p := s.V[v]
		at := bin(p)
		target := int32(-1)
		for k := range 27 {
			b := [3]int64{at[0] + int64(k%3) - 1, at[1] + int64(k/3%3) - 1, at[2] + int64(k/9) - 1}
			for _, w := range first[b] {
				if vector.Length(vector.Minus(s.V[w], p)) <= tolerance && (target < 0 || w < target) {
					target = w
				}
			}
		}
		if target < 0 {
			first[at] = append(first[at], v)
			continue
		}
		to[v] = target
		snapped++
	}
	if snapped == 0 {
		return 0
	}
	for i, t := range s.T {
		for c, v := range t {
			if w, ok := to[v]; ok {
				s.T[i][c] = w
			}
		}
	}
	s.keep(func(i int) bool {
		t := s.T[i]
		if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
			s.Collapsed++
			return false
		}
		return true
	})
	return snapped
}

// closeHoles adds a cone over every piece of the border.
func (s *Surface) closeHoles() (holes int, widest float64) {
	type directed struct {
		a, b  int32
		times int   // how often it is missing
		tri   int32 // an adjacent triangle
	}
	var lacking []directed
	border := borders{of: map[int32]int32{}}
	s.edges(func(a, b int32, uses []use) {
		up := 0
		for _, u := range uses {
			up += 1 - 2*int(u.tri&1)
		}
		if up > 0 {
			lacking = append(lacking, directed{b, a, up, uses[0].tri / 2})
		} else if up < 0 {
			lacking = append(lacking, directed{a, b, -up, uses[0].tri / 2})
		}
		if up != 0 {
			border.join(a, b)
		}
	})
	// The middle of a hole is the mean of its vertices, added up in their order: the
	// same bits whenever the same file is read.
	sum, count := map[int32][3]float64{}, map[int32]int{}
	for _, e := range lacking {
		r := border.root(e.a)
		m := sum[r]
		for a := range m {
			m[a] += s.V[e.a][a] + s.V[e.b][a]
		}
		sum[r] = m
		count[r] += 2
	}
	apex := map[int32]int32{}
	for _, h := range border.pieces(s) {
		widest = max(widest, h.width)
	}
	for _, e := range lacking {
		r := border.root(e.a)
		top, ok := apex[r]
		if !ok {
			top = int32(len(s.V))
			m := sum[r]
			for a := range m {
				m[a] /= float64(count[r])
			}
			s.V = append(s.V, m)
			apex[r] = top
			holes++
		}
		for range e.times {
			s.T = append(s.T, [3]int32{e.a, e.b, top})
			if s.Solid != nil {
				s.Solid = append(s.Solid, s.Solid[e.tri])
			}
		}
	}
	return holes, widest
}
