// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// Links lists cells with links whose law is more than half-way bounce-back, cells with individual rates, or
// measured links, for kernels/special.h: row by row, in rising x, the links of a cell in rising direction.
type Links struct {
	Rows  []uint32 // first cell of interior row z*ny + y; one more at the end
	Cells []LinkCell
	// List has, for each link of each cell, the number of its law in Laws; and GhostLink if a ghost
	// cell behind a face sends the incoming population, and the law is for its force alone.
	List []uint32
	// Ghosts has, for each link of List marked ModelledLink, the number of its ghost cell in Modelled, 0 for others; nil: no
	// link is marked.
	Ghosts []uint32
	// Types of the links' walls minus 1, if forces are measured.
	Types []uint8
	Laws  []LinkLaw

	// Steady is the number of constant laws: time-dependent laws follow them.
	Steady int

	timed []timedLaw // one link per time-dependent law
}

// timedLaw is a link whose law changes with time, and all links with the same law.
type timedLaw struct {
	x     [3]int
	i     int
	k     uint8
	links []uint32 // in List, during construction
}

// Timed reports whether laws change with time.
func (l *Links) Timed() bool { return l != nil && len(l.timed) > 0 }

// AdvanceTo sets the laws for time t, in steps.
func (w *Walls) AdvanceTo(l *Links, t float64) {
	parallel.Ranges(len(l.timed), func(lo, hi int) {
		for n, at := range l.timed[lo:hi] {
			l.Laws[l.Steady+lo+n] = w.law(at.x, at.i, at.k, w.cells.Motion(at.k), t)
		}
	})
}

// Touches reports whether a cell is at an end of the rows of n cells.
func (l *Links) Touches(n int) bool {
	return l != nil && slices.ContainsFunc(l.Cells, func(c LinkCell) bool { return c.X == 0 || int(c.X) == n-1 })
}

// LinkCell is a cell of the list.
type LinkCell struct {
	X     uint32
	Row   uint32 // z*ny + y
	First uint32 // its first link in List
	Links uint32 // bit i: direction i comes out of a (measured) wall
	// More holds flags beyond the law of single links: MoreConserve and the others below.
	More uint32
}

// Bits of LinkCell.More.
const (
	MoreConserve = 1 << iota // interpolated walls return the absorbed mass
	MoreRates                // the cell's rates are in law More >> MoreShift

	MoreShift = 8
)

// GhostLink and ModelledLink are bits of Links.List.
const (
	GhostLink    = 1 << 31
	ModelledLink = 1 << 30 // a ghost cell of Modelled sends the population, and the law is for the force alone

	linkFlags = GhostLink | ModelledLink
	linkTimed = 1 << 29 // its law changes with time; during construction only
)

// LinkNumbers are the float64 of a LinkLaw.
const LinkNumbers = 8

// LawNumbers returns the numbers of the laws from first on, LinkNumbers per law.
func LawNumbers[T float32 | float64](l *Links, first int) []T {
	list := make([]T, 0, LinkNumbers*(len(l.Laws)-first))
	for _, n := range l.Laws[first:] {
		for _, v := range [LinkNumbers]float64{n.A, n.B, n.C, n.K, n.Velocity[0], n.Velocity[1], n.Velocity[2], n.Distance} {
			list = append(list, T(v))
		}
	}
	return list
}

// Special lists the cells that a step computes by the laws of their links; nil if no cell has such
// links.
func (w *Walls) Special() (*Links, error) {
	return w.list(func(k uint8) bool { return !w.cells.Plain(k) }, true)
}

// Split divides Special into two lists, nil if empty. The first has cells whose walls add a term to half-way bounce-back
// that follows from their own and adjacent rows, so that a step can treat them like all others beside walls. The second has
// cells that need more, or read beyond the ends of their rows. Laws and List are shared, and AdvanceTo of l advances both.
func (w *Walls) Split(l *Links) (plain, left *Links) {
	if l == nil {
		return nil, nil
	}
	n := w.cells.N
	parts := [2]*Links{}
	for i := range parts {
		part := *l
		part.Rows, part.Cells = make([]uint32, 0, len(l.Rows)), nil
		parts[i] = &part
	}
	for row := range len(l.Rows) - 1 {
		for _, part := range parts {
			part.Rows = append(part.Rows, uint32(len(part.Cells)))
		}
		for _, c := range l.Cells[l.Rows[row]:l.Rows[row+1]] {
			enough := c.More == 0 && c.Links == w.Links(w.cells.Index(int(c.X), row%n[1], row/n[1]))
			at := c.First
			for rest := c.Links; enough && rest != 0; rest &= rest - 1 {
				word, beyond := l.List[at], int(c.X)+w.lattice.Velocities[bits.TrailingZeros32(rest)][0]
				enough = word&linkFlags == 0 && (l.Laws[word].C == 0 || beyond >= 0 && beyond < n[0])
				at++
			}
			to := parts[1]
			if enough {
				to = parts[0]
			}
			to.Cells = append(to.Cells, c)
		}
	}
	for i, part := range parts {
		part.Rows = append(part.Rows, uint32(len(part.Cells)))
		if len(part.Cells) == 0 {
			parts[i] = nil
		}
	}
	return parts[0], parts[1]
}

// Of returns the cells of interior row z*ny + y; none for a nil list.
func (l *Links) Of(row int) []LinkCell {
	if l == nil {
		return nil
	}
	return l.Cells[l.Rows[row]:l.Rows[row+1]]
}

// Measured lists the links to walls with a requested force; nil if the case has no force outputs. On a refined grid these
// are links that meet the wall next to finest cells; a partial link is listed once per sixth, with the type raised by
// Patch.Sixths.
func (w *Walls) Measured() (*Links, error) {
	return w.list(func(k uint8) bool { return w.cells.Wall(k).Measured }, false)
}

// search holds the criteria of Walls.list.
type search struct {
	w      *Walls
	whole  bool      // all links of a cell that has a relevant one
	wanted [256]bool // types that count
	rates  func([3]int) *model.Params
}

// block describes the cells of a block with a relevant link, or individual rates.
func (s *search) block(b, y, z int, l *lister) {
	end := min(s.w.block, s.w.cells.N[0]-b*s.w.block)
	for near := s.near(b, y, z, end); near != 0; near &= near - 1 {
		i := bits.TrailingZeros64(near)
		if i >= end {
			break
		}
		at := [3]int{b*s.w.block + i, y, z}
		if s.w.cells.At(at[0], at[1], at[2]) != 0 {
			continue
		}
		own := s.rates(at)
		links, some := s.links(at)
		if some && !s.whole && s.w.cells.Patch != nil {
			s.parts(at, links, l)
		} else if some || own != nil {
			l.describe(at, links, own, s.whole, 0)
		}
	}
}

// parts describes the measured links of a cell of a refined grid: whole links once, others once per sixth.
func (s *search) parts(at [3]int, links uint32, l *lister) {
	var having [7]uint32 // bits of links with at least this number of sixths measured
	for rest := links; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		n := s.w.measuredPart(at, i)
		for k := range n {
			having[k+1] |= 1 << i
		}
	}
	if having[6] != 0 {
		l.describe(at, having[6], nil, false, 0)
	}
	for k := 1; k < 6; k++ {
		if some := having[k] &^ having[6]; some != 0 {
			l.describe(at, some, nil, false, s.w.cells.Patch.Sixths)
		}
	}
}

// measuredPart returns how many sixths of the link along direction i into a cell meet the wall beside finest cells. A
// population takes all orders of its axes in equal parts, as at interfaces (decomp.Crossings): beside an interface a part of
// it crosses before it meets the wall, and belongs to the other level.
func (w *Walls) measuredPart(at [3]int, i int) (sixths int) {
	var axes []int
	for a, v := range w.lattice.Velocities[i] {
		if v != 0 {
			axes = append(axes, a)
		}
	}
	var walk func(x [3]int, left []int, part int)
	walk = func(x [3]int, left []int, part int) {
		for k, a := range left {
			next := x
			next[a] -= w.lattice.Velocities[i][a]
			if len(left) > 1 && w.given.At(next[0], next[1], next[2]) == 0 {
				others := append(slices.Clone(left[:k]), left[k+1:]...)
				walk(next, others, part/len(left))
			} else if w.given.role(x) == decomp.Counted {
				sixths += part / len(left)
			}
		}
	}
	walk(at, axes, 6)
	return sixths
}

// near returns the cells of a block that may have such a link, one bit per cell.
func (s *search) near(b, y, z, end int) uint64 {
	near := s.w.Near(b, y, z)
	if !s.whole {
		return near | s.w.beside(b, y, z)
	}
	if s.w.cells.Rates == nil {
		return near
	}
	for i := range end {
		if s.rates([3]int{b*s.w.block + i, y, z}) != nil {
			near |= 1 << i
		}
	}
	return near
}

// links of a cell to describe, by direction; some: at least one is relevant.
func (s *search) links(at [3]int) (links uint32, some bool) {
	w, index := s.w, s.w.cells.Index(at[0], at[1], at[2])
	behind := func(k uint8) bool { return !s.whole && k > 0 && s.wanted[k] } // a measured face with ghost cells
	for i, from := range w.from {
		if k := w.meets(index, i); k != 0 && (s.whole || s.wanted[k]) || k == 0 && behind(w.given.Type[index+from]) {
			links |= 1 << i
			some = some || k == 0 || s.wanted[k] || s.whole && w.cells.Type[index+from] == 0
		}
	}
	return links, some
}

// list finds the cells with a relevant link; whole: with all links of these cells, otherwise with
// the relevant ones.
func (w *Walls) list(counts func(k uint8) bool, whole bool) (*Links, error) {
	var wanted [256]bool
	any := false
	for k := range w.cells.Walls {
		wanted[k+1] = counts(uint8(k + 1))
		any = any || wanted[k+1]
	}
	any = any || whole && w.given.HasOpen()
	rates := w.cells.Rates
	if !whole || rates == nil {
		if rates = func([3]int) *model.Params { return nil }; !any {
			return nil, nil
		}
	}
	n := w.cells.N
	look := &search{w: w, whole: whole, wanted: wanted, rates: rates}
	rows := n[1] * n[2]
	pieces := make([]*lister, parallel.Count(rows, rowsOfPiece))
	parallel.Pieces(rows, rowsOfPiece, func(lo, hi int) {
		l := newLister(w)
		for row := lo; row < hi; row++ {
			l.Rows = append(l.Rows, uint32(len(l.Cells)))
			for b := 0; b*w.block < n[0]; b++ {
				look.block(b, row%n[1], row/n[1], l)
			}
		}
		pieces[lo/rowsOfPiece] = l
	})
	l := newLister(w)
	for i, piece := range pieces {
		l.add(piece)
		pieces[i] = nil
	}
	if len(l.Cells) == 0 {
		return nil, nil
	}
	l.Rows = append(l.Rows, uint32(len(l.Cells)))
	l.Steady = len(l.Laws)
	for n, at := range l.timed {
		for _, link := range at.links {
			l.List[link] |= uint32(l.Steady + n)
		}
		l.timed[n].links = nil
	}
	l.Laws = append(l.Laws, make([]LinkLaw, len(l.timed))...)
	w.AdvanceTo(l.Links, 0)
	if len(l.Laws) >= 1<<(32-MoreShift) || len(l.Laws) >= ModelledLink || len(l.List) >= math.MaxUint32 {
		return nil, fmt.Errorf("%d links with %d different laws exceed the capacity of the lists: use more ranks", len(l.List), len(l.Laws))
	}
	return l.Links, nil
}

// lister builds lists.
type lister struct {
	*Walls
	*Links
	ids       map[LinkLaw]uint32
	timedIDs  map[timedKey]int
	timedKeys []timedKey // of timed
}

func newLister(w *Walls) *lister {
	return &lister{Walls: w, Links: &Links{}, ids: map[LinkLaw]uint32{}, timedIDs: map[timedKey]int{}}
}

// add appends the list of the rows that follow, with the law numbers that one lister would have given.
func (l *lister) add(next *lister) {
	ids := make([]uint32, len(next.Laws))
	for i, law := range next.Laws {
		ids[i] = l.number(law)
	}
	cells, links := uint32(len(l.Cells)), uint32(len(l.List))
	for _, row := range next.Rows {
		l.Rows = append(l.Rows, cells+row)
	}
	for _, c := range next.Cells {
		if c.First += links; c.More&MoreRates != 0 {
			c.More = c.More&(1<<MoreShift-1) | ids[c.More>>MoreShift]<<MoreShift
		}
		l.Cells = append(l.Cells, c)
	}
	for _, at := range next.timed { // their links have no number yet
		for _, link := range at.links {
			next.List[link] |= linkTimed
		}
	}
	for _, word := range next.List {
		if word&linkTimed != 0 {
			word &^= linkTimed
		} else {
			word = word&linkFlags | ids[word&^linkFlags]
		}
		l.List = append(l.List, word)
	}
	l.Ghosts, l.Types = append(l.Ghosts, next.Ghosts...), append(l.Types, next.Types...)
	for n, at := range next.timed {
		to := l.timedLaw(next.timedKeys[n], at)
		for _, link := range at.links {
			to.links = append(to.links, links+link)
		}
	}
}

// timedKey holds the properties that make the laws of links equal at all times if only a factor
// depends on time: the law without the factor, and the wall.
type timedKey struct {
	law LinkLaw
	k   uint8
	i   int // K is a sum over axes, which rounds differently for another direction with the same K
}

// number of a law.
func (l *lister) number(law LinkLaw) uint32 {
	id, ok := l.ids[law]
	if !ok {
		id = uint32(len(l.Laws))
		l.ids[law] = id
		l.Laws = append(l.Laws, law)
	}
	return id
}

// later gives the next link a law that changes with time.
func (l *lister) later(law LinkLaw, x [3]int, i int, k uint8) {
	to := l.timedLaw(timedKey{law, k, i}, timedLaw{x: x, i: i, k: k})
	to.links = append(to.links, uint32(len(l.List)))
}

// timedLaw returns the law of links that share it with this one.
func (l *lister) timedLaw(key timedKey, of timedLaw) *timedLaw {
	n, ok := l.timedIDs[key]
	if !ok || !Unscaled(l.cells.Motion(of.k)).Steady() {
		n, of.links = len(l.timed), nil
		l.timedIDs[key] = n
		l.timed, l.timedKeys = append(l.timed, of), append(l.timedKeys, key)
	}
	return &l.timed[n]
}

// describe appends a cell; more is added to the types of measured links.
func (l *lister) describe(x [3]int, links uint32, rates *model.Params, whole bool, more uint8) {
	var numbers LinkLaw // of the cell
	cell := LinkCell{X: uint32(x[0]), Row: uint32(x[2]*l.cells.N[1] + x[1]), First: uint32(len(l.List)), Links: links}
	index := l.cells.Index(x[0], x[1], x[2])
	for rest := links; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		k, flag := l.meets(index, i), uint32(0)
		if k == 0 {
			k, flag = l.given.Type[index+l.from[i]], GhostLink
		}
		if l.cells.Modelled != nil {
			c, ghost := l.lattice.Velocities[i], uint32(0)
			if n, ok := l.cells.Modelled.Ghost(x, c, i); ok && l.cells.Wall(k).Law == ModelledWall {
				flag, ghost = ModelledLink, n
			}
			l.Ghosts = append(l.Ghosts, ghost)
		}
		motion, id := l.cells.Motion(k), uint32(0)
		law := l.law(x, i, k, Unscaled(motion), 0)
		if motion.Steady() {
			id = l.number(law)
		} else {
			l.later(law, x, i, k)
		}
		l.List = append(l.List, id|flag)
		if !whole {
			l.Types = append(l.Types, k-1+more)
			continue
		}
		if wall := l.cells.Wall(k); wall.Law == Interpolated && wall.Conserve {
			cell.More |= MoreConserve
		}
	}
	if rates != nil {
		cell.More |= MoreRates
		numbers.A, numbers.B, numbers.K = rates.Omega, rates.OmegaMinus, rates.Viscosity[0]
		copy(numbers.Velocity[:], rates.Viscosity[1:])
		cell.More |= l.number(numbers) << MoreShift
	}
	l.Cells = append(l.Cells, cell)
}

// beside sets a bit for each cell of a block of row (y, z) adjacent to the layer around the box.
func (w *Walls) beside(b, y, z int) (mask uint64) {
	n := w.cells.N
	if y == 0 || y == n[1]-1 || w.lattice.Dims == 3 && (z == 0 || z == n[2]-1) {
		return 1<<w.block - 1
	}
	for _, x := range []int{0, n[0] - 1} {
		if x/w.block == b {
			mask |= 1 << (x % w.block)
		}
	}
	return mask
}

// law of direction i out of a wall of type k with this motion into cell x at time t.
func (w *Walls) law(x [3]int, i int, k uint8, motion Motion, t float64) LinkLaw {
	q := w.distance(x, i, k)
	p, moves := w.given.linkPlace(k, x, q, w.lattice.Velocities[i], w.lattice.Dims)
	if !moves {
		motion = Constant{}
	}
	return w.lawOf(i, k, q, w.given.mirrored(k, x, w.lattice.Velocities[i], w.lattice.Dims, motion.At(p, t)))
}

// lawOf returns the law of direction i out of a wall of type k at the distance q that moves with u.
func (w *Walls) lawOf(i int, k uint8, q float64, u [3]float64) LinkLaw {
	c, weight := w.lattice.Velocities[i], w.lattice.Weights[i]
	momentum := 6 * weight * (float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2])
	law := w.cells.Wall(k).Law.ofLink(q, momentum)
	if law.Velocity, law.Distance = u, q; w.cells.Wall(k).Law == ModelledWall {
		law.Velocity = [3]float64{} // its fluid slips: momentum is taken in the frame of the cells
	}
	return law
}

// distance of a wall of type k from cell x along direction i out of it.
func (w *Walls) distance(x [3]int, i int, k uint8) float64 {
	if law := w.cells.Wall(k).Law; law != Interpolated && law != ModelledWall || w.cells.Distance == nil {
		return 0.5
	}
	if q, ok := w.cells.Modelled.distance(x, w.lattice.Velocities[i], i); ok && w.cells.Wall(k).Law == ModelledWall {
		return q // found by the search for ghost cells
	}
	q := 0.5
	if d := w.cells.Distance(x, w.lattice.Velocities[i]); d > 0 && d <= 1 {
		q = d
	}
	if law := w.cells.Wall(k).Law; law == Interpolated && q < 0.5 && w.cells.Type[w.cells.Index(x[0], x[1], x[2])-w.from[i]] != 0 {
		q = 0.5 // a gap of one cell: no second cell to interpolate with
	}
	return q
}
