// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"

	"lbmsim/internal/finding"
	"lbmsim/model"
)

// deviations are the fields of averages and profiles that are means of deviations from a mean.
var deviations = []string{"reynolds_stress", "pressure_variance", "temperature_variance", "turbulent_heat_flux"}

// Unalike warns of deviations from means over an axis along which the flow is not homogeneous: they contain the difference
// of the mean flow from place to place, which is not turbulence. Bodies from files count by their sizes.
func (c *Case) Unalike(sizes ...SolidSize) (list finding.List) {
	if a := c.Averages; a.On && a.Over {
		list = append(list, c.unalike("output.averages", a.Fields, []int{a.Axis}, sizes)...)
	}
	for _, p := range c.Profiles {
		var across []int
		for a := range c.Dims() {
			if a != p.Axis {
				across = append(across, a)
			}
		}
		list = append(list, c.unalike("output.profile."+p.Name, p.Fields, across, sizes)...)
	}
	return list
}

// unalike returns the warning for one output, for the first axis that has a reason.
func (c *Case) unalike(head string, fields []model.Field, axes []int, sizes []SolidSize) finding.List {
	i := slices.IndexFunc(fields, func(f model.Field) bool { return slices.Contains(deviations, f.Name) })
	if i < 0 {
		return nil
	}
	for _, a := range axes {
		if why := c.varies(a, sizes); why != "" {
			return finding.List{finding.Unalike.Says("[%s] averages over %s, where %s: its %s contains the variation of the mean flow along that axis as well as the fluctuations; [output.averages] without over has the fluctuations alone", head, "xyz"[a:a+1], why, fields[i].Name)}
		}
	}
	return nil
}

// varies returns a reason why the flow is not homogeneous along an axis, "" if it is.
func (c *Case) varies(axis int, sizes []SolidSize) string {
	if !c.Periodic[axis] {
		return "the domain is not periodic"
	}
	n := float64(c.Cells[axis])
	for _, b := range c.Boundaries {
		if b.Region == nil || slices.ContainsFunc(b.Faces, func(f Face) bool { return f.Axis == axis }) {
			continue
		}
		if r := b.Region; r.Radius > 0 || r.Lo[axis] > 0 || r.Hi[axis] < n {
			return "[boundary." + b.Name + "] is on a part of its face"
		}
	}
	for _, b := range c.Bodies {
		if lo, hi := b.bounds(sizes); lo != hi && (lo[axis] > 0 || hi[axis] < n) {
			return "[body." + b.Name + "] ends"
		}
	}
	return ""
}
