// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/model"
)

// linkLists is boundary.Links in memory outside Go's heap, for kernels.
type linkLists struct {
	memory  *memory
	at      *kernels.Links // in memory; nil: no cell needs it
	links   *boundary.Links
	left    *boundary.Links // special cells computed by a separate kernel
	numbers int             // offset of the laws in memory
}

// placeLinks builds the lists of special cells and of measured walls.
func placeLinks(p *program, w *wallBlocks) (err error) {
	p.found = w.found
	if w.left != nil || w.special.Timed() { // otherwise the march has all data
		if p.laws, err = newLinkLists(w.special, w, p.spec.Precision, p.modelled.list); err != nil {
			return err
		}
	}
	measured, err := w.found.Measured()
	if err == nil && measured != nil {
		p.measures, err = newLinkLists(measured, nil, p.spec.Precision, p.modelled.list)
	}
	return err
}

// newLinkLists places lists; w has the special cells that are left. ghosts are read by links marked for them; nil: no such
// links.
func newLinkLists(l *boundary.Links, w *wallBlocks, precision model.Precision, ghosts *kernels.Modelled) (*linkLists, error) {
	left := l
	if w != nil {
		left = w.left
	}
	var rowsOf []uint32
	var cellsOf []boundary.LinkCell
	if left != nil {
		rowsOf, cellsOf = left.Rows, left.Cells
	}
	align := func(bytes int) int { return raw.Ceil(bytes, 64) * 64 }
	rows := align(64)
	cells := rows + align(4*len(rowsOf))
	list := cells + align(20*len(cellsOf))
	types := list + align(4*len(l.List))
	numbers := types + align(len(l.Types))
	sent := numbers + align(8*boundary.LinkNumbers*len(l.Laws))
	m, err := newMemory(sent + align(4*len(l.Ghosts)))
	if err != nil {
		return nil, fmt.Errorf("lists of links: %w", err)
	}
	links := kernels.Links{
		Rows: place(m, rows, rowsOf), Cells: place(m, cells, cellsOf), List: place(m, list, l.List), Types: place(m, types, l.Types),
	}
	if ghosts != nil && l.Ghosts != nil {
		links.Ghosts, links.Populations = place(m, sent, l.Ghosts), ghosts.Populations
	}
	links.Laws = placeLaws(m, numbers, l, 0, precision)
	placed := &linkLists{memory: m, links: l, left: left, numbers: numbers}
	if len(cellsOf) > 0 {
		placed.at = (*kernels.Links)(place(m, 0, []kernels.Links{links}))
	}
	return placed, nil
}

// placeLaws writes the numbers of the laws from the first on. The list of all laws begins at the offset.
func placeLaws(m *memory, offset int, l *boundary.Links, first int, precision model.Precision) unsafe.Pointer {
	if precision == model.Float64 {
		return place(m, offset+8*boundary.LinkNumbers*first, boundary.LawNumbers[float64](l, first))
	}
	return place(m, offset+4*boundary.LinkNumbers*first, boundary.LawNumbers[float32](l, first))
}

// advanceTo sets time-dependent walls and faces for time t, and their additions to populations between levels.
func (p *program) advanceTo(t float64) {
	for _, list := range []*linkLists{p.laws, p.measures} {
		if list != nil && list.links.Timed() {
			p.found.AdvanceTo(list.links, t)
			placeLaws(list.memory, list.numbers, list.links, list.links.Steady, p.spec.Precision)
			if list == p.laws {
				p.wallMomentum.advance(list.links)
			}
		}
	}
	if f := p.faces.list; f.Timed() {
		f.AdvanceTo(t)
		p.placeRules(f.Steady)
	}
	for _, c := range p.moments.couplings {
		c.advanceTo(t)
	}
}

func (l *linkLists) bytes() int {
	if l == nil {
		return 0
	}
	return l.memory.Bytes()
}

func (l *linkLists) free() {
	if l != nil {
		l.memory.Free()
	}
}

// Forces adds up the links of measured walls.
func (p *program) Forces(state device.Buffer, q model.Params) ([]device.Load, error) {
	loads := make([]device.Load, p.types)
	if p.measures == nil {
		return loads, nil
	}
	sums := make([]atomic.Int64, 6*p.types)
	n := p.layout.N
	if m, err := p.state(state); err == nil && p.modelled.count > 0 { // ghost cells of another state may be there
		if err := p.device.run(p.modelled.tasks(p, m, func() *kernels.Numbers { return p.numbers(p.moments.params(q)) }, [2]int{0, p.modelled.count})); err != nil {
			return nil, err
		}
	}
	err := p.sums(state, n[2]*n[1], func(m *memory, row int) {
		if p.measures.links.Rows[row] == p.measures.links.Rows[row+1] {
			return
		}
		part := make([]int64, 6*p.types)
		p.kernel.Forces(p.box, p.numbers(q), p.measures.at, m.pointer(), p.origin, row%n[1], row/n[1], part)
		for i, v := range part {
			sums[i].Add(v)
		}
	})
	for k := range loads {
		for a := range 3 {
			loads[k].Force[a], loads[k].Torque[a] = sums[6*k+a].Load(), sums[6*k+3+a].Load()
		}
	}
	if err == nil {
		err = addScalar(p, state, q, loads)
	}
	return loads, err
}
