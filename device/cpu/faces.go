// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"slices"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/model"
)

// faces is boundary.Faces in memory outside Go's heap, for kernels.
type faces struct {
	list *boundary.Faces // nil: no faces
	*ghosts
	memory *memory
	rules  int // offset of the rules in memory
	ends   *memory

	sources *memory // of kept ghost cells, for the newest state; may be nil
	newest  newest

	count                  int // of ghost cells in memory
	outletsAt, outletRules unsafe.Pointer
}

// placeFaces lists the ghost cells behind faces and allocates those beyond the ends of rows.
func (p *program) placeFaces(periodic [3]bool, cells boundary.Cells) error {
	f, err := boundary.FindFaces(p.spec.Lattice, p.layout, periodic, cells)
	if f == nil || err != nil {
		return err
	}
	size := int(unsafe.Sizeof(boundary.FaceCell{}))
	align := func(bytes int) int { return raw.Ceil(bytes, 64) * 64 }
	g := p.parts(f)
	p.faces = faces{list: f, ghosts: g, count: len(g.cells), rules: align(size * len(g.cells))}
	outlets := p.faces.rules + align(8*boundary.FaceNumbers*len(f.Rules))
	outletRules := outlets + align(int(unsafe.Sizeof(boundary.OutletCell{}))*len(g.outlets))
	rowEnds := outletRules + align(8*boundary.OutletNumbers*len(f.OutletRules))
	waves := rowEnds + align(int(unsafe.Sizeof(kernels.RowEnd{}))*len(g.rowEnds))
	bytes := waves
	if p.spec.Collision.Scheme == model.Populations {
		bytes += 8 * len(g.rowEnds)
	}
	if p.faces.memory, err = newMemory(bytes); err != nil {
		return fmt.Errorf("lists of ghost cells: %w", err)
	}
	place(p.faces.memory, 0, g.cells)
	p.box.FaceRules = p.placeRules(0)
	p.faces.outletsAt = place(p.faces.memory, outlets, g.outlets)
	if p.spec.Precision == model.Float64 {
		p.faces.outletRules = place(p.faces.memory, outletRules, boundary.OutletRuleNumbers[float64](f))
	} else {
		p.faces.outletRules = place(p.faces.memory, outletRules, boundary.OutletRuleNumbers[float32](f))
	}
	p.box.OutletRules = p.faces.outletRules
	if g.rowEnds != nil {
		p.box.RowEnds, p.box.Beyond = place(p.faces.memory, rowEnds, g.rowEnds), p.kernel.Ghost()
		if p.spec.Collision.Scheme == model.Populations {
			p.box.Waves = unsafe.Add(p.faces.memory.pointer(), waves)
		}
	}
	if g.reach(p.layout.N[0]) {
		if err = p.placeEnds(); err != nil {
			return err
		}
	}
	// The kernels have their own copies.
	g.cells, g.outlets, g.rowEnds, f.Cells, f.Outlets = nil, nil, nil, nil, nil
	return nil
}

// placeEnds allocates ghost cells beyond the ends of rows and the cells that steps keep for them, two for each.
func (p *program) placeEnds() (err error) {
	f := &p.faces
	bytes := 2 * p.spec.FlowComponents() * raw.Ceil(p.layout.Rows(), kernels.Block) * kernels.Block * p.spec.Precision.Bytes()
	if f.ends, err = newMemory(bytes); err == nil && f.kept > 0 {
		f.sources, err = newMemory(2 * bytes)
	}
	if err != nil {
		return fmt.Errorf("ghost cells beyond the ends of rows: %w", err)
	}
	if p.box.Ends = f.ends.pointer(); f.sources != nil {
		p.box.Kept = f.sources.pointer()
	}
	return nil
}

// newest is the state last written by steps, and its computed parts.
type newest struct {
	state *memory
	parts []decomp.Box
}

// markWritten notes that a step writes a part of a state, and keeps the sources there. Steps and FillFaces are queued by
// one thread in the order of their work.
func (p *program) markWritten(to *memory, part decomp.Box) {
	n := &p.faces.newest
	if n.state != to || to.author.Load() != p || slices.ContainsFunc(n.parts, part.Overlaps) {
		*n = newest{state: to}
	}
	n.parts = append(n.parts, part)
	to.author.Store(p)
}

// interior reports whether some of the bytes of a state belong to cells of the box.
func (p *program) interior(offset, bytes int) bool {
	l, row := p.layout, p.layout.Components*p.layout.Pitch*p.spec.Precision.Bytes()
	high := l.N[1] + 2*l.Ghost[1]
	for k := offset / row; k*row < offset+bytes; k++ {
		if y, z := k%high-l.Ghost[1], k/high-l.Ghost[2]; y >= 0 && y < l.N[1] && z >= 0 && z < l.N[2] {
			return true
		}
	}
	return false
}

// holds reports whether all kept sources belong to this state.
func (p *program) holds(state *memory) bool {
	cells := 0
	for _, part := range p.faces.newest.parts {
		cells += part.Cells()
	}
	return p.faces.newest.state == state && state.author.Load() == p && cells == decomp.Box{Hi: p.layout.N}.Cells()
}

// placeRules writes the numbers of the rules from one on.
func (p *program) placeRules(first int) unsafe.Pointer {
	f := &p.faces
	if p.spec.Precision == model.Float64 {
		return place(f.memory, f.rules+8*boundary.FaceNumbers*first, boundary.FaceRuleNumbers[float64](f.list, first))
	}
	return place(f.memory, f.rules+4*boundary.FaceNumbers*first, boundary.FaceRuleNumbers[float32](f.list, first))
}

// FillFaces queues the ghost cells of a state in pieces.
func (p *program) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	own := p.device.own(s, "ghost cells")
	m, err := p.state(state)
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", p.spec, err))
		return
	}
	if p.faces.list == nil {
		return
	}
	f := &p.faces
	cells, rules := f.memory.pointer(), unsafe.Add(f.memory.pointer(), f.rules)
	var tasks []task
	add := func(first, last int, kept bool) {
		const piece = 4096
		for ; first < last; first += piece {
			lo, hi := first, min(first+piece, last)
			tasks = append(tasks, func(*worker) error {
				p.kernel.Fill(p.box, cells, rules, lo, hi, m.pointer(), kept)
				return nil
			})
		}
	}
	if exchanged {
		add(f.own, f.count, false)
	} else {
		add(0, f.kept, p.holds(m))
		add(f.kept, f.own, false)
	}
	if len(tasks) > 0 {
		own.pool.push(own, &operation{tasks: tasks})
	}
}

// applyOutflow applies the outflows beside the cells of a part to the result of a step from in.
func (p *program) applyOutflow(in, out unsafe.Pointer, part decomp.Box) {
	f := &p.faces
	if f.list == nil || f.outletRows[len(f.outletRows)-1] == 0 {
		return
	}
	for z := part.Lo[2]; z < part.Hi[2]; z++ {
		rows := f.outletRows[z*p.layout.N[1]:]
		if first, last := int(rows[part.Lo[1]]), int(rows[part.Hi[1]]); first < last {
			p.kernel.ApplyOutflow(p.box, f.outletsAt, f.outletRules, first, last, [2]int{part.Lo[0], part.Hi[0]}, in, out)
		}
	}
}

func (f *faces) bytes() int {
	if f.list == nil {
		return 0
	}
	n := f.memory.Bytes()
	for _, m := range []*memory{f.ends, f.sources} {
		if m != nil {
			n += m.Bytes()
		}
	}
	return n
}

func (f *faces) free() {
	if f.list == nil {
		return
	}
	for _, m := range []*memory{f.memory, f.ends, f.sources} {
		if m != nil {
			m.Free()
		}
	}
}
