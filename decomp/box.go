// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package decomp cuts the global box of cells into one box per rank and places
// a rank's cells in memory. It knows integers only: no MPI, no device.
package decomp

// Box is a half-open box of cells: Lo <= (x, y, z) < Hi.
type Box struct{ Lo, Hi [3]int }

// Size returns the number of cells along each axis.
func (b Box) Size() [3]int {
	return [3]int{b.Hi[0] - b.Lo[0], b.Hi[1] - b.Lo[1], b.Hi[2] - b.Lo[2]}
}

// Cells returns the number of cells of the box; 0 when it is empty.
func (b Box) Cells() int {
	n := b.Size()
	if n[0] <= 0 || n[1] <= 0 || n[2] <= 0 {
		return 0
	}
	return n[0] * n[1] * n[2]
}

// Overlaps reports whether both boxes share a cell.
func (b Box) Overlaps(o Box) bool {
	for a := range b.Lo {
		if max(b.Lo[a], o.Lo[a]) >= min(b.Hi[a], o.Hi[a]) {
			return false
		}
	}
	return true
}

// Outside returns the cells of a box that are in no other box, as few disjoint boxes.
func (b Box) Outside(others []Box) []Box {
	left := []Box{b}
	for _, o := range others {
		left = subtract(left, o)
	}
	return left
}

// Contains reports whether cell p lies in the box.
func (b Box) Contains(p [3]int) bool {
	for a := range p {
		if p[a] < b.Lo[a] || p[a] >= b.Hi[a] {
			return false
		}
	}
	return true
}

// holds reports whether all cells of another box, which is not empty, lie in the box.
func (b Box) holds(o Box) bool {
	for a := range b.Lo {
		if o.Lo[a] < b.Lo[a] || o.Hi[a] > b.Hi[a] {
			return false
		}
	}
	return true
}

// intersect returns the cells of both boxes; without any its Cells are 0.
func (b Box) intersect(o Box) Box {
	for a := range b.Lo {
		b.Lo[a], b.Hi[a] = max(b.Lo[a], o.Lo[a]), min(b.Hi[a], o.Hi[a])
	}
	return b
}

// moved returns the box moved by so many cells.
func (b Box) moved(by [3]int) Box { return Box{Lo: plus(b.Lo, by), Hi: plus(b.Hi, by)} }
