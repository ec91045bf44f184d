// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

// Layout places the cells of one rank's box in memory as [z][y][component][x]:
// rows of x are contiguous, all components of a row are adjacent, and a plane
// of the slowest axis is one contiguous range. kernels/layout.h has the same
// arithmetic; a test compares both.
type Layout struct {
	N          [3]int // interior cells x, y, z
	Ghost      [3]int // ghost cells on each side; x is never cut, so Ghost[0] = 0
	Components int    // values per cell
	Pitch      int    // padded length of a row in values, a multiple of Align
	Listed     int    // rows after the last ghost layer, of cells that are exchanged one by one (List)
}

// Align is the multiple that rows are padded to, in values.
const Align = 32

// NewLayout makes the layout of a box of n cells with the given ghost layers.
func NewLayout(n, ghost [3]int, components int) Layout {
	return Layout{N: n, Ghost: ghost, Components: components, Pitch: (n[0] + Align - 1) / Align * Align}
}

// Row returns the number of row (y, z), counted in rows of all components;
// y and z may lie in the ghost layers.
func (l Layout) Row(y, z int) int {
	return (z+l.Ghost[2])*(l.N[1]+2*l.Ghost[1]) + y + l.Ghost[1]
}

// Rows returns the number of rows, ghosts included.
func (l Layout) Rows() int {
	return (l.N[2] + 2*l.Ghost[2]) * (l.N[1] + 2*l.Ghost[1])
}

// RowLen returns the length of one row in values, all components.
func (l Layout) RowLen() int { return l.Components * l.Pitch }

// At returns the index of component c of cell (x, y, z).
func (l Layout) At(x, y, z, c int) int { return (l.Row(y, z)*l.Components+c)*l.Pitch + x }

// Len returns the number of values of the whole state.
func (l Layout) Len() int { return (l.Rows() + l.Listed) * l.RowLen() }

// Axis returns the slowest axis that has ghosts, along which planes are contiguous.
func (l Layout) Axis() int {
	if l.Ghost[2] > 0 {
		return 2
	}
	return 1
}

// Plane returns the contiguous range [lo, hi) of values of plane k along Axis;
// k = -1 and k = N are the ghost planes.
func (l Layout) Plane(k int) (lo, hi int) {
	rows := 1
	if l.Axis() == 2 {
		rows = l.N[1] + 2*l.Ghost[1]
	}
	n := rows * l.RowLen()
	return (k + l.Ghost[l.Axis()]) * n, (k + l.Ghost[l.Axis()] + 1) * n
}
