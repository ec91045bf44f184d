// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"lbmsim/decomp"
	"lbmsim/sim/domain"
)

// Gaps gathers, for each cell of a plane of the domain, the distances to the surfaces of bodies towards the next and the previous
// cell along two axes to rank 0, as [z][y][x][4] in cells; 0 where the cell is not fluid or that cell is not of a body. Collective.
func (v View) Gaps(box decomp.Box, axes [2]int) ([]float64, error) {
	part := v.Part.Local(domain.Intersect(box, v.Part.Box))
	var mine []float64
	for z := part.Lo[2]; z < part.Hi[2]; z++ {
		for y := part.Lo[1]; y < part.Hi[1]; y++ {
			for x := part.Lo[0]; x < part.Hi[0]; x++ {
				for _, a := range axes {
					mine = append(mine, v.gap([3]int{x, y, z}, a, 1), v.gap([3]int{x, y, z}, a, -1))
				}
			}
		}
	}
	return gather(v.Rank, box, v.Part.Plan.Box, 2*len(axes), mine)
}

// gap returns the distance from the centre of a local cell to the surface of the body in the next cell along an axis, on
// one side; 0 if that cell belongs to no body.
func (v View) gap(x [3]int, axis, side int) float64 {
	beyond, out := x, [3]int{}
	beyond[axis] += side
	out[axis] = -side
	if v.Part.Cells.At(x[0], x[1], x[2]) != 0 || int(v.Part.Cells.At(beyond[0], beyond[1], beyond[2])) <= len(v.Case.Boundaries) {
		return 0
	}
	if d := v.Part.Cells.Distance(x, out); d > 0 {
		return d
	}
	return 0.5
}
