// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/kernels/lookup"
	"lbmsim/model"
)

// program is a device.Program: the kernels of one spec on one box.
type program struct {
	device *Device
	spec   model.Spec
	layout decomp.Layout
	kernel kernels.Kernel
	box    *kernels.Case // in lists: C must not get Go memory that contains pointers
	lists  *memory       // target of the box's pointers
	origin [3]int        // of the box in the domain
	types  int           // of solid cells

	found          *boundary.Walls
	laws, measures *linkLists // nil: no such cells
	wallMomentum   wallMomentum
	faces          faces
	modelled       modelled
	scalar         scalar
	moments        moments
	eddies         *memory // nil: the law of the viscosity reads no neighbours
	fluid          []int   // fluid cells of each row
	rule           splitRule
}

// Load builds the lists of walls; the kernels are compiled already.
func (d *Device) Load(spec model.Spec, layout decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	index, err := lookup.Index(spec)
	if err != nil {
		return nil, err
	}
	if layout.Components != spec.Components() || layout.Ghost[0] != 0 || layout.Pitch < layout.N[0] || layout.Pitch%decomp.Align != 0 {
		return nil, fmt.Errorf("the layout %+v does not fit %s", layout, spec)
	}
	w, err := findWalls(spec, layout, periodic, cells)
	if err != nil {
		return nil, err
	}
	p := &program{device: d, spec: spec, layout: layout, kernel: d.isa.Kernel(index), fluid: w.fluid, rule: ruleFor(spec, d.threads), origin: cells.Origin, types: len(cells.Walls)}
	box := kernels.Case{Pitch: int32(layout.Pitch), Components: int32(layout.Components)}
	for a := range layout.N {
		box.N[a], box.Ghost[a] = int32(layout.N[a]), int32(layout.Ghost[a])
		if periodic[a] {
			box.Periodic[a] = 1
		}
	}
	if err := p.placeEddies(&box); err != nil {
		return nil, err
	}
	if err := p.place(box, w); err != nil {
		freeEddies(p)
		return nil, err
	}
	if err := errors.Join(p.modelled.place(p, cells), placeLinks(p, w), p.placeFaces(periodic, cells), p.placeScalar(w)); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// place copies the lists to memory for kernels.
func (p *program) place(box kernels.Case, w *wallBlocks) error {
	align := func(bytes int) int { return raw.Ceil(bytes, 64) * 64 }
	rows := align(int(unsafe.Sizeof(box)))
	entries := rows + align(4*len(w.rows))
	patterns := entries + align(8*len(w.entries))
	momentum := patterns + align(len(w.patterns)*int(unsafe.Sizeof(kernels.Pattern{})))
	bits := momentum + align(len(w.momentum)*max(4, p.spec.Precision.Bytes()))
	lists, err := newMemory(bits + align(4*len(w.uncounted)))
	if err != nil {
		return err
	}
	p.lists = lists
	box.Rows = place(lists, rows, w.rows)
	box.Entries = place(lists, entries, w.entries)
	box.Patterns = place(lists, patterns, w.patterns)
	if p.spec.Precision == model.Float64 {
		p.wallMomentum.double = view[float64](lists, momentum, w.momentum)
	} else {
		p.wallMomentum.single = view[float32](lists, momentum, w.momentum)
	}
	p.wallMomentum.timed = w.timed
	box.WallMomentum = unsafe.Add(lists.pointer(), momentum)
	if len(w.uncounted) > 0 {
		box.Uncounted = place(lists, bits, w.uncounted)
	}
	p.box = (*kernels.Case)(place(lists, 0, []kernels.Case{box}))
	return nil
}

// state checks that a buffer holds a state of this program.
func (p *program) state(b device.Buffer) (*memory, error) {
	m, ok := b.(*memory)
	if !ok {
		return nil, fmt.Errorf("a buffer of another device (%T)", b)
	}
	if need := p.layout.Len() * p.spec.Precision.Bytes(); m.Bytes() < need {
		return nil, fmt.Errorf("a buffer of %d bytes for a state of %d", m.Bytes(), need)
	}
	return m, nil
}

// inside checks that a box lies in the interior, grown by the given layers, and
// spans it along x if whole.
func (p *program) inside(b decomp.Box, layers [3]int, whole bool) error {
	for a := range b.Lo {
		if b.Lo[a] < -layers[a] || b.Hi[a] > p.layout.N[a]+layers[a] {
			return fmt.Errorf("box %v reaches out of the interior %v and its ghosts %v", b, p.layout.N, layers)
		}
	}
	if whole && b.Cells() > 0 && (b.Lo[0] != 0 || b.Hi[0] != p.layout.N[0]) {
		return fmt.Errorf("box %v does not span the rows of %d cells", b, p.layout.N[0])
	}
	return nil
}

// Step queues one task for each part of the box.
func (p *program) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	own := p.device.own(s, "step")
	from, err := p.state(in)
	to, err2 := p.state(out)
	for _, e := range []error{err2, p.inside(box, [3]int{}, true)} {
		if err == nil {
			err = e
		}
	}
	if err == nil && from == to {
		err = fmt.Errorf("in and out are the same buffer")
	}
	if err != nil {
		own.fail(fmt.Errorf("step of %s: %w", p.spec, err))
		return
	}
	p.markWritten(to, box)
	var tasks []task
	for _, part := range split(box, p.rule) {
		tasks = append(tasks, func(w *worker) error {
			bytes := p.kernel.Scratch(part)
			if p.spec.Scalar {
				bytes += p.kernel.ScalarScratch(part)
			}
			scratch, err := w.reserve(bytes)
			if err == nil {
				q := p.numbers(p.moments.params(q))
				p.kernel.Step(p.box, q, from.pointer(), to.pointer(), part, scratch)
				if p.laws != nil && p.laws.at != nil {
					p.kernel.StepSpecial(p.box, q, p.laws.at, from.pointer(), to.pointer(), part)
				}
				if p.spec.Scalar && p.box.Scalar == nil {
					p.kernel.ScalarStep(p.box, q, p.scalar.walls, from.pointer(), to.pointer(), part, scratch)
				}
				p.applyOutflow(from.pointer(), to.pointer(), part)
			}
			return err
		})
	}
	own.pool.push(own, &operation{tasks: tasks})
}

// numbers returns a step's numbers for kernels.
func (p *program) numbers(q model.Params) *kernels.Numbers {
	n := lookup.Numbers(p.spec, q)
	return &n
}

// reserve makes the worker's private memory large enough.
func (w *worker) reserve(bytes int) (unsafe.Pointer, error) {
	if w.scratch.Bytes() < bytes {
		w.scratch.Free()
		m, err := newMemory(max(bytes, huge))
		if err != nil {
			return nil, err
		}
		w.scratch = m
	}
	return w.scratch.pointer(), nil
}

// Init and Fields process the rows of the box, one task per plane.
func (p *program) Init(state device.Buffer, box decomp.Box, fields []float64, q model.Params) error {
	if m, ok := state.(*memory); ok {
		m.author.Store(nil)
	}
	return p.rows("init", state, box, [3]int{}, fields, p.spec.InitValues(), func(m *memory, part decomp.Box, f []float64) {
		p.kernel.Init(p.box, p.numbers(q), m.pointer(), part, f)
	})
}

func (p *program) Fields(state device.Buffer, box decomp.Box, fields []float64, q model.Params) error {
	return p.rows("fields", state, box, p.layout.Ghost, fields, p.spec.FieldValues(), func(m *memory, part decomp.Box, f []float64) {
		p.kernel.Fields(p.box, p.numbers(q), m.pointer(), part, f)
	})
}

func (p *program) rows(what string, state device.Buffer, box decomp.Box, layers [3]int, fields []float64, components int, do func(*memory, decomp.Box, []float64)) error {
	m, err := p.state(state)
	if err == nil {
		err = p.inside(box, layers, false)
	}
	if need := components * box.Cells(); err == nil && len(fields) != need {
		err = fmt.Errorf("%d values for a box that has %d", len(fields), need)
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", what, p.spec, err)
	}
	n := box.Size()
	row := components * n[0]
	var tasks []task
	for z := 0; z < n[2]; z++ {
		for y := 0; y < n[1]; y += 64 {
			part := box
			part.Lo[1], part.Hi[1] = box.Lo[1]+y, min(box.Lo[1]+y+64, box.Hi[1])
			part.Lo[2], part.Hi[2] = box.Lo[2]+z, box.Lo[2]+z+1
			first := (z*n[1] + y) * row
			tasks = append(tasks, func(*worker) error {
				do(m, part, fields[first:first+part.Size()[1]*row])
				return nil
			})
		}
	}
	return p.device.run(tasks)
}

// Planes adds the rows of each plane in their order; planes are independent.
func (p *program) Planes(state device.Buffer, q model.Params) ([]device.Plane, error) {
	axis := p.layout.Axis()
	other := 3 - axis // y for planes along z, z for planes along y
	planes := make([]device.Plane, p.layout.N[axis])
	return planes, p.sums(state, len(planes), func(m *memory, k int) {
		var at [3]int
		at[axis] = k
		for at[other] = 0; at[other] < p.layout.N[other]; at[other]++ {
			planes[k].Add(p.row(m, q, at))
		}
	})
}

// Rows sums the rows, in one task per plane along z.
func (p *program) Rows(state device.Buffer, q model.Params) ([]device.Plane, error) {
	n := p.layout.N
	rows := make([]device.Plane, n[1]*n[2])
	return rows, p.sums(state, n[2], func(m *memory, z int) {
		for y := range n[1] {
			rows[z*n[1]+y] = p.row(m, q, [3]int{0, y, z})
		}
	})
}

// sums runs n tasks that read a state.
func (p *program) sums(state device.Buffer, n int, do func(m *memory, k int)) error {
	m, err := p.state(state)
	if err != nil {
		return fmt.Errorf("sums of %s: %w", p.spec, err)
	}
	tasks := make([]task, n)
	for k := range tasks {
		tasks[k] = func(*worker) error {
			do(m, k)
			return nil
		}
	}
	return p.device.run(tasks)
}

// row sums the row that begins at a cell.
func (p *program) row(m *memory, q model.Params, at [3]int) device.Plane {
	s := p.kernel.Row(p.box, p.numbers(q), m.pointer(), at[1], at[2])
	sum := device.Plane{Cells: p.fluid[at[2]*p.layout.N[1]+at[1]], Mass: s.Mass, Momentum: s.Momentum, Energy: s.Energy, Bad: int(s.Bad)}
	if s.Speed2 >= 0 {
		sum.MaxSpeed, sum.MaxAt = math.Sqrt(s.Speed2), [3]int{int(s.At), at[1], at[2]}
	}
	if s.Bad > 0 {
		sum.BadAt = [3]int{int(s.BadAt), at[1], at[2]}
	}
	return sum
}

// BytesPerCell: every stored value is read once and written once.
func (p *program) BytesPerCell() int { return 2 * p.spec.Components() * p.spec.Precision.Bytes() }

// Bytes returns the memory of the lists of walls.
func (p *program) Bytes() int {
	return p.lists.Bytes() + 8*len(p.fluid) + p.laws.bytes() + p.measures.bytes() + p.faces.bytes() + p.scalar.bytes() + eddyBytes(p) + p.modelled.bytes()
}

// Close frees the lists.
func (p *program) Close() {
	p.lists.Free()
	p.laws.free()
	p.measures.free()
	p.faces.free()
	p.scalar.free()
	p.modelled.free()
	freeEddies(p)
}
