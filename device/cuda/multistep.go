// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"bytes"
	"fmt"
	"math"

	"gorgonia.org/cu"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// multistep is lbm_steps of kernels/gpu/steps_populations.h: several steps of populations in 2D by one launch.
type multistep struct {
	*core
	faces *faces
	multistepKernel
	walled uint64 // whether there are cells that are solid, beside walls or beyond a non-periodic axis
}

// multistepKernel is the kernel, of the module of the spec's kernels, and how it is launched.
type multistepKernel struct {
	fn      cu.Function
	threads [2]int
	tile    [2]int // cells that a block computes, along y at most
	shared  int    // bytes
	stride  int    // steps
	slots   int    // blocks that the GPU runs at once
}

// stepsShape is lbm_steps_shape of kernels/gpu/instance.h.
type stepsShape [6]int32

// place decides whether the case is computed several steps at a time: the kernel knows half-way walls and periodic
// axes that the box spans alone.
func (m *multistep) place(in *placing) error {
	w, cells := in.walls, in.cells
	m.stride = 1
	if m.spec.Collision.Scheme != model.Populations || m.spec.Lattice.Dims != 2 || m.spec.Scalar || m.faces.list != nil || w.special != nil || cells.Timed() {
		return nil
	}
	var shape stepsShape
	err := m.d.call("loading the kernel for several steps of "+m.spec.String(), func() (err error) {
		if m.fn, err = m.kernels.function("lbm_steps"); err != nil {
			return err
		}
		if err := m.kernels.module.numbers("lbm_steps_shape", shape[:]); err != nil {
			return err
		}
		m.threads, m.tile, m.shared = [2]int{int(shape[0]), int(shape[1])}, [2]int{int(shape[2]), int(shape[3])}, int(shape[4])
		if m.tile[1] > 0 {
			m.slots, err = m.d.room(m.fn, m.threads, m.shared)
		}
		return err
	})
	if err != nil || m.tile[1] == 0 {
		return err
	}
	if w.count > 0 || w.mirror != [2]bool{} {
		m.walled = 1
	}
	for _, b := range w.blocks {
		if b.solid != 0 {
			m.walled = 1
		}
	}
	for a := range 2 {
		if !m.wraps[a] {
			m.walled = 1
		}
		if whole := cells.Global == [3]int{} || cells.Global[a] == m.layout.N[a]; !whole || m.layout.N[a] < int(shape[5]) {
			return nil
		}
	}
	m.stride = int(shape[5])
	if same, err := m.sameSteps(); err != nil || !same {
		m.stride = 1
		return err
	}
	return nil
}

// sameSteps reports whether this machine's compiler rounds as it should: contraction of a multiplication and an addition
// is its choice, which may differ between several steps and one. A few rows of a periodic box show it.
func (m *multistep) sameSteps() (same bool, err error) {
	const nx, ny = 32, 8 // of cells that differ, in rows of the case's pitch
	l := m.layout
	l.N = [3]int{nx, ny, 1}
	small := newProgram(&core{d: m.d, spec: m.spec, layout: l, kernels: m.kernels, wraps: [3]bool{true, true, true}})
	small.multistep.multistepKernel = m.multistepKernel
	var states [3]device.Buffer
	defer func() {
		for _, s := range states {
			if s != nil {
				s.Free()
			}
		}
		small.boxLists.free() // the kernels are the case's
	}()
	if err = small.boxLists.place(&placing{walls: &wallBlocks{blocks: make([]block, ny*l.Pitch/blockCells)}}); err != nil {
		return false, err
	}
	var got [2][]byte
	for i := range states {
		if states[i], err = m.d.Alloc(l.Len() * m.spec.Precision.Bytes()); err != nil {
			return false, err
		}
	}
	box, fields, q := decomp.Box{Hi: l.N}, make([]float64, m.spec.InitValues()*nx*ny), sampleParams(m.spec)
	for i := range fields {
		fields[i] = 0.04 * math.Sin(float64(i*i))
	}
	if err = small.Init(states[0], box, fields, q); err != nil {
		return false, err
	}
	s := m.d.newStream(false)
	defer s.close()
	small.Steps(s, states[0], states[1], q)
	for k := range m.stride {
		small.Step(s, states[k%2*2], states[2-k%2*2], box, q)
	}
	if err = s.Sync(); err != nil {
		return false, err
	}
	for i := range got {
		got[i] = make([]byte, states[i].Bytes())
		if err = states[1-i].Read(got[i], 0); err != nil {
			return false, err
		}
	}
	return bytes.Equal(got[0], got[1]), nil
}

// Stride returns the number of steps that Steps computes.
func (m *multistep) Stride() int { return m.stride }

// Steps queues Stride steps of all cells.
func (m *multistep) Steps(s device.Stream, in, out device.Buffer, q model.Params) {
	own := m.stream(s)
	from, to, err := m.between(in, out, decomp.Box{Hi: m.layout.N}, q)
	if err == nil && m.stride < 2 {
		err = fmt.Errorf("this case is computed step by step")
	}
	if err != nil {
		own.fail(fmt.Errorf("steps of %s: %w", m.spec, err))
		return
	}
	columns := raw.Ceil(m.layout.N[0], m.tile[0])
	grid := [3]int{columns, marches(m.layout.N[1], m.tile[1], columns, m.slots), 1}
	queue := launch
	if m.kernels.follows {
		queue = follow
	}
	own.queue("steps", func() error {
		return queue(m.fn, grid, m.threads, m.shared, own.s, uint64(m.box.at), uint64(from.at), uint64(to.at), m.walled)
	})
}

// sampleParams returns parameters that exercise all of a model's arithmetic.
func sampleParams(spec model.Spec) model.Params {
	values := make([]float64, len(spec.Collision.Params))
	for i := range values {
		values[i] = 0.21
	}
	q := model.NewParams(spec.Collision, 0.63, values, [3]float64{1e-3, -2e-3})
	switch spec.Viscosity {
	case model.Smagorinsky:
		q = q.WithSmagorinsky(0.4)
	case model.PowerLaw:
		q = q.WithPowerLaw(0.0433, 0.03, 0.5, 0.03, 0.06)
	case model.Carreau:
		q = q.WithCarreau(0.2, 0.02, 50, 0.4)
	case model.Wale:
		q = q.WithWale(0.7)
	}
	if spec.Bulk {
		q = q.WithBulk(0.15, spec.Lattice.Dims)
	}
	return q
}
