// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/geometry"
)

// Bodies near the ends of a level: interpolated cells need fluid around them.

// interfaceMargin is the number of cells of a level between the overlap that is interpolated and a body on either side: two cells
// hold the mirror cells' children, or are read by the interpolation; the next two are the cells beside these, of the coarser level.
const interfaceMargin = 4

// marginAt returns the number of these cells for a body: the ghost cells of a wall model read more of the level that has the surface, and
// a body that is thickened there is up to a cell larger.
func (r *levels) marginAt(b Body, level int) int {
	lo, hi := r.shape(b).Bounds()
	margin, of := boundary.ModelledNear([]boundary.Wall{{Law: b.Kind.Law, Model: b.Model}}), FinestAt(lo, hi, r.finer)
	more := 0
	if b.Thicken {
		more = 1
	}
	switch level {
	case of:
	case of + 1: // which ends before it
		margin, more = 2*margin, 2*more
	default:
		margin, more = 0, 0
	}
	return max(interfaceMargin+more, margin)
}

// apart refuses bodies that are too near to the ends of a level: their cells have no values to interpolate from. Bodies from files
// are judged by their extent.
func (r *levels) apart() {
	type end struct{ level, margin int }
	rims := map[end][]decomp.Box{} // thousands of boxes take their time
	for _, b := range r.Bodies {
		r.once(func() {
			shape := r.shape(b)
			if !b.Whole() {
				lo, hi := shape.Bounds()
				shape = geometry.Box{Lo: lo, Hi: hi}
			}
			for l := len(r.finer.Levels) - 1; l > 0; l-- {
				at := end{l, r.marginAt(b, l)}
				if rims[at] == nil {
					rims[at] = r.finer.Rim(l, at.margin)
				}
				if nearEnds(geometry.Finer(shape, l, r.dims), r.finer, l, rims[at]) {
					r.tooNear(b, l)
					break // the box that would contain it has enough of the coarser levels around it
				}
			}
		}, b)
	}
}

// tooNear reports a body near the ends of a level, with the boxes that would contain it.
func (r *levels) tooNear(b Body, level int) {
	lo, hi := r.shape(b).Bounds()
	at, margin := r.Named("body", b.Name).At, r.marginAt(b, level)
	width := 1 / float64(int(1)<<level)
	for _, o := range r.Refine {
		reach, beside := float64(margin+decomp.OverlapDeep+1)*width, o.Level == level
		for a := range r.dims {
			beside = beside && o.From[a]-reach < hi[a] && o.To[a]+reach > lo[a]
		}
		if beside {
			at = r.tableOf(o).At
			break
		}
	}
	box := decomp.Box{Hi: [3]int{1, 1, 1}}
	for a := range r.dims {
		n := float64(r.finer.Levels[level].N[a])
		box.Lo[a] = int(math.Min(math.Max(math.Floor(lo[a]/width), 0), n-1))
		box.Hi[a] = int(math.Max(math.Min(math.Ceil(hi[a]/width), n), float64(box.Lo[a]+1)))
	}
	inside, outside := r.cellsInUnits(margin, level), r.cellsInUnits(margin+decomp.OverlapDeep, level)
	r.Add(at, fmt.Sprintf("a body must be at least %s inside the ends of boxes that contain it, and %s outside other boxes. To enclose it, add\n%s", inside, outside,
		r.toPaste(b.Name, r.finer.Around("", level, box, margin))),
		"[body.%s] is too close to an end of level %d", b.Name, level)
}

// nearEnds reports whether a shape in cells of a level has a cell of the level, or of the coarser one, near the ends of the level,
// which are in boxes.
func nearEnds(s geometry.Shape, h *decomp.Hierarchy, level int, rims []decomp.Box) bool {
	lo, hi := s.Bounds()
	n := h.Levels[level].N
	for _, rim := range rims {
		near := [3][]int{2: {0}} // cells along each axis, of the rim and about the shape
		about := true
		for a := 0; a < h.Dims() && about; a++ {
			near[a] = nil
			for k := rim.Lo[a]; k < rim.Hi[a]; k++ {
				if k := (k + n[a]) % n[a]; float64(k) > lo[a]-3 && float64(k) < hi[a]+2 {
					near[a] = append(near[a], k)
				}
			}
			about = len(near[a]) > 0
		}
		if about && anyOf(s, near, h.Dims()) {
			return true
		}
	}
	return false
}

// anyOf reports whether a shape has one of some cells, or one of the coarser cells around them.
func anyOf(s geometry.Shape, cells [3][]int, dims int) bool {
	for _, z := range cells[2] {
		for _, y := range cells[1] {
			for _, x := range cells[0] {
				var fine, coarse [3]float64
				for a, k := range [3]int{x, y, z} {
					fine[a] = float64(k) + 0.5
					if coarse[a] = fine[a]; a < dims {
						coarse[a] = float64(k&^1) + 1
					}
				}
				if s.Contains(fine[0], fine[1], fine[2]) || s.Contains(coarse[0], coarse[1], coarse[2]) {
					return true
				}
			}
		}
	}
	return false
}
