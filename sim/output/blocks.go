// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/raw"
	"lbmsim/internal/render"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// stored is a box of cells of a level that ranks share, with this rank's view of its part.
type stored struct {
	level int
	whole decomp.Box // in cells of the level from the domain's lower corner
	count decomp.Box // those whose values count
	part  func(rank int) decomp.Box
	view  *derive.View                  // nil: the rank has no cells of it
	runs  func(y, z int) []decomp.Range // of cells that count and are the finest in their places; nil: all are
}

// stored returns all boxes of the grid, the same ones in the same order on all ranks.
func (r *Run) stored() (list []stored) {
	if r.View.Refined == nil {
		p := r.View.Part
		return []stored{{whole: r.Case.Box(), count: r.Case.Box(), part: p.Plan.Box, view: &r.View}}
	}
	g := r.View.Refined
	_ = g.Each(func(level, number, mine int) error {
		patch := g.Hierarchy.Levels[level].Patches[number]
		s := stored{level: level, whole: patch.Stored, count: patch.Owned, part: patch.Part}
		if mine >= 0 {
			p := &g.Patches[mine]
			s.view, s.runs = &p.View, p.Counted
		}
		list = append(list, s)
		return nil
	})
	return list
}

// blocks returns two fields of this rank's cells, with the cells around them that other ranks have. Beyond the ends of the domain and
// of patches the outermost cells count. Collective.
func (r *Run) blocks(shape, colour model.Field) (list []render.Block, err error) {
	for _, s := range r.stored() {
		var fields [2][]float32
		for i, f := range [2]model.Field{shape, colour} {
			if fields[i], err = s.field(r, f); err != nil {
				return nil, err
			}
			if i == 0 && f == colour {
				fields[1] = fields[0]
				break
			}
		}
		if own := s.owned(r.Rank.ID); own.Cells() > 0 {
			list = append(list, render.Block{Level: s.level, Lo: own.Lo, N: own.Size(), Shape: fields[0], Colour: fields[1], Finest: s.finest(own)})
		}
	}
	return list, nil
}

// owned returns the cells of a rank whose values count.
func (s stored) owned(rank int) decomp.Box { return domain.Intersect(s.part(rank), s.count) }

// finest reports which of a rank's cells are the finest in their places; nil: all.
func (s stored) finest(own decomp.Box) []bool {
	if s.runs == nil {
		return nil
	}
	n, lo := own.Size(), own.Lo
	list := make([]bool, own.Cells())
	for z := range n[2] {
		for y := range n[1] {
			row := list[(z*n[1]+y)*n[0]:][:n[0]]
			for _, run := range s.runs(lo[1]+y, lo[2]+z) {
				for x := run.Lo; x < run.Hi; x++ {
					row[x-lo[0]] = true
				}
			}
		}
	}
	return list
}

// field returns a field, of vectors the magnitude, of the owned cells and render.Margin layers around them. NaN: a solid. Collective.
func (s stored) field(r *Run, f model.Field) ([]float32, error) {
	var mine decomp.Box
	var values []float32
	if s.view != nil {
		mine = s.part(r.Rank.ID)
		var err error
		if values, err = sampled(r, *s.view, f); err != nil {
			return nil, err
		}
	}
	around := margined(s.owned(r.Rank.ID))
	n := around.Size()
	to := make([]float32, around.Cells())
	put := func(box decomp.Box, from []float32) {
		each(box, func(row decomp.Box) {
			at := row.Lo
			k := row.Size()[0]
			copy(to[((at[2]-around.Lo[2])*n[1]+at[1]-around.Lo[1])*n[0]+at[0]-around.Lo[0]:][:k], from)
			from = from[k:]
		})
	}
	within := domain.Intersect(around, s.whole)
	if own := domain.Intersect(within, mine); own.Cells() > 0 {
		put(own, excerpt(values, mine, own))
	}
	send := func(rank int) error {
		box := domain.Intersect(domain.Intersect(margined(s.owned(rank)), s.whole), mine)
		if box.Cells() == 0 {
			return nil
		}
		return r.Rank.Comm.Send(comm.Raw(raw.Bytes(excerpt(values, mine, box))), rank, tagBlocks)
	}
	receive := func(rank int) error {
		box := domain.Intersect(within, s.part(rank))
		if box.Cells() == 0 {
			return nil
		}
		theirs := make([]float32, box.Cells())
		if err := r.Rank.Comm.Receive(comm.Raw(raw.Bytes(theirs)), rank, tagBlocks); err != nil {
			return err
		}
		put(box, theirs)
		return nil
	}
	if err := inPairs(r.Rank.ID, r.Rank.Size, send, receive); err != nil {
		return nil, err
	}
	if around.Cells() > 0 {
		extend(to, around, within)
	}
	return to, nil
}

// tagBlocks is the tag of cells on their way to other ranks' margins.
const tagBlocks = 104

// inPairs exchanges messages with every other rank. The lower rank of two sends first: with the pairs in this order, no pair waits
// for a later one.
func inPairs(id, ranks int, send, receive func(rank int) error) error {
	for rank := range ranks {
		first, second := receive, send
		if rank == id {
			continue
		} else if id < rank {
			first, second = send, receive
		}
		if err := first(rank); err != nil {
			return err
		}
		if err := second(rank); err != nil {
			return err
		}
	}
	return nil
}

// sampled returns a field of all cells of a rank's part, of vectors the magnitude, NaN in solids.
func sampled(r *Run, v derive.View, f model.Field) ([]float32, error) {
	solid, _ := model.FindField("solid")
	var kept [][]float32
	if err := copyRegion(r, v, decomp.Box{Hi: v.Part.Layout.N}, []model.Field{f, solid}, &kept); err != nil {
		return nil, err
	}
	values := kept[0]
	if f.Components > 1 {
		values = make([]float32, len(kept[1]))
		for i := range values {
			sum := 0.0
			for _, u := range kept[0][i*f.Components:][:f.Components] {
				sum += float64(u) * float64(u)
			}
			values[i] = float32(math.Sqrt(sum))
		}
	}
	for i, body := range kept[1] {
		if body != 0 && !(f.Name == "temperature" && int(body) <= len(r.Case.Bodies) && r.Case.Bodies[int(body)-1].Conducts()) {
			values[i] = float32(math.NaN())
		}
	}
	return values, nil
}

// margined returns a box with the margin of blocks around it; an empty one stays empty.
func margined(b decomp.Box) decomp.Box {
	if b.Cells() == 0 {
		return decomp.Box{}
	}
	for a := range b.Lo {
		b.Lo[a], b.Hi[a] = b.Lo[a]-render.Margin, b.Hi[a]+render.Margin
	}
	return b
}

// each visits the rows of a box.
func each(box decomp.Box, visit func(row decomp.Box)) {
	for z := box.Lo[2]; z < box.Hi[2]; z++ {
		for y := box.Lo[1]; y < box.Hi[1]; y++ {
			visit(decomp.Box{Lo: [3]int{box.Lo[0], y, z}, Hi: [3]int{box.Hi[0], y + 1, z + 1}})
		}
	}
}

// excerpt returns the values of a box in another one.
func excerpt(values []float32, of, box decomp.Box) []float32 {
	list, n := make([]float32, 0, box.Cells()), of.Size()
	each(box, func(row decomp.Box) {
		at := row.Lo
		list = append(list, values[((at[2]-of.Lo[2])*n[1]+at[1]-of.Lo[1])*n[0]+at[0]-of.Lo[0]:][:row.Size()[0]]...)
	})
	return list
}

// extend gives cells outside of a box the values of the nearest cells inside.
func extend(values []float32, of, inside decomp.Box) {
	n := of.Size()
	i := 0
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				at := [3]int{x + of.Lo[0], y + of.Lo[1], z + of.Lo[2]}
				if !inside.Contains(at) {
					for a := range at {
						at[a] = min(max(at[a], inside.Lo[a]), inside.Hi[a]-1) - of.Lo[a]
					}
					values[i] = values[(at[2]*n[1]+at[1])*n[0]+at[0]]
				}
				i++
			}
		}
	}
}
