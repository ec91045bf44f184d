// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/internal/vector"
	"lbmsim/model"
)

// modelledMargin is the number of cells around a box that FindModelled reads, in addition to the largest height that is
// sampled or has eddy viscosity. The plane of a ghost cell follows from points up to four cells away, and a stencil beside
// its normal needs as many. An edge uses the surfaces of ghost cells up to facetReach cells away.
const modelledMargin = 4 + facetReach

// ModelledMargin returns the number of cells by which the box of FindModelled extends beyond the rank's on each side;
// 0: no wall is Modelled.
func ModelledMargin(walls []Wall) int {
	if reach := ModelledNear(walls); reach > 0 {
		return reach + edgeReach // a lee uses ghost cells up to there
	}
	return 0
}

// ModelledNear returns the number of cells around a body, whose surface is in one box of a refined grid, that its ghost
// cells read; 0: no wall is Modelled.
func ModelledNear(walls []Wall) int {
	reach := -1.0
	for _, w := range walls {
		if w.Law == ModelledWall {
			reach = math.Max(reach, math.Max(w.Model.Sample, w.Model.Layer))
		}
	}
	if reach < 0 {
		return 0
	}
	return modelledMargin + int(math.Ceil(reach))
}

// FindModelled lists the ghost cells of a box of n cells that begins at the domain's cell lo. around has a larger box, by
// ModelledMargin or up to the faces of the domain: the result depends on the box's surroundings, not on the decomposition.
// All distances are relative to a ghost cell, so that they are rounded alike on every rank. It returns nil if there are no
// such cells.
func FindModelled(l model.Lattice, lo, n [3]int, around Cells) (*Modelled, error) {
	if ModelledMargin(around.Walls) == 0 {
		return nil, nil
	}
	f := &modelledSearch{lattice: l, lo: lo, n: n, Cells: around}
	f.find()
	originals := len(f.ghosts)
	f.mirror() // surfaces that meet slip faces are fitted with their images
	f.fit()
	f.forget(originals)
	facetSearch{f}.facets()
	f.mirror()
	m := &Modelled{}
	f.collect(m, f.measure())
	if f.outside.Load() {
		return nil, fmt.Errorf("ghost cells of the box of %v cells from %v on read cells beyond the %v from %v on", n, lo, around.N, around.Origin) // a bug in ModelledMargin
	}
	if f.unread.Load() {
		return nil, fmt.Errorf("ghost cells of the box of %v cells from %v on, of a wall with a model, read cells beyond the ends of their level", n, lo)
	}
	m.at = newPlaceRows(n, func(add func([3]int, int)) {
		for i := range m.Cells {
			if c := &m.Cells[i]; c.Without != WithoutImage { // links of others are bounced back half-way
				f.eachImage(c.At, n, func(at [3]int) { add(at, i) })
			}
		}
	})
	return m, nil
}

// within reports whether a local place is in a box of n cells.
func within(at, n [3]int) bool {
	for a := range at {
		if at[a] < 0 || at[a] >= n[a] {
			return false
		}
	}
	return true
}

// modelledSearch finds ghost cells. It counts places from the corner of the box around, [-1, N] along each axis.
type modelledSearch struct {
	Cells
	lattice  model.Lattice
	lo, n    [3]int    // of the rank's box
	modelled [256]bool // types of Modelled walls
	ghosts   []foundGhost
	rows     *placeRows  // of ghosts
	outside  atomic.Bool // a stencil has read a cell of the domain that is not in the box around
	unread   atomic.Bool // a ghost cell beside counted cells needs cells without values (readable)
}

// foundGhost is a solid cell of a Modelled wall beside fluid.
type foundGhost struct {
	at     [3]int
	k      uint8
	needed bool        // a link leads into the rank's box
	own    bool        // the first counted link leads into one of the rank's own cells, or a periodic image of it
	under  bool        // the cell straight above it is covered by a finer level
	links  []foundLink // into fluid cells
	turned bool        // serves one link beside a convex edge: normal is the grid axis along the edge
	// of an image behind slip faces: their normal axes, a bit each
	mirrored uint8
	out      [3]float64 // sum of 6 w_i c_i over these links
	facet    int        // its number among the ghost cells at its place (facets)
	surface
}

// surface is the surface at a ghost cell.
type surface struct {
	normal [3]float64
	behind float64
	bend   [6]float64
	edge   bool       // a principal curvature is beyond edgeBend
	hollow bool       // the larger principal curvature is concave
	lee    [3]float64 // beside a convex edge: along the surface to that edge
	rough  bool       // a point around is farther than smoothest from the fitted surface
}

// foundLink is a link into a fluid cell.
type foundLink struct {
	direction int32
	own       bool    // into one of the rank's own cells, or a periodic image of it
	counts    bool    // that cell is finest at its place
	sharp     bool    // beside a convex edge: turned about it or, at corners, bounced back half-way
	distance  float64 // of the surface from the fluid cell, in its lengths
}

// point returns the position where a link of a neighbouring ghost cell crosses the surface, relative to the centre of
// this one.
func (f *modelledSearch) point(l foundLink, from [3]int8) (p [3]float64) {
	for a, v := range f.lattice.Velocities[l.direction] {
		p[a] = (1-l.distance)*float64(v) + float64(from[a])
	}
	return p
}

// typeAt returns the type of a place; outside: 255, which is not a type.
func (f *modelledSearch) typeAt(p [3]int) uint8 {
	for a := range p {
		if p[a] < -1 || p[a] > f.N[a] {
			return 255
		}
	}
	return f.At(p[0], p[1], p[2])
}

// local converts a place of the box around to a place in the rank's box: periodic images become the cell in the domain.
func (f *modelledSearch) local(p [3]int) (at [3]int) {
	wraps := f.wraps()
	for a := range p {
		g := p[a] + f.Origin[a]
		if wraps[a] {
			g = ((g % f.Global[a]) + f.Global[a]) % f.Global[a]
		}
		at[a] = g - f.lo[a]
	}
	return at
}

// wraps returns the axes along which the stored cells are periodic.
func (f *modelledSearch) wraps() [3]bool {
	if f.Patch != nil {
		return f.Patch.Wraps
	}
	return f.Periodic
}

// eachImage calls do for a place and its periodic images, if they are from -1 to n along periodic axes.
func (f *modelledSearch) eachImage(at, n [3]int, do func([3]int)) {
	from, to, by, wraps := at, at, [3]int{1, 1, 1}, f.wraps()
	for a := range at {
		if wraps[a] {
			by[a], to[a] = f.Global[a], n[a]
			from[a] = ((at[a]+1)%by[a]+by[a])%by[a] - 1
		}
	}
	for z := from[2]; z <= to[2]; z += by[2] {
		for y := from[1]; y <= to[1]; y += by[1] {
			for x := from[0]; x <= to[0]; x += by[0] {
				do([3]int{x, y, z})
			}
		}
	}
}

// holds reports whether a place is in the rank's box.
func (f *modelledSearch) holds(p [3]int) bool {
	for a := range p {
		p[a] += f.Origin[a] - f.lo[a]
	}
	return within(p, f.n)
}

// rowsOfPiece is the number of rows of cells that a processor takes at a time.
const rowsOfPiece = 16

// find lists the solid cells adjacent to fluid, z slowest.
func (f *modelledSearch) find() {
	for k, w := range f.Walls {
		f.modelled[k+1] = w.Law == ModelledWall
	}
	rows := (f.N[1] + 2) * (f.N[2] + 2)
	pieces := make([][]foundGhost, parallel.Count(rows, rowsOfPiece))
	parallel.Pieces(rows, rowsOfPiece, func(lo, hi int) {
		var links []foundLink
		var ends []int // of each ghost cell's links
		piece := &pieces[lo/rowsOfPiece]
		for row := lo; row < hi; row++ {
			y, z := row%(f.N[1]+2)-1, row/(f.N[1]+2)-1
			for x, k := range f.Type[f.Index(-1, y, z):][:f.N[0]+2] {
				if !f.modelled[k] {
					continue
				}
				g := foundGhost{at: [3]int{x - 1, y, z}, k: k}
				if links = f.ghost(&g, links); len(ends) == 0 && len(links) > 0 || len(ends) > 0 && len(links) > ends[len(ends)-1] {
					*piece, ends = append(*piece, g), append(ends, len(links))
				}
			}
		}
		first := 0
		for i, end := range ends {
			(*piece)[i].links = links[first:end:end]
			first = end
		}
	})
	count := 0
	for _, piece := range pieces {
		count += len(piece)
	}
	f.ghosts = make([]foundGhost, 0, count)
	for i, piece := range pieces {
		f.ghosts, pieces[i] = append(f.ghosts, piece...), nil
	}
	f.order()
}

// order makes the rows of the ghost cells.
func (f *modelledSearch) order() {
	f.rows = newPlaceRows(f.N, func(add func([3]int, int)) {
		for i := range f.ghosts {
			add(f.ghosts[i].at, i)
		}
	})
}

// ghost examines a cell and appends its links.
func (f *modelledSearch) ghost(g *foundGhost, links []foundLink) []foundLink {
	counted, heaviest := false, 0.0
	for i, c := range f.lattice.Velocities {
		x := [3]int{g.at[0] + c[0], g.at[1] + c[1], g.at[2] + c[2]}
		if f.typeAt(x) != 0 {
			continue
		}
		q := 0.5
		if f.Distance != nil {
			if d := f.Distance(x, c); d > 0 && d <= 1 {
				q = d
			}
		}
		for a := range c {
			g.out[a] += 6 * f.lattice.Weights[i] * float64(c[a])
		}
		own, role := within(f.local(x), f.n), f.role(x)
		if role == decomp.Counted && !counted {
			g.own, counted = own, true
		}
		if w := f.lattice.Weights[i]; w > heaviest {
			heaviest, g.under = w, role == decomp.Mirrored || role == decomp.Hidden
		}
		g.needed = g.needed || f.holds(x)
		links = append(links, foundLink{direction: int32(i), own: own, counts: role == decomp.Counted, distance: q})
	}
	return links
}

// collect lists the ghost cells with links into the rank's cells or needed by its cells of the layer, and these cells.
// Entries that depend on other ranks' cells come last.
func (f *modelledSearch) collect(m *Modelled, layer []LayerCell) {
	for i := range layer {
		f.ghosts[layer[i].Ghost].needed = true
	}
	chosen, place := f.choose()
	cells := make([]ModelledCell, len(chosen))
	early := make([]bool, len(chosen))
	parallel.Pieces(len(chosen), ghostsOfPiece, func(lo, hi int) {
		links := 0
		for _, i := range chosen[lo:hi] {
			links += len(f.ghosts[i].links)
		}
		room := make([]ModelledStream, 0, links)
		for i := lo; i < hi; i++ {
			g, c := &f.ghosts[chosen[i]], &cells[i]
			*c = ModelledCell{At: f.local(g.at), Own: g.own, Type: g.k, Facet: Facet{Normal: g.normal, Bend: g.bend, Behind: g.behind, Lee: g.lee}, Turned: g.turned}
			if g.turned {
				f.turn(g, c)
			} else if g.mirrored != 0 {
				original := f.original(g)
				f.stencils(&original, c)
				c.mirror(g.mirrored)
			} else {
				f.stencils(g, c)
			}
			f.readable(c)
			room = f.link(g, c, room)
			early[i] = c.reads(f.n)
		}
	})
	m.Cells, m.Early = earlyFirst(cells, early)
	// The places of the chosen ones become their numbers.
	number, next := make([]uint32, len(chosen)), [2]int{m.Early, 0}
	for i := range number {
		k := 0
		if early[i] {
			k = 1
		}
		number[i] = uint32(next[k])
		next[k]++
	}
	kept, soon := layer[:0], []bool{}
	for _, c := range layer {
		if c.Ghost = number[place[c.Ghost]]; m.Cells[c.Ghost].Without == WithModel {
			kept, soon = append(kept, c), append(soon, int(c.Ghost) < m.Early)
		}
	}
	m.Layer, m.EarlyLayer = earlyFirst(kept, soon)
}

// readable makes the wall beside a ghost cell that reads cells without values a half-way wall: beyond the ends of a patch of a refined
// grid, and behind cells that a finer level covers.
func (f *modelledSearch) readable(c *ModelledCell) {
	if f.Patch == nil {
		return
	}
	for _, s := range []*Stencil{&c.Image, &c.Sample} {
		for _, at := range s.Cells[:s.N] {
			if f.Patch.Role(plus(f.lo, at.Cell())) != decomp.Hidden {
				continue
			}
			c.Image, c.Sample, c.Height, c.Without = Stencil{}, Stencil{}, 0, WithoutImage
			if c.Own {
				f.unread.Store(true)
			}
			return
		}
	}
}

// choose returns the needed ghost cells, only the first of periodic images, and their places in that list.
func (f *modelledSearch) choose() (chosen, place []int32) {
	place = make([]int32, len(f.ghosts))
	for i := range f.ghosts {
		place[i] = -1
		g := &f.ghosts[i]
		if !g.needed {
			continue
		}
		if f.wraps() != [3]bool{} {
			f.eachImage(g.at, f.N, func(at [3]int) {
				if all := f.rows.all(at); g.facet < len(all) && int(all[g.facet]) < i && place[all[g.facet]] >= 0 {
					place[i] = place[all[g.facet]]
				}
			})
		}
		if place[i] < 0 {
			place[i] = int32(len(chosen))
			chosen = append(chosen, int32(i))
		}
	}
	return chosen, place
}

// earlyFirst returns a list with the early ones first, otherwise in its order, and their number.
func earlyFirst[T any](list []T, early []bool) ([]T, int) {
	if len(list) == 0 {
		return nil, 0
	}
	if !slices.Contains(early, false) {
		return list, len(list)
	}
	sorted := make([]T, 0, len(list))
	count := 0
	for _, now := range []bool{true, false} {
		for i := range list {
			if early[i] == now {
				sorted = append(sorted, list[i])
			}
		}
		if now {
			count = len(sorted)
		}
	}
	return sorted, count
}

// reads reports whether a ghost cell reads only cells of a box of n cells.
func (c *ModelledCell) reads(n [3]int) bool {
	for _, s := range []*Stencil{&c.Image, &c.Sample} {
		for _, at := range s.Cells[:s.N] {
			if !within(at.Cell(), n) {
				return false
			}
		}
	}
	return true
}

// area returns the area of the surface that a link of a ghost cell crosses, 6 w_i c_i.n with the normal there, and c_i.n with the
// ghost cell's. The sum over all links is the area of the surface in front of the cell, exact to the last digit for a plane.
func (f *modelledSearch) area(g *foundGhost, l foundLink) (area, across float64) {
	var c [3]float64
	for a, v := range f.lattice.Velocities[l.direction] {
		c[a] = float64(v)
	}
	across = vector.Dot(c, g.normal)
	area = across
	point := f.point(l, [3]int8{})
	for k, ab := range bendPairs {
		a, b := ab[0], ab[1]
		area += g.bend[k] * c[a] * point[b]
		if a != b {
			area += g.bend[k] * c[b] * point[a]
		}
	}
	return area * 6 * f.lattice.Weights[l.direction], across
}

// link lists the links into the rank's own cells along which a ghost cell sends populations (Ghost), allocates the list, and
// adds up the areas of all links: on a refined grid, of links into finest cells.
func (f *modelledSearch) link(g *foundGhost, to *ModelledCell, room []ModelledStream) []ModelledStream {
	first := len(room)
	for _, l := range g.links {
		area, across := f.area(g, l)
		if g.turned { // its area belongs to the ghost cell of its surface
			area, across = 0, 1
		} else {
			to.Around |= 1 << l.direction
		}
		if l.counts {
			to.Area += area
		}
		if across <= 0 || to.Without == WithoutImage {
			continue
		}
		if l.sharp {
			if l.counts {
				to.Sharp += area
			}
			continue
		}
		if to.Serves |= 1 << l.direction; !l.own || !l.counts {
			continue
		}
		x := g.at
		for a, v := range f.lattice.Velocities[l.direction] {
			x[a] += v
		}
		room = append(room, ModelledStream{placeOf(f.local(x)), l.direction, area, l.distance})
	}
	if len(room) > first {
		to.Links = room[first:len(room):len(room)]
	}
	return room
}

// inside reports whether a place, or a periodic image of it, is in the domain.
func (f *modelledSearch) inside(p [3]int) bool {
	for a := range p {
		if at := p[a] + f.Origin[a]; !f.Periodic[a] && (at < 0 || at >= f.Global[a]) {
			return false
		}
	}
	return true
}
