// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"

	"lbmsim/decomp"
)

// The cells of a refined grid at a place: checks and estimates use the actual cells.

// onOneRank returns the levels of a refined grid, uncut; nil without refinement, and where a box does not fit.
func (g *Grid) onOneRank(dims int) *decomp.Hierarchy {
	if len(g.Refine) == 0 {
		return nil
	}
	h, err := g.fitted(dims)
	if err != nil {
		return nil
	}
	return h
}

// fitted returns the levels on one rank, or the boxes that do not fit.
func (g *Grid) fitted(dims int) (*decomp.Hierarchy, error) {
	plan, err := decomp.Cut(g.Cells, g.Periodic, dims, 1, [3]int{})
	if err != nil {
		return nil, err
	}
	return decomp.NewHierarchy(plan, g.Refine)
}

// Patch is a box of cells of a level that belong to it.
type Patch struct {
	Level int
	decomp.Box
}

// Patches returns all of a case: the domain, and the patches of finer levels.
func Patches(c *Case) []Patch {
	list := []Patch{{Box: c.Box()}}
	if h := c.onOneRank(c.Dims()); h != nil {
		for l := 1; l < len(h.Levels); l++ {
			for _, p := range h.Levels[l].Patches {
				list = append(list, Patch{l, p.Owned})
			}
		}
	}
	return list
}

// Counted returns the number of cells that are the finest in their places.
func Counted(c *Case) (cells int) {
	h := c.onOneRank(c.Dims())
	if h == nil {
		return c.Box().Cells()
	}
	for l := range h.Levels {
		cells += h.Counted(l)
	}
	return cells
}

// Slice returns the cells of a plane across an axis at a cell of level 0, as outputs have it: of the finest level that it meets, everywhere.
func Slice(c *Case, axis, at int) [3]int {
	level, n := 0, c.Cells
	for _, p := range Patches(c) {
		if p.Lo[axis] < (at+1)<<p.Level && p.Hi[axis] > at<<p.Level {
			level = max(level, p.Level)
		}
	}
	for a := range c.Dims() {
		n[a] <<= level
	}
	n[axis] = 1
	return n
}

// finest finds the level of the cells at a place; nil levels: all are of level 0.
type finest struct{ levels *decomp.Hierarchy }

// box returns the finest level that a whole box has, in cells of level 0. Cells that it cuts are included.
func (f finest) box(lo, hi [3]float64) int {
	if f.levels == nil {
		return 0
	}
	n := f.levels.Levels[0].N
	for l := len(f.levels.Levels) - 1; l > 0; l-- {
		b := decomp.Box{Hi: [3]int{1, 1, 1}}
		for a := range f.levels.Dims() {
			width := float64(int(1) << l)
			end := width * float64(n[a])
			b.Lo[a] = int(math.Floor(math.Min(math.Max(width*lo[a], 0), end-1)))
			b.Hi[a] = max(int(math.Ceil(math.Max(math.Min(width*hi[a], end), 0))), b.Lo[a]+1)
		}
		if f.levels.Contains(l, b) {
			return l
		}
	}
	return 0
}

// finestLevel returns the finest level of the case.
func (r *frame) finestLevel() int {
	if r.finer == nil {
		return 0
	}
	return len(r.finer.Levels) - 1
}

// LevelsOf returns the level that all of each body is in; 0 for bodies from files.
func LevelsOf(c *Case) (list []int) {
	cells := finest{c.onOneRank(c.Dims())}
	for _, b := range c.Bodies {
		level := 0
		if b.Whole() {
			level = cells.box(b.Shape(nil).Bounds())
		}
		list = append(list, level)
	}
	return list
}

// face returns the coarsest level beside a face of the domain, and whether there is a finer one as well.
func (f finest) face(at Face) (level int, others bool) {
	if f.levels == nil {
		return 0, false
	}
	lo, hi := [3]float64{}, [3]float64{}
	for a, n := range f.levels.Levels[0].N {
		hi[a] = float64(n)
	}
	finest := 1 / float64(int(1)<<(len(f.levels.Levels)-1))
	if at.Side == 0 {
		hi[at.Axis] = lo[at.Axis] + finest
	} else {
		lo[at.Axis] = hi[at.Axis] - finest
	}
	level = f.box(lo, hi)
	for l := level + 1; l < len(f.levels.Levels); l++ {
		for _, p := range f.levels.Levels[l].Patches {
			end := [2]int{0, f.levels.Levels[l].N[at.Axis]}[at.Side]
			others = others || [2]int{p.Owned.Lo[at.Axis], p.Owned.Hi[at.Axis]}[at.Side] == end
		}
	}
	return level, others
}

// centre returns the centre of the cell at a place, both in cells of level 0.
func (f finest) centre(at [3]float64) [3]float64 {
	width := 1.
	if f.levels != nil {
		width = 1 / float64(int(1)<<f.box(at, at))
	}
	for a := range at {
		w := width
		if f.levels != nil && a >= f.levels.Dims() {
			w = 1
		}
		at[a] = (math.Floor(at[a]/w) + 0.5) * w
	}
	return at
}

// slice returns the finest level that has cells in a layer of cells of level 0 across an axis.
func (f finest) slice(axis, at int) (level int) {
	if f.levels == nil || axis >= f.levels.Dims() {
		return 0
	}
	for l := range f.levels.Levels {
		for _, p := range f.levels.Levels[l].Patches {
			if p.Owned.Lo[axis] < (at+1)<<l && p.Owned.Hi[axis] > at<<l {
				level = l
			}
		}
	}
	return level
}

// cellsAt returns a number of cells of level 0 as cells of a level.
func cellsAt(level int, cells float64) float64 { return cells * float64(int(1)<<level) }

// SurfaceLevel returns the level that has the surface of a body of this extent in cells of level 0.
func SurfaceLevel(c *Case, lo, hi [3]float64) int {
	if h := c.onOneRank(c.Dims()); h != nil {
		return FinestAt(lo, hi, h)
	}
	return 0
}

// FinestAt returns the finest level that has cells of a box in cells of level 0: of a body there it has the surface.
func FinestAt(lo, hi [3]float64, h *decomp.Hierarchy) (level int) {
	for l := range h.Levels {
		width := 1 / float64(int(1)<<l)
		for _, p := range h.Levels[l].Patches {
			meets := true
			for a := range h.Dims() {
				meets = meets && lo[a] < width*float64(p.Owned.Hi[a]) && hi[a] > width*float64(p.Owned.Lo[a])
			}
			if meets {
				level = l
			}
		}
	}
	return level
}
