// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"strconv"

	"lbmsim/config/language"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// [fluid], [scaling] and [collision]: viscosity, the length of a step and the
// relaxation time. With the viscosity nu, the spacing dx and the step dt in SI the
// lattice viscosity is nu dt/dx^2 = (tau - 1/2)/3; one more number closes this.

// scaling reads [fluid], [scaling] and [collision], after the domain.
type scaling struct {
	*frame
	*Flow
}

func (r *scaling) readCollision() {
	s := r.Section("collision")
	e := s.Get("model")
	if e == nil {
		return
	}
	m := of(model.FindCollision(e.Text))
	r.Spec.Collision = m
	own := map[string]bool{}
	for _, p := range m.Params {
		own[p.Name] = true
		if !s.Has(p.Name) {
			r.SetDefault(s, p.Name, language.Float(p.Default))
		}
		v := p.Default
		if e := s.Get(p.Name); e != nil {
			v = e.Values[0].Value
		}
		r.Values = append(r.Values, v)
	}
	for _, k := range collisionKeys() {
		if s.Has(k.Name) && !own[k.Name] {
			r.Add(s.KeyAt(k.Name), "it belongs to "+language.OneOf(modelsWith(k.Name))+"; remove it", "the model %q has no parameter %s", m.Name, k.Name)
		}
	}
	if e := s.Get("precision"); e != nil {
		r.Spec.Precision = precisionOf(e.Text)
	}
}

// modelsWith returns the models that have a parameter, in quotes.
func modelsWith(parameter string) (names []string) {
	for _, m := range model.Collisions {
		for _, p := range m.Params {
			if p.Name == parameter {
				names = append(names, strconv.Quote(m.Name))
			}
		}
	}
	return names
}

const closures = `a case with units needs one of these:
lattice_velocity = 0.05   (cells per step; 0.02 to 0.1 is usual)
tau = 0.6                 (relaxation time)
time_step = "1 ms"`

// read finds dt and tau.
func (r *scaling) read() {
	f, s := r.Section("fluid"), r.Section("scaling")
	u := &r.Units
	r.density(f)
	for name, to := range map[string]*float64{"length": &r.Characteristic.Length, "velocity": &r.Characteristic.Velocity} {
		if e := f.Get(name); e != nil {
			*to = e.Values[0].Value
		}
	}
	r.exclusive(s, "each of lattice_velocity, tau and time_step determines the time step by itself", s.Table.OneOf[0]...)
	nu, okNu := r.viscosity(f)
	if !u.Physical {
		r.latticeScaling(s, nu, okNu)
		return
	}
	// The characteristic speed also serves lattice_velocity.
	speed, okSpeed := r.speedOf(f, s)
	if !r.haveBox {
		return
	}
	dx := u.Length
	var dt float64
	var why *language.Entry
	switch {
	case s.Has("lattice_velocity"):
		if why = s.Get("lattice_velocity"); why == nil || !okSpeed {
			return
		}
		dt = why.Values[0].Value * dx / speed
	case s.Has("tau"):
		if why = s.Get("tau"); why == nil || !okNu {
			return
		}
		dt = (why.Values[0].Value - 0.5) / 3 * dx * dx / nu
	case s.Has("time_step"):
		if why = s.Get("time_step"); why == nil {
			return
		}
		dt = why.Values[0].Value
	default:
		r.missing(s, closures, "the time step is undetermined: [scaling] needs lattice_velocity, tau or time_step")
		return
	}
	if !okNu {
		return
	}
	u.Time = dt
	tau := 3*nu*dt/(dx*dx) + 0.5
	if e := s.Get("tau"); e != nil {
		tau = e.Values[0].Value // exactly as written
	}
	if !(dt > 1e-100 && dt < 1e100) {
		r.Add(why.At, "", "a time step of %s s is out of range", language.Short(dt))
		return
	}
	r.relaxation(tau, why)
}

// density sets the reference density.
func (r *scaling) density(f *language.Section) {
	u := &r.Units
	if !f.Has("density") {
		def := "1"
		if u.Physical {
			def = `"1 kg/m3"`
		}
		r.SetDefault(f, "density", def)
	}
	e := f.Get("density")
	if e == nil {
		return
	}
	if !u.Physical && e.Values[0].Value != 1 {
		r.Add(e.At, "the lattice density of the fluid is 1 by definition; a deviation belongs to [initial]",
			"density = %s, but the reference density is 1 in lattice units", language.Short(e.Values[0].Value))
		return
	}
	u.Density = e.Values[0].Value
}

// viscosity returns the kinematic viscosity in the user's units.
func (r *scaling) viscosity(f *language.Section) (float64, bool) {
	r.exclusive(f, "the Reynolds number gives the viscosity: velocity * length / reynolds", f.Table.OneOf[0]...)
	switch {
	case f.Has("viscosity"):
		e := f.Get("viscosity")
		if e == nil {
			return 0, false
		}
		nu, ok := r.kinematic(e)
		return nu, ok && r.sane(e, nu)
	case f.Has("reynolds"):
		ok := true
		for _, k := range []string{"length", "velocity"} {
			if !f.Has(k) {
				r.Add(f.KeyAt("reynolds"), "viscosity = velocity * length / reynolds", "reynolds needs [fluid] %s", k)
				ok = false
			}
		}
		re, l, v := f.Get("reynolds"), f.Get("length"), f.Get("velocity")
		if !ok || re == nil || l == nil || v == nil {
			return 0, false
		}
		nu := v.Values[0].Value * l.Values[0].Value / re.Values[0].Value
		return nu, r.sane(re, nu)
	case !r.Units.Physical && r.Section("scaling").Has("tau"):
		return 0, false
	}
	r.missing(f, "viscosity = \"1e-6 m2/s\", or reynolds with length and velocity", "[fluid] needs a viscosity")
	return 0, false
}

// sane refuses values that would overflow later.
func (r *scaling) sane(e *language.Entry, v float64) bool {
	if v > 1e-100 && v < 1e100 {
		return true
	}
	r.Add(e.At, "", "a viscosity of %s is out of range", language.Short(v))
	return false
}

// latticeScaling closes a case in lattice units by its viscosity or by tau.
func (r *scaling) latticeScaling(s *language.Section, nu float64, okNu bool) {
	for _, k := range []string{"lattice_velocity", "velocity", "time_step"} {
		if s.Has(k) {
			r.Add(s.KeyAt(k), "without units the step is the unit of time, and the viscosity or tau is sufficient",
				"%s has no meaning in a case in lattice units", k)
		}
	}
	e := s.Get("tau")
	if s.Has("tau") {
		for _, k := range []string{"viscosity", "reynolds"} {
			if r.Section("fluid").Has(k) {
				r.Add(s.KeyAt("tau"), "lattice viscosity = (tau - 1/2)/3", "tau and %s both give the viscosity: use one of them", k)
				return
			}
		}
		if e != nil {
			r.relaxation(e.Values[0].Value, e)
		}
		return
	}
	if okNu {
		f := r.Section("fluid")
		why := f.Get("viscosity")
		if why == nil {
			why = f.Get("reynolds")
		}
		r.relaxation(3*nu+0.5, why)
	}
}

// relaxation accepts tau or explains what to change.
func (r *scaling) relaxation(tau float64, why *language.Entry) {
	if r.haveBox {
		var ok bool
		if tau, ok = r.refine(tau); !ok {
			return
		}
	}
	const reason = "tau = 1/2 + 3 viscosity time_step/spacing^2. A larger viscosity or lattice_velocity raises it, and so does a finer spacing at fixed lattice_velocity"
	switch {
	case !(tau > 0.5):
		r.Add(why.At, reason, "tau = %s: at 1/2 and below there is no damping", language.Short(tau))
		return
	case tau > 100:
		r.Add(why.At, reason, "tau = %s: relaxation this slow no longer describes a fluid (usual: 0.51 to 1)", language.Short(tau))
		return
	case tau > 2:
		walls := ""
		if r.Spec.Collision.Name != "trt" { // whose walls stay
			walls = ", and half-way walls move with it"
		}
		r.warn(finding.TauLarge, "tau = %s is above 2: errors grow with tau^2%s; a smaller lattice velocity or time step lowers tau", language.Short(tau), walls)
	}
	r.Tau = tau
	r.haveTime = r.haveBox
}

// speedOf returns the velocity that corresponds to scaling.lattice_velocity, in SI.
func (r *scaling) speedOf(f, s *language.Section) (float64, bool) {
	if !s.Has("lattice_velocity") {
		if s.Has("velocity") {
			r.Add(s.KeyAt("velocity"), "", "[scaling] velocity requires lattice_velocity, which is missing")
		}
		return 0, false
	}
	if e := s.Get("velocity"); s.Has("velocity") {
		if e == nil {
			return 0, false
		}
		return e.Values[0].Value, true
	}
	largest, unread := 0.0, f.Broken("velocity") || r.Section("force").Broken("mean_velocity") || r.Section("initial").Broken("velocity")
	if e := f.Get("velocity"); e != nil {
		largest = e.Values[0].Value
	}
	for _, b := range r.All("boundary") {
		unread = unread || b.Broken("velocity")
		if e := b.Get("velocity"); e != nil && constant(e.Values) {
			largest = math.Max(largest, norm(e.Values))
		}
	}
	if e := r.Section("force").Get("mean_velocity"); e != nil {
		largest = math.Max(largest, norm(e.Values))
	}
	if e := r.Section("initial").Get("velocity"); e != nil && constant(e.Values) {
		largest = math.Max(largest, norm(e.Values))
	}
	if largest == 0 && unread {
		return 0, false
	}
	if largest == 0 {
		r.Add(s.KeyAt("lattice_velocity"), "give [scaling] velocity: the speed, such as \"0.1 m/s\", that corresponds to lattice_velocity cells per step (velocities given as expressions are not considered)",
			"lattice_velocity needs a physical velocity, and the case has none")
		return 0, false
	}
	r.SetDefault(s, "velocity", language.Amount{Value: largest, Dim: model.Velocity}.TOML())
	return largest, true
}

// constant reports whether no value is an expression of the position.
func constant(v []language.Amount) bool {
	for _, a := range v {
		if a.Expr != nil {
			return false
		}
	}
	return true
}

// collisionKeys returns the parameters of all collision models.
func collisionKeys() []language.Key {
	var keys []language.Key
	seen := map[string]bool{}
	for _, c := range model.Collisions {
		for _, p := range c.Params {
			if !seen[p.Name] {
				seen[p.Name] = true
				keys = append(keys, language.Key{Name: p.Name, Kind: language.Number, Within: language.Between(p.Min, p.Max),
					DefaultDoc: fmt.Sprintf("%.6g with %s", p.Default, c.Name), Doc: c.Name + ": " + p.Doc})
			}
		}
	}
	return keys
}
