//go:build cuda

package cuda

import (
	"container/heap"

	"lbmsim/decomp"
	"lbmsim/internal/raw"
)

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

// bestMarches also returns how long they last, in planes.
func bestMarches(n, most, columns, slots int) (best, least int) {
	best, least = 1, -1
	for k := raw.Ceil(n, most); k <= min(n, maxGrid); k++ {
		rounds := raw.Ceil(columns*k, slots)
		if cost := rounds * (raw.Ceil(n, k) + marchCost); least < 0 || cost < least {
			best, least = k, cost
		}
		if columns*k > 64*slots {
			break // shorter ones only cost more
		}
	}
	return best, least
}

// shadow is the blocks of the march in 3D that meet hidden cells, and the planes that they leave out.
type shadow struct {
	first, last [2]int // tiles along x and y of the columns that hold hidden cells alone there
	lo, hi      int    // planes
}

// shadowOf returns the blocks whose cells, in tiles of these sizes from row ylo on, are hidden in planes lo to hi.
func shadowOf(hidden decomp.Box, tile [3]int, ylo int) shadow {
	return shadow{
		first: [2]int{raw.Ceil(hidden.Lo[0], tile[0]), raw.Ceil(max(0, hidden.Lo[1]-ylo), tile[1])},
		last:  [2]int{hidden.Hi[0] / tile[0], max(0, hidden.Hi[1]-ylo) / tile[1]},
		lo:    hidden.Lo[2], hi: hidden.Hi[2],
	}
}

// marchesBeside is marches for planes zlo to zhi of so many tiles along x and y, of which some columns leave hidden planes out: the cut
// with which the GPU, which starts blocks in their order as others end, is through first.
func marchesBeside(s shadow, tiles [2]int, zlo, zhi, most, slots int) (best int) {
	const finest = 12 // planes: shorter marches cost more than they fill
	least := -1
	for k := raw.Ceil(zhi-zlo, most); k <= max(raw.Ceil(zhi-zlo, most), (zhi-zlo)/finest); k++ {
		planes := raw.Ceil(zhi-zlo, k)
		if (k-1)*planes >= zhi-zlo {
			continue // some would have none
		}
		if cost := s.makespan(tiles, zlo, zhi, planes, slots); least < 0 || cost < least {
			best, least = k, cost
		}
	}
	return best
}

// makespan returns how long marches of so many planes last, in planes.
func (s shadow) makespan(tiles [2]int, zlo, zhi, planes, slots int) (end int) {
	free := make(ends, slots)
	for z0 := zlo; z0 < zhi; z0 += planes {
		z1 := min(z0+planes, zhi)
		for y := range tiles[1] {
			for x := range tiles[0] {
				n := z1 - z0
				if x >= s.first[0] && x < s.last[0] && y >= s.first[1] && y < s.last[1] {
					n = s.left(z0, z1)
				}
				if n > 0 {
					free[0] += n + marchCost
					end = max(end, free[0])
					heap.Fix(free, 0)
				}
			}
		}
	}
	return end
}

// left returns how many planes a march from z0 to z1 computes: one that hidden planes would cut in two computes all.
func (s shadow) left(z0, z1 int) int {
	switch {
	case z0 < s.lo && z1 > s.lo && z1 <= s.hi:
		return s.lo - z0
	case z0 >= s.lo && z0 < s.hi:
		return max(0, z1-s.hi)
	}
	return z1 - z0
}

// ends is a heap of the times at which slots are free.
type ends []int

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e ends) Push(any)           {}
func (e ends) Pop() any           { return nil }

// Rows of a block of the march in 3D: their usual number (kernels/gpu/step_moments.h), the least, and the overhead of a plane, in
// rows: two lines beside the tile, and the warp of its edges.
const usualRows, leastRows, lineCost = 13, 11, 3

// fittingRows returns the number of rows that fills the rounds of blocks best in a box of ny rows and nz planes that is
// so many tiles across: fewer than usual where that saves more than the shorter path to memory is worth, a twentieth.
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
