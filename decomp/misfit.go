// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"fmt"
	"strings"
)

// Misfit is the reason why a box cannot be refined. Places are in cells of level 0, so that a caller may give them in its own unit.
type Misfit struct {
	Box  Refinement // as given
	Why  Reason
	Axis int // of all but LooseBox
	// Instead are boxes that would fit. For OverSeam they replace the box; for LooseBox they are added to the others, the coarsest
	// first.
	Instead []Refinement
	// Within is the largest part of a LooseBox that fits as it is; its level is 0 if no part does.
	Within Refinement
	text   string
}

// Reason is the kind of a misfit.
type Reason int

const (
	BadLevel     Reason = iota // its level is not one of 1 to MaxLevel
	EmptyBox                   // along Axis
	BoxOutside                 // of the domain, along Axis
	NarrowDomain               // the domain has too few cells between its faces across Axis
	OverSeam                   // it crosses the end of the periodic Axis
	LooseBox                   // too few cells of the next coarser level are around it
)

// Error gives places in cells.
func (m *Misfit) Error() string { return m.Box.Name + ": " + m.text }

// Misfits are all boxes that cannot be refined.
type Misfits []*Misfit

// Error has one line per misfit.
func (list Misfits) Error() string {
	var lines []string
	for _, m := range list {
		lines = append(lines, m.Error())
	}
	return strings.Join(lines, "\n")
}

// misfit makes one with its text.
func (r Refinement) misfit(why Reason, axis int, format string, args ...any) *Misfit {
	return &Misfit{Box: r, Why: why, Axis: axis, text: fmt.Sprintf(format, args...)}
}

// seamed returns the misfit of a box that crosses the end of a periodic axis, with a box at each end.
func (r Refinement) seamed(axis int, end float64) *Misfit {
	m := r.misfit(OverSeam, axis, "from %g to %g cells along %c crosses the periodic end of the domain of %g cells: write two boxes, one at each end", r.From[axis], r.To[axis], "xyz"[axis], end)
	low, high := r, r
	if r.From[axis] < 0 {
		low.From[axis], high.From[axis], high.To[axis] = 0, r.From[axis]+end, end
	} else {
		low.From[axis], low.To[axis], high.To[axis] = 0, r.To[axis]-end, end
	}
	m.Instead = []Refinement{low, high}
	return m
}

// given returns a box of cells of a level as a box to refine by another level.
func given(h *Hierarchy, name string, level int, b Box, of int) Refinement {
	r := Refinement{Name: name, Level: level}
	for a := range 3 {
		width := 1.
		if a < h.dims {
			width = float64(int(1) << of)
		}
		r.From[a], r.To[a] = float64(b.Lo[a])/width, float64(b.Hi[a])/width
	}
	return r
}

// Around returns the boxes, the coarsest first, that refine the domain to a level in a box of cells of that level, and so many cells
// around it, where they are missing from a hierarchy. Where it would cross the end of a periodic axis a box spans the axis.
func (h *Hierarchy) Around(name string, level int, b Box, cells int) (list []Refinement) {
	for l := level; l > 0; l-- {
		n := h.refined(l, h.Levels[0].N)
		if l < level {
			b = room(h, l, b)
		} else {
			b = h.grown(b, n, cells)
		}
		if b = whole(h, b, n); h.Contains(l, b) {
			break
		}
		for a := range h.dims { // to cells of level l-1
			b.Lo[a], b.Hi[a] = b.Lo[a]>>1, (b.Hi[a]+1)>>1
		}
		list = append([]Refinement{given(h, name, l, b, l-1)}, list...)
	}
	return list
}

// whole returns a box that spans each periodic axis of which it would cross the end.
func whole(h *Hierarchy, b Box, n [3]int) Box {
	for a := range h.dims {
		if h.Periodic[a] && (b.Lo[a] < 0 || b.Hi[a] > n[a]) {
			b.Lo[a], b.Hi[a] = 0, n[a]
		}
	}
	return b
}

// Contains reports whether all cells of a box, in cells of a level, are of that level.
func (h *Hierarchy) Contains(level int, b Box) bool {
	return level == 0 || len(missing(h, level, b)) == 0
}

// missing returns the parts of a box, in cells of a level, that are not of that level.
func missing(h *Hierarchy, level int, b Box) []Box {
	list := []Box{b}
	if level >= len(h.Levels) {
		return list
	}
	for _, p := range h.Levels[level].Patches {
		for _, image := range h.images(p.Owned, h.Levels[level].N) {
			if image.Overlaps(b) {
				list = subtract(list, image)
			}
		}
	}
	return list
}
