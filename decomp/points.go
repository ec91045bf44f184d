// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import "math"

// Values at points, as sums over the finest cells around them.

// Place is a cell of a level.
type Place struct {
	Level int
	Cell  [3]int
}

// Term is a cell with its weight in the value at a point.
type Term struct {
	Place
	Weight float64
}

// Corners visits the cells whose centres are around a point, in cells, with their weights in the linear interpolation along each axis.
// Beyond the outermost centres of an axis that is not periodic the outermost cells count.
func Corners(p [3]float64, n [3]int, periodic [3]bool, visit func(cell [3]int, weight float64)) {
	for corner := range 8 {
		cell, weight := [3]int{}, 1.0
		for a := range cell {
			k, w := bracket(p[a], n[a], periodic[a])
			if corner>>a&1 == 1 {
				if k, w = k+1, 1-w; periodic[a] {
					k %= n[a]
				}
				k = min(k, n[a]-1)
			}
			cell[a], weight = k, weight*w
		}
		if weight != 0 {
			visit(cell, weight)
		}
	}
}

// bracket returns the cell whose centre is at a coordinate or below it, and its weight in the linear interpolation to the next one.
func bracket(p float64, n int, periodic bool) (k int, weight float64) {
	q := p - 0.5
	if !periodic || n == 1 {
		q = math.Min(math.Max(q, 0), float64(n-1))
	}
	floor := math.Floor(q)
	if q-floor > 1-1e-9 { // a centre, up to rounding
		floor, q = floor+1, floor+1
	} else if q-floor < 1e-9 {
		q = floor
	}
	return (int(floor) + n) % n, 1 - (q - floor)
}

// Finest returns the finest cell that contains a point, in cells of level 0.
func Finest(h *Hierarchy, p [3]float64) (at Place) {
	for at.Level = len(h.Levels) - 1; ; at.Level-- {
		for a, n := range h.Levels[at.Level].N {
			at.Cell[a] = min(max(int(math.Floor(scaled(h, p, at.Level)[a])), 0), n-1)
		}
		if _, ok := h.Find(at.Level, at.Cell); ok {
			return at
		}
	}
}

// scaled returns a point in cells of a level from one in cells of level 0.
func scaled(h *Hierarchy, p [3]float64, level int) [3]float64 {
	for a := range h.dims {
		p[a] *= float64(int(1) << level)
	}
	return p
}

// Terms interpolates linearly at a point, in cells of level 0, between centres of cells of the finest level that has it. In place of
// cells there that are not the finest, or not of the level, it lists the finest that determine them, as steps do: the mean of
// the children, and the parent with an eighth of the difference of its neighbours along each axis. So a linear field is reproduced
// across the ends of boxes, and no value jumps by more than second order.
func Terms(h *Hierarchy, p [3]float64, to []Term) []Term {
	level := Finest(h, p).Level
	Corners(scaled(h, p, level), h.Levels[level].N, h.Periodic, func(cell [3]int, weight float64) {
		to = spread(h, Place{level, cell}, weight, to)
	})
	return to
}

// spread appends the finest cells that determine the value of a cell of the domain.
func spread(h *Hierarchy, of Place, weight float64, to []Term) []Term {
	if _, ok := h.Find(of.Level, of.Cell); ok {
		if !h.Covered(of.Level, of.Cell) {
			return append(to, Term{of, weight})
		}
		for _, c := range h.Children(of.Cell) {
			to = spread(h, Place{of.Level + 1, c}, weight/float64(int(1)<<h.dims), to)
		}
		return to
	}
	parent := of.Cell
	for a := range h.dims {
		parent[a] >>= 1
	}
	level, own := of.Level-1, weight
	type beside struct {
		cell   [3]int
		weight float64
	}
	var around []beside
	for a := range h.dims {
		slope := weight / 8 * float64(of.Cell[a]&1*2-1)
		for side := -1; side <= 1; side += 2 {
			next, opposite := parent, parent
			next[a] += side
			opposite[a] -= side
			at, inside := h.Wrap(level, next)
			by := slope * float64(side)
			if !inside { // beyond a face: on the line through the parent and the cell on its other side
				own += 2 * by
				at, by = opposite, -by
			}
			around = append(around, beside{at, by})
		}
	}
	to = spread(h, Place{level, parent}, own, to)
	for _, b := range around {
		to = spread(h, Place{level, b.cell}, b.weight, to)
	}
	return to
}

// Along returns, in cells of level 0, the centres of the finest cells on a line along an axis through a point: from one
// coordinate to another, up to rounding.
func Along(h *Hierarchy, axis int, through [3]float64, from, to float64) (centres []float64) {
	const rounding = 1e-6
	deepest := len(h.Levels) - 1
	for k := 0; k < h.Levels[deepest].N[axis]; {
		through[axis] = (float64(k) + 0.5) / float64(int(1)<<deepest)
		at := Finest(h, through)
		centre := (float64(at.Cell[axis]) + 0.5) / float64(int(1)<<at.Level)
		if centre >= from-rounding && centre <= to+rounding {
			centres = append(centres, centre)
		}
		k += 1 << (deepest - at.Level)
	}
	return centres
}
