// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"slices"

	"lbmsim/config/language"
	"lbmsim/model"
)

// Viscosities that depend on the shear rate, [turbulence] and the laws of [fluid], and
// the bulk viscosity. The relaxation time of the case belongs to [fluid] viscosity.

// Rheology holds the numbers of Spec.Viscosity and Spec.Bulk, in lattice units.
type Rheology struct {
	Constant  float64 // smagorinsky, wale
	Index     float64 // power_law, carreau: n
	ShearRate float64 // power_law: where the viscosity is Tau's
	Min, Max  float64 // power_law: bounds of the viscosity
	Infinite  float64 // carreau: the viscosity at large shear rates
	Time      float64 // carreau: lambda
	Bulk      float64 // kinematic bulk viscosity
}

// lawKeys returns the keys of [fluid] that belong to a law.
func lawKeys(l model.ViscosityLaw) []string {
	switch l {
	case model.Newtonian, model.Smagorinsky, model.Wale:
		return nil
	case model.PowerLaw:
		return []string{"index", "shear_rate", "viscosity_min", "viscosity_max"}
	case model.Carreau:
		return []string{"index", "time_constant", "viscosity_infinite"}
	}
	panic("no keys for the law " + l.String())
}

// fluidLaws returns the values of [fluid] viscosity_law: all laws but the eddy-viscosity laws.
func fluidLaws() []string {
	return []string{model.Newtonian.String(), model.PowerLaw.String(), model.Carreau.String()}
}

func eddyLaws() []string { return []string{model.Smagorinsky.String(), model.Wale.String()} }

// rheology reads the law of the viscosity, after the scaling.
type rheology struct {
	*frame
	*Flow
}

// read reads the viscosity law and its numbers, once the units are known.
func (r *rheology) read() {
	f, t := r.Section("fluid"), r.Section("turbulence")
	spec, h := &r.Spec, &r.Rheology
	if e := f.Get("viscosity_law"); e != nil {
		spec.Viscosity = of(model.FindViscosityLaw(e.Text))
	}
	own := lawKeys(spec.Viscosity)
	for _, k := range []string{"index", "shear_rate", "viscosity_min", "viscosity_max", "time_constant", "viscosity_infinite"} {
		if f.Has(k) && !slices.Contains(own, k) {
			var users []string
			for i := range model.ViscosityLaws {
				if slices.Contains(lawKeys(model.ViscosityLaw(i)), k) {
					users = append(users, model.ViscosityLaw(i).String())
				}
			}
			r.Add(f.KeyAt(k), "it belongs to viscosity_law = "+language.OneOf(language.QuoteAll(users)), "a fluid with viscosity_law = %q cannot have %s", spec.Viscosity, k)
		}
	}
	ok := true
	for _, k := range own {
		if k != "viscosity_min" && k != "viscosity_max" {
			ok = r.need(f, k, "viscosity_law = \""+spec.Viscosity.String()+"\": "+model.ViscosityLaws[spec.Viscosity].Doc) && f.Get(k) != nil && ok
		}
	}
	if e := t.Get("model"); e != nil {
		if spec.Viscosity != model.Newtonian {
			r.Add(e.At, "the eddy viscosity is added to a constant viscosity", "a turbulence model cannot be combined with viscosity_law = %q", spec.Viscosity)
			return
		}
		spec.Viscosity = of(model.FindViscosityLaw(e.Text))
		h.Constant = model.ViscosityLaws[spec.Viscosity].Params[0].Default
		if c := t.Get("constant"); c != nil {
			h.Constant = c.Values[0].Value
		}
	} else if t != nil {
		r.need(t, "model", "model = "+language.OneOf(language.QuoteAll(eddyLaws())))
	}
	spec.Bulk = f.Has("bulk_viscosity")
	if !ok || !r.haveTime {
		return
	}
	if e := f.Get("bulk_viscosity"); e != nil {
		h.Bulk = r.latticeViscosity(e)
	}
	nu := (r.Tau - 0.5) / 3
	switch spec.Viscosity {
	case model.Newtonian, model.Smagorinsky, model.Wale:
	case model.PowerLaw:
		h.Index, h.ShearRate = f.Get("index").Values[0].Value, r.lattice(f.Get("shear_rate").Values[0], model.Rate)
		bound := func(key string, def float64) float64 {
			if !f.Has(key) {
				a := language.Amount{Value: def * r.Units.Factor(model.Viscosity), Dim: model.Viscosity}
				a.Bare = !r.Units.Physical
				r.SetDefault(f, key, a.TOML())
			}
			if e := f.Get(key); e != nil {
				return r.latticeViscosity(e)
			}
			return def
		}
		h.Min, h.Max = bound("viscosity_min", nu/100), bound("viscosity_max", nu*100)
		if !(h.Min <= nu && nu <= h.Max) {
			r.Add(f.KeyAt("viscosity_law"), "", "the bounds of the viscosity, %s and %s, do not enclose it", r.si(h.Min*r.Units.Factor(model.Viscosity), model.Viscosity), r.si(h.Max*r.Units.Factor(model.Viscosity), model.Viscosity))
		}
	case model.Carreau:
		h.Index, h.Time = f.Get("index").Values[0].Value, r.lattice(f.Get("time_constant").Values[0], model.Time)
		e := f.Get("viscosity_infinite")
		h.Infinite = r.latticeViscosity(e)
		if h.Infinite >= nu {
			r.Add(e.At, "viscosity is the value without shear, viscosity_infinite the value at high shear rates", "viscosity_infinite must be below viscosity")
		}
		if h.Index > 1 {
			r.Add(f.Get("index").At, "", "index = %s: a Carreau fluid has an index of 1 or less", language.Short(h.Index))
		}
	default:
		panic("no code reads the keys of the law " + spec.Viscosity.String())
	}
}

// plain reports whether cells have the viscosity of the fluid alone, but for the layers above walls with a model.
func (f *Flow) plain() bool {
	return f.Spec.Viscosity == model.Newtonian || f.Spec.Viscosity == model.Smagorinsky && f.Rheology.Constant == 0
}

// lawRow returns the law's line of the derived table.
func (r *summary) lawRow() string {
	h := r.Rheology
	switch r.Spec.Viscosity {
	case model.Newtonian:
		return ""
	case model.Smagorinsky, model.Wale:
		if r.Modelled() && h.Constant == 0 {
			return "by the law of the wall, above walls with a model"
		}
		if r.Modelled() {
			return fmt.Sprintf("%s, C = %s; by the law of the wall above walls with a model", r.Spec.Viscosity, language.Short(h.Constant))
		}
		return fmt.Sprintf("%s, C = %s", r.Spec.Viscosity, language.Short(h.Constant))
	case model.PowerLaw:
		return fmt.Sprintf("power_law, n = %s, nu above at the shear rate %s, from %s to %s", language.Short(h.Index), language.Short(h.ShearRate), language.Short(h.Min), language.Short(h.Max))
	case model.Carreau:
		return fmt.Sprintf("carreau, n = %s, lambda = %s, from %s without shear to %s", language.Short(h.Index), language.Short(h.Time), language.Short((r.Tau-0.5)/3), language.Short(h.Infinite))
	}
	panic("no row for the law " + r.Spec.Viscosity.String())
}
