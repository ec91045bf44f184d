// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"slices"

	"lbmsim/internal/parallel"
)

// Crevices returns a function that reports whether a cell of the box is fluid between two walls with friction that are one cell apart
// along an axis, and of which one moves; nil: there is no such cell.
func Crevices(c Cells, dims int) func(x [3]int) bool {
	if !slices.ContainsFunc(c.Walls, func(w Wall) bool { return w.Motion != nil }) {
		return nil
	}
	rows := make([][]int, c.N[1]*c.N[2])
	parallel.Pieces(len(rows), rowsOfPiece, func(lo, hi int) {
		for row := lo; row < hi; row++ {
			for x := range c.N[0] {
				if crevice(c, [3]int{x, row % c.N[1], row / c.N[1]}, dims) {
					rows[row] = append(rows[row], x)
				}
			}
		}
	})
	if !slices.ContainsFunc(rows, func(row []int) bool { return row != nil }) {
		return nil
	}
	return func(x [3]int) bool { return within(x, c.N) && slices.Contains(rows[x[2]*c.N[1]+x[1]], x[0]) }
}

func crevice(c Cells, x [3]int, dims int) bool {
	if c.At(x[0], x[1], x[2]) != 0 {
		return false
	}
	for a := range dims {
		before, behind := x, x
		before[a]--
		behind[a]++
		j, k := c.At(before[0], before[1], before[2]), c.At(behind[0], behind[1], behind[2])
		if j != 0 && k != 0 && hasFriction(c.Wall(j).Law) && hasFriction(c.Wall(k).Law) && !(c.Rests(j) && c.Rests(k)) {
			return true
		}
	}
	return false
}

func hasFriction(l Law) bool {
	return l == Bounce || l == Interpolated || l == MovingFace || l == ModelledWall
}
