// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"slices"
	"strings"

	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// unresolved warns of surfaces whose cells have another volume or area. Where a surface reaches out of the domain, or
// parts of it may overlap, its own numbers say nothing.
// Bodies already warned of as thin are not warned of again.
func (c *Case) unresolved(shapes []geometry.Shape, sizes []SolidSize, warned finding.List) (list finding.List) {
	for _, b := range c.Bodies {
		k := b.solid.file - 1
		thin := slices.ContainsFunc(warned, func(w finding.Finding) bool {
			return w.Kind == finding.ThinBody.Name && strings.HasPrefix(w.Text, "[body."+b.Name+"]")
		})
		if k < 0 || b.Thicken || thin || c.Dims() == 2 || c.Files[k].Image {
			continue
		}
		s := sizes[k]
		level := SurfaceLevel(c, s.Lo, s.Hi)
		width := math.Ldexp(1, -level)
		if s.Thin > geometry.MostThin && s.Least < width {
			list = append(list, finding.Unresolved.Says("[body.%s]: the wall thickness is below one cell on %s %% of its area (minimum %.2g cells): parts may disappear; thicken = true makes it one cell thick there, or refine the grid", b.Name, percent(s.Thin), s.Least))
		}
		if s.Narrow > geometry.MostNarrow && level == 0 { // how narrow they are is not known
			list = append(list, finding.Unresolved.Says("[body.%s]: the gap width is below one cell on %s %% of its area: gaps may close; refine the grid if fluid should pass", b.Name, percent(s.Narrow)))
		}
		inside := s.Parts == 1
		for a, n := range c.Cells {
			inside = inside && s.Lo[a] >= 0 && s.Hi[a] <= float64(n)
		}
		if !inside {
			continue
		}
		shape, cells := geometry.Finer(shapes[k], level, c.Dims()), c.Cells
		for a := range cells {
			cells[a] <<= level
		}
		volume := width*width*width*geometry.Volume(shape, cells)/s.Cells - 1
		area := width*width*geometry.AllFaces(shape, cells, c.Dims())/s.Surface - 1
		if math.Abs(volume) > geometry.MostVolumeOff || math.Abs(area) > geometry.MostAreaOff {
			list = append(list, finding.Unresolved.Says("[body.%s] is not resolved: its voxels differ by %s %% in volume and %s %% in area; refine the grid", b.Name, percent(volume), percent(area)))
		}
	}
	return list
}
