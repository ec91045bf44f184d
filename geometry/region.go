// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"

	"lbmsim/model"
)

// Region is a part of a face of the domain, in cells from the domain's lower corner: a
// box or a disc. The coordinate normal to the face is ignored.
type Region struct {
	Lo, Hi [3]float64 // of the box
	Centre [3]float64 // of the disc
	Radius float64    // 0: a box
}

// Along gives the two axes of a face across an axis.
func Along(axis int) (u, v int) { return (axis + 1) % 3, (axis + 2) % 3 }

// Run returns the cells from, ... to-1 along the first axis of the face, in its row of cells at the
// second, whose centres are in the region. A box includes its lower borders, not its upper ones; a
// disc excludes its border.
func (r Region) Run(axis, row int) (from, to int) {
	u, v := Along(axis)
	at := float64(row) + 0.5
	lo, hi := r.Lo[u], r.Hi[u]
	if r.Radius > 0 {
		d := at - r.Centre[v]
		half := r.Radius*r.Radius - d*d
		if half <= 0 {
			return 0, 0
		}
		half = math.Sqrt(half)
		lo, hi = r.Centre[u]-half, r.Centre[u]+half
	} else if at < r.Lo[v] || at >= r.Hi[v] {
		return 0, 0
	}
	cell := func(x float64) int { return int(math.Ceil(min(max(x, -unbounded), unbounded) - 0.5)) }
	from, to = cell(lo), cell(hi)
	if r.Radius > 0 && float64(from)+0.5 == lo {
		from++ // the border of a disc is on neither side, so that discs are symmetric
	}
	return from, max(from, to)
}

// Covers reports whether a cell beside, or behind, the face across an axis lies in the region.
func (r Region) Covers(axis int, cell [3]int) bool {
	u, v := Along(axis)
	from, to := r.Run(axis, cell[v])
	return from <= cell[u] && cell[u] < to
}

// Share counts the cells of the face that are in the region and, if given, also in the other.
func (r Region) Share(axis int, n [3]int, other *Region) (cells int) {
	u, v := Along(axis)
	for row := range n[v] {
		from, to := r.Run(axis, row)
		from, to = max(from, 0), min(to, n[u])
		if other != nil {
			f, t := other.Run(axis, row)
			from, to = max(from, f), min(to, t)
		}
		cells += max(0, to-from)
	}
	return cells
}

// Sponge is a layer of cells in front of a part of a face, with their own rates.
type Sponge struct {
	Axis, Side int
	Type       uint8          // of the cells behind the face, where it is
	Rates      []model.Params // of the cells at the face, the next layer, ...
}

// Rates returns the rates of a cell of the domain: the rates of the most viscous sponge that it lies in, nil outside
// all sponges.
func (d Scene) Rates(cell [3]int) (own *model.Params) {
	for _, s := range d.Sponges {
		depth := cell[s.Axis]
		if s.Side == 1 {
			depth = d.Cells[s.Axis] - 1 - depth
		}
		if depth < len(s.Rates) && (own == nil || s.Rates[depth].Omega < own.Omega) && d.Face(s.Axis, s.Side, cell) == s.Type {
			own = &s.Rates[depth]
		}
	}
	return own
}

// Patch is a region of a face and the type of the cells behind it.
type Patch struct {
	Region Region
	Type   uint8
}
