// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"slices"

	"lbmsim/internal/parallel"
	"lbmsim/internal/vector"
)

const (
	facetReach  = 4    // cells around an edge in which its surfaces are searched
	facetWithin = 0.15 // distance from a surface up to which a point lies on it
	smoothest   = 0.03 // largest residual of the surface fit on a smooth flat surface
	smoothCubic = 5    // increase of this residual per squared curvature: third-order terms of a sphere
	facetAlike  = 0.95 // cosine of the angle up to which two surfaces are one
	edgeReach   = 2    // cells around an edge in which links are checked one by one, and around a ghost cell in which edges are searched
	leeWidth    = 1.45 // cells from a convex edge within which the flow from it sticks to the surface: one row of cells or two
	// largest angle over which a curved surface serves as one side of an edge: beyond, its second-order fit is wrong
	farthestTurn = 0.5
	edgeTurn     = 0.85 // cosine of the angle from which two surfaces meet at an edge
	edgeTie      = 1e-6 // difference of lengths, in cells, that is rounding
	alongTurn    = 0.3  // sine of the angle up to which the surfaces around are along an edge that has a direction
)

// facetSearch finds the smooth surfaces that meet at edges.
type facetSearch struct{ *modelledSearch }

// facets replaces each ghost cell beside an edge by one per smooth surface in front of it. A link belongs to the nearest
// surface on which it crosses the body's: so every face of a block is flat up to its edges. Otherwise planes fitted around
// an edge lean by ten degrees, and their populations detach a boundary layer. Links on no such surface keep the fitted one.
//
// A link that leans one way along a surface brings the mass that its partner, with the same middle and the opposite lean,
// removes. At a convex edge the partner begins in the fluid, and alone the link would absorb or release a sixth of the
// velocity along the surface. Such links (unpaired) are bounced back across the edge, and slip along the nearest grid axis:
// each carries the moments of its fluid cell rotated by 180 degrees about that axis (Turned, pair). With a plain bounce a
// bar along the stream has four times the friction of the law.
//
// Separation at an edge results from the surface behind it (lee): there the flow component from the edge sticks. Otherwise
// the flow follows the surface around the edge. If surfaces also stopped the flow in front of the edge, the drag
// coefficient of an Ahmed body would be 0.08 higher, and of its slant of 12.5 degrees 0.22: a layer of cells loses its
// momentum.
func (f facetSearch) facets() {
	around := make([]bool, len(f.ghosts))
	var near []beside
	for i := range f.ghosts {
		if g := &f.ghosts[i]; g.edge && !g.hollow {
			near = f.rows.around(near[:0], g.at, edgeReach)
			for _, n := range near {
				around[n.number] = true
			}
		}
	}
	instead := make([][]foundGhost, len(f.ghosts))
	parallel.Pieces(len(f.ghosts), ghostsOfPiece, func(lo, hi int) {
		var near []beside
		for i := lo; i < hi; i++ {
			if g := &f.ghosts[i]; g.edge && !g.hollow || !g.edge && (g.rough || around[i]) {
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
	f.pair()
	f.lee()
}

// lee finds, for each ghost cell near a convex edge, the direction along its surface towards the
// edge.
func (f facetSearch) lee() {
	parallel.Pieces(len(f.ghosts), ghostsOfPiece, func(lo, hi int) {
		var near []beside
		var edges [][3]float64
		for i := lo; i < hi; i++ {
			g := &f.ghosts[i]
			if g.turned || g.edge || g.rough || g.normal == [3]float64{} {
				continue
			}
			var foot, sum [3]float64
			for a := range foot {
				foot[a] = g.behind * g.normal[a]
			}
			near = f.rows.around(near[:0], g.at, edgeReach)
			nearest := leeWidth
			edges = edges[:0] // equally near, as at a corner
			for _, n := range near {
				other := &f.ghosts[n.number]
				if !other.isSide(g, n.from) || !f.meets(&g.surface, g.normal, other, n.from, foot) {
					continue
				}
				height, turned := other.over(foot, n.from)
				across := vector.Dot(turned, g.normal)
				to := turned
				for a := range to {
					to[a] = (turned[a] - across*g.normal[a]) / math.Sqrt(1-across*across)
				}
				switch {
				case -height < nearest-edgeTie:
					nearest, edges = -height, append(edges[:0], to)
				case -height < nearest+edgeTie && !slices.ContainsFunc(edges, func(e [3]float64) bool { return vector.Dot(e, to) >= facetAlike }):
					edges = append(edges, to)
				}
			}
			for _, e := range edges {
				for a := range sum {
					sum[a] += e[a]
				}
			}
			if len(edges) > 0 {
				g.lee = vector.Unit(sum)
			}
		}
	})
}

// pair keeps those links turned about an edge that lean along it in pairs with the same middle, one each way: alone, a link
// would add or remove mass in proportion to the velocity along the edge, at the steps of an oblique edge and at its ends.
// There links are bounced back.
func (f facetSearch) pair() {
	alone := make([]bool, len(f.ghosts))
	parallel.Pieces(len(f.ghosts), ghostsOfPiece, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			alone[i] = f.ghosts[i].turned && !f.paired(&f.ghosts[i])
		}
	})
	kept := f.ghosts[:0]
	for i, g := range f.ghosts {
		if alone[i] {
			continue
		}
		if g.facet = 0; len(kept) > 0 && kept[len(kept)-1].at == g.at {
			g.facet = kept[len(kept)-1].facet + 1
		}
		kept = append(kept, g)
	}
	f.ghosts = kept
	f.order()
}

// paired reports whether the link of a turned ghost cell leans along no edge, or has a partner with the same middle and the
// opposite lean.
func (f facetSearch) paired(g *foundGhost) bool {
	c := f.lattice.Velocities[g.links[0].direction]
	at := g.at
	for a, n := range g.normal {
		if n != 0 {
			at[a] += c[a]
			if c[a] == 0 {
				return true
			}
			c[a] = -c[a]
		}
	}
	for a := range at {
		if at[a] < -1 || at[a] > f.N[a] {
			return false
		}
	}
	for _, n := range f.rows.all(at) {
		if other := &f.ghosts[n]; other.turned && other.normal == g.normal && other.k == g.k && f.lattice.Velocities[other.links[0].direction] == c {
			return true
		}
	}
	return false
}

// split returns the ghost cells of the surfaces that meet before one behind or beside an edge.
func (f facetSearch) split(g *foundGhost, near []beside) (list []foundGhost) {
	rest := *g
	rest.links = nil
	var turned []foundGhost
	var fits []facetFit // of the list's surfaces
	axis, found := f.along(g, near)
	for _, l := range g.links {
		s, fit, ok := f.smooth(g, l, near)
		l.sharp = found && !ok || ok && f.unpaired(g, l, s, near)
		if l.sharp && found {
			turned = append(turned, turnedAbout(g, l, axis))
		}
		if !ok {
			rest.links = append(rest.links, l)
			continue
		}
		k := 0
		for k < len(list) && (vector.Dot(list[k].normal, s.normal) < facetAlike || !f.leaves(l, list[k].normal)) {
			k++
		}
		if k == len(list) {
			list, fits = append(list, foundGhost{at: g.at, k: g.k, under: g.under, surface: s}), append(fits, fit)
		} else if fit.before(fits[k]) {
			list[k].surface, fits[k] = s, fit
		}
		list[k].links = append(list[k].links, l)
	}
	if len(rest.links) > 0 {
		list = append(list, rest)
	}
	list = append(list, turned...)
	for i := range list {
		list[i].facet = i
		f.count(&list[i])
	}
	return list
}

// along returns the grid axis nearest to the direction of the edge beside a ghost cell, to which the normals of all smooth
// surfaces around are perpendicular; false: no such direction, as at a corner.
func (f facetSearch) along(g *foundGhost, near []beside) (axis [3]float64, ok bool) {
	var first, second [3]float64
	away, least := math.MaxInt, edgeTurn
	smooth := func(use func(s *surface, away int)) {
		for _, n := range near {
			other := &f.ghosts[n.number]
			if !other.edge && !other.rough && other.k == g.k && other.normal != [3]float64{} {
				use(&other.surface, int(n.from[0])*int(n.from[0])+int(n.from[1])*int(n.from[1])+int(n.from[2])*int(n.from[2]))
			}
		}
	}
	smooth(func(s *surface, d int) {
		if d < away {
			first, away = s.normal, d
		}
	})
	smooth(func(s *surface, _ int) {
		if cosine := vector.Dot(first, s.normal); cosine < least {
			second, least = s.normal, cosine
		}
	})
	if least >= edgeTurn {
		return axis, false
	}
	var edge [3]float64
	for a := range edge {
		b, c := (a+1)%3, (a+2)%3
		edge[a] = first[b]*second[c] - first[c]*second[b]
	}
	size := math.Sqrt(vector.Dot(edge, edge))
	if size < alongTurn {
		return axis, false
	}
	best := 0
	for a := range edge {
		edge[a] /= size
		if math.Abs(edge[a]) > math.Abs(edge[best])+1e-6 {
			best = a
		}
	}
	axis[best] = 1
	ok = true
	smooth(func(s *surface, _ int) { ok = ok && math.Abs(vector.Dot(edge, s.normal)) < alongTurn })
	return axis, ok
}

// turnedAbout returns the ghost cell of a link beside an edge along an axis of the grid.
func turnedAbout(g *foundGhost, l foundLink, axis [3]float64) foundGhost {
	l.sharp = false
	return foundGhost{at: g.at, k: g.k, turned: true, under: g.under, surface: surface{normal: axis}, links: []foundLink{l}}
}

// unpaired reports whether this link of the ghost cell g has no partner of the same surface, with the same middle and the
// opposite lean, because the solid ends at another surface before the partner would begin.
func (f facetSearch) unpaired(g *foundGhost, l foundLink, s surface, near []beside) bool {
	var middle, begins [3]float64
	for a, v := range f.lattice.Velocities[l.direction] {
		middle[a] = float64(v) / 2
	}
	crossing := f.point(l, [3]int8{})
	_, normal := s.over(crossing, [3]int8{})
	across := 2 * vector.Dot(middle, normal)
	for a := range begins {
		begins[a] = 2*middle[a] - across*normal[a]
	}
	solid, known := f.solidAt(g, begins)
	for _, n := range near {
		other := &f.ghosts[n.number]
		if other.isSide(g, n.from) && f.meets(&s, normal, other, n.from, crossing) {
			if known {
				return !solid
			}
			if height, _ := other.over(begins, n.from); height > -1e-3 {
				return true
			}
		}
	}
	return false
}

// solidAt reports whether the cell at a place relative to a ghost cell is solid and of the same wall, if the place is a cell's centre,
// of fluid or of this wall. On surfaces along the grid partners begin at centres, and a centre on the other surface is in front of it
// or behind it by rounding alone.
func (f facetSearch) solidAt(g *foundGhost, p [3]float64) (solid, known bool) {
	at := g.at
	for a := range at {
		nearest := math.Round(p[a])
		if math.Abs(p[a]-nearest) > edgeTie {
			return false, false
		}
		at[a] += int(nearest)
	}
	k := f.typeAt(at)
	return k == g.k, k == g.k || k == 0
}

// isSide reports whether a ghost cell has a surface that may be the other side of an edge beside g, from which it is seen.
func (f *foundGhost) isSide(g *foundGhost, from [3]int8) bool {
	return !f.turned && !f.edge && !f.rough && f.k == g.k && f.normal != [3]float64{} && f.bends(from) <= farthestTurn
}

// meets reports whether a surface with a normal at a point of it meets another one, of a ghost cell at the place from, at a convex edge
// ahead of that point.
func (f facetSearch) meets(s *surface, normal [3]float64, other *foundGhost, from [3]int8, point [3]float64) bool {
	height, turned := other.over(point, from)
	if height > facetWithin || math.Abs(vector.Dot(normal, turned)) > edgeTurn { // in front of it: on the other side of a gap
		return false
	}
	var foot [3]float64
	for a := range foot {
		foot[a] = float64(from[a]) + other.behind*other.normal[a]
	}
	below, _ := s.over(foot, [3]int8{})
	return below < 0
}

// count derives quantities from a ghost cell's links.
func (f *modelledSearch) count(g *foundGhost) {
	g.out, g.own, g.needed = [3]float64{}, false, false
	counted := false
	for _, l := range g.links {
		if l.counts && !counted {
			g.own, counted = l.own, true
		}
		x := g.at
		for a, v := range f.lattice.Velocities[l.direction] {
			x[a] += v
			g.out[a] += 6 * f.lattice.Weights[l.direction] * float64(v)
		}
		g.needed = g.needed || f.holds(x)
	}
}

// facetFit rates how well a surface fits a link: the squared distance of its ghost cell, and the distance from it at which
// the link crosses the body's surface. The latter decides between equally near ones, and where the link meets the edge of
// two surfaces, the axes of their normals: so symmetric bodies stay symmetric.
type facetFit struct {
	away   int
	off    float64
	normal [3]float64
}

func (f facetFit) before(other facetFit) bool {
	if f.away != other.away {
		return f.away < other.away
	}
	if math.Abs(f.off-other.off) > edgeTie {
		return f.off < other.off
	}
	return earlierAxes(f.normal, other.normal)
}

// earlierAxes decides between two surfaces that are equally near, as beside an edge half-way between cells: by their normals'
// sizes along x, y, then z, which do not change when the body is mirrored.
func earlierAxes(normal, other [3]float64) bool {
	for a, n := range normal {
		if more := math.Abs(n) - math.Abs(other[a]); math.Abs(more) > edgeTie {
			return more > 0
		}
	}
	return false
}

// smooth returns the surface that fits a link best, and on which it crosses the body's, as seen from the ghost cell g;
// false: no smooth one does.
func (f facetSearch) smooth(g *foundGhost, l foundLink, near []beside) (s surface, fit facetFit, ok bool) {
	point := f.point(l, [3]int8{})
	fit.away = math.MaxInt
	for _, n := range near {
		other := &f.ghosts[n.number]
		this := facetFit{away: int(n.from[0])*int(n.from[0]) + int(n.from[1])*int(n.from[1]) + int(n.from[2])*int(n.from[2])}
		if this.away > fit.away || other.edge || other.rough || other.k != g.k || other.normal == [3]float64{} {
			continue
		}
		height, normal := other.over(point, n.from)
		this.normal = normal
		if this.off = math.Abs(height); this.off > facetWithin || !this.before(fit) || !f.leaves(l, normal) {
			continue
		}
		below, normal := other.over([3]float64{}, n.from)
		if !f.leaves(l, normal) {
			continue
		}
		fit, ok = this, true
		s = surface{normal: normal, behind: math.Max(0, -below), bend: other.bend}
	}
	return s, fit, ok
}

// bends returns the approximate angle by which the surface turns between its ghost cell and another cell, given from
// that one.
func (s *surface) bends(from [3]int8) float64 {
	away, bend := 0.0, 0.0
	for k, ab := range bendPairs {
		if bend += s.bend[k] * s.bend[k]; ab[0] != ab[1] {
			bend += s.bend[k] * s.bend[k]
		}
	}
	for _, v := range from {
		away += float64(v) * float64(v)
	}
	return math.Sqrt(away * bend)
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
	height = vector.Dot(d, s.normal)
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
	height += vector.Dot(d, turn) / 2
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
