// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"maps"
	"slices"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/raw"
	"lbmsim/sim/rank"
)

// Cells of other ranks that ghost cells of walls with a model read, beyond the ghost planes. Each rank requests them from
// their owners once; from then on every exchange includes them, cell by cell (decomp.Layout.List).

// tagListed is the tag of these requests.
const tagListed = 102

// listCells requests the cells that this rank's stencils read from other ranks, reserves memory for them behind the state
// and lists the cells that other ranks requested. Collective.
func listCells(p *Part, on *rank.Rank) error {
	m, lo := p.Cells.Modelled, p.Box.Lo
	local := func(at [3]int) [3]int { return [3]int{at[0] - lo[0], at[1] - lo[1], at[2] - lo[2]} }
	wanted := map[int][][3]int{} // from each rank, global
	for _, at := range m.Foreign(p.Layout.N) {
		at = p.Global(at)
		within := at // the plan's
		for a, o := range p.origin {
			within[a] -= o
		}
		owner := p.Plan.Owner(within)
		wanted[owner] = append(wanted[owner], at)
	}
	asked, err := ask(on, wanted)
	if err != nil {
		return err
	}
	var cells []decomp.Listed
	for r := range on.Size {
		if n := (decomp.Listed{Rank: r, Send: len(asked[r]), Recv: len(wanted[r])}); n.Send+n.Recv > 0 {
			cells = append(cells, n)
		}
	}
	p.Layout, p.Listed = p.Layout.List(cells)
	places := map[[3]int][3]int{}
	for _, l := range p.Listed {
		for k, at := range asked[l.Rank] {
			m.Sent = append(m.Sent, boundary.Sent{From: local(at), To: p.Layout.Place(l.Send, k)})
		}
		for k, at := range wanted[l.Rank] {
			places[local(at)] = p.Layout.Place(l.Recv, k)
		}
	}
	m.Replace(places)
	return nil
}

// ask sends each rank the list of cells that this rank needs, and returns the cells that each rank needs from this one.
// Collective.
func ask(on *rank.Rank, wanted map[int][][3]int) (asked map[int][][3]int, err error) {
	counts := map[int]int{}
	for r, list := range wanted {
		counts[r] = len(list)
	}
	all, err := comm.Together(on.Comm, counts)
	if err != nil {
		return nil, err
	}
	asked = map[int][][3]int{}
	send := func(r int) error {
		if len(wanted[r]) == 0 {
			return nil
		}
		return on.Comm.Send(comm.Raw(raw.Bytes(flat(wanted[r]))), r, tagListed)
	}
	receive := func(r int) error {
		n := all[r][on.ID]
		if n == 0 {
			return nil
		}
		list := make([]int64, 3*n)
		if err := on.Comm.Receive(comm.Raw(raw.Bytes(list)), r, tagListed); err != nil {
			return err
		}
		for c := range slices.Chunk(list, 3) {
			asked[r] = append(asked[r], [3]int{int(c[0]), int(c[1]), int(c[2])})
		}
		return nil
	}
	for r := range on.Size { // the lower rank of two sends first: with the pairs in this order, none waits for a later one
		first, second := receive, send
		if on.ID < r {
			first, second = send, receive
		}
		if err := first(r); err != nil {
			return nil, err
		}
		if err := second(r); err != nil {
			return nil, err
		}
	}
	return asked, nil
}

// flat returns the coordinates of cells, one after the other.
func flat(cells [][3]int) (list []int64) {
	for _, at := range cells {
		list = append(list, int64(at[0]), int64(at[1]), int64(at[2]))
	}
	return list
}

// EdgeLayers returns the number of layers of cells at the ends of the rank's box that are in its edges: cells that other
// ranks wait for, and cells that depend on other ranks' cells.
func (p *Part) EdgeLayers(id int) int {
	m, cells := p.Cells.Modelled, map[[3]int]bool{}
	if m == nil {
		return 1
	}
	for _, c := range m.Sent {
		cells[c.From] = true
	}
	for _, c := range m.Layer[m.EarlyLayer:] {
		cells[c.At] = true
	}
	for x := range m.LateCells(p.Case.Spec.Lattice, p.Layout.N) {
		if p.Cells.At(x[0], x[1], x[2]) == 0 {
			cells[x] = true
		}
	}
	return p.Plan.Depth(id, slices.Collect(maps.Keys(cells)))
}
