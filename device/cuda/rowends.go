// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// rowEnds are the cells beyond the ends of rows, for the march of moments (RowEnd of kernels/gpu/api.h): of each
// end by number (z+1)*(ny+2) + y+1; nil: the march reads cells there as everywhere.
type rowEnds [2][]rowEndABI

// rowEndSlot returns the bit of what comes with (c_y, c_z) from beyond an end: RowOf::slot in three dimensions.
func rowEndSlot(cy, cz int) int { return 3*cz + cy + 4 }

// findRowEnds describes the ends that the kernels can make up, of rows that do not wrap. Links to
// half-way walls at rest there need no words (drop). Each decision follows from the types of cells
// alone, so all ranks that see a cell take the same.
func findRowEnds(found *boundary.Walls, l decomp.Layout, periodic [3]bool, sides [2]bool) (list rowEnds) {
	n := l.N
	for side, serves := range sides {
		if !serves {
			continue
		}
		beyond, last := -1, 0
		if side == 1 {
			beyond, last = n[0], n[0]-1
		}
		list[side] = make([]rowEndABI, (n[1]+2)*(n[2]+2))
		// bounces reports whether the cell at the end of row (y, z) meets a wall with (c_y, c_z) of the way back.
		bounces := func(y, z, cy, cz int) bool {
			inside := func(y, z int) bool { return y >= -1 && y <= n[1] && z >= -1 && z <= n[2] }
			return inside(y, z) && inside(y-cy, z-cz) && found.Fluid(last, y, z) && found.Still(beyond, y-cy, z-cz)
		}
		parallel.Ranges(len(list[side]), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				y, z := i%(n[1]+2)-1, i/(n[1]+2)-1
				r := &list[side][i]
				r.from = storedRow(l, periodic, y, z)
				for cz := -1; cz <= 1; cz++ {
					for cy := -1; cy <= 1; cy++ {
						if bounces(y, z, cy, cz) {
							r.code |= 1 << rowEndSlot(cy, cz)
						}
						if !bounces(y+cy, z+cz, cy, cz) {
							r.code |= 1 << (rowEndOwn + rowEndSlot(cy, cz))
						}
					}
				}
			}
		})
	}
	return list
}

// storedRow returns the number of a row among the stored ones, rowEndNone if it is not stored.
func storedRow(l decomp.Layout, periodic [3]bool, y, z int) uint32 {
	at := [3]int{0, y, z}
	for a := 1; a < 3; a++ {
		if n := l.N[a]; l.Ghost[a] == 0 && (at[a] < 0 || at[a] >= n) {
			if !periodic[a] {
				return rowEndNone
			}
			at[a] = (at[a] + n) % n
		}
	}
	return uint32(l.Row(at[1], at[2]))
}

// drop returns the links of cell (x, y, z), one bit per direction, that the row ends cover and the list omits.
func (r rowEnds) drop(lattice model.Lattice, n [3]int, x, y, z int) (links uint32) {
	for side, end := range [2]int{0, n[0] - 1} {
		if x != end || r[side] == nil {
			continue
		}
		sends := r[side][(z+1)*(n[1]+2)+y+1].code
		for i, c := range lattice.Velocities {
			if c[0] == 1-2*side && sends>>rowEndSlot(c[1], c[2])&1 != 0 {
				links |= 1 << i
			}
		}
	}
	return links
}

// at returns what lies beyond the end of stored row number row.
func (r rowEnds) at(l decomp.Layout, side int, row uint32) *rowEndABI {
	y, z := rowOf(l, row)
	return &r[side][(z+1)*(l.N[1]+2)+y+1]
}

// addGhosts enters ghost cells in the row ends. It returns the cells of the list that need a separate kernel, and how
// many of them belong to the box itself: cells beyond the ends of rows are included only if the march does not compute
// them, or if other kernels read them.
func (r rowEnds) addGhosts(list *boundary.Faces, l decomp.Layout, wraps [3]bool, others endCells) (cells []boundary.FaceCell, own int) {
	for i, c := range list.Cells {
		y, z := rowOf(l, c.Row)
		if wraps[1] && (y < 0 || y >= l.N[1]) || wraps[2] && (z < 0 || z >= l.N[2]) {
			continue // never read
		}
		side := 0
		if c.X > 0 {
			side = 1
		}
		if (c.X < 0 || int(c.X) >= l.N[0]) && r[side] != nil {
			end := r.at(l, side, c.Row)
			end.from, end.rule, end.code = c.From, c.Rule, end.code|rowEndGhost
			if int(c.Rule) < list.Steady && list.Rules[c.Rule] == (boundary.CodedRule{}) { // as behind outflows
				end.code ^= rowEndGhost | rowEndCopy
			}
			if !others[side][[2]int{y, z}] {
				continue
			}
		}
		cells = append(cells, c)
		if i < list.Own {
			own++
		}
	}
	return cells, own
}

// endCells holds the rows (y, z) beyond whose left or right end a kernel behind the march reads.
type endCells [2]map[[2]int]bool

// endCellsOf returns the rows of the cells of lists that lie at the ends of rows, and the rows beside them.
func endCellsOf(n [3]int, wraps [3]bool, lists ...*boundary.Links) endCells {
	found := endCells{{}, {}}
	for _, l := range lists {
		if l == nil {
			continue
		}
		for _, c := range l.Cells {
			for side, end := range [2]int{0, n[0] - 1} {
				if int(c.X) != end {
					continue
				}
				for k := range 9 {
					at := [2]int{int(c.Row)%n[1] + k%3 - 1, int(c.Row)/n[1] + k/3 - 1}
					for a := range at {
						if wraps[1+a] {
							at[a] = (at[a] + n[1+a]) % n[1+a]
						}
					}
					found[side][at] = true
				}
			}
		}
	}
	return found
}

// addOutlets enters outflows across x in the row ends. It returns those that need a separate kernel: across other axes,
// and beside cells that are changed after the march, by their laws or by a scalar.
func (r rowEnds) addOutlets(list *boundary.Faces, l decomp.Layout, special *boundary.Links, scalar bool) (outlets []boundary.OutletCell) {
	n := l.N
	for _, o := range list.Outlets {
		y, z := rowOf(l, o.Row)
		side, behind := int(o.Axes>>1&1), scalar || n[0] < 2
		for _, c := range special.Of(z*n[1] + y) {
			behind = behind || int32(c.X) == o.X
		}
		if o.Axes&1 != 0 && r[side] != nil && !behind {
			end := r.at(l, side, o.Row)
			end.outlet, end.code = o.Rule, end.code|rowEndOutlet
			if o.Axes&4 != 0 {
				end.code |= rowEndInner
			}
			o.Axes &^= 1<<boundary.OutletBits - 1
		}
		if o.Axes != 0 {
			outlets = append(outlets, o)
		}
	}
	return outlets
}

// wrap copies the row ends of the other end to the rows beyond periodic axes.
func (r rowEnds) wrap(n [3]int, wraps [3]bool) {
	for _, end := range r {
		for i := range end {
			y, z := i%(n[1]+2)-1, i/(n[1]+2)-1
			if wraps[1] {
				y = (y + n[1]) % n[1]
			}
			if wraps[2] {
				z = (z + n[2]) % n[2]
			}
			end[i] = end[(z+1)*(n[1]+2)+y+1]
		}
	}
}

// rowOf returns y and z of a stored row.
func rowOf(l decomp.Layout, row uint32) (y, z int) {
	rows := l.N[1] + 2*l.Ghost[1]
	return int(row)%rows - l.Ghost[1], int(row)/rows - l.Ghost[2]
}
