// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"slices"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Between is the values at some points as sums over cells.
type Between struct {
	Cells  []decomp.Place
	weight []float64
	end    []int // of each point's cells, which follow the cells of the previous point
}

// Around finds the cells around points, in cells from the domain's lower corner.
func Around(v View, points [][3]float64) (b Between) {
	var terms []decomp.Term
	for _, p := range points {
		if terms = terms[:0]; v.Refined != nil {
			terms = decomp.Terms(v.Refined.Hierarchy, p, terms)
		} else {
			decomp.Corners(p, v.Case.Cells, v.Case.Periodic, func(cell [3]int, weight float64) {
				terms = append(terms, decomp.Term{Place: decomp.Place{Cell: cell}, Weight: weight})
			})
		}
		for _, t := range terms {
			b.Cells, b.weight = append(b.Cells, t.Place), append(b.weight, t.Weight)
		}
		b.end = append(b.end, len(b.Cells))
	}
	return b
}

// Values returns one component (or -1: the magnitude) of a field at each point, from its values in Cells, [cell][component].
func (b Between) Values(f model.Field, component int, cells []float64) (list []float64) {
	j := 0
	for _, end := range b.end {
		var blend config.Blend
		for ; j < end; j++ {
			cell := cells[j*f.Components:][:f.Components]
			blend.Add(b.weight[j], pick(cell, component), Has(f, cell))
		}
		list = append(list, blend.Value())
	}
	return list
}

// Has reports whether a field has a value in a cell: one of cells beside walls has none in others, where it is 0.
func Has(f model.Field, cell []float64) bool {
	return !f.AtWalls() || slices.ContainsFunc(cell, func(v float64) bool { return v != 0 })
}
