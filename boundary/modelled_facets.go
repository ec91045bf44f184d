package boundary

import (
	"math"
	"slices"

	"lbmsim/internal/parallel"
)

const (
	facetReach  = 4    // cells up to which an edge looks for the surfaces that meet there
	facetWithin = 0.15 // distance from a surface up to which a point lies on it
	smoothest   = 0.03 // largest residual of the surface fit on a smooth flat surface
	smoothCubic = 5    // what the square of a curvature adds to it: terms of third order of a sphere
	leastLean   = 0.01 // of a plane beside an edge: 0.15 two cells from one of 90 degrees, 0.03 three cells
	facetAlike  = 0.95 // cosine of the angle up to which two surfaces are one
)

// facets replaces each ghost cell beside an edge by one for each of the smooth surfaces before it: two at an
// edge, three at a corner. A link belongs to the nearest surface on which it crosses the body's: so every face of a block is flat up to its
// edges. Without, planes fitted around an edge lean by ten degrees, and what they send tears a boundary layer off. Links on no such
// surface keep the fitted one, and are an edge where it is too curved.
func (f *modelledSearch) facets() {
	instead := make([][]foundGhost, len(f.ghosts))
	parallel.Pieces(len(f.ghosts), ghostsOfPiece, func(lo, hi int) {
		var near []beside
		for i := lo; i < hi; i++ {
			if g := &f.ghosts[i]; g.edge && !g.hollow || g.rough && !g.edge {
				near = f.rows.around(near[:0], g.at, facetReach)
				instead[i] = f.split(g, near)
			}
		}
	})
	more := 0
	for _, list := range instead {
		more += max(0, len(list)-1)
	}
	if !slices.ContainsFunc(instead, func(list []foundGhost) bool { return list != nil }) {
		return
	}
	whole := make([]foundGhost, 0, len(f.ghosts)+more)
	for i, list := range instead {
		if list == nil {
			whole = append(whole, f.ghosts[i])
		}
		whole = append(whole, list...)
	}
	f.ghosts = whole
	f.order()
}

// split returns the ghost cells of the surfaces that meet before one behind an edge.
func (f *modelledSearch) split(g *foundGhost, near []beside) (list []foundGhost) {
	rest := *g
	rest.links = nil
	for _, l := range g.links {
		s, ok := f.smooth(g, l, near)
		if !ok {
			rest.links = append(rest.links, l)
			continue
		}
		k := 0
		for k < len(list) && (dot3(list[k].normal, s.normal) < facetAlike || !f.leaves(l, list[k].normal)) {
			k++
		}
		if k == len(list) {
			list = append(list, foundGhost{at: g.at, k: g.k, surface: s})
		}
		list[k].links = append(list[k].links, l)
	}
	if len(rest.links) > 0 {
		list = append(list, rest)
	}
	beside := slices.ContainsFunc(near, func(n beside) bool {
		other := &f.ghosts[n.number]
		return other.edge && !other.hollow && other.k == g.k
	})
	for i := range list {
		list[i].facet = i
		f.count(&list[i])
		if beside && !list[i].edge {
			list[i].towards = leaning(g.normal, list[i].normal)
		}
	}
	return list
}

// leaning returns the direction of a vector's part along a surface with a normal; 0: it has none to speak of. The plane fitted beside an
// edge leans towards the other face, so that its normal has such a part.
func leaning(v, normal [3]float64) [3]float64 {
	along := dot3(v, normal)
	for a := range v {
		v[a] -= along * normal[a]
	}
	size := math.Sqrt(dot3(v, v))
	for a := range v {
		if v[a] /= size; size < leastLean {
			v[a] = 0
		}
	}
	return v
}

// count finds what follows from a ghost cell's links.
func (f *modelledSearch) count(g *foundGhost) {
	g.out, g.own, g.needed = [3]float64{}, g.links[0].own, false
	for _, l := range g.links {
		x := g.at
		for a, v := range f.lattice.Velocities[l.direction] {
			x[a] += v
			g.out[a] += 6 * f.lattice.Weights[l.direction] * float64(v)
		}
		g.needed = g.needed || f.holds(x)
	}
}

// smooth returns the surface of the nearest ghost cell on which a link crosses the body's, as it is before the ghost cell g; false:
// no smooth one does.
func (f *modelledSearch) smooth(g *foundGhost, l foundLink, near []beside) (s surface, ok bool) {
	point := f.point(l, [3]int8{})
	least := math.MaxInt
	for _, n := range near {
		other := &f.ghosts[n.number]
		away := int(n.from[0])*int(n.from[0]) + int(n.from[1])*int(n.from[1]) + int(n.from[2])*int(n.from[2])
		if away >= least || other.edge || other.rough || other.k != g.k || other.normal == [3]float64{} {
			continue
		}
		if height, normal := other.over(point, n.from); math.Abs(height) > facetWithin || !f.leaves(l, normal) {
			continue
		}
		height, normal := other.over([3]float64{}, n.from)
		if !f.leaves(l, normal) {
			continue
		}
		least, ok = away, true
		s = surface{normal: normal, behind: math.Max(0, -height), bend: other.bend}
	}
	return s, ok
}

// leaves reports whether a link leads out of a surface with a normal.
func (f *modelledSearch) leaves(l foundLink, normal [3]float64) bool {
	out := 0.0
	for a, v := range f.lattice.Velocities[l.direction] {
		out += float64(v) * normal[a]
	}
	return out > 1e-6
}

// over returns the height of a point over the surface of a ghost cell at the place from, and the surface's normal there.
func (s *surface) over(p [3]float64, from [3]int8) (height float64, normal [3]float64) {
	var d, turn [3]float64
	for a := range d {
		d[a] = p[a] - float64(from[a]) - s.behind*s.normal[a]
	}
	height = dot3(d, s.normal)
	for a := range d {
		d[a] -= height * s.normal[a]
	}
	for k, ab := range bendPairs {
		a, b := ab[0], ab[1]
		turn[a] += s.bend[k] * d[b]
		if a != b {
			turn[b] += s.bend[k] * d[a]
		}
	}
	height += dot3(d, turn) / 2
	size := 0.0
	for a := range normal {
		normal[a] = s.normal[a] + turn[a]
		size += normal[a] * normal[a]
	}
	for a := range normal {
		normal[a] /= math.Sqrt(size)
	}
	return height, normal
}
