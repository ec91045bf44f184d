// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package intake

import (
	"fmt"
	"math"

	"lbmsim/geometry"
	"lbmsim/geometry/mesh"
	"lbmsim/model"
)

// Grid is the grid on which a surface is examined.
type Grid struct {
	Cells   [3]int // of the case's domain; zero: of the box around the surface
	Lattice model.Lattice
	Thicken bool // the body occupies cells of links that pass through it
}

// Limits beyond which numbers of a surface on a grid are warnings.
const (
	mostVolumeOff = geometry.MostVolumeOff
	mostAreaOff   = geometry.MostAreaOff
	mostNarrow    = geometry.MostNarrow
	mostThin      = geometry.MostThin
)

// OnGrid reports the voxelization of a surface, with a depth image. move converts its vertices to
// cells.
func OnGrid(s *mesh.Surface, move func([3]float64) [3]float64, grid Grid) (rows []Row, depth mesh.Depth, err error) {
	moved := &mesh.Surface{V: append([][3]float64{}, s.V...), T: s.T}
	moved.Move(move)
	f := moved.Inspect()
	g, depth, err := moved.Look()
	if err != nil {
		return nil, depth, err
	}
	rows = fill(nil, f, g)
	narrow := 0.0
	var thin geometry.Thin
	if f.Watertight() {
		if thin, narrow, err = passing(moved, g.Scale, grid); err != nil {
			return nil, depth, err
		}
	}
	rows = thicknesses(append(rows, leakTest(f, g, thin, grid)), g, narrow)
	if grid.Thicken { // which is set where the grid does not resolve the thickness
		for i := range rows {
			rows[i].Warning = ""
		}
	}
	return rows, depth, nil
}

// fill compares volume and area of the surface with the volume and area of its cells.
func fill(rows []Row, f mesh.Findings, g mesh.Grid) []Row {
	add := func(what, warning, format string, args ...any) {
		rows = append(rows, Row{what, fmt.Sprintf(format, args...), warning})
	}
	add("in cells", "", "%s to %s, %.4g x %.4g x %.4g cells", place(f.Lo), place(f.Hi), f.Hi[0]-f.Lo[0], f.Hi[1]-f.Lo[1], f.Hi[2]-f.Lo[2])
	if g.Scale != 1 {
		add("coarsened", "", "analysed with cells %g times as large: the bounding box has too many", g.Scale)
	}
	cube := g.Scale * g.Scale * g.Scale
	volume := float64(g.Solid) * cube
	overlap := ""
	if f.Parts > 1 { // overlaps of parts count twice in the surface's numbers
		overlap = "; overlapping parts count twice"
	}
	if f.Watertight() {
		off := volume/math.Abs(f.Volume) - 1
		add("volume", unresolved(off, mostVolumeOff, f.Parts), "%.6g cells of the surface, %.6g solid cells: %s%s", math.Abs(f.Volume), volume, change(off), overlap)
	} else {
		add("volume", "", "%.6g solid cells", volume)
	}
	off := g.Faces/g.Meant - 1
	add("area", unresolved(off, mostAreaOff, f.Parts), "%.6g of the surface; %.6g faces of solid cells, expected %.6g: %s%s",
		f.Area, g.Faces*g.Scale*g.Scale, g.Meant*g.Scale*g.Scale, change(off), overlap)
	if g.Broken > 0 {
		add("broken rows", "the surface is open: repair = true closes it", "ray parity errors in %d cell rows", g.Broken)
	}
	if g.Enclosed > 0 {
		add("cavities", "", "%d enclosed fluid cells: harmless, the flow does not reach them", g.Enclosed)
	}
	return rows
}

// unresolved returns the warning about a number whose error in cells exceeds most; "" where parts may overlap.
func unresolved(off, most float64, parts int) string {
	if math.Abs(off) <= most || parts > 1 {
		return ""
	}
	return fmt.Sprintf("above %g %%: the grid does not resolve the body", 100*most)
}

// change in per cent, without the digits of rounding.
func change(off float64) string {
	if math.Abs(off) < 5e-6 {
		return "0 %"
	}
	return fmt.Sprintf("%+.3g %%", 100*off)
}

// leakTest reports whether fluid leaks into the surface or through it. Links pass through the holes of an open
// surface; a closed one may have too few cells.
func leakTest(f mesh.Findings, g mesh.Grid, thin geometry.Thin, grid Grid) Row {
	const what = "leak test"
	share := fmt.Sprintf("%s of the %s links that cross the surface pass between its solid cells", percent(thin.Share()), grid.Lattice.Name)
	switch {
	case grid.Thicken && !f.Watertight():
		return Row{What: what, Value: "thicken = true closes the gaps; open parts are sheets"}
	case g.Leaked > 0:
		return Row{what, fmt.Sprintf("LEAKS: outside fluid reaches %d of %d solid cells through holes", g.Leaked, g.Solid), "repair = true closes holes"}
	case !f.Watertight():
		return Row{What: what, Value: "tight at this spacing: no lattice link passes through the holes"}
	case thin.Through == 0:
		return Row{What: what, Value: fmt.Sprintf("tight: no %s link passes between solid cells", grid.Lattice.Name)}
	case grid.Thicken:
		return Row{What: what, Value: "tight: thicken = true closes the gaps, " + share + " without it"}
	case !thin.Leaks():
		return Row{What: what, Value: "tight except at sharp edges: there " + share}
	}
	return Row{what, "LEAKS: " + share, fmt.Sprintf("%.2g cells thick at %s: fluid leaks between its cells; use thicken = true, or refine the grid", thin.Least*g.Scale, place(thin.At))}
}

// passing searches for links that pass through a closed surface, in cells of the grid, and for gaps
// narrower than a cell.
func passing(moved *mesh.Surface, scale float64, grid Grid) (thin geometry.Thin, narrow float64, err error) {
	var shift [3]float64
	if grid.Cells == [3]int{} || scale != 1 {
		lo, hi := moved.Bounds()
		for a := range lo {
			shift[a] = 1 - math.Floor(lo[a]/scale)
			grid.Cells[a] = int(math.Ceil(hi[a]/scale)+shift[a]) + 1
		}
	}
	body := mesh.NewBody(mesh.Whole(grid.Cells))
	for i := range moved.T {
		t := moved.Corners(i)
		for v := range t {
			for a := range t[v] {
				t[v][a] = t[v][a]/scale + shift[a]
			}
		}
		if err := body.Add(t); err != nil {
			return thin, 0, err
		}
	}
	if err := body.Close(); err != nil {
		return thin, 0, err
	}
	d := geometry.Scene{Cells: grid.Cells, Bodies: []geometry.Body{{Shape: body, Type: 1}}, Links: geometry.Half(grid.Lattice.Velocities)}
	thin = d.Thin(0)
	for a := range shift {
		thin.At[a] = (thin.At[a] - shift[a]) * scale
	}
	_, narrow, _ = body.Shares()
	return thin, narrow, nil
}

// thicknesses adds the rows of thin parts and narrow gaps.
func thicknesses(rows []Row, g mesh.Grid, gaps float64) []Row {
	thin, narrow := "", ""
	if g.Thin[0] > mostThin {
		thin = "features thinner than one cell may disappear"
	}
	if gaps > mostNarrow {
		narrow = "gaps narrower than one cell may close"
	}
	rows = append(rows, Row{"thin parts", fmt.Sprintf("wall thickness below 1 cell on %s of the surface, below 2 on %s, below 4 on %s", percent(g.Thin[0]), percent(g.Thin[1]), percent(g.Thin[2])), thin})
	if !math.IsInf(g.Least, 0) {
		rows = append(rows, Row{What: "thinnest", Value: fmt.Sprintf("%.3g cells at %s", g.Least, place(g.At))})
	}
	return append(rows, Row{"narrow gaps", fmt.Sprintf("gap width below 1 cell on %s of the surface, below 2 on %s, below 4 on %s", percent(g.Narrow[0]), percent(g.Narrow[1]), percent(g.Narrow[2])), narrow})
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
