// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/model"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// Region is a box of cells of a level, from the domain's lower corner: of level 0 unless the grid is refined.
type Region struct {
	Level int
	decomp.Box
}

// MostOfRegion is the largest number of cells of a region on its finest level; larger regions are coarser: where a small box
// has five levels, a plane of the domain would have a thousand times its actual cells.
const MostOfRegion = 1 << 24

// Region returns a box of cells of level 0 in cells of the finest level present there, or of a coarser one where these would
// be more than MostOfRegion. Where the box is one cell thick, so is the region, at a place within that cell, 0 to 1.
func (v View) Region(box decomp.Box, within [3]float64) Region {
	if v.Refined == nil {
		return Region{0, box}
	}
	for level := v.Refined.finest(box); ; level-- {
		if at := (Region{level, v.Refined.within(box, level, within)}); level == 0 || at.Cells() <= MostOfRegion {
			return at
		}
	}
}

// Middle is the place of a cell's middle within it.
func Middle() [3]float64 { return [3]float64{0.5, 0.5, 0.5} }

// Cell returns the finest cell at a place within a cell of level 0.
func (v View) Cell(at [3]int, within [3]float64) Region {
	return v.Region(decomp.Box{Lo: at, Hi: [3]int{at[0] + 1, at[1] + 1, at[2] + 1}}, within)
}

// Place returns the first cell of a region.
func (r Region) Place() decomp.Place { return decomp.Place{Level: r.Level, Cell: r.Lo} }

// Collect brings one component (or -1: the magnitude) of a field in a small
// region to rank 0, as [z][y][x] in the outputs' unit. Collective.
func (v View) Collect(f model.Field, component int, at Region) ([]float64, error) {
	return v.collectRegion(f, at, 1, func(to, cell []float64) []float64 { return append(to, pick(cell, component)) })
}

// CollectAll brings all components of a field to rank 0, as [z][y][x][component]. Collective.
func (v View) CollectAll(f model.Field, at Region) ([]float64, error) {
	return v.collectRegion(f, at, f.Components, func(to, cell []float64) []float64 { return append(to, cell...) })
}

// collectRegion brings n numbers of each cell, which take appends, to rank 0.
func (v View) collectRegion(f model.Field, at Region, n int, take func(to, cell []float64) []float64) ([]float64, error) {
	if v.Refined != nil {
		return v.Refined.collect(v.Rank, f, at, n, take)
	}
	mine, err := numbers(v, f, domain.Intersect(at.Box, v.Part.Box), n, take)
	if err != nil {
		return nil, err
	}
	return gather(v.Rank, at.Box, v.Part.Plan.Box, n, mine)
}

// numbers returns n numbers of each cell of a box of the rank's own cells, as [z][y][x][n].
func numbers(v View, f model.Field, part decomp.Box, n int, take func(to, cell []float64) []float64) (mine []float64, err error) {
	walls, err := v.BesideModels(f)
	if err != nil || part.Cells() == 0 {
		return nil, err
	}
	s := NewSampler[float64](v.Part, v.Step(), v.Present(), f).Beside(walls)
	mine = make([]float64, 0, n*part.Cells())
	local := v.Part.Local(part)
	if !s.neighbours {
		s.region = local
		if from, ok, err := v.held(local, local.Cells()); err != nil {
			return nil, err
		} else if ok {
			s.source = from
		}
	}
	axis := s.axis()
	var plane []float64
	for k := local.Lo[axis]; k < local.Hi[axis]; k++ {
		if plane, err = s.Sample(f, k, plane); err != nil {
			return nil, err
		}
		for row := 0; row < s.rows(); row++ {
			y, z := s.position(row, k)
			for x := 0; x < s.width(); x++ {
				if local.Contains([3]int{s.region.Lo[0] + x, y, z}) {
					mine = take(mine, plane[(row*s.width()+x)*f.Components:][:f.Components])
				}
			}
		}
	}
	return mine, nil
}

// gather brings n numbers of each cell of a global box, of which each rank has those in its part as [z][y][x][n], to rank 0. Collective.
func gather(on *rank.Rank, box decomp.Box, part func(rank int) decomp.Box, n int, mine []float64) ([]float64, error) {
	parts, err := comm.Gather(on.Comm, comm.Float64Bytes(mine))
	if err != nil || !on.Root {
		return nil, err
	}
	values, size := make([]float64, n*box.Cells()), box.Size()
	for rank, sent := range parts {
		b := domain.Intersect(box, part(rank))
		width, rows := n*(b.Hi[0]-b.Lo[0]), b.Hi[1]-b.Lo[1]
		for k := 0; k < len(sent)/8; k += width {
			row := k / width
			y, z := b.Lo[1]+row%rows-box.Lo[1], b.Lo[2]+row/rows-box.Lo[2]
			to := values[((z*size[1]+y)*size[0]+b.Lo[0]-box.Lo[0])*n:][:width]
			for i := range to {
				to[i] = comm.Float64At(sent, k+i)
			}
		}
	}
	return values, nil
}

// collect brings n numbers of each cell of a region to rank 0, from the finest cell in its place, or in its middle where there are
// several. Collective.
func (r *Refined) collect(on *rank.Rank, f model.Field, at Region, n int, take func(to, cell []float64) []float64) ([]float64, error) {
	var values []float64
	if on.Root {
		values = make([]float64, n*at.Cells())
	}
	err := r.each(func(l, k int, p *Patch) error {
		patch, whole := r.Hierarchy.Levels[l].Patches[k], r.onto(at.Box, l-at.Level)
		if l > at.Level {
			whole = r.within(at.Box, l-at.Level, Middle())
		}
		box := domain.Intersect(whole, patch.Owned)
		if box.Cells() == 0 {
			return nil // on all ranks
		}
		var mine []float64
		if p != nil {
			var err error
			if mine, err = numbers(p.View, f, domain.Intersect(box, p.Owned), n, take); err != nil {
				return err
			}
		}
		own := func(rank int) decomp.Box { return domain.Intersect(patch.Part(rank), patch.Owned) }
		found, err := gather(on, box, own, n, mine)
		if err == nil && on.Root {
			r.paint(values, at, found, Region{l, box}, n)
		}
		return err
	})
	return values, err
}

// paint gives cells of a region n numbers each, from the cells of another region that they are in or, of a finer one, that are in
// their middle.
func (r *Refined) paint(to []float64, at Region, from []float64, of Region, n int) {
	size, other := at.Size(), of.Size()
	inside := domain.Intersect(at.Box, r.onto(of.Box, at.Level-of.Level))
	place := func(x, axis int) int { // in the other region
		if axis < r.Hierarchy.Dims() {
			x = across(x, of.Level-at.Level)
		}
		return x - of.Lo[axis]
	}
	for z := inside.Lo[2]; z < inside.Hi[2]; z++ {
		for y := inside.Lo[1]; y < inside.Hi[1]; y++ {
			for x := inside.Lo[0]; x < inside.Hi[0]; x++ {
				i, j, k := place(x, 0), place(y, 1), place(z, 2)
				if i < 0 || j < 0 || k < 0 || i >= other[0] || j >= other[1] || k >= other[2] {
					continue // the finer cells end within the coarser one
				}
				cell := ((z-at.Lo[2])*size[1]+y-at.Lo[1])*size[0] + x - at.Lo[0]
				copy(to[cell*n:][:n], from[((k*other[1]+j)*other[0]+i)*n:])
			}
		}
	}
}

// across returns the cell that is finer by so many levels in the middle of a cell, or coarser around it.
func across(x, levels int) int {
	if levels <= 0 {
		return x >> -levels
	}
	return x<<levels + 1<<levels/2
}

// pick returns one component of a cell's value, or its magnitude.
func pick(cell []float64, component int) float64 {
	switch {
	case component >= 0 && component < len(cell):
		return cell[component]
	case len(cell) == 1:
		return cell[0]
	}
	sum := 0.0
	for _, v := range cell {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// CollectCells brings a field of cells anywhere to rank 0, [cell][component]. Collective.
func (v View) CollectCells(f model.Field, cells []decomp.Place) ([]float64, error) {
	all, err := v.List(cells).Collect(v, f)
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	return all[0], nil
}

// CellList is a list of cells anywhere, with the order in which ranks read them.
type CellList struct {
	owners []int       // of each cell
	mine   int         // the rank's own cells ...
	of     [][]ownCell // ... of each of its patches, plane after plane
}

// ownCell is a cell of this rank in a list of some.
type ownCell struct {
	at     [3]int // local
	number int    // among the rank's own cells
}

// List finds the owners of cells.
func (v View) List(cells []decomp.Place) *CellList {
	parts, _ := partsOf(v)
	l := &CellList{owners: make([]int, len(cells)), of: make([][]ownCell, len(parts))}
	numbers := map[[2]int]int{{}: 0} // of patches, by level and number there
	if v.Refined != nil {
		for k, p := range v.Refined.Patches {
			numbers[[2]int{p.Level, p.Number}] = k
		}
	}
	for i, c := range cells {
		patch := 0
		if v.Refined == nil {
			l.owners[i] = v.Part.Plan.Owner(c.Cell)
		} else {
			patch, _ = v.Refined.Hierarchy.Find(c.Level, c.Cell)
			l.owners[i] = v.Refined.Hierarchy.Levels[c.Level].Patches[patch].Owner(c.Cell)
		}
		if l.owners[i] == v.Rank.ID {
			k := numbers[[2]int{c.Level, patch}]
			for a, lo := range parts[k].Part.Box.Lo {
				c.Cell[a] -= lo
			}
			l.of[k] = append(l.of[k], ownCell{c.Cell, l.mine})
			l.mine++
		}
	}
	for k, p := range parts {
		axis := p.Part.Layout.Axis()
		slices.SortStableFunc(l.of[k], func(a, b ownCell) int { return cmp.Compare(a.at[axis], b.at[axis]) })
	}
	return l
}

// Collect brings fields of the cells to rank 0, each as [cell][component]. Each rank reads no more of a plane than the box around its
// cells, unless a field reads neighbours. Collective.
func (l *CellList) Collect(v View, list ...model.Field) ([][]float64, error) {
	width := 0
	for _, f := range list {
		width += f.Components
	}
	values := make([]float64, l.mine*width)
	parts, _ := partsOf(v)
	for k, p := range parts {
		if err := read(p, list, l.of[k], width, values); err != nil {
			return nil, err
		}
	}
	from, err := comm.Gather(v.Rank.Comm, comm.Float64Bytes(values))
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	all, next := make([][]float64, len(list)), make([]int, len(from))
	for i, f := range list {
		all[i] = make([]float64, 0, len(l.owners)*f.Components)
	}
	for _, rank := range l.owners { // in the order that each rank had them
		for i, f := range list {
			for range f.Components {
				all[i] = append(all[i], comm.Float64At(from[rank], next[rank]))
				next[rank]++
			}
		}
	}
	return all, nil
}

// read puts fields of some cells of a part, in the order of planes, at their numbers in values, which has so many of each cell.
func read(v View, list []model.Field, cells []ownCell, width int, values []float64) error {
	axis := v.Part.Layout.Axis()
	walls, err := v.BesideModels(list...)
	if err != nil || len(cells) == 0 {
		return err
	}
	s := NewSampler[float64](v.Part, v.Step(), v.Present(), list...).Beside(walls)
	held := false
	if !s.neighbours {
		var from Source[float64]
		if from, held, err = v.held(boxOf(cells), len(cells)); err != nil {
			return err
		} else if held {
			s.region, s.source = boxOf(cells), from
		}
	}
	var plane []float64
	for len(cells) > 0 {
		k, n := cells[0].at[axis], 1
		for n < len(cells) && cells[n].at[axis] == k {
			n++
		}
		if !s.neighbours && !held {
			s.region = boxOf(cells[:n])
			s.first = noPlane
		}
		first := 0
		for _, f := range list {
			if plane, err = s.Sample(f, k, plane); err != nil {
				return fmt.Errorf("rank %d: %s of plane %d: %w", v.Rank.ID, f.Name, k, err)
			}
			for _, c := range cells[:n] {
				row := 0
				if axis == 2 {
					row = c.at[1] - s.region.Lo[1]
				}
				copy(values[c.number*width+first:], plane[(row*s.width()+c.at[0]-s.region.Lo[0])*f.Components:][:f.Components])
			}
			first += f.Components
		}
		cells = cells[n:]
	}
	return nil
}

// boxOf returns the smallest box that contains cells.
func boxOf(cells []ownCell) decomp.Box {
	box := decomp.Box{Lo: cells[0].at, Hi: cells[0].at}
	for _, c := range cells {
		for a, k := range c.at {
			box.Lo[a], box.Hi[a] = min(box.Lo[a], k), max(box.Hi[a], k+1)
		}
	}
	return box
}
