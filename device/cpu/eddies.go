// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/kernels"
	"lbmsim/model"
)

// placeEddies allocates the memory of a law that reads neighbours.
func (p *program) placeEddies(box *kernels.Case) (err error) {
	if !p.spec.Viscosity.LooksAround() {
		return nil
	}
	if p.eddies, err = newMemory(p.layout.Pitch * p.layout.N[1] * p.layout.N[2] * p.spec.EddyBytes()); err != nil {
		return fmt.Errorf("eddy viscosity of %s: %w", p.spec, err)
	}
	box.Eddies = p.eddies.pointer()
	return nil
}

func freeEddies(p *program) {
	if p.eddies != nil {
		p.eddies.Free()
	}
}

func eddyBytes(p *program) int {
	if p.eddies == nil {
		return 0
	}
	return p.eddies.Bytes()
}

// eddyRows is the number of rows of a task: it reads one more on each side.
const eddyRows = 32

// FindEddies queues the pass.
func (p *program) FindEddies(s device.Stream, state device.Buffer, q model.Params) {
	own := p.device.own(s, "eddies")
	from, err := p.state(state)
	if err == nil && p.eddies == nil {
		err = fmt.Errorf("the law needs no pass")
	}
	if err != nil {
		own.fail(fmt.Errorf("eddy viscosity of %s: %w", p.spec, err))
		return
	}
	n := p.layout.N
	var tasks []task
	for z := range n[2] {
		for y := 0; y < n[1]; y += eddyRows {
			part := decomp.Box{Lo: [3]int{0, y, z}, Hi: [3]int{n[0], min(y+eddyRows, n[1]), z + 1}}
			tasks = append(tasks, func(*worker) error {
				p.kernel.FindEddies(p.box, p.numbers(q), from.pointer(), part)
				return nil
			})
		}
	}
	own.pool.push(own, &operation{tasks: tasks})
}

// Eddies returns the memory of the eddy viscosities, nil if the law reads no neighbours.
func (p *program) Eddies() device.Buffer {
	if p.eddies == nil {
		return nil
	}
	return p.eddies
}

var _ device.EddyKeeper = (*program)(nil)
