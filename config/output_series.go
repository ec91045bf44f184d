// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"

	"lbmsim/config/language"
	"lbmsim/model"
)

// seriesOutput describes [output.series.NAME].
func seriesOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.series.*", Keys: append([]language.Key{
			{Name: "quantities", Kind: language.Words, Choices: names(SeriesQuantities(), func(q SeriesQuantity) string { return q.Name }), DefaultDoc: "[\"kinetic_energy\"]; none with lines", Doc: "quantities to record, see the table of series; columns are in the order of that table"},
			{Name: "lines", Kind: language.Names, Doc: "names of [expect.line.NAME]: their numbers over time, such as a reattachment point, in columns of these names after the quantities"},
		}, begunKeys("100", "true", "true")...), Doc: "Quantities over time, as CSV."},
		read: func(r *outputs, s *language.Section) { r.series(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Series {
				list = append(list, tableFootprint("[output.series."+p.Name+"]", p.Schedule, 1, p.columns(c.Dims())))
			}
			return list
		},
	}
}

// SeriesOutput is [output.series.NAME]: numbers of the flow over time, as CSV.
type SeriesOutput struct {
	Name       string
	Schedule   Schedule
	Quantities []SeriesQuantity // of the whole domain
	Lines      []SeriesLine
}

// columns of its quantities behind step and time.
func (o SeriesOutput) columns(dims int) (n int) {
	for _, q := range o.Quantities {
		if n++; q.Vector {
			n += dims - 1
		}
	}
	return n
}

// SeriesLine is the number of an [expect.line.NAME].
type SeriesLine struct {
	Name string
	Of   Expectation
}

// SeriesQuantity is one number of the whole domain, or a vector.
type SeriesQuantity struct {
	Name   string // word of the case file
	Vector bool
	Dim    model.Dimension
	Doc    string // the exact definition
}

// Names of the quantities of a series.
const (
	SeriesDensity   = "mean_density"
	SeriesVelocity  = "mean_velocity"
	SeriesMaxSpeed  = "max_speed"
	SeriesEnergy    = "kinetic_energy"
	SeriesEnstrophy = "enstrophy"
	SeriesForce     = "body_force"
	SeriesDrift     = "density_drift"
	SeriesGridScale = "grid_scale"

	SeriesTemperature = "mean_temperature"

	SeriesLeastPlus = "y_plus_min"
	SeriesMeanPlus  = "y_plus_mean"
	SeriesMostPlus  = "y_plus_max"
)

// OfModel reports whether a quantity follows from the flow at walls of type wall_model.
func (q SeriesQuantity) OfModel() bool {
	return q.Name == SeriesLeastPlus || q.Name == SeriesMeanPlus || q.Name == SeriesMostPlus
}

// SeriesQuantities lists what a series can follow. Means and maxima run over the fluid
// cells of the whole domain, in a refined grid over the finest with their volumes.
func SeriesQuantities() []SeriesQuantity {
	return []SeriesQuantity{
		{Name: SeriesDensity, Dim: model.Density, Doc: "the mean of rho: the mass divided by the volume"},
		{Name: SeriesVelocity, Vector: true, Dim: model.Velocity, Doc: "sum(rho u) / sum(rho)"},
		{Name: SeriesMaxSpeed, Dim: model.Velocity, Doc: "the largest |u|"},
		{Name: SeriesEnergy, Dim: model.Pressure, Doc: "the mean of rho u^2/2 (J/m3 = Pa)"},
		{Name: SeriesEnstrophy, Dim: model.SecondInvariant, Doc: "the mean of |curl u|^2/2, differences as for `vorticity`. In a periodic box of constant density and viscosity, 2 nu times it is the dissipation rate of kinetic energy. It costs as much as an output of the vorticity; the other quantities cost as much as a check of the watch"},
		{Name: SeriesForce, Vector: true, Dim: model.ForceDensity, Doc: "the uniform body force per volume (N/m3, as a pressure gradient Pa/m), which [force] may adjust"},
		{Name: SeriesDrift, Doc: "the change of the mean density since the start of the run, divided by it"},
		{Name: SeriesGridScale, Doc: "the fraction of the kinetic energy at grid scale. It is the sum of |u(x-1) - 2 u(x) + u(x+1)|^2/16 divided by the sum of |u(x)|^2, over cells with two fluid neighbours along x inside the domain. It samples every n-th plane across z, in 2D every n-th row, n the smaller of a 2^18th of all cells and a 16th of the planes, at least 1. In a refined grid both sums are over cells of each level that no finer level covers, with both neighbours among these, by their volumes. It is 1 for a checkerboard, sin(k/2)^4, about (k/2)^4, for a wave of k radians per cell along x, and 3/8 for white noise. 0 for a fluid at rest"},
		{Name: SeriesTemperature, Dim: model.Temperature, Doc: "the mean of the temperature, of a case with [temperature]"},
		{Name: SeriesLeastPlus, Doc: "the smallest y+ at half a cell, u_tau dx/(2 nu), at walls of type wall_model; NaN if no area has the model"},
		{Name: SeriesMeanPlus, Doc: "its mean over the modelled area"},
		{Name: SeriesMostPlus, Doc: "the largest"},
	}
}

func (r *outputs) series(s *language.Section) {
	o := SeriesOutput{Name: s.Name(), Schedule: r.begun(s)}
	if !s.Has("quantities") && !s.Has("lines") {
		r.SetDefault(s, "quantities", `["kinetic_energy"]`)
	}
	if e := s.Get("quantities"); e != nil {
		if len(e.Words) == 0 && !s.Has("lines") {
			r.Add(e.At, "", "quantities is empty: there is nothing to record")
		}
		for _, q := range SeriesQuantities() {
			if k := slices.Index(e.Words, q.Name); k >= 0 {
				if q.OfModel() && !r.Modelled() {
					r.Add(e.WordAt[k], "give a wall type = \"wall_model\", or use the field wall_shear_stress, the friction of resolved walls", "%s: no wall has type wall_model", q.Name)
				}
				o.Quantities = append(o.Quantities, q)
			}
		}
	}
	if e := s.Get("lines"); e != nil && len(e.Words) == 0 && len(o.Quantities) == 0 {
		r.Add(e.At, "", "lines is empty: there is nothing to record")
	}
	r.Series = append(r.Series, o)
}

// seriesLines finds the numbers of lines that series follow.
func (r *expectations) seriesLines() {
	var known []string
	for _, s := range r.All("expect.line") {
		known = append(known, s.Name())
	}
	for i, s := range r.All("output.series") {
		e := s.Get("lines")
		if e == nil {
			continue
		}
		for k, w := range e.Words {
			if !slices.Contains(known, w) {
				reason := "the case has no [expect.line.NAME]; one with neither value nor within is only measured"
				if len(known) > 0 {
					reason = "lines of the case: " + language.OneOf(language.QuoteAll(known))
				}
				r.Add(e.WordAt[k], reason, "there is no [expect.line.%s]%s", w, language.Meant(w, known))
				continue
			}
			for _, x := range r.Expect {
				if x.Name == "expect.line."+w {
					r.Series[i].Lines = append(r.Series[i].Lines, SeriesLine{w, x})
				}
			}
		}
	}
}
