// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"fmt"
	"math"
	"strings"
)

// Grid refinement: boxes of cells of half the spacing inside boxes of cells of twice the size. Level 0 is the domain; a cell of
// level l-1, the parent, has 8 children of level l (4 in 2D, which has one layer of cells along z on every level).
//
//	level l-1   |   .   |   .   |   M   |   H   |     M mirror, H hidden: covered by level l
//	level l             | 2 | 1 | o | o | o | o |     o owned, 1 and 2 overlap beyond the interface
//
// A patch is one box of a level. Beyond an interface it stores two more cells, the overlap: enough for two steps of level l, that is
// one of level l-1, with no other data from outside. Of the covered cells of level l-1 only those beside the interface are ever read,
// the mirror layer. At walls and open faces of the domain nothing is stored beyond, and a periodic axis that a patch spans whole has
// no interface. transfer.go lists the data exchanged between levels.

// Limits of a hierarchy.
const (
	MaxLevel    = 5                   // levels above 0
	OverlapDeep = 2                   // cells of a patch beyond an interface: one per step of its level between two exchanges with the parent level
	Nesting     = 2                   // cells of level l between the interfaces of level l and l+1: prolongation reads as far
	thinnest    = 4                   // least number of parent planes of a rank; a small patch is cut over fewer ranks
	narrowest   = 3                   // cells of level 0 between walls: values behind a wall are extrapolated from as many
	third       = 2 * (narrowest - 1) // first child of the last of these cells
)

// Refinement is a box that a case refines: its name for messages, its level, and its corners in cells of level 0.
type Refinement struct {
	Name     string
	Level    int
	From, To [3]float64
}

// Hierarchy is the levels of a refined domain and the cut of each over the ranks. It is the same on every rank.
type Hierarchy struct {
	Levels   []Level // the coarsest first
	Periodic [3]bool
	dims     int
}

// Level is all cells of one spacing: disjoint patches.
type Level struct {
	N       [3]int // cells that would fill the domain
	Patches []Patch
}

// Patch is one box of a level. Boxes are in cells of the level from the lower corner of the domain. Stored may reach beyond an end
// that a periodic axis has there: its cells are then images (Hierarchy.Wrap).
type Patch struct {
	Owned  Box  // the cells whose values count
	Stored Box  // and the overlap
	Plan   Plan // of Stored: its cell is the patch's cell less Stored.Lo. It may have fewer ranks than the domain, the first ones
}

// Owner returns the rank that stores a cell of Stored.
func (p Patch) Owner(cell [3]int) int { return p.Plan.Owner(minus(cell, p.Stored.Lo)) }

// Part returns the cells of Stored on a rank, empty if it has none.
func (p Patch) Part(rank int) Box {
	if rank >= p.Plan.Ranks() {
		return Box{}
	}
	b := p.Plan.Box(rank)
	return Box{Lo: plus(b.Lo, p.Stored.Lo), Hi: plus(b.Hi, p.Stored.Lo)}
}

// NewHierarchy refines a domain that is cut by a plan. Boxes are snapped outwards to parent cells; boxes of a level may overlap or
// touch, and their union may be concave. The error is of type Misfits, with all boxes that do not fit.
func NewHierarchy(domain Plan, boxes []Refinement) (*Hierarchy, error) {
	h := &Hierarchy{Periodic: domain.Periodic, dims: domain.axis + 1}
	whole := Box{Hi: domain.Global}
	h.Levels = []Level{{N: domain.Global, Patches: []Patch{{Owned: whole, Stored: whole, Plan: domain}}}}
	snapped := make([][]Box, MaxLevel+1)
	named := make([][]Refinement, MaxLevel+1)
	finest := 0
	var wrong Misfits
	for _, r := range boxes {
		b, err := h.snap(r)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		snapped[r.Level], named[r.Level] = append(snapped[r.Level], b), append(named[r.Level], r)
		finest = max(finest, r.Level)
	}
	if len(wrong) > 0 { // others may be loose without these
		return nil, wrong
	}
	for l := 1; l <= finest; l++ {
		for k, b := range snapped[l] {
			if err := nested(h, named[l][k], b); err != nil {
				wrong = append(wrong, err)
			}
		}
		level := Level{N: h.refined(l, h.Levels[0].N)}
		for _, b := range disjoint(snapped[l]) {
			level.Patches = append(level.Patches, h.patch(b, level.N, domain.Ranks()))
		}
		h.Levels = append(h.Levels, level)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return h, nil
}

// Counted returns the number of a level's cells whose values count: owned ones that no finer level covers.
func (h *Hierarchy) Counted(level int) (cells int) {
	for _, p := range h.Levels[level].Patches {
		cells += p.Owned.Cells()
	}
	if level+1 < len(h.Levels) {
		for _, p := range h.Levels[level+1].Patches {
			cells -= p.Owned.Cells() >> h.dims
		}
	}
	return cells
}

// Updates returns the cell updates in one step of level 0, of cells whose values count (Counted). A cell of level l counts 2^l times.
// Overlap and covered cells, which are computed as well, do not count.
func (h *Hierarchy) Updates() (updates float64) {
	for l := range h.Levels {
		updates += float64(h.Counted(l)) * float64(int(1)<<l)
	}
	return updates
}

// Dims returns the number of dimensions.
func (h *Hierarchy) Dims() int { return h.dims }

// refined returns numbers of cells on a level that is finer by so many levels.
func (h *Hierarchy) refined(levels int, n [3]int) [3]int {
	for a := range h.dims {
		n[a] <<= levels
	}
	return n
}

// snap returns the parent cells that a box touches. Corners may miss a parent's edge by rounding, as lengths divided by the spacing
// do.
func (h *Hierarchy) snap(r Refinement) (b Box, wrong *Misfit) {
	const rounding = 1e-6
	if r.Level < 1 || r.Level > MaxLevel {
		return b, r.misfit(BadLevel, 0, "level %d is not one of 1 to %d", r.Level, MaxLevel)
	}
	n := h.refined(r.Level-1, h.Levels[0].N)
	b.Hi = n
	scale := float64(int(1) << (r.Level - 1))
	for a := range h.dims {
		axis, end := "xyz"[a], float64(h.Levels[0].N[a])
		switch {
		case !(r.From[a] < r.To[a]):
			return b, r.misfit(EmptyBox, a, "from %g to %g cells along %c is empty: from must be below to", r.From[a], r.To[a], axis)
		case r.To[a] <= 0 || r.From[a] >= end:
			return b, r.misfit(BoxOutside, a, "from %g to %g cells along %c is outside the domain of %g cells", r.From[a], r.To[a], axis, end)
		case !h.Periodic[a] && h.Levels[0].N[a] < narrowest:
			return b, r.misfit(NarrowDomain, a, "refinement needs at least %d cells between the faces across %c, the domain has %g", narrowest, axis, end)
		}
		below, above := r.From[a] < -rounding, r.To[a] > end+rounding
		if h.Periodic[a] && below != above && r.To[a]-r.From[a] < end-rounding {
			return b, r.seamed(a, end)
		}
		if h.Periodic[a] && r.To[a]-r.From[a] >= end-rounding {
			continue // spanned whole
		}
		b.Lo[a] = min(n[a]-1, int(math.Floor(math.Max(r.From[a], 0)*scale+rounding)))
		b.Hi[a] = min(n[a], int(math.Ceil(math.Min(r.To[a], end)*scale-rounding)))
		b.Hi[a] = max(b.Hi[a], b.Lo[a]+1)
	}
	return b, nil
}

// spans reports whether a box of a level covers a whole periodic axis, so that neither end bounds it.
func (h *Hierarchy) spans(axis int, b Box, n [3]int) bool {
	return h.Periodic[axis] && b.Lo[axis] == 0 && b.Hi[axis] == n[axis]
}

// grown returns a box with so many more cells at each end, as far as the domain has them.
func (h *Hierarchy) grown(b Box, n [3]int, cells int) Box {
	for a := range h.dims {
		if h.spans(a, b, n) {
			continue
		}
		b.Lo[a] -= cells
		b.Hi[a] += cells
		if !h.Periodic[a] {
			b.Lo[a], b.Hi[a] = max(b.Lo[a], 0), min(b.Hi[a], n[a])
		}
	}
	return b
}

// images returns a box and, along periodic axes, the boxes one domain further on either side.
func (h *Hierarchy) images(b Box, n [3]int) []Box {
	list := []Box{b}
	for a := range h.dims {
		if !h.Periodic[a] {
			continue
		}
		for _, b := range list {
			for _, by := range []int{-n[a], n[a]} {
				moved := b
				moved.Lo[a] += by
				moved.Hi[a] += by
				list = append(list, moved)
			}
		}
	}
	return list
}

// room returns the cells of a level, above 0, that have to belong to it around a box of the next one, in cells of the level: those
// within Nesting. Where the level would end one parent cell before a face, the third parent cell from the face holds the mean of its
// children (Role): the box covers them, and its mirror layer has only the first. There the level has to reach the face.
func room(h *Hierarchy, level int, b Box) Box {
	n := h.Levels[0].N
	around := h.grown(b, h.refined(level, n), Nesting)
	for a, n := range h.refined(level, n) {
		if a >= h.dims || h.Periodic[a] {
			continue
		}
		if b.Lo[a] == third {
			around.Lo[a] = 0
		}
		if b.Hi[a] == n-third {
			around.Hi[a] = n
		}
	}
	return around
}

// nested returns an error unless the cells of the next coarser level that a box needs around it belong to it (room). The box is in cells
// of that level.
func nested(h *Hierarchy, r Refinement, b Box) *Misfit {
	if r.Level == 1 {
		return nil
	}
	coarser := r.Level - 1
	if len(h.Levels) <= coarser || len(h.Levels[coarser].Patches) == 0 {
		m := r.misfit(LooseBox, 0, "level %d needs a box of level %d around it, at least %d cells of level %d wider on each side", r.Level, coarser, Nesting, coarser)
		m.Instead = h.Around(r.Name, coarser, room(h, coarser, b), 0)
		return m
	}
	loose := missing(h, coarser, room(h, coarser, b))
	if len(loose) == 0 {
		return nil
	}
	why := fmt.Sprintf("the box of level %d must end at least %d cells of level %d before the ends of level %d", r.Level, Nesting, coarser, coarser)
	by, inner := shrink(h, coarser, b, loose)
	m := r.misfit(LooseBox, 0, "%s, and no part of it does: put a box of level %d around it", why, coarser)
	m.Instead = h.Around(r.Name, coarser, room(h, coarser, b), 0)
	if inner.Cells() == 0 {
		return m
	}
	var ends []string
	for a := range h.dims {
		for side, end := range []string{"lower", "upper"} {
			if k := by[a][side]; k > 0 {
				ends = append(ends, fmt.Sprintf("%d at the %s end of %c", k, end, "xyz"[a]))
			}
		}
	}
	m.Within = given(h, r.Name, r.Level, inner, coarser)
	m.text = fmt.Sprintf("%s: shrink it by %s (in cells of level %d), or let level %d grow by as many there", why, strings.Join(ends, " and by "), coarser, coarser)
	return m
}

// shrink returns the number of cells of a level by which a box must shrink at each end to keep Nesting cells away from boxes: for each at
// the end where that costs least.
func shrink(h *Hierarchy, level int, b Box, from []Box) (by [3][2]int, inner Box) {
	inner = b
	for _, m := range from {
		axis, side, least := 0, 0, math.MaxInt
		for a := range h.dims {
			for s, k := range []int{m.Hi[a] - (b.Lo[a] - Nesting), b.Hi[a] + Nesting - m.Lo[a]} {
				if k < least {
					axis, side, least = a, s, k
				}
			}
		}
		by[axis][side] = max(by[axis][side], least)
		if by[axis][side] == 0 {
			by[axis][side] = 1 // between the level's end and a face (room)
		}
	}
	n := h.refined(level, h.Levels[0].N)
	for a := range by {
		for side, left := range [2]int{b.Lo[a] + by[a][0], n[a] - b.Hi[a] + by[a][1]} {
			if by[a][side] > 0 && left == third && !h.Periodic[a] {
				by[a][side]++
			}
		}
		inner.Lo[a], inner.Hi[a] = inner.Lo[a]+by[a][0], inner.Hi[a]-by[a][1]
	}
	return by, inner
}

// patch makes the patch of a box of parent cells; n is the level's cells.
func (h *Hierarchy) patch(parents Box, n [3]int, ranks int) Patch {
	var p Patch
	p.Owned.Lo, p.Owned.Hi = h.refined(1, parents.Lo), h.refined(1, parents.Hi)
	p.Stored = h.grown(p.Owned, n, OverlapDeep)
	cut := h.cut(parents.Size(), ranks)
	p.Plan = Plan{Global: p.Stored.Size(), axis: cut.axis, parts: cut.parts, grain: 2}
	p.Plan.lead, p.Plan.trail = minus(p.Owned.Lo, p.Stored.Lo), minus(p.Stored.Hi, p.Owned.Hi)
	for a := range h.dims {
		p.Plan.Periodic[a] = h.spans(a, p.Owned, n)
	}
	return p
}

// cut distributes a box of parent cells over as many of the ranks as get boxes that are thick enough.
func (h *Hierarchy) cut(parents [3]int, ranks int) Plan {
	for ; ranks > 1; ranks-- {
		var thick []Plan
		for _, p := range cuts(parents, [3]bool{}, h.dims, ranks, [3]int{}) {
			if (p.parts[1] == 1 || parents[1]/p.parts[1] >= thinnest) && (p.parts[2] == 1 || parents[2]/p.parts[2] >= thinnest) {
				thick = append(thick, p)
			}
		}
		if p, ok := choose(thick, ranks); ok {
			return p
		}
	}
	return Plan{Global: parents, axis: h.dims - 1, parts: [3]int{1, 1, 1}}
}

// subtract returns what a box leaves of disjoint boxes, as disjoint boxes: of each at most one piece at each end of z, then of y,
// then of x, which keeps rows long.
func subtract(list []Box, b Box) (left []Box) {
	for _, o := range list {
		if !o.Overlaps(b) {
			left = append(left, o)
			continue
		}
		for a := 2; a >= 0; a-- {
			if o.Lo[a] < b.Lo[a] {
				below := o
				below.Hi[a] = b.Lo[a]
				left = append(left, below)
				o.Lo[a] = b.Lo[a]
			}
			if o.Hi[a] > b.Hi[a] {
				above := o
				above.Lo[a] = b.Hi[a]
				left = append(left, above)
				o.Hi[a] = b.Hi[a]
			}
		}
	}
	return left
}

// disjoint returns few disjoint boxes with the same union.
func disjoint(boxes []Box) (list []Box) {
	for _, b := range boxes {
		pieces := []Box{b}
		for _, o := range list {
			pieces = subtract(pieces, o)
		}
		list = append(list, pieces...)
	}
	for i := 0; i < len(list); i++ {
		for j := 0; j < len(list); j++ {
			if whole, ok := joined(list[i], list[j]); ok {
				list[i] = whole
				list = append(list[:j], list[j+1:]...)
				i = -1 // the larger box may join others
				break
			}
		}
	}
	return list
}

// joined returns the union of two boxes, if they share a whole face.
func joined(a, b Box) (whole Box, ok bool) {
	differs := -1
	for k := range a.Lo {
		if a.Lo[k] != b.Lo[k] || a.Hi[k] != b.Hi[k] {
			if differs >= 0 {
				return whole, false
			}
			differs = k
		}
	}
	if differs < 0 || a.Hi[differs] != b.Lo[differs] {
		return whole, false
	}
	a.Hi[differs] = b.Hi[differs]
	return a, true
}

func plus(a, b [3]int) [3]int  { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func minus(a, b [3]int) [3]int { return [3]int{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
