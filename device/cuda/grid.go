// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import "lbmsim/internal/raw"

// marchCost is a block's overhead beside the planes that it computes, in planes: it
// reads two more, and it has to be started.
const marchCost = 3

// marches returns the number of blocks into which a range of n planes is cut along the axis that a
// block marches along: at most `most` planes each, `columns` blocks side by side,
// slots blocks at once on the GPU. Few long marches read little twice; but the last
// round of blocks should be full. The cut does not change the numbers, and leaves no
// block without planes: of equal lengths the fewest blocks win.
func marches(n, most, columns, slots int) int {
	best, _ := bestMarches(n, most, columns, slots)
	return best
}

// bestMarches also returns their duration, in planes.
func bestMarches(n, most, columns, slots int) (best, least int) {
	best, least = 1, -1
	for k := raw.Ceil(n, most); k <= min(n, maxGrid); k++ {
		rounds := raw.Ceil(columns*k, slots)
		if cost := rounds * (raw.Ceil(n, k) + marchCost); least < 0 || cost < least {
			best, least = k, cost
		}
		if columns*k > 64*slots {
			break // shorter ones are only slower
		}
	}
	return best, least
}

// Rows of a block of the march in 3D: their usual number (kernels/gpu/step_moments.h), the least, and the overhead of a plane, in
// rows: two lines beside the tile, and the warp of its edges.
const usualRows, leastRows, lineCost = 13, 11, 3

// fittingRows returns the number of rows that fills the rounds of blocks best in a box of ny rows and nz planes that is
// so many tiles across: fewer than usual if that saves more than the benefit of the shorter path to memory, a
// twentieth.
func fittingRows(ny, nz, most, across, slots int) int {
	best, least := usualRows, 0
	for rows := usualRows; rows >= leastRows; rows-- {
		_, planes := bestMarches(nz, most, across*raw.Ceil(ny, rows), slots)
		if cost := planes * (rows + lineCost); rows == usualRows || 20*cost < 19*least {
			best, least = rows, cost
		}
	}
	return best
}
