// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// Refined is the readers' view of a refined grid.
type Refined struct {
	Hierarchy *decomp.Hierarchy
	Walls     []domain.Coverage // with a model, on all ranks: each is on one level
	Patches   []Patch           // those that the rank has cells of, level by level, in the hierarchy's order
	// Fill gives overlap and ghost cells the values of the present state. Collective.
	Fill func() error
}

// Patch is the present state of this rank's cells of a patch. Case and State are in cells and steps of its level.
type Patch struct {
	View
	Level, Number int        // of the patch in its level
	Owned         decomp.Box // the rank's cells without the overlap, in cells of the level from the domain's lower corner
	// Counted returns the runs along x of the cells of a row that are the finest in their places.
	Counted func(y, z int) []decomp.Range
}

// Each calls use for each patch of the grid, with its level, its number in it, and its place among Patches; -1: this rank has no cells
// of it. use may be collective.
func (r *Refined) Each(use func(level, number, mine int) error) error {
	next := 0
	for l := range r.Hierarchy.Levels {
		for k := range r.Hierarchy.Levels[l].Patches {
			mine := -1
			if next < len(r.Patches) && r.Patches[next].Level == l && r.Patches[next].Number == k {
				mine = next
				next++
			}
			if err := use(l, k, mine); err != nil {
				return err
			}
		}
	}
	return nil
}

// each passes the patch itself; nil: this rank has no cells of it.
func (r *Refined) each(use func(level, number int, mine *Patch) error) error {
	return r.Each(func(level, number, mine int) error {
		if mine < 0 {
			return use(level, number, nil)
		}
		return use(level, number, &r.Patches[mine])
	})
}

// volume returns the volume of a cell of a level, in cells of level 0.
func (r *Refined) volume(level int) float64 {
	return math.Pow(0.5, float64(level*r.Hierarchy.Dims()))
}

// Stored returns the number of cells that files of the whole state have, of all levels.
func (v View) Stored() (cells int) {
	if v.Refined == nil {
		return v.Case.Box().Cells()
	}
	for _, l := range v.Refined.Hierarchy.Levels {
		for _, p := range l.Patches {
			cells += p.Stored.Cells()
		}
	}
	return cells
}

// planeSums brings a table of the rank's own rows to rank 0 as one of planes. Collective; a rank without cells of the patch has nil.
func (p *Patch) planeSums(on *rank.Rank, table []float64, of domain.Columns) ([]float64, error) {
	if p == nil {
		return domain.PlaneSums(on, nil, 0, nil, of)
	}
	return domain.PlaneSums(on, p.line(), p.planes(), table, of)
}

// planes returns the number of planes that the rank owns of the patch, line the ranks that share them.
func (p *Patch) planes() int { return p.Owned.Size()[p.Part.Layout.Axis()] }

func (p *Patch) line() []int {
	if !p.Part.Shared() {
		return []int{p.Rank.ID}
	}
	return p.Part.Plan.Line(p.Part.Plan.Box(p.Rank.ID).Lo, 1)
}

// sections returns planes of the rank's own rows, [z][y], with their places in the part.
func (p *Patch) sections(rows []device.Plane) (list []Section) {
	planes := p.planes()
	for k := range planes {
		var s device.Plane
		for _, row := range rows[k*len(rows)/planes:][:len(rows)/planes] {
			s.Add(row)
		}
		list = append(list, Section{p.View, p.Level, s})
	}
	return list
}

// rows sums the counted cells of the rows that the rank owns, [z][y]. Places are local.
func (p *Patch) rows() ([]device.Plane, error) {
	own := p.Part.Local(p.Owned)
	if own.Cells() == 0 {
		return nil, nil
	}
	all, err := p.State.SumRows()
	if err != nil {
		return nil, err
	}
	sums, ny := make([]device.Plane, 0, own.Size()[1]*own.Size()[2]), p.Part.Layout.N[1]
	for z := own.Lo[2]; z < own.Hi[2]; z++ {
		sums = append(sums, all[z*ny+own.Lo[1]:z*ny+own.Hi[1]]...)
	}
	return sums, nil
}

// finest returns the finest level that has cells in a box of cells of level 0.
func (r *Refined) finest(box decomp.Box) (level int) {
	for l := range r.Hierarchy.Levels {
		for _, p := range r.Hierarchy.Levels[l].Patches {
			if meet := domain.Intersect(p.Owned, r.onto(box, l)); meet.Cells() > 0 {
				level = l
			}
		}
	}
	return level
}

// onto returns a box of cells that are finer by so many levels, or coarser by as many less than none: all that it touches.
func (r *Refined) onto(b decomp.Box, levels int) decomp.Box {
	for a := range r.Hierarchy.Dims() {
		if levels >= 0 {
			b.Lo[a], b.Hi[a] = b.Lo[a]<<levels, b.Hi[a]<<levels
		} else {
			b.Lo[a], b.Hi[a] = b.Lo[a]>>-levels, (b.Hi[a]-1)>>-levels+1
		}
	}
	return b
}

// within returns a box in cells that are finer by so many levels. Where it is one cell thick, so is the result, at a place in that cell.
func (r *Refined) within(b decomp.Box, levels int, place [3]float64) decomp.Box {
	fine := r.onto(b, levels)
	for a := range r.Hierarchy.Dims() {
		if b.Hi[a]-b.Lo[a] == 1 {
			fine.Lo[a] += min(int(math.Ldexp(place[a], levels)), 1<<levels-1)
			fine.Hi[a] = fine.Lo[a] + 1
		}
	}
	return fine
}
