// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"encoding/binary"
	"fmt"
	"sync"

	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// Walls reports where the fluid of a box of cells meets solid cells. Every device builds its own
// lists from it; walls are defined only here.
type Walls struct {
	lattice  model.Lattice
	cells    Cells   // as the flow sees them
	given    Cells   // as in the case
	scalar   []uint8 // ScalarTypes, once computed
	periodic [3]bool
	from     []int // offset in cells.Type of the cell that direction i comes from
	block    int
	blocks   int    // per row
	near     []bool // for each row and the layer around: whether a block may touch a solid cell in this row
}

// FindWalls checks the cells and searches for solid ones, block by block: a block is a number of
// cells along x, a multiple of 8.
func FindWalls(l model.Lattice, layout decomp.Layout, periodic [3]bool, cells Cells, block int) (*Walls, error) {
	n := layout.N
	if cells.N != n || len(cells.Type) != (n[0]+2)*(n[1]+2)*(n[2]+2) {
		return nil, fmt.Errorf("the cells (%v, %d of them) do not fit a box of %v", cells.N, len(cells.Type), n)
	}
	cells = wrapped(cells, periodic)
	w := &Walls{lattice: l, cells: cells.ForFlow(l.Dims), given: cells, periodic: periodic, block: block, blocks: layout.Pitch / block}
	for _, c := range l.Velocities {
		w.from = append(w.from, -cells.Index(c[0]-1, c[1]-1, c[2]-1))
	}
	rows := (n[2] + 2) * (n[1] + 2)
	w.near = make([]bool, rows*w.blocks)
	most := uint8(0)
	var mu sync.Mutex
	parallel.Ranges(rows, func(lo, hi int) {
		m := uint8(0)
		for r := lo; r < hi; r++ {
			m = max(m, w.look(r))
		}
		mu.Lock()
		most = max(most, m)
		mu.Unlock()
	})
	if int(most) > len(cells.Walls) {
		return nil, fmt.Errorf("cells belong to boundary %d, but there are only %d", most-1, len(cells.Walls))
	}
	return w, w.checkFaces(layout, periodic)
}

// look marks the blocks that reach a solid cell of row r, their own cells and one
// more on each side, and returns the row's largest type. Most rows of a flow are
// all fluid, so it tests eight cells at once.
func (w *Walls) look(r int) (most uint8) {
	n := w.cells.N[0] + 2
	row := w.cells.Type[r*n:][:n] // x = -1 to n
	near := w.near[r*w.blocks:][:w.blocks]
	for at := 0; at < n; at += 8 {
		end := min(at+8, n)
		if end-at == 8 && binary.NativeEndian.Uint64(row[at:]) == 0 {
			continue
		}
		for i := at; i < end; i++ {
			if row[i] == 0 {
				continue
			}
			most = max(most, row[i])
			for x := max(i-2, 0); x <= i && x < w.blocks*w.block; x++ {
				near[x/w.block] = true
			}
		}
	}
	return most
}

// Plain reports whether no cell of block b of row (y, z) is solid or has a solid cell
// beside it.
func (w *Walls) Plain(b, y, z int) bool {
	depth := w.lattice.Dims - 2 // in 2D nothing comes from above or below
	for dz := -depth; dz <= depth; dz++ {
		for dy := -1; dy <= 1; dy++ {
			if w.near[((z+dz+1)*(w.cells.N[1]+2)+y+dy+1)*w.blocks+b] {
				return false
			}
		}
	}
	return true
}

// Near sets a bit for each cell of block b of row (y, z), of at most 62 cells, that is
// solid or may have a solid cell beside it: the cells to check one by one.
func (w *Walls) Near(b, y, z int) (mask uint64) {
	depth := w.lattice.Dims - 2
	n := w.cells.N[0] + 2
	for dz := -depth; dz <= depth; dz++ {
		for dy := -1; dy <= 1; dy++ {
			r := (z+dz+1)*(w.cells.N[1]+2) + y + dy + 1
			if !w.near[r*w.blocks+b] {
				continue
			}
			first := b * w.block // of x-1
			row := w.cells.Type[r*n:][first:min(first+w.block+2, n)]
			solid := uint64(0)
			for i := 0; i < len(row); i++ {
				if i+8 <= len(row) && binary.NativeEndian.Uint64(row[i:]) == 0 {
					i += 7
				} else if row[i] != 0 {
					solid |= 1 << i
				}
			}
			mask |= solid | solid>>1 | solid>>2
		}
	}
	return mask & (1<<w.block - 1)
}

// Still reports whether a cell, from -1 to N along each axis, is a wall that is Cells.Still.
func (w *Walls) Still(x, y, z int) bool {
	k := w.cells.At(x, y, z)
	return k != 0 && w.cells.Still(k) && !w.given.Open(w.given.At(x, y, z)) // beside a moving face a body's links may slide
}

// Fluid reports whether a cell, from -1 to N along each axis, is fluid or a ghost cell that faces fill.
func (w *Walls) Fluid(x, y, z int) bool { return w.cells.At(x, y, z) == 0 }

// Links sets bit i for each direction out of a solid cell into the fluid cell of this index
// (Cells).
func (w *Walls) Links(index int) (links uint32) {
	for i, from := range w.from {
		if w.cells.Type[index+from] != 0 {
			links |= 1 << i
		}
	}
	return links
}

// Unread sets bit i for each link out of a blocked cell of a refined grid (Patch.Blocked): no step needs them.
func (w *Walls) Unread(index int) (links uint32) {
	if w.cells.Patch == nil || w.cells.Patch.Blocked == 0 {
		return 0
	}
	for i, from := range w.from {
		if w.cells.Type[index+from] == w.cells.Patch.Blocked {
			links |= 1 << i
		}
	}
	return links
}

// meets returns the type of the wall that direction i comes out of into the fluid cell of this index
// (Cells.Meets): more than Links, where a part of a face ends.
func (w *Walls) meets(index, i int) uint8 {
	k := w.cells.Type[index+w.from[i]]
	if k != 0 || w.given.Type[index+w.from[i]] == 0 {
		return k
	}
	n, c := w.cells.N, w.lattice.Velocities[i]
	x := [3]int{index%(n[0]+2) - 1, index/(n[0]+2)%(n[1]+2) - 1, index/(n[0]+2)/(n[1]+2) - 1}
	return w.given.Meets(x, [3]int{x[0] - c[0], x[1] - c[1], x[2] - c[2]}, w.lattice.Dims)
}

// Momentum returns the term that the wall adds to direction i of this cell, one of its links: 6 w_i
// c_i.u_w (Kinds, moving_wall), 0 for a wall at rest.
func (w *Walls) Momentum(index, i int) float64 {
	k := w.cells.Type[index+w.from[i]]
	u, constant := Unscaled(w.cells.Motion(k)).(Constant)
	if !constant || u == (Constant{}) && !w.given.Open(w.given.Type[index+w.from[i]]) {
		return 0
	}
	c, n := w.lattice.Velocities[i], w.cells.N
	x := [3]int{index%(n[0]+2) - 1, index/(n[0]+2)%(n[1]+2) - 1, index/(n[0]+2)/(n[1]+2) - 1}
	if _, moves := w.given.linkPlace(k, x, 0.5, c, w.lattice.Dims); !moves {
		return 0
	}
	u = w.given.mirrored(k, x, c, w.lattice.Dims, u)
	cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
	if cu == 0 {
		return 0 // never -0: equal walls must compare equal
	}
	return 6 * w.lattice.Weights[i] * cu
}

// checkFaces verifies that all cells outside are either stored (ghosts), periodic images or walls.
func (w *Walls) checkFaces(layout decomp.Layout, periodic [3]bool) error {
	n := layout.N
	for axis := 0; axis < w.lattice.Dims; axis++ {
		if layout.Ghost[axis] > 0 || periodic[axis] {
			continue
		}
		lo, hi := [3]int{-1, -1, -1}, n
		if w.lattice.Dims == 2 {
			lo[2], hi[2] = 0, n[2]-1
		}
		for _, side := range []int{-1, n[axis]} {
			from, to := lo, hi
			from[axis], to[axis] = side, side
			for z := from[2]; z <= to[2]; z++ {
				for y := from[1]; y <= to[1]; y++ {
					for x := from[0]; x <= to[0]; x++ {
						if w.given.At(x, y, z) == 0 {
							return fmt.Errorf("cell %v outside the box is fluid, but axis %c is neither periodic nor divided: it needs a boundary", [3]int{x, y, z}, "xyz"[axis])
						}
					}
				}
			}
		}
	}
	return nil
}
