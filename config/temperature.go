// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// [temperature]: a scalar that the flow carries and that may drive it. In lattice units it
// is the difference from the reference, in kelvin.

// Temperature is [temperature].
type Temperature struct {
	Diffusivity float64
	Reference   float64    // in the user's unit, as are all outputs
	Buoyancy    [3]float64 // force per volume for each kelvin above the reference
	Eddies      float64    // turbulent Prandtl number; 0: no eddy viscosity
	Initial     Function   // above the reference
	Uniform     bool       // Initial does not depend on the position
	// Bounds hold it all the time; nil: nothing does.
	Bounds *Bounds
}

// thermal reads [temperature], after the scaling, and the conditions at walls.
type thermal struct {
	*frame
	*Flow
	looks *sampler
}

func (r *thermal) read() {
	s := r.Section("temperature")
	if s == nil {
		return
	}
	r.Spec.Scalar = true
	t := &r.Temperature
	t.Uniform, t.Initial = true, Constant(0)
	r.exclusive(s, "the Prandtl number gives the diffusivity: viscosity / prandtl", "diffusivity", "prandtl")
	if !s.Has("diffusivity") && !s.Has("prandtl") {
		r.missing(s, "diffusivity = \"2e-5 m2/s\", or prandtl = 0.71", "[temperature] needs a diffusivity")
	}
	r.reference(s)
	gravity := r.vector(s, "gravity")
	if s.Has("expansion") != s.Has("gravity") {
		r.missing(s, "the force is -density expansion (T - reference) gravity", "[temperature] needs both expansion and gravity, or neither")
	}
	r.still(s, gravity)
	if !r.haveTime {
		return
	}
	var at *language.Entry
	if at = s.Get("diffusivity"); at != nil {
		t.Diffusivity = r.lattice(at.Values[0], model.Viscosity)
	} else if at = s.Get("prandtl"); at != nil {
		t.Diffusivity = (r.Tau - 0.5) / 3 / at.Values[0].Value
	} else {
		return
	}
	switch tau := t.Diffusivity/model.ScalarCS2 + 0.5; {
	case !(tau > 0.5) || tau > 100:
		r.Add(at.At, "", "the diffusivity is %s cells^2/step in lattice units, out of range", language.Short(t.Diffusivity))
		return
	case tau < 0.5015:
		r.warn(finding.Diffusivity, "the diffusivity is %s cells^2/step: fronts are almost undamped and may overshoot; a finer spacing or a larger lattice velocity raises it", language.Short(t.Diffusivity))
	}
	r.eddies(s)
	if e := s.Get("expansion"); e != nil && gravity != nil {
		for a := range gravity {
			t.Buoyancy[a] = -e.Values[0].Value * r.lattice(gravity[a], model.Acceleration)
		}
	}
	if e := s.Get("initial"); e != nil {
		a := e.Values[0]
		t.Uniform = a.Expr == nil
		t.Initial = r.initial(a, model.Temperature).then(func(v float64) float64 { return v - t.Reference })
		r.looks.sample(e, a, model.Temperature, r.looks.centres(0), identity, anyNumber)
	}
}

// reference reads the temperature without buoyancy. Its default is the initial one, at which the fluid
// rests. An arbitrary default would add a force to the whole fluid, without a pressure that carries it.
func (r *thermal) reference(s *language.Section) {
	t, initial := &r.Temperature, s.Get("initial")
	if !s.Has("reference") {
		switch {
		case initial != nil && initial.Values[0].Expr == nil:
			r.SetDefault(s, "reference", initial.Values[0].TOML())
		case s.Has("expansion") && !s.Has("initial"):
			r.missing(s, "the force is -density expansion (T - reference) gravity; the default of reference is the initial temperature", "[temperature] with an expansion needs reference or initial")
			return
		case s.Has("expansion") && initial != nil:
			r.Add(s.At, "the force is -density expansion (T - reference) gravity; use the mean initial temperature", "[temperature] needs reference: with an expansion, and an initial temperature that depends on the position")
			return
		default:
			r.SetDefault(s, "reference", "0")
		}
	}
	if e := s.Get("reference"); e != nil {
		t.Reference = e.Values[0].Value
	}
}

// still warns of an expansion without effect.
func (r *thermal) still(s *language.Section, gravity []language.Amount) {
	e := s.Get("expansion")
	if e == nil || gravity == nil || e.Values[0].Value != 0 && norm(gravity) != 0 {
		return
	}
	zero := "expansion"
	if e.Values[0].Value != 0 {
		zero = "gravity"
	}
	r.warn(finding.StillAir, "[temperature]: %s is 0, so temperature differences drive no flow; if that is intended, remove expansion and gravity", zero)
}

// eddies reads how the eddy viscosity of [turbulence] carries the temperature.
func (r *thermal) eddies(s *language.Section) {
	e := s.Get("turbulent_prandtl")
	_, layer := r.wallModelAt() // which has eddies, also without a model of turbulence
	switch {
	case (r.Spec.Viscosity == model.Smagorinsky || layer && r.Spec.Viscosity == model.Newtonian) && r.Tau > model.MostEddies:
		r.warn(finding.EddiesWithoutHeat, withoutEddyHeat+" (here %s): the eddy viscosity cannot be recovered from the stress there, and is small compared with the fluid's", model.MostEddies, TauText(r.Tau))
	case r.Spec.Viscosity == model.Smagorinsky || r.Spec.Viscosity.LooksAround() || layer && r.Spec.Viscosity == model.Newtonian && r.Tau <= model.MostEddies:
		if r.Temperature.Eddies = model.TurbulentPrandtl; e != nil {
			r.Temperature.Eddies = e.Values[0].Value
		}
	case e != nil && !layer:
		r.Add(e.KeyAt, "add a [turbulence] model", "turbulent_prandtl is for the eddy viscosity of a turbulence model, and the case has none")
	}
}

const withoutEddyHeat = "[temperature]: no eddy diffusivity where tau is above %g"

// without refuses outputs of the temperature in cases without any.
func (r *thermal) without() {
	if r.Spec.Scalar {
		return
	}
	const reason = "[temperature] with a diffusivity adds a temperature to the flow"
	for _, s := range r.Sections {
		for _, key := range []string{"field", "fields", "quantities", "surface", "colour"} {
			if !s.Knows(key) {
				continue
			}
			if e := s.Get(key); e != nil && (e.Text == "temperature" || slices.Contains(e.Words, "temperature") || slices.Contains(e.Words, SeriesTemperature)) {
				r.Add(e.At, reason, "there is no temperature to write: the case has no [temperature]")
			}
		}
		for _, key := range []string{"temperature", "heat_flux", "diffusivity", "heat_capacity", "heat_source", "temperature_difference", "heated_length"} {
			if s.Knows(key) && s.Has(key) {
				r.Add(s.KeyAt(key), reason, "%s has %s, but the case has no [temperature]", s.Head(), key)
			}
		}
	}
}

// wallTemperature returns the effect of a boundary or a body on the temperature; enters: fluid comes in through it in any case.
func (r *thermal) wallTemperature(s *language.Section, law boundary.Law, enters bool) (w boundary.ScalarWall) {
	if !r.Spec.Scalar {
		return w
	}
	if law.Passed() {
		w.Law = boundary.ScalarOpen
	}
	flux := s.Knows("heat_flux")
	if flux {
		r.exclusive(s, "a wall has either a temperature or a heat flux", "temperature", "heat_flux")
	}
	if s.Knows("diffusivity") {
		if w, conducts := r.conducts(s, law); conducts {
			return w
		}
	}
	if e := s.Get("temperature"); e != nil {
		return boundary.ScalarWall{Law: boundary.ScalarFixed, Value: e.Values[0].Value - r.Temperature.Reference}
	}
	if flux && s.Get("heat_flux") != nil && r.haveTime {
		e := s.Get("heat_flux")
		if law.Passed() {
			r.Add(e.KeyAt, "the flow carries heat through this face: give its temperature", "%s cannot have a heat_flux", s.Head())
		}
		return boundary.ScalarWall{Law: boundary.ScalarFlux, Value: r.lattice(e.Values[0], model.HeatFlux)}
	}
	if enters && !s.Has("temperature") {
		r.missing(s, "temperature = \"300 K\": the temperature of the incoming fluid", "%s needs a temperature", s.Head())
	}
	return w
}

// mostConductive is the largest relaxation time of a solid: beyond, 32 bits do not resolve its conductivity to a hundredth of
// a percent.
const mostConductive = 1000.

// conducts reads the material of a solid, if it is given.
func (r *thermal) conducts(s *language.Section, law boundary.Law) (w boundary.ScalarWall, ok bool) {
	e := s.Get("diffusivity")
	if e == nil {
		for _, key := range []string{"heat_capacity", "heat_source"} {
			if s.Has(key) {
				r.Add(s.KeyAt(key), "diffusivity = \"1e-4 m2/s\": the thermal diffusivity of the body", "%s has %s but no diffusivity", s.Head(), key)
			}
		}
		return w, false
	}
	for _, key := range []string{"temperature", "heat_flux"} {
		if s.Has(key) {
			r.Add(s.KeyAt(key), "the temperature of a conducting body follows from the fluid around it, its heat_source and [temperature] initial", "%s has a diffusivity: its surface cannot have a %s", s.Head(), key)
		}
	}
	if !r.haveTime {
		return w, true
	}
	w = boundary.ScalarWall{Law: boundary.ScalarConducts, Capacity: 1}
	if c := s.Get("heat_capacity"); c != nil {
		w.Capacity = c.Values[0].Value
	}
	w.Conductivity = w.Capacity * r.lattice(e.Values[0], model.Viscosity)
	if q := s.Get("heat_source"); q != nil {
		w.Value = r.lattice(q.Values[0], model.HeatSource)
	}
	const most = (mostConductive - 0.5) * model.ScalarCS2
	if tau := w.Conductivity/model.ScalarCS2 + 0.5; !(tau > 0.5) || tau > mostConductive {
		r.Add(e.At, fmt.Sprintf("up to %s, %s times the fluid's; a better conductor is isothermal: give its temperature", r.si(roughly(most*r.Units.Factor(model.Viscosity)), model.Viscosity), language.Short(roughly(most/r.Temperature.Diffusivity))),
			"the conductivity, diffusivity times heat_capacity, is %s cells^2/step in lattice units, out of range", language.Short(w.Conductivity))
	}
	return w, true
}

// mostExpansion is the largest change of the density for which Boussinesq's force is a valid approximation.
const mostExpansion = 0.3

// mostHeat is half of what the sum of the heat through a wall holds, in K cells^3/step
// (SCALAR_UNITS in kernels/scalar.h).
const mostHeat = 4e6

// usualSpeed is about the largest velocity that carries heat through an open face.
const usualSpeed = 0.1

// warmth checks the temperatures that only the whole case determines.
type warmth struct {
	*frame
	*Flow
	*Solids
}

// check warns of temperatures that only the whole case determines.
func (r *warmth) check() {
	if !r.Spec.Scalar {
		return
	}
	far, of := r.farthest()
	kelvin := func(v float64) string { return r.si(v, model.Temperature) }
	if e := r.Section("temperature").Get("expansion"); e != nil && math.Abs(e.Values[0].Value)*far > mostExpansion {
		r.warn(finding.Boussinesq, "[temperature]: %s is %s from the reference of %s, which changes the density by %s %% with an expansion of %s: the Boussinesq force is valid for small changes, up to about %.0f %%; is the reference right?",
			of, kelvin(far), kelvin(r.Temperature.Reference), language.Short(roughly(100*math.Abs(e.Values[0].Value)*far)), r.si(e.Values[0].Value, model.Expansion), 100*mostExpansion)
	}
	n := r.Cells
	if face := max(n[0]*n[1], n[1]*n[2], n[0]*n[2]); far*usualSpeed*float64(face) > mostHeat {
		r.warn(finding.ReferenceFar, "[temperature]: %s is %s from the reference of %s: with a reference this far away the sum of the heat flux through a face of %d cells overflows",
			of, kelvin(far), kelvin(r.Temperature.Reference), face)
	}
	if r.Spec.Viscosity.OfFluid() {
		r.warn(finding.DiffusivityFixed, "[temperature]: the diffusivity remains constant where %s changes the viscosity", r.Spec.Viscosity)
	}
	r.belowZero()
}

// farthest returns the largest distance of a given temperature from the reference, and the name of its source.
func (r *warmth) farthest() (far float64, of string) {
	take := func(v float64, name string) {
		if d := math.Abs(v); d > far && !math.IsInf(d, 0) {
			far, of = d, name
		}
	}
	r.fixed(take)
	if lo, hi, name := r.atStart(); r.haveTime {
		take(lo, name)
		take(hi, name)
	}
	return far, of
}

// fixed visits the temperatures of walls, above the reference.
func (r *warmth) fixed(visit func(v float64, of string)) {
	for _, b := range r.Boundaries {
		if b.Temperature.Law == boundary.ScalarFixed {
			visit(b.Temperature.Value, "[boundary."+b.Name+"]")
		}
	}
	for _, b := range r.Bodies {
		if b.Temperature.Law == boundary.ScalarFixed {
			visit(b.Temperature.Value, "[body."+b.Name+"]")
		}
	}
}

// belowZero warns of temperatures below absolute zero. A case that gives a reference of 0 K computes differences.
func (r *warmth) belowZero() {
	e := r.Section("temperature").Get("reference")
	if !r.Units.Physical || e == nil || e.Given && r.Temperature.Reference == 0 {
		return
	}
	lo, of := r.Temperature.Reference, "[temperature] reference"
	take := func(v float64, name string) {
		if v += r.Temperature.Reference; v < lo {
			lo, of = v, name
		}
	}
	if least, _, name := r.atStart(); r.haveTime && !math.IsInf(least, 0) {
		take(least, name)
	}
	r.fixed(take)
	if lo < 0 {
		r.warn(finding.BelowZero, "[temperature]: %s is %s K, below absolute zero: add 273.15 K to temperatures in degrees Celsius; reference = \"0 K\" declares all temperatures as differences", of, language.Short(lo))
	}
}

// temperatureRows reports the numbers of the temperature.
func (r *summary) temperatureRows(row func(name, lattice, si string)) {
	t, u, nu := r.Temperature, r.Units, (r.Tau-0.5)/3
	if !r.Spec.Scalar || t.Diffusivity == 0 {
		return
	}
	row("diffusivity", language.Short(t.Diffusivity), language.Short(t.Diffusivity*u.Factor(model.Viscosity))+" m2/s")
	row("Prandtl number Pr", language.Short(nu/t.Diffusivity), "")
	if t.Eddies > 0 {
		row("turbulent Prandtl number", language.Short(t.Eddies), "")
	}
	for _, b := range r.Bodies {
		if b.Conducts() {
			row("conductivity of "+b.Name, language.Short(b.Temperature.Conductivity), language.Short(roughly(b.Temperature.Conductivity/t.Diffusivity))+" times the fluid's")
		}
	}
	b := sizeOf(t.Buoyancy)
	lo, hi, fixed := math.Inf(1), math.Inf(-1), 0
	for _, w := range r.walls() {
		if w.Law == boundary.ScalarFixed {
			lo, hi, fixed = min(lo, w.Value), max(hi, w.Value), fixed+1
		}
	}
	if fixed == 1 { // the other is the fluid, which has the reference
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if l := r.Section("fluid").Get("length"); l != nil && b > 0 && hi > lo {
		h := r.lattice(l.Values[0], model.Length)
		row("Rayleigh number Ra", language.Short(b*(hi-lo)*h*h*h/(nu*t.Diffusivity)), "")
	}
}

// walls returns the effects of all boundaries and bodies on the temperature.
func (s *Solids) walls() (list []boundary.ScalarWall) {
	for _, b := range s.Boundaries {
		list = append(list, b.Temperature)
	}
	for _, b := range s.Bodies {
		list = append(list, b.Temperature)
	}
	return list
}

// heatOfEddies warns where Smagorinsky's eddies may be more viscous than their heat flux can follow: (1 - tau)/6 cells^2 per
// step (model.MostEddies), on the finest level that has one. No shear rate exceeds the velocities of both signs in two cells side by side.
// It also names the first level without an eddy heat flux.
func (c *Case) heatOfEddies() (list finding.List) {
	if !c.Spec.Scalar || c.Temperature.Eddies == 0 || c.Spec.Viscosity != model.Smagorinsky {
		return nil
	}
	tau := c.Tau
	finest := 0
	for _, b := range c.Refine {
		finest = max(finest, b.Level)
	}
	for l := 1; l <= finest; l++ {
		next := 2*tau - 0.5
		if next > model.MostEddies {
			list = append(list, finding.EddiesWithoutHeat.Says(withoutEddyHeat+": from level %d on, where it is %s. The eddy viscosity cannot be recovered from the stress there, and is small compared with the fluid's", model.MostEddies, l, language.Short(next)))
			break
		}
		tau = next
	}
	most := (1 - tau) / (6 * c.Rheology.Constant * c.Rheology.Constant)
	if c.Mean == 0 || most >= 2*c.Mean {
		return list
	}
	return append(list, finding.EddyHeatLimit.Says("[temperature]: the eddy heat flux is limited to a shear rate of %s per step, an eddy viscosity of (1 - tau)/6 cells^2 per step: where the flow of %s cells per step has more shear, the heat flux is too small; a smaller constant raises the limit, and \"wale\" has none",
		language.Short(most), language.Short(c.Mean)))
}
