// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"

	"lbmsim/geometry"
)

// Bodies that only their files, or the links of the lattice, show to have no cell or to leave no fluid. Others are checked
// where they are read.

// alone returns the domain in cells of a level, with one shape in it.
func (r *openings) alone(s geometry.Shape, level int) geometry.Scene {
	cells := r.Cells
	for a := range r.dims {
		cells[a] <<= level
	}
	return geometry.Scene{Cells: cells, Periodic: r.Periodic, Links: geometry.Half(r.Spec.Lattice.Velocities), Bodies: []geometry.Body{{Shape: geometry.Finer(s, level, r.dims), Thicken: true}}}
}

// hasCell refuses a body without a cell.
func (r *openings) hasCell(b Body) {
	shape := r.shape(b)
	lo, hi := shape.Bounds()
	if r.dims == 2 {
		lo[2], hi[2] = 0, 1
	}
	if geometry.AnyCell(shape, lo, hi, r.Cells, true) || b.Thicken && r.alone(shape, finest{r.finer}.box(shape.Bounds())).TakesAny(0) {
		return
	}
	for _, s := range r.All("body") {
		if s.Name() != b.Name {
			continue
		}
		at := s.At
		if s.Has("file") {
			at = s.ValueAt("file")
		}
		r.Add(at, "", "%s", NoCell(b, r.Files, r.Cells, lo, hi))
	}
}

// NoCell reports that a body that spans lo to hi, in cells, has none of the domain's, and what may be the reason.
func NoCell(b Body, files []SolidFile, cells [3]int, lo, hi [3]float64) string {
	why := "is its unit right, or is it thinner than a cell (thicken = true)?"
	for _, k := range b.solid.fromFiles() {
		if files[k].Image {
			why = "is its position, or its spacing, right?"
		}
	}
	if b.Thicken {
		why = "thicken = true makes cells solid where links between two cells of the domain cross a body: move it into the domain by half a cell"
	}
	return fmt.Sprintf("[body.%s] has no cell: it spans %.4g to %.4g, %.4g to %.4g and %.4g to %.4g cells of a domain of %d x %d x %d; %s",
		b.Name, lo[0], hi[0], lo[1], hi[1], lo[2], hi[2], cells[0], cells[1], cells[2], why)
}

// hasFluid refuses bodies that together fill the domain.
func (r *openings) hasFluid() {
	if len(r.Bodies) == 0 || r.Err() != nil {
		return
	}
	all := geometry.Combination{Operation: geometry.Union, Parts: r.knownShapes(r.Bodies)}
	end := [3]float64{float64(r.Cells[0]), float64(r.Cells[1]), float64(r.Cells[2])}
	if !geometry.AnyCell(all, [3]float64{}, end, r.Cells, false) {
		r.Add(r.All("body")[0].At, "", "the bodies fill the whole domain: there are no fluid cells")
	}
}
