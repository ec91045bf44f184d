package config

import (
	"fmt"
	"slices"

	"lbmsim/model"
)

// Viscosities that depend on the shear rate, [turbulence] and the laws of [fluid], and
// the bulk viscosity. The relaxation time of the case belongs to [fluid] viscosity.

// Rheology holds the numbers of Spec.Viscosity and Spec.Bulk, in lattice units.
type Rheology struct {
	Constant  float64 // smagorinsky
	Index     float64 // power_law, carreau: n
	ShearRate float64 // power_law: where the viscosity is that of Tau
	Min, Max  float64 // power_law: bounds of the viscosity
	Infinite  float64 // carreau: the viscosity at large shear rates
	Time      float64 // carreau: lambda
	Bulk      float64 // kinematic bulk viscosity
}

// numbers gives the parameters of a step those of the law.
func (h Rheology) numbers(s model.Spec, tau float64, p model.Params) model.Params {
	nu := (tau - 0.5) / 3
	switch s.Viscosity {
	case model.Smagorinsky:
		p = p.WithSmagorinsky(h.Constant)
	case model.PowerLaw:
		p = p.WithPowerLaw(nu, h.ShearRate, h.Index, h.Min, h.Max)
	case model.Carreau:
		p = p.WithCarreau(nu, h.Infinite, h.Time, h.Index)
	}
	if s.Bulk {
		p = p.WithBulk(h.Bulk, s.Lattice.Dims)
	}
	return p
}

// lawKeys are the keys of [fluid] that belong to each law.
func lawKeys(l model.ViscosityLaw) []string {
	switch l {
	case model.PowerLaw:
		return []string{"index", "shear_rate", "viscosity_min", "viscosity_max"}
	case model.Carreau:
		return []string{"index", "time_constant", "viscosity_infinite"}
	}
	return nil
}

// fluidLaws are the words of [fluid] viscosity_law: all laws but those of eddies.
func fluidLaws() []string {
	return []string{model.Newtonian.String(), model.PowerLaw.String(), model.Carreau.String()}
}

func eddyLaws() []string { return []string{model.Smagorinsky.String()} }

// rheology reads them once the units are known.
func (r *resolver) rheology() {
	f, t := r.section("fluid"), r.section("turbulence")
	spec, h := &r.c.Spec, &r.c.Rheology
	if e := f.get("viscosity_law"); e != nil {
		spec.Viscosity, _ = model.FindViscosityLaw(e.text)
	}
	own := lawKeys(spec.Viscosity)
	for _, k := range []string{"index", "shear_rate", "viscosity_min", "viscosity_max", "time_constant", "viscosity_infinite"} {
		if f.has(k) && !slices.Contains(own, k) {
			var users []string
			for i := range model.ViscosityLaws {
				if slices.Contains(lawKeys(model.ViscosityLaw(i)), k) {
					users = append(users, model.ViscosityLaw(i).String())
				}
			}
			r.add(f.keys[k].keyAt, "it belongs to viscosity_law = "+oneOf(quoteAll(users)), "a fluid of the law %q takes no %s", spec.Viscosity, k)
		}
	}
	ok := true
	for _, k := range own {
		if k != "viscosity_min" && k != "viscosity_max" {
			ok = r.need(f, k, "viscosity_law = \""+spec.Viscosity.String()+"\": "+model.ViscosityLaws[spec.Viscosity].Doc) && f.get(k) != nil && ok
		}
	}
	if e := t.get("model"); e != nil {
		if spec.Viscosity != model.Newtonian {
			r.add(e.at, "the viscosity of eddies is added to one that is the same everywhere", "a turbulence model cannot go with viscosity_law = %q", spec.Viscosity)
			return
		}
		spec.Viscosity, _ = model.FindViscosityLaw(e.text)
		h.Constant = model.ViscosityLaws[spec.Viscosity].Params[0].Default
		if c := t.get("constant"); c != nil {
			h.Constant = c.vals[0].v
		}
	} else if t != nil {
		r.need(t, "model", "model = "+oneOf(quoteAll(eddyLaws())))
	}
	spec.Bulk = f.has("bulk_viscosity")
	if !ok || !r.haveTime {
		return
	}
	if e := f.get("bulk_viscosity"); e != nil {
		h.Bulk = r.lattice(e.vals[0], model.Viscosity)
	}
	nu := (r.c.Tau - 0.5) / 3
	switch spec.Viscosity {
	case model.PowerLaw:
		h.Index, h.ShearRate = f.get("index").vals[0].v, r.lattice(f.get("shear_rate").vals[0], model.Rate)
		bound := func(key string, def float64) float64 {
			if !f.has(key) {
				a := amount{v: def * r.c.Units.Factor(model.Viscosity), dim: model.Viscosity}
				a.bare = !r.c.Units.Physical
				r.setDefault(f, key, a.toml())
			}
			if e := f.get(key); e != nil {
				return r.lattice(e.vals[0], model.Viscosity)
			}
			return def
		}
		h.Min, h.Max = bound("viscosity_min", nu/100), bound("viscosity_max", nu*100)
		if !(h.Min <= nu && nu <= h.Max) {
			r.add(f.keys["viscosity_law"].keyAt, "", "the bounds of the viscosity, %s and %s, do not enclose it", r.si(h.Min*r.c.Units.Factor(model.Viscosity), model.Viscosity), r.si(h.Max*r.c.Units.Factor(model.Viscosity), model.Viscosity))
		}
	case model.Carreau:
		h.Index, h.Time = f.get("index").vals[0].v, r.lattice(f.get("time_constant").vals[0], model.Time)
		e := f.get("viscosity_infinite")
		h.Infinite = r.lattice(e.vals[0], model.Viscosity)
		if h.Infinite >= nu {
			r.add(e.at, "viscosity is that without shear, viscosity_infinite that at large shear rates", "viscosity_infinite must be below viscosity")
		}
		if h.Index > 1 {
			r.add(f.get("index").at, "", "index = %s: a Carreau fluid has an index of 1 or less", short(h.Index))
		}
	}
}

// lawRow is the line of the derived table.
func (r *resolver) lawRow() string {
	h := r.c.Rheology
	switch r.c.Spec.Viscosity {
	case model.Smagorinsky:
		return fmt.Sprintf("smagorinsky, C = %s", short(h.Constant))
	case model.PowerLaw:
		return fmt.Sprintf("power_law, n = %s, nu above at the shear rate %s, from %s to %s", short(h.Index), short(h.ShearRate), short(h.Min), short(h.Max))
	case model.Carreau:
		return fmt.Sprintf("carreau, n = %s, lambda = %s, from %s without shear to %s", short(h.Index), short(h.Time), short((r.c.Tau-0.5)/3), short(h.Infinite))
	}
	return ""
}
