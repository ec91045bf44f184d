// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"lbmsim/decomp"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// splitRule has the bounds of a task's size.
type splitRule struct {
	width int // cells along x, a multiple of decomp.Align
	tile  int // most rows along y
	tasks int // aimed at
	share int // the number of tasks is a multiple of it if possible
	least int // rows or planes below which splitting does not pay
}

// ruleFor: moments march through the planes with partial sums of a tile in the L2
// cache (16 values a cell of a plane, 18 on D3Q27: kernels/cpu/step_moments.h) where three planes
// of the tile's old state should fit as well, for the walls; each cut adds two planes or rows to be
// summed. With 2 MiB of L2, 24 rows of 256 cells were best in float32 of 8 to 64 rows, and 12 in
// float64 (22 to 26 and 1 MiB of L2 on another machine): narrower tiles cut a row's memory into
// pieces, which costs more than the rows saved. Tiles are large, so their number must be a multiple
// of the threads: 11 tiles on 2 threads lost 8 %. Populations may be split anywhere.
func ruleFor(spec model.Spec, threads int) splitRule {
	if spec.Collision.Scheme == model.Populations {
		return splitRule{width: 1 << 30, tile: 1 << 30, tasks: 8 * threads, share: threads, least: 1}
	}
	r := splitRule{width: 256, tile: 1 << 30, tasks: 4 * threads, share: threads, least: 16}
	if spec.Lattice.Dims == 3 {
		r.tile = 96 / max(4, spec.Precision.Bytes()) // the sums have 32 bits at least
	} else {
		r.width *= 2
	}
	return r
}

// split divides a box into tasks, along z first: a task keeps whole planes.
func split(b decomp.Box, r splitRule) []decomp.Box {
	n := b.Size()
	if b.Cells() == 0 {
		return nil
	}
	xs := raw.Ceil(n[0], r.width)
	lines := raw.Ceil(n[0], decomp.Align) // of memory, in 16 bits too: two tasks must not share one
	ys := raw.Ceil(n[1], r.tile)
	zs := min(max(1, raw.Ceil(r.tasks, xs*ys)), max(1, n[2]/r.least))
	if xs*ys*zs < r.tasks {
		ys = max(ys, min(raw.Ceil(r.tasks, xs*zs), n[1]/min(r.least, 8)))
	}
	for more := ys; more < 2*ys && n[1]/more >= min(r.least, 8); more++ {
		if xs*more*zs%r.share == 0 {
			ys = more
			break
		}
	}
	var boxes []decomp.Box
	for k := 0; k < zs; k++ {
		for j := 0; j < ys; j++ {
			for i := range xs {
				lo, hi := decomp.Align*(lines*i/xs), min(decomp.Align*(lines*(i+1)/xs), n[0])
				boxes = append(boxes, decomp.Box{
					Lo: [3]int{b.Lo[0] + lo, b.Lo[1] + n[1]*j/ys, b.Lo[2] + n[2]*k/zs},
					Hi: [3]int{b.Lo[0] + hi, b.Lo[1] + n[1]*(j+1)/ys, b.Lo[2] + n[2]*(k+1)/zs},
				})
			}
		}
	}
	return boxes
}
