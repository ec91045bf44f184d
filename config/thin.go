package config

import (
	"fmt"

	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// mostThin is the largest number of thin bodies named.
const mostThin = 3

// thinBodies warns of bodies through which fluid passes: they are thinner than the distance of cells along
// some link. It needs the shapes of all, because a body may be thin where others cover it.
func (r *openings) thinBodies() {
	if r.Err() != nil {
		return // a warning that takes milliseconds says nothing beside an error
	}
	d := geometry.Scene{Cells: r.Cells, Periodic: r.Periodic, Links: geometry.Half(r.Spec.Lattice.Velocities)}
	for _, b := range r.Bodies {
		d.Bodies = append(d.Bodies, geometry.Body{Shape: r.shape(b)})
	}
	found := 0
	for i, b := range r.Bodies {
		if b.Thicken {
			continue
		}
		thin := d.Thin(i)
		if !thin.Leaks() {
			continue
		}
		if found++; found > mostThin {
			continue
		}
		at := thin.At
		for a := range at {
			at[a] = r.Origin[a] + at[a]*r.Units.Length
		}
		r.warn(finding.ThinBody, "[body.%s] is too thin for the grid, %s cells at %s: fluid leaks between its cells, along %s %% of the lattice links that cross it; thicken = true makes it at least one cell thick, or refine the grid",
			b.Name, language.Short(thin.Least), r.point(at), percent(thin.Share()))
	}
	if more := found - mostThin; more > 0 {
		r.warn(finding.ThinBody, "fluid leaks through %s too thin for the grid", several(more))
	}
}

// several other bodies, in words.
func several(n int) string {
	if n == 1 {
		return "another body that is"
	}
	return fmt.Sprintf("%d other bodies that are", n)
}
