package config

import (
	"fmt"
	"math"

	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// mostThin is how many thin bodies are named.
const mostThin = 3

// thinBodies warns of bodies through which fluid passes: they are thinner than the distance of cells along
// some link. It needs the shapes of all, because a body may be thin where others cover it.
func (r *openings) thinBodies() {
	if r.Err() != nil {
		return // a warning that takes milliseconds says nothing beside an error
	}
	d := geometry.Domain{Cells: r.Cells, Periodic: r.Periodic, Links: geometry.Half(r.Spec.Lattice.Velocities)}
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
		r.warn(finding.ThinBody, "[body.%s] is too thin for the grid, %s cells at %s: fluid passes between its cells, along %.2g %% of the lattice links that meet it; thicken = true makes it one cell thick where it is thinner, or refine the grid",
			b.Name, language.Short(thin.Least), r.point(at), 100*thin.Share())
	}
	if more := found - mostThin; more > 0 {
		r.warn(finding.ThinBody, "fluid passes through %s too thin for the grid", several(more))
	}
}

// several other bodies, in words.
func several(n int) string {
	if n == 1 {
		return "another body that is"
	}
	return fmt.Sprintf("%d other bodies that are", n)
}

// unresolved warns of surfaces whose cells have another volume or area. Where a surface reaches out of the domain, or
// parts of it may overlap, its own numbers say nothing.
func (c *Case) unresolved(shapes []geometry.Shape, sizes []SolidSize) (list finding.List) {
	for _, b := range c.Bodies {
		k := b.solid.file - 1
		if k < 0 || b.Thicken || c.Dims() == 2 || c.Files[k].Image {
			continue
		}
		s := sizes[k]
		if s.Narrow > geometry.MostNarrow {
			list = append(list, finding.Unresolved.Says("[body.%s]: %.2g %% of its area has a gap of less than a cell before it, open in some places and closed in others: refine the grid where fluid should pass", b.Name, 100*s.Narrow))
		}
		inside := s.Parts == 1
		for a, n := range c.Cells {
			inside = inside && s.Lo[a] >= 0 && s.Hi[a] <= float64(n)
		}
		if !inside {
			continue
		}
		volume := geometry.Volume(shapes[k], c.Cells)/s.Cells - 1
		area := geometry.Faces(shapes[k], c.Cells, c.Dims())/s.Surface - 1
		if math.Abs(volume) > geometry.MostVolumeOff || math.Abs(area) > geometry.MostAreaOff {
			list = append(list, finding.Unresolved.Says("[body.%s] is not resolved: its cells are off by %.2g %% in volume and %.2g %% in area; refine the grid", b.Name, 100*volume, 100*area))
		}
	}
	return list
}
