// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"

	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// mostThin is the largest number of thin bodies named.
const mostThin = 3

// thinBodies warns of bodies through which fluid passes: they are thinner than the distance of cells along
// some link. It needs the shapes of all, because a body may be thin where others cover it.
func (r *openings) thinBodies() {
	if r.Err() != nil {
		return // a warning that takes milliseconds is useless beside an error
	}
	var scenes [decomp.MaxLevel + 1]geometry.Scene // of each level, once a body is in it
	found := 0
	for i, b := range r.Bodies {
		if b.Thicken {
			continue
		}
		level := finest{r.finer}.box(r.shape(b).Bounds())
		if scenes[level].Bodies == nil {
			scenes[level] = r.scene(level)
		}
		thin := scenes[level].Thin(i)
		if !thin.Leaks() {
			continue
		}
		if found++; found > mostThin {
			continue
		}
		at := thin.At
		for a := range at {
			at[a] = r.Origin[a] + at[a]*r.Units.Length/cellsAt(level, 1)
		}
		r.warn(finding.ThinBody, "[body.%s] is too thin for the grid, %s cells at %s: fluid leaks between its cells, along %s %% of the lattice links that cross it; thicken = true makes it at least one cell thick, or refine the grid",
			b.Name, language.Short(thin.Least), r.point(at), percent(thin.Share()))
	}
	if more := found - mostThin; more > 0 {
		r.warn(finding.ThinBody, "fluid leaks through %s too thin for the grid", several(more))
	}
}

// scene returns all bodies in cells of a level.
func (r *openings) scene(level int) geometry.Scene {
	d := geometry.Scene{Cells: r.Cells, Periodic: r.Periodic, Links: geometry.Half(r.Spec.Lattice.Velocities)}
	for a := range r.dims {
		d.Cells[a] <<= level
	}
	for _, b := range r.Bodies {
		d.Bodies = append(d.Bodies, geometry.Body{Shape: geometry.Finer(r.shape(b), level, r.dims)})
	}
	return d
}

// several other bodies, in words.
func several(n int) string {
	if n == 1 {
		return "another body that is"
	}
	return fmt.Sprintf("%d other bodies that are", n)
}
