// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"fmt"
	"slices"

	"lbmsim/config"
	"lbmsim/decomp"
)

// Line returns, on rank 0, the values along a line and their places along its axis, in cells of level 0.
func (v View) Line(e config.Expectation) (values, places []float64, err error) {
	if v.Refined == nil {
		values, err = cellLine(v, e)
		return values, e.Places(), err
	}
	between, places := lineBetween(v, e)
	cells, err := v.CollectCells(e.Field, between.Cells)
	if err != nil || !v.Rank.Root {
		return nil, nil, err
	}
	return between.Values(e.Field, e.Component, cells), places, nil
}

// lineBetween finds the cells around the samples of a line of a refined grid, and their places.
func lineBetween(v View, e config.Expectation) (b Between, places []float64) {
	var points [][3]float64
	places = decomp.Along(v.Refined.Hierarchy, e.Axis, e.Through, e.Ends[0], e.Ends[1])
	for _, at := range places {
		e.Through[e.Axis] = at
		points = append(points, e.Through)
	}
	return Around(v, points), places
}

// CellsOf lists the cells of an expectation of a line or a probe.
func CellsOf(v View, e config.Expectation) (list []decomp.Place) {
	if e.Quantity == config.ProbeValue {
		return []decomp.Place{v.Cell(e.Cell, e.Within).Place()}
	}
	if v.Refined != nil {
		b, _ := lineBetween(v, e)
		return b.Cells
	}
	for k := e.Span[0]; k < e.Span[1]; k++ {
		for _, c := range e.Columns {
			c.Cell[e.Axis] = k
			list = append(list, decomp.Place{Cell: c.Cell})
		}
	}
	return list
}

// BesideWall reports whether a fluid cell is one of this rank's and shares a face with a no-slip wall.
func BesideWall(v View, at decomp.Place) bool {
	if v.Refined == nil {
		return v.Part.BesideWall(at.Cell)
	}
	return slices.ContainsFunc(v.Refined.Patches, func(p Patch) bool { return p.Level == at.Level && p.Part.BesideWall(at.Cell) })
}

// cellLine returns, on rank 0, the values along a line of cells.
func cellLine(v View, e config.Expectation) ([]float64, error) {
	var box decomp.Box
	box.Lo[e.Axis], box.Hi[e.Axis] = e.Span[0], e.Span[1]
	for a := range box.Lo {
		if a != e.Axis {
			box.Lo[a], box.Hi[a] = 1<<30, 0
			for _, c := range e.Columns {
				box.Lo[a], box.Hi[a] = min(box.Lo[a], c.Cell[a]), max(box.Hi[a], c.Cell[a]+1)
			}
		}
	}
	at := Region{Box: box}
	if box.Cells() == 1 { // of a refined grid the finest cell in its middle; lines are of one grid
		at = v.Region(box, Middle())
	}
	values, err := v.CollectAll(e.Field, at)
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	n, of := box.Size(), e.Field.Components
	return e.Samples(func(cell [3]int) (float64, bool) {
		i := ((cell[2]-box.Lo[2])*n[1]+cell[1]-box.Lo[1])*n[0] + cell[0] - box.Lo[0]
		return pick(values[i*of:][:of], e.Component), Has(e.Field, values[i*of:][:of])
	}), nil
}

// LineValue returns a quantity of a cell or of a line of cells on rank 0, in the outputs' unit. Collective.
func (w View) LineValue(e config.Expectation) (float64, error) {
	switch e.Quantity {
	case config.ProbeValue:
		v, err := w.Collect(e.Field, e.Component, w.Cell(e.Cell, e.Within))
		if err != nil || !w.Rank.Root {
			return 0, err
		}
		return v[0], nil
	case config.LineMin, config.LineMax, config.LineMinPlace, config.LineMaxPlace, config.LineCrossing:
		v, places, err := w.Line(e)
		if err != nil || !w.Rank.Root {
			return 0, err
		}
		value, at := e.OfLine(v, places)
		if e.Quantity == config.LineMin || e.Quantity == config.LineMax {
			return value, nil
		}
		return w.Case.Origin[e.Axis] + w.Case.Units.Length*at, nil
	}
	return 0, fmt.Errorf("no such quantity: %s", e.Quantity)
}
