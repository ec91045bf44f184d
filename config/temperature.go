package config

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/model"
)

// [temperature]: a scalar that the flow carries and that may drive it. In lattice units it
// is the difference from the reference, in kelvin.

// Temperature is [temperature].
type Temperature struct {
	Diffusivity float64
	Reference   float64    // in the user's unit, as are all outputs
	Buoyancy    [3]float64 // force per volume for each kelvin above the reference
	Initial     Function   // above the reference
	Uniform     bool       // Initial does not depend on the position
}

// closedLaw tells of walls that nothing flows through.
func closedLaw(l boundary.Law) bool {
	return l == boundary.Bounce || l == boundary.Interpolated || l == boundary.MovingFace || l == boundary.Slip
}

func (r *resolver) temperature() {
	s := r.section("temperature")
	if s == nil {
		return
	}
	r.c.Spec.Scalar = true
	t := &r.c.Temperature
	t.Uniform, t.Initial = true, func(x, y, z float64) float64 { return 0 }
	if e := r.section("collision").get("precision"); e != nil && r.c.Spec.Precision == model.Float16 {
		r.add(e.at, "precision = \"float32\" or \"float64\"", "a case with [temperature] cannot have 16 bits a value")
	}
	r.exclusive(s, "the Prandtl number gives the diffusivity: viscosity / prandtl", "diffusivity", "prandtl")
	if !s.has("diffusivity") && !s.has("prandtl") {
		r.missing(s, "diffusivity = \"2e-5 m2/s\", or prandtl = 0.71", "[temperature] needs a diffusivity")
	}
	if e := s.get("reference"); e != nil {
		t.Reference = e.vals[0].v
	}
	gravity := r.vector(s, "gravity")
	if s.has("expansion") != s.has("gravity") {
		r.missing(s, "the force is -density expansion (T - reference) gravity", "[temperature] needs both expansion and gravity, or neither")
	}
	if !r.haveTime {
		return
	}
	var at *entry
	if at = s.get("diffusivity"); at != nil {
		t.Diffusivity = r.lattice(at.vals[0], model.Viscosity)
	} else if at = s.get("prandtl"); at != nil {
		t.Diffusivity = (r.c.Tau - 0.5) / 3 / at.vals[0].v
	} else {
		return
	}
	switch tau := t.Diffusivity/model.ScalarCS2 + 0.5; {
	case !(tau > 0.5) || tau > 100:
		r.add(at.at, "", "the diffusivity is %s cells^2/step in lattice units, out of range", short(t.Diffusivity))
		return
	case tau < 0.502:
		r.warn("the diffusivity is %s cells^2/step: fronts are hardly smoothed and may overshoot; a finer spacing or a larger lattice velocity raises it", short(t.Diffusivity))
	}
	if e := s.get("expansion"); e != nil && gravity != nil {
		for a := range gravity {
			t.Buoyancy[a] = -e.vals[0].v * r.lattice(gravity[a], model.Acceleration)
		}
	}
	if e := s.get("initial"); e != nil {
		a := e.vals[0]
		f := r.function(a, model.Temperature)
		t.Uniform = a.f == nil
		t.Initial = func(x, y, z float64) float64 { return f(x, y, z, 0) - t.Reference }
		r.sample(e, a, model.Temperature, r.centres(0), identity, anyNumber)
	}
}

// withoutTemperature refuses outputs of the temperature in cases without any.
func (r *resolver) withoutTemperature() {
	if r.c.Spec.Scalar {
		return
	}
	const reason = "[temperature] with a diffusivity adds a temperature to the flow"
	for _, s := range r.sections {
		for _, key := range []string{"field", "fields", "quantities"} {
			if e := s.get(key); e != nil && (e.text == "temperature" || contains(e.words, "temperature") || contains(e.words, SeriesTemperature)) {
				r.add(e.at, reason, "there is no temperature to write: the case has no [temperature]")
			}
		}
		for _, key := range []string{"temperature", "heat_flux", "temperature_difference", "heated_length"} {
			if s.has(key) {
				r.add(s.keys[key].keyAt, reason, "%s has %s, but the case has no [temperature]", s.head(), key)
			}
		}
	}
}

// wallTemperature is what a boundary or a body does to the temperature.
func (r *resolver) wallTemperature(s *section, law boundary.Law) (w boundary.ScalarWall) {
	if !r.c.Spec.Scalar {
		return w
	}
	if !closedLaw(law) {
		w.Law = boundary.ScalarOpen
	}
	r.exclusive(s, "a wall has a temperature or a flux", "temperature", "heat_flux")
	if e := s.get("temperature"); e != nil {
		return boundary.ScalarWall{Law: boundary.ScalarFixed, Value: e.vals[0].v - r.c.Temperature.Reference}
	}
	if e := s.get("heat_flux"); e != nil && r.haveTime {
		if !closedLaw(law) {
			r.add(e.keyAt, "what flows through takes heat with it: give its temperature", "%s cannot have a heat_flux", s.head())
		}
		return boundary.ScalarWall{Law: boundary.ScalarFlux, Value: r.lattice(e.vals[0], model.HeatFlux)}
	}
	if law == boundary.VelocityFace && !s.has("temperature") {
		r.missing(s, "temperature = \"300 K\": that of the fluid that comes in", "%s needs a temperature", s.head())
	}
	return w
}

// mostExpansion is how much a density may change for Boussinesq's force to stand for it.
const mostExpansion = 0.3

// mostHeat is half of what the sum of the heat through a wall holds, in K cells^3/step
// (SCALAR_UNITS in kernels/scalar.h).
const mostHeat = 4e6

// usualSpeed is about the largest velocity that carries heat through an open face.
const usualSpeed = 0.1

// checkTemperature looks at the numbers that only the whole case has.
func (r *resolver) checkTemperature() {
	if !r.c.Spec.Scalar {
		return
	}
	most := 0.0
	for _, w := range r.walls() {
		if w.Law == boundary.ScalarFixed {
			most = max(most, math.Abs(w.Value))
		}
	}
	if e := r.section("temperature").get("expansion"); e != nil && e.vals[0].v*most > mostExpansion {
		r.warn("[temperature]: a wall is %s K from the reference of %s K, which changes the density by a factor of %s: is the reference right? Boussinesq's force is for small changes",
			short(most), short(r.c.Temperature.Reference), short(e.vals[0].v*most))
	}
	n := r.c.Cells
	if face := max(n[0]*n[1], n[1]*n[2], n[0]*n[2]); most*usualSpeed*float64(face) > mostHeat {
		r.warn("[temperature]: a wall is %s K from the reference of %s K: with a reference so far away the heat through a face of %d cells has no room in its sum",
			short(most), short(r.c.Temperature.Reference), face)
	}
	if r.c.Spec.Viscosity != model.Newtonian {
		r.warn("[temperature]: the diffusivity stays what it is where %s changes the viscosity", r.c.Spec.Viscosity)
	}
}

// temperatureRows tells the numbers of the temperature.
func (r *resolver) temperatureRows(row func(name, lattice, si string)) {
	t, u, nu := r.c.Temperature, r.c.Units, (r.c.Tau-0.5)/3
	if !r.c.Spec.Scalar || t.Diffusivity == 0 {
		return
	}
	row("diffusivity", short(t.Diffusivity), short(t.Diffusivity*u.Factor(model.Viscosity))+" m2/s")
	row("Prandtl number Pr", short(nu/t.Diffusivity), "")
	b := math.Hypot(math.Hypot(t.Buoyancy[0], t.Buoyancy[1]), t.Buoyancy[2])
	lo, hi, fixed := math.Inf(1), math.Inf(-1), 0
	for _, w := range r.walls() {
		if w.Law == boundary.ScalarFixed {
			lo, hi, fixed = min(lo, w.Value), max(hi, w.Value), fixed+1
		}
	}
	if fixed == 1 { // the other is the fluid, which has the reference
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if l := r.section("fluid").get("length"); l != nil && b > 0 && hi > lo {
		h := r.lattice(l.vals[0], model.Length)
		row("Rayleigh number Ra", short(b*(hi-lo)*h*h*h/(nu*t.Diffusivity)), "")
	}
}

// walls are what all boundaries and bodies do to the temperature.
func (r *resolver) walls() (list []boundary.ScalarWall) {
	for _, b := range r.c.Boundaries {
		list = append(list, b.Temperature)
	}
	for _, b := range r.c.Bodies {
		list = append(list, b.Temperature)
	}
	return list
}
