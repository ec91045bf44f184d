package derive

import (
	"math"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// Refined is a refined grid as its readers see it.
type Refined struct {
	Hierarchy *decomp.Hierarchy
	Patches   []Patch // those that the rank has cells of, level by level, in the hierarchy's order
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

// each does so with the patch itself; nil: this rank has no cells of it.
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

// census sums the finest cells everywhere. Sums have one order, which no cut changes: cells of a row, rows of a plane, planes of a
// patch, patches and levels in theirs. The host adds what the device reads, because the device's own sums know all cells of a box.
// Collective.
func (v View) census() (sections []Section, t Totals, err error) {
	err = v.Refined.each(func(l, _ int, p *Patch) error {
		var table []float64
		if p != nil {
			rows, err := p.rows()
			if err != nil {
				return err
			}
			sections, table = append(sections, p.sections(rows)...), tableOf(rows)
		}
		all, err := p.planeSums(v, table, totalled)
		before := t.Cells
		t.add(all, v.Refined.volume(l))
		t.Volume += float64(t.Cells-before) * v.Refined.volume(l)
		return err
	})
	return sections, t, err
}

// planeSums brings a table of the rank's own rows to rank 0 as one of planes. Collective; a rank without cells of the patch has nil.
func (p *Patch) planeSums(v View, table []float64, of domain.Columns) ([]float64, error) {
	if p == nil {
		return domain.PlaneSums(v.Rank, nil, 0, nil, of)
	}
	return domain.PlaneSums(v.Rank, p.line(), p.planes(), table, of)
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

// rows sums the rows that the rank owns, [z][y].
func (p *Patch) rows() ([]device.Plane, error) {
	own, axis := p.Owned, p.Part.Layout.Axis()
	n := own.Size()
	row := n[0] * p.Case.Spec.FieldValues()
	sums := make([]device.Plane, n[1]*n[2])
	if n[axis] == 0 || len(sums) == 0 {
		return nil, nil
	}
	each := len(sums) / n[axis] // rows of a plane
	return sums, p.Rank.Share(n[axis], func(from, to int) error {
		values := make([]float64, each*row)
		for k := from; k < to; k++ {
			plane := own
			plane.Lo[axis], plane.Hi[axis] = own.Lo[axis]+k, own.Lo[axis]+k+1
			if err := p.State.Fields(p.Part.Local(plane), values); err != nil {
				return err
			}
			for j := range each {
				i := k*each + j
				sums[i] = p.row(own.Lo[1]+i%n[1], own.Lo[2]+i/n[1], own.Lo[0], values[j*row:][:row])
			}
		}
		return nil
	})
}

// row sums the counted cells of a row, of which values has all that the rank owns: from x0 on, component by component. Places are
// local.
func (p *Patch) row(y, z, x0 int, values []float64) (sum device.Plane) {
	dims := p.Case.Dims()
	n, lo := len(values)/p.Case.Spec.FieldValues(), p.Part.Box.Lo
	for _, run := range p.Counted(y, z) {
		for x := run.Lo; x < run.Hi; x++ {
			at := [3]int{x - lo[0], y - lo[1], z - lo[2]}
			if p.Part.Cells.At(at[0], at[1], at[2]) != 0 {
				continue
			}
			var cell device.Plane
			density := values[x-x0]
			speed2, check := 0.0, density-density
			for a := range dims {
				u := values[(1+a)*n+x-x0]
				cell.Momentum[a] = (1 + density) * u
				speed2 += u * u
				check += u - u
			}
			cell.Cells, cell.Mass, cell.Energy, cell.MaxSpeed, cell.MaxAt = 1, density, (1+density)*speed2/2, math.Sqrt(speed2), at
			if check != 0 { // it is no number
				cell.Bad, cell.BadAt, cell.MaxSpeed = 1, at, 0
			}
			sum.Add(cell)
		}
	}
	return sum
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

// collectFinest brings n numbers of each cell of a region, those of the finest cell in its place, to rank 0. Collective.
func (v View) collectFinest(f model.Field, at Region, n int, take func(to, cell []float64) []float64) ([]float64, error) {
	var values []float64
	if v.Rank.Root {
		values = make([]float64, n*at.Cells())
	}
	err := v.Refined.each(func(l, k int, p *Patch) error {
		if l > at.Level {
			return nil
		}
		patch := v.Refined.Hierarchy.Levels[l].Patches[k]
		box := domain.Intersect(v.Refined.onto(at.Box, l-at.Level), patch.Owned)
		if box.Cells() == 0 {
			return nil // on all ranks
		}
		var mine []float64
		if p != nil {
			var err error
			if mine, err = p.numbers(f, domain.Intersect(box, p.Owned), n, take); err != nil {
				return err
			}
		}
		own := func(rank int) decomp.Box { return domain.Intersect(patch.Part(rank), patch.Owned) }
		found, err := v.gather(box, own, n, mine)
		if err == nil && v.Rank.Root {
			v.Refined.paint(values, at, found, Region{l, box}, n)
		}
		return err
	})
	return values, err
}

// paint gives cells of a region n numbers each, those of the cells of a region of the same or a coarser level that they are in.
func (r *Refined) paint(to []float64, at Region, from []float64, of Region, n int) {
	size, coarse := at.Size(), of.Size()
	inside := domain.Intersect(at.Box, r.onto(of.Box, at.Level-of.Level))
	parent := func(x, axis int) int {
		if axis < r.Hierarchy.Dims() {
			x >>= at.Level - of.Level
		}
		return x - of.Lo[axis]
	}
	for z := inside.Lo[2]; z < inside.Hi[2]; z++ {
		for y := inside.Lo[1]; y < inside.Hi[1]; y++ {
			row := to[((z-at.Lo[2])*size[1]+y-at.Lo[1])*size[0]*n:]
			source := from[(parent(z, 2)*coarse[1]+parent(y, 1))*coarse[0]*n:]
			for x := inside.Lo[0]; x < inside.Hi[0]; x++ {
				copy(row[(x-at.Lo[0])*n:][:n], source[parent(x, 0)*n:])
			}
		}
	}
}
