// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import "slices"

// Around holds a body's surroundings in the cells of a domain: the bodies listed before and after it, of which later ones
// win.
type Around struct {
	Cells          [3]int
	Periodic       [3]bool
	Dims           int
	Earlier, Later []Shape
}

// Meet reports whether the boxes of two shapes share cells or are next to each other.
func (o Around) Meet(s, t Shape) bool {
	from, to := Reach(s, o.Cells, o.Dims)
	least, most := Reach(t, o.Cells, o.Dims)
	for a := range from {
		if from[a] > most[a] || least[a] > to[a] {
			return false
		}
	}
	return true
}

// mostSwallowed is the approximate largest number of a body's cells checked: each has 26 neighbours.
const mostSwallowed = 1 << 15

// Swallows reports whether a body's cells are all in others and no cell that the body keeps is beside fluid. It checks each
// cell; of more than mostSwallowed, samples at equal distances and the last along each axis.
func (o Around) Swallows(s Shape) bool {
	from, to := Reach(s, o.Cells, o.Dims)
	step, n := 0, mostSwallowed+1
	for n > mostSwallowed {
		step, n = step+1, 1
		for a := range from {
			n *= (to[a] - from[a] + step - 1) / step
		}
	}
	var at [3][]int
	for a := range at {
		for i := from[a]; i < to[a]; i += step {
			at[a] = append(at[a], i)
		}
		if n := len(at[a]); n > 0 && at[a][n-1] < to[a]-1 {
			at[a] = append(at[a], to[a]-1)
		}
	}
	any := false
	for _, z := range at[2] {
		for _, y := range at[1] {
			for _, x := range at[0] {
				cell := [3]int{x, y, z}
				p := centre(cell)
				if !holds(s, p) {
					continue
				}
				if any = true; !inAny(o.Later, p) && (!inAny(o.Earlier, p) || o.besideFluid(s, cell)) {
					return false
				}
			}
		}
	}
	return any
}

// besideFluid reports whether a cell of a body has a neighbour that is in no body.
func (o Around) besideFluid(s Shape, x [3]int) bool {
	d := Scene{Cells: o.Cells, Periodic: o.Periodic}
	for k := range 27 {
		y, beyond := plus(x, [3]int{k%3 - 1, k/3%3 - 1, k/9 - 1}), false
		for a := range y {
			var out int
			y[a], out = d.locate(a, y[a])
			beyond = beyond || out != 0
		}
		if p := centre(y); !beyond && !holds(s, p) && !inAny(o.Earlier, p) && !inAny(o.Later, p) {
			return true
		}
	}
	return false
}

// inAny reports whether a point lies in any of some shapes.
func inAny(shapes []Shape, p [3]float64) bool {
	return slices.ContainsFunc(shapes, func(s Shape) bool { return holds(s, p) })
}
