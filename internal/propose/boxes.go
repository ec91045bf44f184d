// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package propose

import (
	"cmp"
	"math"
	"slices"

	"lbmsim/config"
	"lbmsim/decomp"
)

// CellChange is the change of the velocity from one cell to the next, as a share of the speed, above which cells are refined. It is
// applied to the mean magnitude of the vorticity, with the cells of the coarser level. docs/decisions.md has the trials.
const CellChange = 0.06

// Clearances of the boxes that follow from the flow.
const (
	buffer   = 2    // cells of the coarser level around the cells that have shear
	toFace   = 4    // cells of the coarser level: a box that is as near to a face of the domain begins at it
	mostOf   = 4    // boxes of a level that follow from the flow
	worthCut = 0.15 // share of a box that a cut must save
	slack    = 1.2  // two boxes become one that has up to so many times their cells
	alongWay = 8    // cells of a level beside walls of the domain, where there is neither a body nor shear
)

// Grid is level 0 of the proposed case, and the number of levels above it.
type Grid struct {
	Cells    [3]int
	Periodic [3]bool
	Dims     int
	Levels   int
}

// Body is the box around a body, in cells of level 0.
type Body struct {
	Name   string
	Lo, Hi [3]float64
	Margin float64 // of the body from the ends of its box, in cells of the box's level
	Wanted bool    // the finest cells are around it
}

// Flow is the mean magnitude of the vorticity on a coarse grid that fills the domain, [z][y][x], made dimensionless by a length and a
// speed.
type Flow struct {
	Cells     [3]int
	Vorticity []float64
	// Layers is the number of cells beside some faces, walls of the domain, whose shear makes no boxes: it is theirs from end to end.
	// Boxes that follow from the shear beyond reach the wall.
	Layers int
	Walls  []config.Face
}

// apart returns the flow without the vorticity beside its walls.
func (f Flow) apart() Flow {
	f.Vorticity = slices.Clone(f.Vorticity)
	for i := range f.Vorticity {
		at := [3]int{i % f.Cells[0], i / f.Cells[0] % f.Cells[1], i / (f.Cells[0] * f.Cells[1])}
		for _, w := range f.Walls {
			if d := at[w.Axis]; w.Side == 0 && d < f.Layers || w.Side == 1 && d >= f.Cells[w.Axis]-f.Layers {
				f.Vorticity[i] = 0
			}
		}
	}
	return f
}

// reach returns a box of cells, up to the walls that it would otherwise end beside.
func (f Flow) reach(b decomp.Box) decomp.Box {
	for _, w := range f.Walls {
		if n := f.Cells[w.Axis]; w.Side == 0 && b.Lo[w.Axis] <= f.Layers {
			b.Lo[w.Axis] = 0
		} else if w.Side == 1 && b.Hi[w.Axis] >= n-f.Layers {
			b.Hi[w.Axis] = n
		}
	}
	return b
}

// Box is a proposed box. Of is the body in it, if it was made for one, and Default says that it is the default box around it.
type Box struct {
	decomp.Refinement
	Of      string
	Default bool
}

// part is a box of a level in cells of the coarser level.
type part struct {
	decomp.Box
	body   bool   // it contains one,
	of     string // the first of them
	around bool   // and is the default box around it
}

// Threshold returns the dimensionless vorticity from which on a level is proposed: the coarser level has so many cells across the
// length.
func Threshold(cellsAcross float64) float64 { return CellChange * cellsAcross }

// Boxes proposes boxes for all levels, the coarsest first, those with bodies first on each. across is the number of cells of level 0
// across the length of the flow. Without bodies and shear the boxes are along the walls of the domain.
func Boxes(g Grid, flow Flow, bodies []Body, walls []config.Face, across float64) []Box {
	flow = flow.apart()
	var finer []part
	var all [][]part
	for l := g.Levels; l > 0; l-- {
		at := on{g, g.cells(l - 1), l}
		var list []part
		for _, b := range bodies {
			if b.Wanted {
				list = append(list, at.around(b))
			}
		}
		for _, b := range clusters(g.Dims, flow, Threshold(across*float64(int(1)<<(l-1)))) {
			list = append(list, part{Box: at.from(flow.Cells, flow.reach(b))})
		}
		if len(bodies) == 0 && !slices.ContainsFunc(flow.Vorticity, func(v float64) bool { return v >= Threshold(across) }) {
			list = append(list, at.beside(walls)...)
		}
		for _, p := range finer {
			list = at.nest(list, p)
		}
		finer = at.clear(at.merged(at.fitted(list)), bodies)
		all = append(all, finer)
	}
	var boxes []Box
	for k := len(all) - 1; k >= 0; k-- {
		level := g.Levels - k
		boxes = append(boxes, g.given(level, all[k])...)
	}
	return boxes
}

// cells returns the cells of a level.
func (g Grid) cells(level int) (n [3]int) {
	n = g.Cells
	for a := range g.Dims {
		n[a] <<= level
	}
	return n
}

// given returns the parts of a level as boxes, those with bodies first: later ones are cut where they overlap, and a body's surface is
// in one box.
func (g Grid) given(level int, list []part) (boxes []Box) {
	slices.SortStableFunc(list, func(a, b part) int {
		switch {
		case a.body && !b.body:
			return -1
		case b.body && !a.body:
			return 1
		}
		return 0
	})
	for _, p := range list {
		b := Box{Of: p.of, Default: p.around}
		b.Level = level
		for a := range 3 {
			width := 1.
			if a < g.Dims {
				width = float64(int(1) << (level - 1))
			}
			b.From[a], b.To[a] = float64(p.Lo[a])/width, float64(p.Hi[a])/width
		}
		boxes = append(boxes, b)
	}
	return boxes
}

// on is a level whose boxes are made, in cells of the coarser level, of which there are n.
type on struct {
	Grid
	n     [3]int
	level int
}

// around returns the default box around a body.
func (o on) around(b Body) part {
	const rounding = 1e-6
	p := part{Box: decomp.Box{Hi: [3]int{1, 1, 1}}, body: true, of: b.Name, around: true}
	for a := range o.Dims {
		width := float64(int(1) << (o.level - 1)) // margins are in the finer cells
		n := float64(o.n[a])
		p.Lo[a] = int(math.Floor(math.Max(b.Lo[a]*width-b.Margin/2, -n) + rounding))
		p.Hi[a] = int(math.Ceil(math.Min(b.Hi[a]*width+b.Margin/2, 2*n) - rounding))
	}
	return p
}

// from returns the box of cells of another grid that fills the domain, with a buffer.
func (o on) from(cells [3]int, b decomp.Box) decomp.Box {
	for a := range o.Dims {
		b.Lo[a] = b.Lo[a]*o.n[a]/cells[a] - buffer
		b.Hi[a] = (b.Hi[a]*o.n[a]+cells[a]-1)/cells[a] + buffer
	}
	return b
}

// beside returns boxes along faces of the domain.
func (o on) beside(faces []config.Face) (list []part) {
	for _, f := range faces {
		p := part{Box: decomp.Box{Hi: o.n}}
		if f.Side == 0 {
			p.Hi[f.Axis] = min(p.Hi[f.Axis], alongWay/2)
		} else {
			p.Lo[f.Axis] = max(0, p.Hi[f.Axis]-alongWay/2)
		}
		list = append(list, p)
	}
	return list
}

// nest adds the cells that a box of the next finer level needs around it, unless a box of this level has them.
func (o on) nest(list []part, finer part) []part {
	need := part{Box: decomp.Box{Hi: [3]int{1, 1, 1}}}
	for a := range o.Dims { // from cells of this level to the coarser ones
		if finer.Lo[a] == 0 && finer.Hi[a] == 2*o.n[a] {
			need.Hi[a] = o.n[a]
			continue
		}
		need.Lo[a] = (finer.Lo[a] - decomp.Nesting) >> 1
		need.Hi[a] = (finer.Hi[a] + decomp.Nesting + 1) >> 1
	}
	need.Box = o.fit(need.Box)
	for _, p := range list {
		if has(o.fit(p.Box), need.Box) {
			return list
		}
	}
	return append(list, need)
}

// fitted clips boxes to the domain.
func (o on) fitted(list []part) (fit []part) {
	for _, p := range list {
		b := o.fit(p.Box)
		if b.Cells() == 0 {
			continue
		}
		clipped := p.Box // as config clips a box around a body
		for a := range o.Dims {
			if !o.Periodic[a] || clipped.Lo[a] < 0 && clipped.Hi[a] > o.n[a] {
				clipped.Lo[a], clipped.Hi[a] = max(0, clipped.Lo[a]), min(o.n[a], clipped.Hi[a])
			}
		}
		if b != clipped {
			p.around = false
		}
		p.Box = b
		fit = append(fit, p)
	}
	return fit
}

// fit clips a box, extends it to faces that are near, and over a whole periodic axis if it would cross its end.
func (o on) fit(b decomp.Box) decomp.Box {
	for a := range o.Dims {
		switch n := o.n[a]; {
		case o.Periodic[a] && (b.Lo[a] < 0 || b.Hi[a] > n):
			b.Lo[a], b.Hi[a] = 0, n
		case !o.Periodic[a]:
			if b.Lo[a] <= toFace {
				b.Lo[a] = 0
			}
			if b.Hi[a] >= n-toFace {
				b.Hi[a] = n
			}
		}
	}
	return b
}

// merged joins boxes where one box has few cells more, and boxes with bodies that touch.
func (o on) merged(list []part) []part {
	for i := 0; i < len(list); i++ {
		for j := i + 1; j < len(list); j++ {
			a, b := list[i], list[j]
			both := hull(a.Box, b.Box)
			separate := a.Cells() + b.Cells() - overlap(a.Box, b.Box).Cells()
			if touch := overlap(grown(a.Box, 1), b.Box).Cells() > 0; !(a.body && b.body && touch) && float64(both.Cells()) > slack*float64(separate) {
				continue
			}
			p := part{Box: o.fit(both), body: a.body || b.body, of: cmp.Or(a.of, b.of)}
			p.around = p.Box == a.Box && a.around && (!b.body || a.of == b.of && b.around) || p.Box == b.Box && b.around && !a.body
			list[i] = p
			list = slices.Delete(list, j, j+1)
			i = -1 // the larger box may join others
			break
		}
	}
	return list
}

// clear adds boxes around bodies that would be too near to the ends of a box: they are inside a box of a level, or well outside.
func (o on) clear(list []part, bodies []Body) []part {
	for range len(bodies) + 1 {
		var more []part
		for _, b := range bodies {
			own := o.fitted([]part{o.around(b)})
			if len(own) == 0 || slices.ContainsFunc(list, func(p part) bool { return p.body && has(p.Box, own[0].Box) }) {
				continue
			}
			far := b
			far.Margin = 2*b.Margin + decomp.OverlapDeep + 2
			zone := o.around(far).Box
			if slices.ContainsFunc(list, func(p part) bool { return overlap(zone, p.Box).Cells() > 0 }) {
				more = append(more, own[0])
			}
		}
		if len(more) == 0 {
			break
		}
		list = o.merged(append(list, more...))
	}
	return list
}

// has reports whether a box has all of another.
func has(b, other decomp.Box) bool { return overlap(b, other) == other }

func overlap(a, b decomp.Box) decomp.Box {
	for k := range a.Lo {
		a.Lo[k], a.Hi[k] = max(a.Lo[k], b.Lo[k]), min(a.Hi[k], b.Hi[k])
		if a.Hi[k] <= a.Lo[k] {
			return decomp.Box{}
		}
	}
	return a
}

func hull(a, b decomp.Box) decomp.Box {
	for k := range a.Lo {
		a.Lo[k], a.Hi[k] = min(a.Lo[k], b.Lo[k]), max(a.Hi[k], b.Hi[k])
	}
	return a
}

func grown(b decomp.Box, by int) decomp.Box {
	for k := range b.Lo {
		b.Lo[k] -= by
		b.Hi[k] += by
	}
	return b
}
