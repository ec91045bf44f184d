// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// stepping is the step of a box of cells with the parts that follow it.
type stepping struct {
	*core
	behind []behind // in the order in which they are queued
}

// Step queues one step of the cells of box.
func (t *stepping) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	t.stepBy(&t.kernels.stepKernel, s, in, out, box, q)
}

// stepBy queues Step by the step of k, which may take more arguments than lbm_step.
func (t *stepping) stepBy(k *stepKernel, s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params, more ...uint64) {
	own := t.stream(s)
	from, to, err := t.between(in, out, box, q)
	if err != nil {
		own.fail(fmt.Errorf("step of %s: %w", t.spec, err))
		return
	}
	if box.Cells() == 0 {
		return
	}
	queue := launch
	if k.follows && box == (decomp.Box{Hi: t.layout.N}) {
		queue = follow
	}
	// A grid has at most 65535 blocks along y and z.
	for z := box.Lo[2]; z < box.Hi[2]; z += maxGrid * k.tile[2] {
		zhi := min(z+maxGrid*k.tile[2], box.Hi[2])
		for y := box.Lo[1]; y < box.Hi[1]; y += maxGrid * k.tile[1] {
			yhi := min(y+maxGrid*k.tile[1], box.Hi[1])
			grid := [3]int{raw.Ceil(t.layout.N[0], k.tile[0]), raw.Ceil(yhi-y, k.tile[1]), raw.Ceil(zhi-z, k.tile[2])}
			if t.spec.Lattice.Dims == 3 && k.tile[2] > 1 {
				grid[2] = marches(zhi-z, k.tile[2], grid[0]*grid[1], k.slots)
			} else if t.spec.Lattice.Dims == 2 && k.tile[1] > 1 {
				grid[1] = marches(yhi-y, k.tile[1], grid[0], k.slots)
			}
			own.queue("step", func() error {
				args := []uint64{uint64(t.box.at), uint64(from.at), uint64(to.at), uint64(y), uint64(yhi), uint64(z), uint64(zhi)}
				return queue(k.step, grid, k.threads, k.shared, own.s, append(args, more...)...)
			})
		}
	}
	for _, b := range t.behind {
		b.queue(own, from, to, box)
	}
}

// maxGrid is the largest number of blocks along y or z.
const maxGrid = 65535
