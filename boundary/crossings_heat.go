// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import "lbmsim/model"

// HeatCrossings lists the flux of a scalar through the faces of Crossings (kernels/level_scalar.h). Mass carries the value of its
// source cell; the rest of the scalar's populations diffuses, from cell to cell and along walls.
type HeatCrossings struct {
	Carriers  []Carrier
	Crossings // without Upstream: Cells are numbers in Carriers; of each Crossing Mass counts
}

// Carrier is a cell that sends a scalar through a face (lbm_carrier).
type Carrier struct {
	At, Source               int64 // places of the cell with the populations of the flow, and of the scalar's cell
	Rule                     int32 // as of Upstream; of Gained the number in Gains
	Axis, High, Kind, Mirror uint8
}

// modelRule marks a Rule that is a number in Models of a piece, until the number of Gains is known. Kernels find them behind Gains.
const modelRule = 1 << 30

// Kinds of Carrier, as in kernels/level_scalar.h.
const (
	Carried   = iota // all that passes with a population
	Enters           // theta and the population, from beyond an open face
	Reflected        // what diffuses, and the value at rest: off a wall
	Slides           // what diffuses: off a face that the fluid slides along
	Gained           // theta and the contribution of a moving wall to a population, or what a ghost cell of a wall with a model sends, less its weight
)

// heatFinder collects them beside the crossings of the flow.
type heatFinder struct {
	*crossingFinder
	found    HeatCrossings
	carriers map[Carrier]uint32
	gains    gains
	patterns map[string][2]uint32
	plain    map[string]*heatPattern
}

// carrying is a carrier before it has places: cells from the inside of the group's first face.
type carrying struct {
	cell, source [3]int
	axis, side   int
	kind, mirror uint8
	models       bool // of Gained: it is what a ghost cell of a wall with a model sends
}

type heatPattern struct {
	senders      []carrying
	first, count uint32
}

func newHeatFinder(f *crossingFinder) *heatFinder {
	return &heatFinder{crossingFinder: f, found: HeatCrossings{Crossings: newCrossings(f.interfaceOf, f.found.Scale)},
		carriers: map[Carrier]uint32{}, gains: newGains(), patterns: map[string][2]uint32{}, plain: map[string]*heatPattern{}}
}

// end lists the group at hand, whose faces have that key; away: no face of the domain is near.
func (f *heatFinder) end(place int, first [3]int, key string, away bool) error {
	var p *heatPattern
	if away {
		p = f.plain[key]
	}
	if p == nil {
		p = f.pattern(first)
		if away {
			f.plain[key] = p
		}
	}
	f.found.Groups = append(f.found.Groups, Crossed{Place: int64(place), Cells: uint32(len(f.found.Cells)), First: p.first, Count: p.count})
	f.found.Sums = max(f.found.Sums, place+1)
	for _, s := range p.senders {
		c, err := f.carrier(first, s)
		if err != nil {
			return err
		}
		f.found.Cells = append(f.found.Cells, numberIn(&f.found.Carriers, f.carriers, c))
	}
	return nil
}

// carrier returns a sender with its places.
func (f *heatFinder) carrier(first [3]int, s carrying) (c Carrier, err error) {
	source, err := f.place(plus(first, s.source), s.axis, s.side)
	if err != nil {
		return c, err
	}
	flow := source
	switch s.kind {
	case Carried, Enters:
		if flow, err = f.place(plus(first, s.cell), s.axis, s.side); err != nil {
			return c, err
		}
	case Gained:
		flow.Rule = f.added(plus(first, s.cell), s)
	}
	return Carrier{At: flow.At, Source: source.At, Rule: flow.Rule, Axis: flow.Axis, High: flow.High, Kind: s.kind, Mirror: s.mirror}, nil
}

// added returns the number of what a carrier of kind Gained carries with the value of its source.
func (f *heatFinder) added(cell [3]int, s carrying) int32 {
	if s.models {
		return int32(f.model(cell, s.axis, s.side)) | modelRule
	}
	return int32(f.found.gain(sender{cell: cell, axis: s.axis, side: s.side}, f.gains))
}

// pattern lists the fluxes through the group at hand, by the rules of the oracle
// (internal/ref/coupling.go).
func (f *heatFinder) pattern(first [3]int) *heatPattern {
	found := newCollector[carrying]()
	add := func(s carrying, direction, share int) {
		if share != 0 {
			s.cell, s.source = minus(s.cell, first), minus(s.source, first)
			found.add(s, f.slots[s.axis][direction], direction, share, 0)
		}
	}
	for _, face := range f.faces {
		outside := face.inside
		outside[face.axis] += face.side
		for _, path := range f.paths[face.axis] {
			up, sign := face.inside, 1
			if path.side != face.side {
				up, sign = outside, -1
			}
			flow, heat := f.crossing(up, path, sign), f.diffusion(up, path, sign)
			s := carrying{cell: flow.from, source: f.before(flow.from), axis: face.axis, side: path.side}
			if flow.returns && f.cells.Gains(f.lattice, flow.from, path.direction) {
				with := s
				with.kind = Gained
				add(with, path.direction, -f.gained(flow, path, sign))
			}
			if flow.models { // with the value at rest of what the wall reflects
				ghost, _, _ := f.cells.Ghost(flow.from, f.lattice.Dims)
				s.source, s.kind, s.models = ghost.From, Gained, true
				add(s, path.direction, flow.mass)
				add(carrying{cell: heat.source, source: heat.source, axis: face.axis, side: path.side, kind: heat.kind, mirror: heat.mirror}, path.direction, heat.share)
				continue
			}
			if heat.kind != Reflected && flow.mass == heat.share && s.source == heat.source {
				s.mirror = heat.mirror
				add(s, path.direction, flow.mass)
				continue
			}
			s.kind = Enters
			add(s, path.direction, flow.mass)
			add(carrying{cell: heat.source, source: heat.source, axis: face.axis, side: path.side, kind: heat.kind, mirror: heat.mirror}, path.direction, heat.share)
		}
	}
	p := &heatPattern{senders: found.senders}
	p.first, p.count = share(found.list, f.patterns, &f.found.List)
	return p
}

// before returns the cell itself, or of a ghost cell behind faces the one before them.
func (f *heatFinder) before(cell [3]int) [3]int {
	if ghost, _, ok := f.cells.Ghost(cell, f.lattice.Dims); ok {
		return ghost.From
	}
	return cell
}

// diffusion is the diffusive flux through a face on a path, in sixths: from the source, with its flux in the path's direction
// reversed along the axes of mirror.
type diffusion struct {
	source       [3]int
	share        int
	kind, mirror uint8
}

// diffusion returns what diffuses on a path. Walls reflect it along themselves. All that comes from where a wall has a value, or from
// beyond an open face, follows from the cell where it arrives.
func (f *heatFinder) diffusion(up [3]int, p path, sign int) diffusion {
	c, dims := f.lattice.Velocities[p.direction], f.lattice.Dims
	from := minus(up, p.Before)
	to := plus(from, c)
	if f.cells.ScalarAt(to, dims) != 0 {
		return diffusion{}
	}
	k := f.cells.ScalarAt(from, dims)
	if k == 0 {
		return diffusion{source: from, share: sign * p.Sixths, kind: Slides}
	}
	source, across, ok := f.cells.scalarMirror(f.lattice, to, p.direction, k)
	if !ok {
		return diffusion{}
	}
	d := diffusion{source: source, share: sign * p.Along(c, p.axis, across), kind: Reflected}
	if f.cells.ScalarLaw(k).Law == ScalarMirror {
		d.kind = Slides
	}
	for a := range across {
		if across[a] {
			d.mirror |= 1 << a
		}
	}
	return d
}

// scalarMirror returns the cell whose diffused part a wall of type k reflects into cell x along direction i, and the axes that the wall is
// across. ok: it is a cell beside x that sees the same wall (kernels/scalar.h).
func (c Cells) scalarMirror(l model.Lattice, x [3]int, i int, k uint8) (source [3]int, across [3]bool, ok bool) {
	solid := func(at [3]int) bool {
		t := c.ScalarAt(at, l.Dims)
		return t != 0 && !c.Conducts(t)
	}
	v, behind := l.Velocities[i], x
	source = x
	for a := range l.Dims {
		beside := x
		if beside[a] -= v[a]; v[a] == 0 {
			continue
		}
		if across[a] = solid(beside) && (c.ScalarLaw(k).Law != ScalarMirror || c.ScalarLaw(c.ScalarAt(beside, l.Dims)).Law == ScalarMirror); across[a] {
			behind[a] -= v[a]
		} else {
			source[a] -= v[a]
		}
	}
	if source == x || behind == x || solid(source) || !solid(behind) {
		return source, across, false
	}
	for a := range across {
		at := source
		if at[a] -= v[a]; across[a] && !solid(at) {
			return source, across, false
		}
	}
	reflects := func(law ScalarLaw) bool {
		return law == ScalarClosed || law == ScalarFlux || law == ScalarModelled
	}
	own, other := c.ScalarLaw(k).Law, c.ScalarLaw(c.ScalarAt(behind, l.Dims)).Law
	return source, across, own == ScalarMirror && other == ScalarMirror || reflects(own) && reflects(other)
}
