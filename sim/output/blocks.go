// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
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
	mine  int                           // otherwise its place in derive.Refined.Patches
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
			s.view, s.mine, s.runs = &p.View, mine, p.Counted
		}
		list = append(list, s)
		return nil
	})
	return list
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

// holder takes two fields of a box, one after the other, of vectors the magnitude: of the cells that a rank owns and render.Margin layers
// around them. Boxes are in cells of the level from the domain's lower corner.
type holder interface {
	// begin computes a field, 0 or 1, of the rank's part, and takes the values of a box of it.
	begin(field int, own decomp.Box) error
	// values returns the field's values of a box of the rank's part.
	values(box decomp.Box) ([]float32, error)
	// put takes values of cells that other ranks have.
	put(box decomp.Box, values []float32) error
	// end gives the cells around a box the values of the nearest cells inside.
	end(inside decomp.Box) error
}

// fill gives a holder so many fields, with the cells that other ranks have. Beyond the ends of the domain and of patches the outermost
// cells count. Collective.
func (s stored) fill(r *Run, h holder, fields int) error {
	var mine decomp.Box
	if s.view != nil {
		mine = s.part(r.Rank.ID)
	}
	within := domain.Intersect(margined(s.owned(r.Rank.ID)), s.whole)
	send := func(rank int) error {
		box := domain.Intersect(domain.Intersect(margined(s.owned(rank)), s.whole), mine)
		if box.Cells() == 0 {
			return nil
		}
		values, err := h.values(box)
		if err != nil {
			return err
		}
		return r.Rank.Comm.Send(comm.Raw(raw.Bytes(values)), rank, tagBlocks)
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
		return h.put(box, theirs)
	}
	for k := range fields {
		if err := h.begin(k, domain.Intersect(within, mine)); err != nil {
			return err
		}
		if err := inPairs(r.Rank.ID, r.Rank.Size, send, receive); err != nil {
			return err
		}
		if within.Cells() > 0 {
			if err := h.end(within); err != nil {
				return err
			}
		}
	}
	return nil
}

// hostFields holds fields in the host's memory; NaN: a solid.
type hostFields struct {
	r            *Run
	view         *derive.View // nil: the rank has no cells of the box
	list         [2]model.Field
	mine, around decomp.Box
	sampled      []float32 // the present field of mine
	to           [2][]float32
	field        int
}

func (h *hostFields) begin(field int, own decomp.Box) (err error) {
	h.field, h.to[field] = field, make([]float32, h.around.Cells())
	if h.view == nil {
		return nil
	}
	if h.sampled, err = sampled(h.r, *h.view, h.list[field]); err != nil || own.Cells() == 0 {
		return err
	}
	return h.put(own, excerpt(h.sampled, h.mine, own))
}

func (h *hostFields) values(box decomp.Box) ([]float32, error) {
	return excerpt(h.sampled, h.mine, box), nil
}

func (h *hostFields) put(box decomp.Box, values []float32) error {
	n := h.around.Size()
	each(box, func(row decomp.Box) {
		at := row.Lo
		k := row.Size()[0]
		copy(h.to[h.field][((at[2]-h.around.Lo[2])*n[1]+at[1]-h.around.Lo[1])*n[0]+at[0]-h.around.Lo[0]:][:k], values)
		values = values[k:]
	})
	return nil
}

func (h *hostFields) end(inside decomp.Box) error {
	h.sampled = nil
	extend(h.to[h.field], h.around, inside)
	return nil
}

// deviceFields holds fields in the device's memory.
type deviceFields struct {
	device.Volume
	rays  Rays
	part  *domain.Part
	alike bool // both fields are one
	field int
}

func (d *deviceFields) begin(field int, own decomp.Box) error {
	if d.field = field; field > 0 {
		return nil // computed with the other one
	}
	return d.rays.Evaluate(d.Volume, d.part.Local(own))
}

func (d *deviceFields) values(box decomp.Box) ([]float32, error) {
	values := make([]float32, box.Cells())
	return values, d.rays.Sample(d.Volume, d.field, d.part.Local(box), values)
}

func (d *deviceFields) put(box decomp.Box, values []float32) error {
	err := d.Put(d.field, d.part.Local(box), values)
	if d.alike && err == nil {
		err = d.Put(1, d.part.Local(box), values)
	}
	return err
}

func (d *deviceFields) end(inside decomp.Box) error { return d.Extend(d.part.Local(inside)) }

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
		if v.Blank(f, int(body)) {
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
