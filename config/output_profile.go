// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"

	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/model"
)

// profileOutput describes [output.profile.NAME].
func profileOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.profile.*", Keys: []language.Key{
			{Name: "along", Kind: language.Word, Choices: axes(), Doc: "axis of the profile; each plane of cells across it gives one row. On a refined grid planes are as thick as their largest cell"},
			{Name: "fields", Kind: language.Words, Choices: names(model.ProfileFields(), func(f model.Field) string { return f.Name }), Default: `["mean_velocity", "reynolds_stress"]`, Doc: "fields to write, see the tables of averages and profiles"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "when sampling begins, in steps or simulated time: after the initial transient"},
			{Name: "sample_every", Kind: language.Period, Default: "10", Doc: "steps, or simulated time, between two samples"},
			{Name: "every", Kind: language.Period, Doc: "number of steps, or simulated time with a unit, between two outputs of the profile so far"},
			{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
			{Name: "at_end", Kind: language.Flag, Default: "true", Doc: "also when the run ends"},
		}, Doc: "Averages over time and over the fluid cells of the planes across an axis, as CSV, `profile_NAME.csv`: for a flow that is homogeneous along the other axes, such as a channel. Each output has a block of rows, one per plane: the step, the time, the position, the number of samples, the fields, and half-widths of their 95 % confidence intervals, as for [output.force.NAME]. Sums are of integers: they depend neither on the number of ranks nor on restarts, and stay on the GPU."},
		read: func(r *outputs, s *language.Section) { r.profile(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Profiles {
				list = append(list, tableFootprint("[output.profile."+p.Name+"]", p.Schedule, c.profileRows(c.Dims(), p.Axis), p.columns(c.Dims())))
			}
			return list
		},
	}
}

// Profile is [output.profile.NAME]: means over time and over the planes across an axis, as CSV.
type Profile struct {
	Name     string
	Schedule Schedule // of the file
	Sample   Schedule
	Start    int // the first step that may be sampled
	Axis     int // that the profile is along
	Fields   []model.Field
}

// columns behind step and time.
func (p Profile) columns(dims int) int {
	n := 2 // position and samples
	for _, f := range p.Fields {
		most := dims // components of a vector that are not 0
		if f.Components == 6 {
			most = dims * (dims + 1) / 2
		}
		n += 2 * min(f.Components, most)
	}
	return n
}

// mostProfileRows is the largest number of planes in all profiles: their statistics are some KiB per plane, in the
// header of each checkpoint (io/checkpoint has its limit).
const mostProfileRows = 6_000

// profileRows returns the number of planes of a profile along an axis: as thin as the largest cell in them.
func (g *Grid) profileRows(dims, axis int) int {
	if h := g.onOneRank(dims); h != nil {
		return len(decomp.Sheets(h, axis))
	}
	return g.Cells[axis]
}

// profile reads [output.profile.NAME].
func (r *outputs) profile(s *language.Section) {
	p := Profile{Name: s.Name(), Schedule: r.schedule(s), Start: r.beginning(s)}
	p.Sample = Schedule{Period: r.period(s, "sample_every"), From: p.Start}
	if e := s.Get("fields"); e != nil {
		if len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: there is nothing to average")
		}
		for _, w := range e.Words {
			f := of(model.FindProfileField(w))
			if model.OfTemperature(f) && !r.Spec.Scalar && !strings.Contains(w, "temperature") { // the temperature's reader reports the others
				r.Add(e.At, "[temperature] with a diffusivity adds a temperature to the flow", "%s: the case has no [temperature]", w)
			}
			p.Fields = append(p.Fields, f)
		}
	}
	if !r.need(s, "along", `along = "x", "y" or "z": the axis of the profile`) {
		return
	}
	e := s.Get("along")
	if e == nil {
		return
	}
	if p.Axis = axisOf(e.Text); r.dims == 2 && p.Axis == 2 {
		r.Add(e.At, "along = \"x\" or \"y\"", "%s: in 2D there is no profile along z", s.Head())
		return
	}
	r.Profiles = append(r.Profiles, p)
	rows := 0
	for _, p := range r.Profiles {
		rows += r.profileRows(r.dims, p.Axis)
	}
	if r.haveBox && rows > mostProfileRows {
		r.Add(e.At, "", "the profiles have %s planes of cells; checkpoints hold statistics of at most %s", language.Grouped(rows), language.Grouped(mostProfileRows))
	}
}
