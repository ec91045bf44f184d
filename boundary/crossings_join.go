// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"cmp"
	"slices"

	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// Pieces of an interface are listed in parallel, each with its own numbers, and joined here in their order: the lists are the same for any
// pieces and any number of threads.

// join makes one list of what pieces have found. Upstream cells of the same kind are together, in the order of the state.
func join(in *interfaceOf, scale float64, pieces []*crossingFinder) (*Crossings, error) {
	c, known, models := newCrossings(in, scale), newGains(), map[ModelledUpstream]uint32{}
	flows, upstream := make([]*Crossings, len(pieces)), make([][]Upstream, len(pieces))
	gained, modelled := make([][]uint32, len(pieces)), make([][]uint32, len(pieces)) // the numbers in c
	for k, p := range pieces {
		if p.err != nil {
			return nil, p.err
		}
		flows[k], upstream[k] = &p.found, p.found.Upstream
		gained[k] = c.joinGains(&p.found, known)
		for _, u := range p.found.Models {
			modelled[k] = append(modelled[k], numberIn(&c.Models, models, u))
		}
	}
	all, number := united(upstream, Upstream.compare)
	c.Upstream = all
	firstGain, firstModel := uint32(len(all)), uint32(len(all)+known.count())
	c.joinGroups(flows, func(piece int, was uint32) uint32 {
		switch {
		case was&gainOf != 0:
			return firstGain + gained[piece][was&^gainOf]
		case was&modelOf != 0:
			return firstModel + modelled[piece][was&^modelOf]
		}
		return number[piece][was]
	})
	if in.spec.Scalar {
		c.Heat = joinHeat(in, scale, pieces, modelled)
		c.Heat.Models = c.Models // populations of ghost cells are read for both
	}
	return &c, nil
}

// joinHeat does the same with what a scalar passes; modelled are the numbers of each piece's ghost cells of walls with a model.
func joinHeat(in *interfaceOf, scale float64, pieces []*crossingFinder, modelled [][]uint32) *HeatCrossings {
	c, known := &HeatCrossings{Crossings: newCrossings(in, scale)}, newGains()
	flows, carriers := make([]*Crossings, len(pieces)), make([][]Carrier, len(pieces))
	gained := make([][]uint32, len(pieces))
	for k, p := range pieces {
		flows[k], carriers[k] = &p.heat.found.Crossings, p.heat.found.Carriers
		gained[k] = c.joinGains(flows[k], known)
	}
	for k, list := range carriers {
		for i, of := range list {
			switch {
			case of.Kind != Gained:
			case of.Rule&modelRule != 0:
				list[i].Rule = int32(known.count()) + int32(modelled[k][of.Rule&^modelRule])
			default:
				list[i].Rule = int32(gained[k][of.Rule])
			}
		}
	}
	all, number := united(carriers, Carrier.compare)
	c.Carriers = all
	c.joinGroups(flows, func(piece int, was uint32) uint32 { return number[piece][was] })
	return c
}

// compare orders upstream cells by their kind, then as in the state.
func (u Upstream) compare(v Upstream) int {
	if d := cmp.Compare(u.At, v.At); d != 0 && u.Axis == v.Axis && u.High == v.High { // almost always
		return d
	}
	return cmp.Or(cmp.Compare(u.Axis, v.Axis), cmp.Compare(u.High, v.High), cmp.Compare(u.At, v.At), cmp.Compare(u.Rule, v.Rule))
}

// compare orders carriers by their kind, then as in the state.
func (c Carrier) compare(d Carrier) int {
	return cmp.Or(cmp.Compare(c.Axis, d.Axis), cmp.Compare(c.High, d.High), cmp.Compare(c.Kind, d.Kind), cmp.Compare(c.Mirror, d.Mirror),
		cmp.Compare(c.At, d.At), cmp.Compare(c.Source, d.Source), cmp.Compare(c.Rule, d.Rule))
}

// newCrossings returns empty lists.
func newCrossings(in *interfaceOf, scale float64) Crossings {
	return Crossings{Scale: scale, lattice: in.lattice, cells: in.cells}
}

// numberIn returns the number of an item in a list, to which it is appended if it is new.
func numberIn[T comparable](list *[]T, known map[T]uint32, item T) uint32 {
	k, ok := known[item]
	if !ok {
		k = uint32(len(*list))
		known[item] = k
		*list = append(*list, item)
	}
	return k
}

// joinGains appends the gains of a piece that are new and returns the numbers of all of them.
func (c *Crossings) joinGains(piece *Crossings, known gains) (number []uint32) {
	timed, n := piece.timed, sent(c.lattice)
	for at := 0; at < len(piece.Gains); at += n {
		var list [9]float64
		copy(list[:n], piece.Gains[at:])
		if len(timed) > 0 && timed[0].first == at {
			number = append(number, c.number(list, n, timed[0].sender, true, known))
			timed = timed[1:]
			continue
		}
		number = append(number, c.number(list, n, sender{}, false, known))
	}
	return number
}

// sent returns the number of populations that a cell sends to one side of an axis.
func sent(l model.Lattice) (n int) {
	for _, v := range l.Velocities {
		if v[0] > 0 {
			n++
		}
	}
	return n
}

// joinGroups appends the groups of pieces, whose cells get the numbers that renumber returns.
func (c *Crossings) joinGroups(pieces []*Crossings, renumber func(piece int, was uint32) uint32) {
	patterns, first, groups := map[string][2]uint32{}, make([]int, len(pieces)+1), 0
	for k, p := range pieces {
		first[k+1], groups = first[k]+len(p.Cells), groups+len(p.Groups)
	}
	c.Groups, c.Cells = make([]Crossed, 0, groups), make([]uint32, first[len(pieces)])
	for k, p := range pieces {
		shared := map[[2]uint32][2]uint32{} // parts of the piece's list and of the joint one
		for _, g := range p.Groups {
			of := [2]uint32{g.First, g.Count}
			at, ok := shared[of]
			if !ok {
				at[0], at[1] = share(p.List[g.First:g.First+g.Count], patterns, &c.List)
				shared[of] = at
			}
			c.Groups = append(c.Groups, Crossed{Place: g.Place, Cells: uint32(first[k]) + g.Cells, First: at[0], Count: at[1]})
		}
		c.Sums = max(c.Sums, p.Sums)
	}
	parallel.Pieces(len(pieces), 1, func(k, _ int) {
		to := c.Cells[first[k]:]
		for i, was := range pieces[k].Cells {
			to[i] = renumber(k, was)
		}
	})
}

// united returns the items of some lists in their order, each once, and for each list the numbers of its items there. A list has no item
// twice.
func united[T any](lists [][]T, compare func(a, b T) int) (all []T, number [][]uint32) {
	sorted := make([][]T, len(lists))
	parallel.Pieces(len(lists), 1, func(k, _ int) {
		sorted[k] = slices.Clone(lists[k])
		slices.SortFunc(sorted[k], compare)
	})
	for len(sorted) > 1 {
		half := make([][]T, parallel.Count(len(sorted), 2))
		parallel.Pieces(len(sorted), 2, func(lo, hi int) {
			if half[lo/2] = sorted[lo]; hi > lo+1 {
				half[lo/2] = merged(sorted[lo], sorted[lo+1], compare)
			}
		})
		sorted = half
	}
	if len(sorted) > 0 {
		all = sorted[0]
	}
	number = make([][]uint32, len(lists))
	parallel.Pieces(len(lists), 1, func(k, _ int) {
		number[k] = make([]uint32, len(lists[k]))
		for i, item := range lists[k] {
			at, _ := slices.BinarySearchFunc(all, item, compare)
			number[k][i] = uint32(at)
		}
	})
	return all, number
}

// merged returns the items of two sorted lists, each once.
func merged[T any](a, b []T, compare func(a, b T) int) []T {
	all := make([]T, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		d := compare(a[0], b[0])
		if d <= 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all = append(all, b[0])
		}
		if d >= 0 {
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}
