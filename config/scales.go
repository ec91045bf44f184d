// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/config/language"
	"lbmsim/model"
)

// Outputs in SI are lattice values times a product of the spacing, the length of a step and the reference
// density. Where that product leaves the range of the numbers of a file, fields are full of infinities or zeros
// with exit code 0, so such a case is refused.

// margin on both sides, and its digits: results are far below the unit of lattice values, sums and largest values above.
const (
	digits = 8
	margin = 1e8
)

// scales checks the units of all outputs of a run, after the outputs and expectations.
type scales struct {
	*frame
	*Flow
	*Outputs
	expect []Expectation
	kelvin float64 // scale of temperatures
	blamed []language.Mark
}

// written holds the dimensions of an output, and the precision in which it is written.
type written struct {
	head string
	in   model.Precision
	dims []model.Dimension
}

func (r *scales) check() {
	if !r.haveTime || !r.haveBox {
		return
	}
	r.kelvin = math.Max(1, math.Abs(r.Temperature.Reference))
	if b := r.Temperature.Bounds; b != nil {
		r.kelvin = math.Max(r.kelvin, b.Far())
	}
	if p := r.Spec.Precision; r.Spec.Scalar && p != model.Float16 { // whose range is checked separately
		r.holds(written{"the state", p, []model.Dimension{model.Temperature}})
	}
	for _, w := range r.all() {
		r.holds(w)
	}
}

// all outputs of the case; the first is what every run reports.
func (r *scales) all() []written {
	of := func(fields []model.Field) (dims []model.Dimension) {
		for _, f := range fields {
			dims = append(dims, f.Dim)
		}
		return dims
	}
	list := []written{{"the run's report", model.Float64, []model.Dimension{model.Length, model.Time, model.Density, model.Velocity, model.Pressure, model.Viscosity, model.Acceleration, model.ForceDensity}}}
	if r.Fields.On {
		list = append(list, written{"[output.fields]", r.Fields.Type, of(r.Fields.Fields)})
	}
	if r.Averages.On {
		list = append(list, written{"[output.averages]", r.Averages.Type, of(r.Averages.Fields)})
	}
	for _, p := range r.Pictures {
		list = append(list, written{p.Head(), model.Float64, []model.Dimension{p.Field.Dim}})
	}
	for _, v := range r.Views {
		list = append(list, written{v.Head(), model.Float32, []model.Dimension{v.Surface.Dim, v.Colour.Dim}})
	}
	for _, p := range r.Planes {
		list = append(list, written{"[output.plane." + p.Name + "]", p.Type, of(p.Fields)})
	}
	for _, p := range r.Surfaces {
		list = append(list, written{"[output.surface." + p.Name + "]", p.Type, of(p.Fields)})
	}
	table := func(kind, name string, dims []model.Dimension) {
		list = append(list, written{"[output." + kind + "." + name + "]", model.Float64, dims})
	}
	for _, p := range r.Probes {
		table("probe", p.Name, of(p.Fields))
	}
	for _, l := range r.Lines {
		table("line", l.Name, of(l.Fields))
	}
	for _, p := range r.Profiles {
		table("profile", p.Name, of(p.Fields))
	}
	for _, s := range r.Spectra {
		table("spectrum", s.Name, of(s.Fields))
	}
	for _, f := range r.Forces {
		var dims []model.Dimension
		for _, s := range f.Series(r.dims) {
			dims = append(dims, s.Dim)
		}
		table("force", f.Name, dims)
	}
	for _, s := range r.Series {
		var dims []model.Dimension
		for _, q := range s.Quantities {
			dims = append(dims, q.Dim)
		}
		table("series", s.Name, dims)
	}
	for _, e := range r.expect {
		list = append(list, written{"[" + e.Name + "]", model.Float64, []model.Dimension{e.Dim}})
	}
	return list
}

// holds refuses an output whose number type cannot hold a unit, once per key that is responsible.
func (r *scales) holds(w written) {
	least, most := rangeOf(w.in)
	for _, d := range w.dims {
		unit := r.Units.Factor(d) * math.Pow(r.kelvin, float64(d.K))
		if unit >= least*margin && unit <= most/margin {
			continue
		}
		at, cause := r.blame(d, unit > 1)
		if slices.Contains(r.blamed, at) {
			continue
		}
		r.blamed = append(r.blamed, at)
		reason := fmt.Sprintf("numbers in %s range from %s to %s; results need a margin of %d digits at both ends", w.in, language.Short(least), language.Short(most), digits)
		if least, most := rangeOf(model.Float64); w.in != model.Float64 && unit >= least*margin && unit <= most/margin {
			reason += "; precision = \"float64\" is sufficient"
		}
		r.Add(at, reason, "%s has %s in %s, whose unit is %s %s here: %s", w.head, language.InWords(d), w.in, language.Short(unit), language.Symbol(d), cause)
	}
}

// rangeOf returns the smallest and the largest number of full precision.
func rangeOf(p model.Precision) (least, most float64) {
	if p == model.Float64 {
		return 0x1p-1022, math.MaxFloat64
	}
	return 0x1p-126, math.MaxFloat32
}

// blame finds the key that takes a unit farthest out of range, and describes its value.
func (r *scales) blame(d model.Dimension, large bool) (at language.Mark, cause string) {
	u, sign := r.Units, 1.0
	if !large {
		sign = -1
	}
	worst := math.Inf(-1)
	for _, part := range []struct {
		value float64
		power int
		name  string
		dim   model.Dimension
		at    func() language.Mark
	}{
		{u.Density, d.Kg, "the density", model.Density, func() language.Mark { return r.given("fluid", "density") }},
		{u.Length, d.M + 3*d.Kg, "the spacing", model.Length, func() language.Mark { return r.given("domain", "spacing", "size") }},
		{u.Time, d.S, "the length of a step", model.Time, func() language.Mark { return r.given("scaling", "time_step", "tau", "lattice_velocity") }},
		{r.kelvin, d.K, "the largest temperature", model.Temperature, func() language.Mark { return r.given("temperature", "reference", "initial") }},
	} {
		if share := sign * float64(part.power) * math.Log10(part.value); part.power != 0 && share > worst {
			worst, at, cause = share, part.at(), fmt.Sprintf("%s is %s %s", part.name, language.Short(part.value), language.Symbol(part.dim))
		}
	}
	return at, cause
}

// given returns the place of the first of some keys that the file gives; without one, of their table.
func (r *scales) given(table string, keys ...string) language.Mark {
	s := r.Section(table)
	if s == nil {
		return language.Nowhere
	}
	for _, k := range keys {
		if e := s.InFile(k); e != nil {
			return e.At
		}
	}
	return s.At
}
