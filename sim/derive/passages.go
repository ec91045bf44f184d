// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
)

// Passage is the flow through the faces of a boundary.
type Passage struct {
	Cells, Entering int     // fluid cells beside the faces; where fluid enters
	In, Out         float64 // sums of the velocity across the face over cells where it enters and where it leaves
	Slant           float64 // In of cells where fluid enters at more than 45 degrees from the normal
}

// passageUnit is the unit of the sums of velocities: integers, so that no cut changes them. They hold 10^8 cells at the speed of
// sound.
const passageUnit = 0x1p-32

// Passages returns the flow through the boundaries that wanted names, by their number, on rank 0. Velocities across a
// face below least are left out. Collective.
func (v View) Passages(wanted func(config.Boundary) bool, least float64) ([]Passage, error) {
	n, levels := len(v.Case.Boundaries), 1
	if v.Refined != nil {
		levels = len(v.Refined.Hierarchy.Levels)
	}
	sums := make([]passageSums, levels*n) // level by level
	for a := range v.Case.Dims() {
		for side := range 2 {
			f := config.Face{Axis: a, Side: side}
			pass := func(v View, level int, own decomp.Box, counted func(y, z int) []decomp.Range) error {
				if !v.touches(f, wanted) {
					return nil
				}
				if err := v.pass(f, own, counted, sums[level*n:][:n], least); err != nil {
					return fmt.Errorf("rank %d: fields at face %s at step %d: %w", v.Rank.ID, f, v.Step(), err)
				}
				return nil
			}
			if v.Refined == nil {
				if err := pass(v, 0, decomp.Box{Hi: v.Part.Layout.N}, nil); err != nil {
					return nil, err
				}
				continue
			}
			for _, p := range v.Refined.Patches {
				if err := pass(p.View, p.Level, p.Part.Local(p.Owned), p.Counted); err != nil {
					return nil, err
				}
			}
		}
	}
	return v.addPassages(sums)
}

// touches reports whether this rank has cells beside a face that a wanted boundary has a part of.
func (v View) touches(f config.Face, wanted func(config.Boundary) bool) bool {
	n := v.Case.Cells[f.Axis]
	if v.Case.Periodic[f.Axis] || f.Side == 0 && v.Part.Box.Lo[f.Axis] > 0 || f.Side == 1 && v.Part.Box.Hi[f.Axis] < n {
		return false
	}
	for _, b := range v.Case.Boundaries {
		for _, g := range b.Faces {
			if g == f && wanted(b) {
				return true
			}
		}
	}
	return false
}

// passageSums are the numbers of a Passage in units of passageUnit.
type passageSums struct{ cells, entering, in, out, slant int64 }

// pass adds the cells of a local box beside a face: of each row those in the runs that counted returns, global; nil: all.
func (v View) pass(f config.Face, box decomp.Box, counted func(y, z int) []decomp.Range, sums []passageSums, least float64) error {
	if box.Cells() == 0 {
		return nil
	}
	if f.Side == 0 {
		box.Hi[f.Axis] = box.Lo[f.Axis] + 1
	} else {
		box.Lo[f.Axis] = box.Hi[f.Axis] - 1
	}
	values, err := v.Present()(box, nil)
	if err != nil {
		return err
	}
	size, stored := box.Size(), v.Case.Spec.FieldValues()
	var runs []decomp.Range
	for i := range box.Cells() {
		x, row := i%size[0], i/size[0]
		at := [3]int{box.Lo[0] + x, box.Lo[1] + row%size[1], box.Lo[2] + row/size[1]}
		if counted != nil {
			global := v.Part.Global(at)
			if x == 0 {
				runs = counted(global[1], global[2])
			}
			if !slices.ContainsFunc(runs, func(r decomp.Range) bool { return r.Lo <= global[0] && global[0] < r.Hi }) {
				continue // a finer level has its place
			}
		}
		beyond := at
		beyond[f.Axis] += 2*f.Side - 1
		k := int(v.Part.Cells.At(beyond[0], beyond[1], beyond[2]))
		if v.Part.Cells.At(at[0], at[1], at[2]) != 0 || k == 0 || k > len(sums) {
			continue
		}
		inwards, along := 0.0, 0.0
		for c := range v.Case.Dims() {
			if u := values[(row*stored+1+c)*size[0]+x]; c == f.Axis {
				inwards = u * float64(1-2*f.Side)
			} else {
				along = math.Hypot(along, u)
			}
		}
		sums[k-1].add(inwards, along, least)
	}
	return nil
}

func (s *passageSums) add(inwards, along, least float64) {
	s.cells++
	parts := int64(math.Round(math.Abs(Finite(inwards)) / passageUnit))
	switch {
	case !(math.Abs(inwards) > least):
	case inwards < 0:
		s.out += parts
	default:
		s.entering++
		s.in += parts
		if along > inwards {
			s.slant += parts
		}
	}
}

// addPassages adds the sums of all ranks on rank 0. Collective.
func (v View) addPassages(sums []passageSums) ([]Passage, error) {
	var mine []byte
	for _, s := range sums {
		for _, n := range []int64{s.cells, s.entering, s.in, s.out, s.slant} {
			mine = binary.LittleEndian.AppendUint64(mine, uint64(n))
		}
	}
	parts, err := comm.Gather(v.Rank.Comm, mine)
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	total := make([]int64, 5*len(sums))
	for _, p := range parts {
		for i := range total {
			total[i] += int64(binary.LittleEndian.Uint64(p[8*i:]))
		}
	}
	list := make([]Passage, len(v.Case.Boundaries))
	for i := range sums {
		level, n := i/len(list), total[5*i:]
		unit := math.Pow(0.5, float64(level*(v.Case.Dims()-1))) * passageUnit // a cell's part of the face, by one of level 0
		p := &list[i%len(list)]
		p.Cells += int(n[0])
		p.Entering += int(n[1])
		p.In += unit * float64(n[2])
		p.Out += unit * float64(n[3])
		p.Slant += unit * float64(n[4])
	}
	return list, nil
}
