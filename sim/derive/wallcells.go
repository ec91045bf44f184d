// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/sim/domain"
)

// WallCells lists the rank's own cells beside walls with a model, into which modelled ghost cells send populations. Values of a
// cell follow from the flow at these ghost cells. Their order depends on the cut: the values do not depend on it.
type WallCells struct {
	At    []int32 // place of each cell among the rank's own, [z][y][x], rising
	first []int32 // of each cell's links, and the number of all
	links []wallLink
}

// wallLink is a link from a ghost cell.
type wallLink struct {
	ghost uint32
	area  float64 // of the surface that it crosses
}

// WallCells lists these cells.
func (v View) WallCells() *WallCells {
	w := &WallCells{}
	if v.Part.Cells.Modelled == nil {
		return w
	}
	number := make([]int32, v.Part.Box.Cells()) // of a cell's links, then of the cell
	count := 0
	v.eachWallLink(func(cell int, _ wallLink) { number[cell]++; count++ })
	w.links, w.first = make([]wallLink, count), []int32{0}
	for cell, n := range number {
		if n > 0 {
			number[cell] = int32(len(w.At))
			w.At, w.first = append(w.At, int32(cell)), append(w.first, w.first[len(w.At)]+n)
		}
	}
	filled := make([]int32, len(w.At))
	v.eachWallLink(func(cell int, l wallLink) {
		i := number[cell]
		w.links[w.first[i]+filled[i]] = l
		filled[i]++
	})
	return w
}

// eachWallLink calls use for each link into an own cell from a ghost cell that has the model.
func (v View) eachWallLink(use func(cell int, l wallLink)) {
	n := v.Part.Layout.N
	for i := range v.Part.Cells.Modelled.Cells {
		c := &v.Part.Cells.Modelled.Cells[i]
		if c.Without != boundary.WithModel {
			continue
		}
		for _, l := range c.Links {
			to := l.To.Cell()
			use((to[2]*n[1]+to[1])*n[0]+to[0], wallLink{uint32(i), l.Area})
		}
	}
}

// of returns the links of cell i.
func (w *WallCells) of(i int) []wallLink { return w.links[w.first[i]:w.first[i+1]] }

// Plus returns y+ at half a cell in cell i, the largest of its ghost cells, by the flow at all of the rank's.
func (w *WallCells) Plus(i int, flow []device.ModelledWall) (plus float64) {
	for _, l := range w.of(i) {
		plus = max(plus, flow[l.ghost].HalfPlus)
	}
	return plus
}

// share returns the share that the model has in cell i, the largest of its ghost cells.
func (w *WallCells) share(i int, flow []device.ModelledWall) (share float64) {
	for _, l := range w.of(i) {
		share = max(share, flow[l.ghost].Share)
	}
	return share
}

// Traction returns the traction in cell i, the mean over its links by area: sums of integers, which are the same in any order.
func (w *WallCells) Traction(i int, flow []device.ModelledWall) (traction [3]float64) {
	var sum [3]int64
	area := int64(0)
	for _, l := range w.of(i) {
		area += int64(math.RoundToEven(l.area * domain.AreaUnits))
		for a, t := range flow[l.ghost].Traction {
			sum[a] += int64(math.RoundToEven(t * l.area * device.ForceUnits))
		}
	}
	if area <= 0 {
		return traction
	}
	for a, t := range sum {
		traction[a] = float64(t) / device.ForceUnits / (float64(area) / domain.AreaUnits)
	}
	return traction
}
