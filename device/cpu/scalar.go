// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/model"
)

// scalar is a program's memory for a scalar.
type scalar struct {
	memory *memory              // nil where there is no scalar
	walls  *kernels.ScalarWalls // in memory
}

// placeScalar builds the lists of a spec with a scalar.
func (p *program) placeScalar(found *wallBlocks) (err error) {
	if !p.spec.Scalar {
		return nil
	}
	s := &p.scalar
	types, links := found.found.ScalarTypes(), found.found.ScalarLinks()
	plain, mixed := found.found.ScalarPlaces(found.special, p.spec.Viscosity == model.Smagorinsky)
	at := raw.Ceil(int(unsafe.Sizeof(kernels.ScalarWalls{})), 64) * 64
	next := func(bytes int) (from int) {
		from = at
		at += raw.Ceil(bytes, 64) * 64
		return from
	}
	const placeBytes = int(unsafe.Sizeof(boundary.ScalarPlace{}))
	laws, ofLinks, ofTypes := next(8*boundary.ScalarNumbers*256), next(len(links)*int(unsafe.Sizeof(boundary.ScalarLink{}))), next(len(types))
	correctedRows, recomputedRows, corrected, recomputed := next(4*len(plain.Rows)), next(4*len(mixed.Rows)), next(placeBytes*len(plain.Cells)), next(placeBytes*len(mixed.Cells))
	distances := next(8 * len(mixed.Distances))
	if s.memory, err = newMemory(at); err != nil {
		return fmt.Errorf("walls of the scalar: %w", err)
	}
	w := kernels.ScalarWalls{
		Links: place(s.memory, ofLinks, links), Types: place(s.memory, ofTypes, types), Count: int64(len(links)),
		CorrectedRows: place(s.memory, correctedRows, plain.Rows), RecomputedRows: place(s.memory, recomputedRows, mixed.Rows),
		Corrected: place(s.memory, corrected, plain.Cells), Recomputed: place(s.memory, recomputed, mixed.Cells), Distances: place(s.memory, distances, mixed.Distances),
		Beside: p.kernel.ScalarBeside(),
	}
	if m := p.modelled.list; m != nil {
		w.Sent, w.Heat = m.Populations, m.Heat
	}
	if p.spec.Precision == model.Float64 {
		w.Laws = place(s.memory, laws, boundary.ScalarLaws[float64](found.found))
	} else {
		w.Laws = place(s.memory, laws, boundary.ScalarLaws[float32](found.found))
	}
	s.walls = (*kernels.ScalarWalls)(place(s.memory, 0, []kernels.ScalarWalls{w}))
	if p.spec.Collision.Scheme == model.Moments && p.spec.Lattice.Dims == 3 && (p.laws == nil || p.laws.at == nil) {
		p.box.Scalar = unsafe.Pointer(s.walls) // no cells that the flow computes after the step
	}
	return nil
}

// addScalar adds the flux of a scalar through measured walls.
func addScalar(p *program, state device.Buffer, q model.Params, loads []device.Load) error {
	if !p.spec.Scalar || p.scalar.walls.Count == 0 {
		return nil
	}
	sums := make([]int64, len(loads))
	err := p.sums(state, 1, func(m *memory, _ int) { p.kernel.ScalarLost(p.box, p.numbers(q), p.scalar.walls, m.pointer(), sums) })
	for k, v := range sums {
		loads[k].Scalar = v
	}
	return err
}

func (s *scalar) bytes() int {
	if s.memory == nil {
		return 0
	}
	return s.memory.Bytes()
}

func (s *scalar) free() {
	if s.memory != nil {
		s.memory.Free()
	}
}
