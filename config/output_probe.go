// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"lbmsim/config/language"
	"lbmsim/model"
)

// probeOutput describes [output.probe.NAME].
func probeOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.probe.*", Keys: append([]language.Key{
			{Name: "at", Kind: language.Vector, Dim: model.Length, Doc: "position; the values are from the cell that contains it; `check` reports its centre where it differs"},
			{Name: "fields", Kind: language.Words, Choices: fields(), Default: `["pressure", "velocity"]`, Doc: "fields to record. For a field with derivatives, such as the vorticity, whole planes of cells are read"},
		}, begunKeys("10", "true", "true")...), Doc: "Values at one point over time, as CSV."},
		read: func(r *outputs, s *language.Section) { r.probe(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Probes {
				const place = 3
				list = append(list, tableFootprint("[output.probe."+p.Name+"]", p.Schedule, 1, place+columnsOf(c, p.Fields)))
			}
			return list
		},
	}
}

// Probe is [output.probe.NAME]: fields at one point, as CSV.
type Probe struct {
	Name     string
	Schedule Schedule
	Cell     [3]int     // of level 0
	Within   [3]float64 // its place in the cell, 0 to 1: of a refined grid it is of the finest cell there
	Fields   []model.Field
}

func (r *outputs) probe(s *language.Section) {
	p := Probe{Name: s.Name(), Schedule: r.begun(s), Fields: fieldsOf(s.Get("fields"))}
	if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
		r.Add(e.At, "", "fields is empty: there is nothing to record")
	}
	if r.need(s, "at", "at = [x, y] or [x, y, z]") {
		p.Cell, p.Within = r.cell(s, "at", true)
	}
	r.Probes = append(r.Probes, p)
}
