// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// eddies is a program's support of laws that read neighbours: the kernel of kernels/gpu/eddies.h and its numbers.
type eddies struct {
	*core
	module module
	find   cu.Function
	tile   [3]int // cells of a block; a thread has one of each of its planes
	at     *buffer
}

// place allocates the memory and loads the kernel.
func (e *eddies) place(in *placing) (err error) {
	if !e.spec.Viscosity.LooksAround() {
		return nil
	}
	n := e.layout.N
	if e.at, err = e.put(e.layout.Pitch * n[1] * n[2] * e.spec.EddyBytes()); err != nil {
		return fmt.Errorf("eddy viscosity of %s: %w", e.spec, err)
	}
	in.eddies = uint64(e.at.at)
	return e.load(&e.module, "loading the kernel for the eddies of "+e.spec.String(), eddiesFile, functions{"lbm_eddies": &e.find}, func() error {
		var tile [3]int32
		if err := e.module.numbers("lbm_eddies_shape", tile[:]); err != nil {
			return err
		}
		if rows := int(tile[1]) * maxGrid; n[1] > rows {
			return fmt.Errorf("at most %d cells along y on a rank have eddies: more ranks along y, or the long axis along x", rows)
		}
		e.tile = [3]int{int(tile[0]), int(tile[1]), int(tile[2])}
		return nil
	})
}

func (e *eddies) free() { e.module.unload(e.d) }

// FindEddies queues the pass.
func (e *eddies) FindEddies(s device.Stream, state device.Buffer, q model.Params) {
	own := e.stream(s)
	from, err := e.state(state)
	if err == nil && e.at == nil {
		err = fmt.Errorf("the law needs no pass")
	}
	if err == nil {
		err = e.uploadStep(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("eddy viscosity of %s: %w", e.spec, err))
		return
	}
	tile := e.tile
	var grid [3]int
	for a, n := range e.layout.N {
		grid[a] = raw.Ceil(n, tile[a])
	}
	own.queue("eddies", func() error {
		return launch(e.find, grid, [2]int{tile[0], tile[1]}, 0, own.s, uint64(e.box.at), uint64(from.at))
	})
}

// Eddies returns the memory of the eddy viscosities, nil if the law reads no neighbours.
func (e *eddies) Eddies() device.Buffer {
	if e.at == nil {
		return nil
	}
	return e.at
}
