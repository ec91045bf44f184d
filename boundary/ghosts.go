// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"fmt"
	"math"

	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// Faces lists the ghost cells that faces of the domain fill, for kernels/face.h. Those beyond the
// ends of x are not in the state, whose rows have no room for them, but in a separate array
// arranged by the device (on a GPU as [end][row][component]).
type Faces struct {
	// Cells with a source in the rank's own box come first, Own of them; the others are next to
	// ghost cells filled by an exchange.
	Cells []FaceCell
	Own   int
	Rules []CodedRule
	Ends  bool // whether any lie beyond the ends of x
	// Steady is the number of constant rules: time-dependent rules follow them.
	Steady int

	// Outlets are the cells beside outflows; the cells of interior row z ny + y begin at OutletRows[row],
	// which has one more at its end.
	Outlets     []OutletCell
	OutletRows  []uint32
	OutletRules [][OutletNumbers]float64

	cells Cells
	timed []Ghost // of each time-dependent rule, a ghost cell with that rule
}

// OutletCell is a cell beside outflows, for kernels/outflow.h.
type OutletCell struct {
	X    int32
	Row  uint32 // decomp.Layout.Row
	Axes uint32 // for each axis OutletBits: whether it has an outflow, whether at the high end, whether the next cell inwards is fluid
	Rule uint32
}

// OutletBits are the bits of one axis in OutletCell.Axes.
const OutletBits = 3

// OutletNumbers is the number of values of an Outlet: Relax and Target.
const OutletNumbers = 2

// FaceCell is a ghost cell: its position and its source. Rows are decomp.Layout.Row.
type FaceCell struct {
	X    int32 // -1 or N beyond an end of the row
	Row  uint32
	From uint32 // row of the source; its x is X, or the end's own
	Rule uint32
}

// CodedRule is the encoding of a FaceRule: the terms of density and velocity, and bits for their
// combination.
type CodedRule struct {
	Velocity [3]float64 // B
	Density  float64    // B
	Code     float64
}

// FaceNumbers are the float64 of a CodedRule.
const FaceNumbers = 5

// Bits of CodedRule.Code: two for A of each component of the velocity and of the density, 0: 1,
// 1: 0, 2: -1, 3: -1 with FaceRule.Exact; then one for each axis.
const (
	faceVelocity = 0
	faceDensity  = 6
	faceMirror   = 8
	faceEnter    = 11 // two for each axis: FaceRule.Enter is not 0; it is 1
)

// FindFaces lists the ghost cells of a box.
func FindFaces(l model.Lattice, layout decomp.Layout, periodic [3]bool, cells Cells) (*Faces, error) {
	cells = wrapped(cells, periodic)
	if !cells.HasOpen() {
		return nil, nil
	}
	f := &Faces{cells: cells}
	type key struct {
		rule  CodedRule
		types [3]uint8 // of time-dependent walls
	}
	ids := map[key]uint32{}
	var foreign []FaceCell
	var bad error
	cells.Ghosts(l.Dims, func(g [3]int, ghost Ghost) {
		for a := range l.Dims {
			switch beyond := g[a] < 0 || g[a] >= layout.N[a]; {
			case !beyond || layout.Ghost[a] > 0 || a == 0 && !periodic[0]:
			case periodic[a]:
				return // an image: rows are filled once
			default:
				bad = fmt.Errorf("the faces across %c need ghost cells, and the layout has none", "xyz"[a])
				return
			}
		}
		cell := FaceCell{X: int32(g[0]), Row: uint32(layout.Row(g[1], g[2]))}
		own := true
		for a := 1; a < l.Dims; a++ {
			own = own && ghost.From[a] >= 0 && ghost.From[a] < layout.N[a]
		}
		cell.From = uint32(layout.Row(ghost.From[1], ghost.From[2]))
		f.Ends = f.Ends || ghost.Out[0] != 0
		byTime, byFactor := cells.Changes(ghost)
		rule := f.rule(ghost, 0)
		k := key{rule: rule}
		if byFactor {
			k = key{rule: f.unit(ghost), types: ghost.Types}
		}
		id, known := ids[k]
		if known = known && !byTime; !known {
			if byTime || byFactor {
				id = uint32(len(f.timed))
				f.timed = append(f.timed, ghost)
			} else {
				id = uint32(len(f.Rules))
				f.Rules = append(f.Rules, rule)
			}
			if !byTime { // time-dependent rules are not shared
				ids[k] = id
			}
		}
		cell.Rule = id
		if byTime || byFactor {
			cell.Rule |= laterRule
		}
		if own {
			f.Cells = append(f.Cells, cell)
		} else {
			foreign = append(foreign, cell)
		}
	})
	if bad != nil {
		return nil, bad
	}
	f.Own = len(f.Cells)
	f.Cells = append(f.Cells, foreign...)
	f.findOutlets(l, layout)
	if len(f.Cells) == 0 && len(f.Outlets) == 0 {
		return nil, nil
	}
	f.numberTimed()
	if len(f.Rules) >= math.MaxUint32/2 {
		return nil, fmt.Errorf("%d different ghost cell rules exceed the capacity of the lists: use more ranks", len(f.Rules))
	}
	return f, nil
}

// numberTimed moves time-dependent rules behind the others.
func (f *Faces) numberTimed() {
	f.Steady = len(f.Rules)
	for i := range f.Cells {
		if c := &f.Cells[i]; c.Rule&laterRule != 0 {
			c.Rule = c.Rule&^laterRule + uint32(f.Steady)
		}
	}
	f.Rules = append(f.Rules, make([]CodedRule, len(f.timed))...)
	f.AdvanceTo(0)
}

// findOutlets lists the box's own cells beside outflows.
func (f *Faces) findOutlets(l model.Lattice, layout decomp.Layout) {
	ids := map[[OutletNumbers]float64]uint32{}
	n := layout.N
	for z := range n[2] {
		for y := range n[1] {
			f.OutletRows = append(f.OutletRows, uint32(len(f.Outlets)))
			whole := y == 0 || y == n[1]-1 || l.Dims == 3 && (z == 0 || z == n[2]-1)
			for x := 0; x < n[0]; x++ {
				if !whole && x > 0 && x < n[0]-1 {
					x = n[0] - 1
				}
				at := [3]int{x, y, z}
				o, ok := f.cells.Outlet(at, l.Dims)
				if !ok || f.cells.At(x, y, z) != 0 {
					continue
				}
				rule := [OutletNumbers]float64{o.Relax, o.Target}
				id, known := ids[rule]
				if !known {
					id = uint32(len(f.OutletRules))
					ids[rule] = id
					f.OutletRules = append(f.OutletRules, rule)
				}
				axes := uint32(0)
				for a, out := range o.Out {
					if out == 0 {
						continue
					}
					bits := uint32(1)
					if out > 0 {
						bits |= 2
					}
					if o.Inner[a] {
						bits |= 4
					}
					axes |= bits << (OutletBits * a)
				}
				f.Outlets = append(f.Outlets, OutletCell{int32(x), uint32(layout.Row(y, z)), axes, id})
			}
		}
	}
	f.OutletRows = append(f.OutletRows, uint32(len(f.Outlets)))
}

// OutletRuleNumbers returns the numbers of OutletRules, rule by rule.
func OutletRuleNumbers[T float32 | float64](f *Faces) []T {
	var list []T
	for _, r := range f.OutletRules {
		list = append(list, T(r[0]), T(r[1]))
	}
	return list
}

// laterRule marks the number of a rule that changes with time.
const laterRule = 1 << 31

// Timed reports whether rules change with time.
func (f *Faces) Timed() bool { return f != nil && len(f.timed) > 0 }

// AdvanceTo sets the rules for time t, in steps.
func (f *Faces) AdvanceTo(t float64) {
	parallel.Ranges(len(f.timed), func(lo, hi int) {
		for n, ghost := range f.timed[lo:hi] {
			f.Rules[f.Steady+lo+n] = f.rule(ghost, t)
		}
	})
}

// unit returns the rule of a ghost cell with time factors set to 1: equal rules of equal types stay equal.
func (f *Faces) unit(ghost Ghost) CodedRule {
	c := f.cells
	return encode(c.rule(ghost, func(axis int) (u [3]float64, density float64) {
		k := ghost.Types[axis]
		return Unscaled(c.Motion(k)).At(c.facePlace(ghost, axis), 0), c.Wall(k).Density
	}))
}

func (f *Faces) rule(ghost Ghost, t float64) CodedRule { return encode(f.cells.Rule(ghost, t)) }

func encode(r FaceRule) CodedRule {
	code := 0
	affine := func(v Affine, at int) float64 {
		switch v.A {
		case 0:
			code |= 1 << at
		case -1:
			code |= 2 << at
		}
		return v.B
	}
	n := CodedRule{Density: affine(r.Density, faceDensity)}
	for a := range 3 {
		n.Velocity[a] = affine(r.Velocity[a], faceVelocity+2*a)
		if r.Exact[a] {
			code |= 3 << (faceVelocity + 2*a)
		}
		if r.Mirror[a] {
			code |= 1 << (faceMirror + a)
		}
		switch r.Enter[a] {
		case -1:
			code |= 1 << (faceEnter + 2*a)
		case 1:
			code |= 3 << (faceEnter + 2*a)
		}
	}
	n.Code = float64(code)
	return n
}

// FaceRuleNumbers returns the numbers of the rules from first on, FaceNumbers per rule.
func FaceRuleNumbers[T float32 | float64](f *Faces, first int) []T {
	list := make([]T, 0, FaceNumbers*(len(f.Rules)-first))
	for _, r := range f.Rules[first:] {
		list = append(list, T(r.Velocity[0]), T(r.Velocity[1]), T(r.Velocity[2]), T(r.Density), T(r.Code))
	}
	return list
}

// EndValues returns the number of values of the ghost cells beyond the ends of x: all of the layout's rows
// have some, if any has.
func (f *Faces) EndValues(spec model.Spec, layout decomp.Layout) int {
	if f == nil || !f.Ends {
		return 0
	}
	return 2 * layout.Rows() * spec.FlowComponents()
}
