// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

import (
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/io/internal/h5"
)

// Levels is a refined grid: boxes of cells whose size halves from level to level. It is the same on every rank.
type Levels struct {
	Corner  [3]float64 `json:"corner"`  // lower corner of the domain in metres
	Spacing float64    `json:"spacing"` // of level 0, in metres
	// Boxes of each level, in cells of the level from the corner: one of level 0, the domain, disjoint ones of finer levels, which
	// end between cells of the next coarser. One layer along z on every level is two-dimensional: layers are as thick as on level 0.
	Boxes [][]decomp.Box `json:"boxes"`
}

// Size returns the spacing of a level.
func (l Levels) Size(level int) float64 { return math.Ldexp(l.Spacing, -level) }

// flat levels are two-dimensional.
func (l Levels) flat() bool { return l.Boxes[0][0].Hi[2] == 1 }

// String returns the numbers of levels, boxes and cells.
func (l Levels) String() string {
	if len(l.Boxes) == 1 {
		return fmt.Sprintf("%v cells", l.Boxes[0][0].Hi)
	}
	text := fmt.Sprintf("%v cells", l.Boxes[0][0].Hi)
	for level, boxes := range l.Boxes[1:] {
		cells := 0
		for _, b := range boxes {
			cells += b.Cells()
		}
		text += fmt.Sprintf(", %d boxes of level %d with %d cells", len(boxes), level+1, cells)
	}
	return text
}

// Count returns the number of boxes of all levels.
func (l Levels) Count() (n int) {
	for _, boxes := range l.Boxes {
		n += len(boxes)
	}
	return n
}

// Box returns the level of a box, counted through all levels from the coarsest on, and its number there.
func (l Levels) Box(box int) (level, number int) {
	for box >= len(l.Boxes[level]) {
		box -= len(l.Boxes[level])
		level++
	}
	return level, box
}

// in names a box in messages, and nothing of a grid that is not refined.
func (l *Levels) in(box int) string {
	if l == nil {
		return ""
	}
	level, number := l.Box(box)
	return fmt.Sprintf(" in box %d of level %d", number, level)
}

// grid returns level 0.
func (l Levels) grid() Grid {
	g := Grid{Spacing: l.Spacing}
	for a := range g.Origin {
		g.Origin[a] = l.Corner[a] + l.Spacing/2
	}
	if len(l.Boxes) > 0 && len(l.Boxes[0]) > 0 {
		g.N = l.Boxes[0][0].Hi
	}
	return g
}

// levelsOf returns a grid as its only level.
func levelsOf(g Grid) Levels {
	return Levels{Corner: g.Corner(), Spacing: g.Spacing, Boxes: [][]decomp.Box{{{Hi: g.N}}}}
}

// parents returns the cells of the next coarser level that a box covers.
func (l Levels) parents(b decomp.Box) decomp.Box {
	axes := 3
	if l.flat() {
		axes = 2
	}
	for a := range axes {
		b.Lo[a], b.Hi[a] = b.Lo[a]/2, b.Hi[a]/2
	}
	return b
}

// covered returns the cells of a box that the next finer level covers, as disjoint boxes.
func (l Levels) covered(level, number int) (list []decomp.Box) {
	if level+1 == len(l.Boxes) {
		return nil
	}
	for _, b := range l.Boxes[level+1] {
		b, whole := l.parents(b), l.Boxes[level][number]
		for a := range b.Lo {
			b.Lo[a], b.Hi[a] = max(b.Lo[a], whole.Lo[a]), min(b.Hi[a], whole.Hi[a])
		}
		if b.Cells() > 0 {
			list = append(list, b)
		}
	}
	return list
}

// blocks returns the boxes as the file has them.
func (l Levels) blocks() (list []block) {
	for level, boxes := range l.Boxes {
		for k, b := range boxes {
			at := fmt.Sprintf("%d/%d/", level, k)
			list = append(list, block{Grid: Grid{N: b.Size()}, data: boxesIn + at, sums: crcs + at, part: "/" + at})
		}
	}
	return list
}

// BeginLevels creates the file of step m.Step of a refined grid, room for all fields included. It is Begin for several boxes:
// parts are this rank's cells of each box, in the order of l.Boxes and in cells of its level, empty where it has none. Boxes are
// numbered through all levels, the coarsest first; WriteBox takes their planes. Cells that a finer level covers are written, too,
// with whatever values the caller has: no reader shows them.
func (s Series) BeginLevels(c comm.Comm, failed error, parts []decomp.Box, l Levels, fs []Field, m Meta) (*Pending, error) {
	if err := l.checkParts(parts); err != nil {
		if failed == nil {
			failed = fmt.Errorf("begin the fields %s: %w", s.Path(m.Step), err)
		}
		parts = nil
	}
	within := make([]decomp.Box, l.Count())
	for i, part := range parts {
		if part.Cells() == 0 {
			continue
		}
		level, k := l.Box(i)
		lo := l.Boxes[level][k].Lo
		for a := range lo {
			within[i].Lo[a], within[i].Hi[a] = part.Lo[a]-lo[a], part.Hi[a]-lo[a]
		}
	}
	blocks := l.blocks()
	return s.begin(c, failed, within, blocks, fs, m, entry{Grid: l.grid(), Levels: &l}, func(tmp string) ([]int64, error) {
		return made(tmp, func(f *h5.File) ([]int64, error) { return fillLevels(f, s, l, blocks, fs, m) })
	})
}

// check explains why the boxes are not a refined grid.
func (l Levels) check() error {
	if len(l.Boxes) == 0 || len(l.Boxes[0]) != 1 || l.Boxes[0][0].Lo != [3]int{} || !(l.Spacing > 0) || math.IsInf(l.Spacing, 0) {
		return fmt.Errorf("a refined grid needs one box of level 0 that begins at its corner, and a spacing, not %v and %g m", l.Boxes, l.Spacing)
	}
	if len(l.Boxes) > decomp.MaxLevel+1 {
		return fmt.Errorf("a refined grid has up to %d levels, not %d", decomp.MaxLevel+1, len(l.Boxes))
	}
	for level, boxes := range l.Boxes {
		if len(boxes) == 0 {
			return fmt.Errorf("level %d of the refined grid has no box", level)
		}
		for k, b := range boxes {
			if err := l.checkBox(level, k, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkParts explains which parts of boxes a rank cannot have.
func (l Levels) checkParts(parts []decomp.Box) error {
	if err := l.check(); err != nil {
		return err
	}
	if len(parts) != l.Count() {
		return fmt.Errorf("%d parts for %d boxes", len(parts), l.Count())
	}
	return nil
}

// checkBox explains why a box of a level is invalid.
func (l Levels) checkBox(level, k int, b decomp.Box) error {
	if b.Cells() == 0 {
		return fmt.Errorf("box %d of level %d is empty: %v", k, level, b)
	}
	for j, o := range l.Boxes[level][:k] {
		if b.Overlaps(o) {
			return fmt.Errorf("boxes %d and %d of level %d overlap: %v and %v", j, k, level, o, b)
		}
	}
	for a := range b.Lo {
		end := l.Boxes[0][0].Hi[a] << level
		if l.flat() && a == 2 {
			end = 1
		}
		if b.Lo[a] < 0 || b.Hi[a] > end {
			return fmt.Errorf("box %d of level %d reaches beyond the domain: %v", k, level, b)
		}
		if level > 0 && !(l.flat() && a == 2) && (b.Lo[a]%2 != 0 || b.Hi[a]%2 != 0) {
			return fmt.Errorf("box %d of level %d ends within cells of level %d: %v", k, level, level-1, b)
		}
	}
	if level > 0 && len(l.parents(b).Outside(l.Boxes[level-1])) > 0 {
		return fmt.Errorf("box %d of level %d is not within the boxes of level %d: %v", k, level, level-1, b)
	}
	return nil
}
