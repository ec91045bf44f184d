// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
)

// The wall of a body whose case gives it no type: where its surface is, unless that is where a half-way wall would be, or
// the body asks for cells.

// ownWall chooses the type of a body, and whether it keeps the mass.
func (r *bodies) ownWall(s *language.Section, b *Body) {
	name := "wall"
	switch {
	case slices.ContainsFunc(b.solid.fromFiles(), func(k int) bool { return r.Files[k].Image }):
		b.Chosen = "its cells are voxels"
	case s.Has("diffusivity"):
		b.Chosen = "heat flux is computed half-way between cells"
	case s.Get("thicken") != nil && s.Get("thicken").Flag:
		b.Chosen = "thicken adds whole cells"
	case b.Whole() && geometry.Flush(b.Shape(nil), r.Cells, r.dims):
		b.Chosen = "surface aligned with cell faces"
	default:
		name, b.Chosen = "interpolated_wall", "surface not aligned with cell faces"
	}
	b.Kind = of(boundary.FindKind(name))
	r.SetDefault(s, "type", language.Quote(name))
	if b.Kind.Law == boundary.Interpolated && !s.Has("conserve_mass") && r.closed() {
		r.SetDefault(s, "conserve_mass", "true")
		b.Chosen += "; no open faces"
	}
}

// closed reports whether no face lets out mass that walls add.
func (s *Solids) closed() bool {
	return !slices.ContainsFunc(s.Boundaries, func(b Boundary) bool {
		return b.Kind.Law == boundary.PressureFace || b.Kind.Law == boundary.Outflow
	})
}

// Sealed reports whether no face lets fluid in or out.
func (s *Solids) Sealed() bool {
	return !slices.ContainsFunc(s.Boundaries, func(b Boundary) bool { return b.Kind.Law.Passed() })
}

// mostNamed is the largest number of bodies named in a row.
const mostNamed = 4

// wallRows report the walls that were chosen and why, a row for each choice.
func (r *summary) wallRows() {
	type choice struct{ kind, why string }
	var order []choice
	names := map[choice][]string{}
	for _, b := range r.Bodies {
		if b.Chosen == "" {
			continue
		}
		c := choice{b.Kind.Name, b.Chosen}
		if b.Conserve {
			c.kind += ", conserve_mass"
		}
		if names[c] == nil {
			order = append(order, c)
		}
		names[c] = append(names[c], b.Name)
	}
	for _, c := range order {
		of := names[c]
		if n := len(of); n > mostNamed {
			of = append(slices.Clone(of[:mostNamed]), language.Grouped(n-mostNamed)+" more")
		}
		r.Table = append(r.Table, Row{"wall of " + strings.Join(of, ", "), c.kind, c.why})
	}
}
