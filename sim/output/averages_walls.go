// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// wallMeans are means over time in the cells beside walls with a model, by the recurrence of the other averages. They are on the
// host, and a sample costs as much as the flow at ghost cells: no other cell is read. Files and checkpoints have them beside the
// sums of all cells, as rows with zeros elsewhere, so that any other cut can read them.
type wallMeans struct {
	of    model.WallMeans
	nx    int // cells of a row
	rows  int
	cells *derive.WallCells
	means []float64 // [cell][value]
}

// newWallMeans lists the cells of this rank.
func newWallMeans(of model.WallMeans, v derive.View) *wallMeans {
	cells, n := v.WallCells(), v.Part.Layout.N
	return &wallMeans{of: of, nx: n[0], rows: n[1] * n[2], cells: cells, means: make([]float64, len(cells.At)*of.Values())}
}

// take continues with sample n.
func (w *wallMeans) take(r *Run, v derive.View, n int64) error {
	if v.Part.Cells.Modelled == nil { // a level of a refined grid without such walls
		return nil
	}
	flow, err := v.State.WallFlow()
	if err != nil {
		return err
	}
	return r.Rank.Share(len(w.cells.At), func(lo, hi int) error {
		inverse := 1 / float64(n)
		values, each := make([]float64, 0, 4), w.of.Values()
		for i := lo; i < hi; i++ {
			values = values[:0]
			if w.of.Plus {
				values = append(values, w.cells.Plus(i, flow))
			}
			if w.of.Shear {
				t := w.cells.Traction(i, flow)
				values = append(values, t[:]...)
			}
			deviate(values, w.means[i*each:], inverse)
		}
		return nil
	})
}

// join returns sums of all cells, [row][sum][x], with the means last in each row.
func (w *wallMeans) join(sums []float64) []float64 {
	own := len(sums) / w.rows
	all := own + w.of.Values()*w.nx
	joined := make([]float64, w.rows*all)
	for row := range w.rows {
		copy(joined[row*all:], sums[row*own:][:own])
	}
	w.each(func(cell *float64, at int) { joined[at/w.width()*all+own+at%w.width()] = *cell })
	return joined
}

// part sets the means to the last in each row of joined sums, and returns the others.
func (w *wallMeans) part(joined []float64) (sums []float64) {
	all := len(joined) / w.rows
	own := all - w.width()
	sums = make([]float64, w.rows*own)
	for row := range w.rows {
		copy(sums[row*own:][:own], joined[row*all:])
	}
	w.each(func(cell *float64, at int) { *cell = joined[at/w.width()*all+own+at%w.width()] })
	return sums
}

// width returns the number of means in a row of all cells.
func (w *wallMeans) width() int { return w.of.Values() * w.nx }

// each calls do for each mean and its place among the means of all cells, [row][value][x].
func (w *wallMeans) each(do func(mean *float64, at int)) {
	each := w.of.Values()
	for i, at := range w.cells.At {
		row, x := int(at)/w.nx, int(at)%w.nx
		for k := range each {
			do(&w.means[i*each+k], row*w.width()+k*w.nx+x)
		}
	}
}
