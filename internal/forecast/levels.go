// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package forecast

import (
	"fmt"
	"slices"
	"strings"

	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/decomp"
)

// Memory of refined grids: all patches of all levels.

// faceLists is the approximate size of the lists for a face of the coarser level beside its values, by the number of dimensions;
// faceValues is the number of cells' values in buffers for it. Measured on CPUs, for D2Q9 and D3Q27: 490 and 1070 bytes in float32,
// 570 and 1470 in float64, without the buffers of messages.
const (
	faceLists2, faceLists3 = 600, 1100
	faceValues             = 16
)

// share is a rank's part of a level, or of several.
type share struct {
	stored  int64   // cells
	updates float64 // of cells whose values count, in one step of level 0
	state   int64   // bytes of two states
	flags   int64   // bytes of the types of cells
	kept    int64   // bytes of one copy of the inner state
	between int64   // bytes of buffers and lists between levels
}

func (s share) plus(o share) share {
	return share{s.stored + o.stored, s.updates + o.updates, s.state + o.state, s.flags + o.flags, s.kept + o.kept, s.between + o.between}
}

// memory of it that a rank takes for sure.
func (s share) memory() int64 { return s.state + s.flags + s.between }

// levelsOf returns the levels of a case on a number of ranks that Cut takes.
func levelsOf(c *config.Case, ranks int) *decomp.Hierarchy {
	h, err := c.Hierarchy(ranks)
	if err != nil {
		panic(err) // callers have asked Cut, and reading the case for the boxes
	}
	return h
}

// shareOf returns a rank's part of a level.
func shareOf(c *config.Case, h *decomp.Hierarchy, level, rank int) (s share) {
	for _, p := range h.Levels[level].Patches {
		box := p.Part(rank)
		if box.Cells() == 0 {
			continue
		}
		plan := p.Plan
		plan.Faces = h.Levels[0].Patches[0].Plan.Faces
		l := plan.Layout(rank, c.Spec.Components())
		bytes := int64(c.Spec.Precision.Bytes())
		s.stored += int64(box.Cells())
		s.state += 2*int64(l.Len())*bytes + eddyBytes(c, l)
		s.flags += int64(l.N[0]+2) * int64(l.N[1]+2) * int64(l.N[2]+2)
		s.kept += int64(l.N[1])*int64(l.N[2])*int64(l.RowLen())*bytes + eddyBytes(c, l)
		s.between += interfaceBytes(c, p, box)
		s.updates += float64(counted(h, level, common(box, p.Owned))) * float64(int(1)<<level)
	}
	return s
}

// counted returns the number of cells in a box of owned cells of a level that no finer level covers.
func counted(h *decomp.Hierarchy, level int, b decomp.Box) int {
	n := b.Cells()
	if level+1 == len(h.Levels) {
		return n
	}
	for _, p := range h.Levels[level+1].Patches {
		over := p.Owned
		for a := range h.Dims() {
			over.Lo[a], over.Hi[a] = over.Lo[a]/2, over.Hi[a]/2
		}
		n -= common(b, over).Cells()
	}
	return n
}

// interfaceBytes returns the approximate memory of a part of a patch for the exchange with the coarser level.
func interfaceBytes(c *config.Case, p decomp.Patch, part decomp.Box) int64 {
	faces, lists := 0, faceLists3
	own := common(part, p.Owned)
	for a := range c.Dims() {
		for _, beyond := range []bool{p.Stored.Lo[a] < p.Owned.Lo[a] && part.Lo[a] == p.Stored.Lo[a], p.Stored.Hi[a] > p.Owned.Hi[a] && part.Hi[a] == p.Stored.Hi[a]} {
			if size := own.Size(); beyond && own.Cells() > 0 {
				faces += own.Cells() / size[a] >> (c.Dims() - 1)
			}
		}
	}
	if c.Dims() == 2 {
		lists = faceLists2
	}
	if c.Spec.Scalar { // carriers have lists of their own
		lists *= 2
	}
	return int64(faces) * int64(lists+faceValues*c.Spec.Components()*c.Spec.Precision.Bytes())
}

// common returns the cells that two boxes share.
func common(a, b decomp.Box) decomp.Box {
	for k := range a.Lo {
		a.Lo[k], a.Hi[k] = max(a.Lo[k], b.Lo[k]), min(a.Hi[k], b.Hi[k])
	}
	return a
}

// largest returns the share of the rank that needs most memory for some levels.
func largest(c *config.Case, h *decomp.Hierarchy, levels ...int) (most share) {
	for rank := range h.Levels[0].Patches[0].Plan.Ranks() {
		var s share
		for _, l := range levels {
			s = s.plus(shareOf(c, h, l, rank))
		}
		if s.memory() > most.memory() {
			most = s
		}
	}
	return most
}

// largestOfAll returns the share of the rank that needs most memory for all levels.
func largestOfAll(c *config.Case, ranks int) share {
	h := levelsOf(c, ranks)
	return largest(c, h, all(h)...)
}

// all returns the numbers of all levels.
func all(h *decomp.Hierarchy) (list []int) {
	for l := range h.Levels {
		list = append(list, l)
	}
	return list
}

// Levels returns the table of a refined grid's levels on a number of ranks that Cut takes, with the heads of the columns as first row;
// nil without refinement. Cells are those whose values count; extra ones are the overlap, and cells that a finer level covers. Of the
// updates in a step of level 0 each level has its share; the last column is the largest part of that which one rank computes. Ranks
// wait for each other at the end of each step of each level.
func Levels(c *config.Case, ranks int) [][]string {
	if len(c.Refine) == 0 {
		return nil
	}
	h := levelsOf(c, ranks)
	rows := [][]string{{"level", "boxes", "spacing", "time step", "tau", "cells", "extra", "updates", "", "memory per rank"}}
	if ranks > 1 {
		rows[0] = append(rows[0], "largest share of a rank")
	}
	line := func(name, boxes, spacing, step, tau string, levels ...int) {
		cells, stored, updates, most := 0, 0, 0., 0.
		for _, l := range levels {
			cells += h.Counted(l)
			updates += float64(h.Counted(l)) * float64(int(1)<<l)
			for _, p := range h.Levels[l].Patches {
				stored += p.Stored.Cells()
			}
		}
		row := []string{name, boxes, spacing, step, tau, language.Grouped(cells), language.Grouped(stored - cells), language.Grouped(int(updates)), percent(updates / h.Updates()),
			Bytes(largest(c, h, levels...).memory())}
		if ranks > 1 {
			for rank := range ranks {
				var s share
				for _, l := range levels {
					s = s.plus(shareOf(c, h, l, rank))
				}
				most = max(most, s.updates)
			}
			row = append(row, percent(most/updates))
		}
		rows = append(rows, row)
	}
	for l := range h.Levels {
		width := float64(int(1) << l)
		spacing, step := language.Short(c.Units.Length/width), language.Short(c.Units.Time/width)
		if c.Units.Physical {
			spacing, step = spacing+" m", step+" s"
		}
		line(fmt.Sprint(l), boxesOf(c, l), spacing, step, config.TauText(0.5+(c.Tau-0.5)*width), l)
	}
	line("all", "", "", "", "", all(h)...)
	return rows
}

// mostBoxes is the largest number of names in a row.
const mostBoxes = 4

// boxesOf names the boxes of a level.
func boxesOf(c *config.Case, level int) string {
	var names []string
	for _, r := range c.Refine {
		if r.Level == level {
			names = append(names, strings.TrimPrefix(r.Name, "refine."))
		}
	}
	if level == 0 {
		return "the domain"
	}
	if n := len(names) - mostBoxes; n > 0 {
		names = append(slices.Clone(names[:mostBoxes]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// percent formats a share with two digits.
func percent(share float64) string {
	if share >= 0.0995 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
