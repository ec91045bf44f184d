package config

import (
	"math"
	"strconv"

	"lbmsim/model"
)

// [fluid], [scaling] and [collision]: viscosity, the length of a step and the
// relaxation time. With the viscosity nu, the spacing dx and the step dt in SI the
// lattice viscosity is nu dt/dx^2 = (tau - 1/2)/3; one more number closes this.

func (r *resolver) collision() {
	s := r.section("collision")
	e := s.get("model")
	if e == nil {
		return
	}
	m, _ := model.FindCollision(e.text)
	r.c.Spec.Collision = m
	own := map[string]bool{}
	for _, p := range m.Params {
		own[p.Name] = true
		if !s.has(p.Name) {
			r.setDefault(s, p.Name, float(p.Default))
		}
		v := p.Default
		if e := s.get(p.Name); e != nil {
			v = e.vals[0].v
		}
		r.c.Values = append(r.c.Values, v)
	}
	for _, k := range collisionKeys() {
		if s.has(k.name) && !own[k.name] {
			r.add(s.keys[k.name].keyAt, "it belongs to "+oneOf(modelsWith(k.name))+"; leave it out", "the model %q has no parameter %s", m.Name, k.name)
		}
	}
	if e := s.get("precision"); e != nil {
		r.c.Spec.Precision = precisionOf(e.text)
	}
}

// modelsWith are the models that have a parameter, in quotes.
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

func precisionOf(word string) model.Precision {
	for _, p := range model.Precisions {
		if p.String() == word {
			return p
		}
	}
	return model.Float32
}

const closures = `a case with units needs one of these:
lattice_velocity = 0.05   (cells a step; 0.02 to 0.1 is usual)
tau = 0.6                 (relaxation time)
time_step = "1 ms"`

// scaling finds dt and tau.
func (r *resolver) scaling() {
	f, s := r.section("fluid"), r.section("scaling")
	u := &r.c.Units
	r.density(f)
	r.exclusive(s, "each of lattice_velocity, tau and time_step alone says how long a step is", "lattice_velocity", "tau", "time_step")
	nu, okNu := r.viscosity(f)
	if !u.Physical {
		r.latticeScaling(s, nu, okNu)
		return
	}
	// The characteristic speed is also that of lattice_velocity.
	speed, okSpeed := r.speedOf(f, s)
	if !r.haveBox {
		return
	}
	dx := u.Length
	var dt float64
	var why *entry
	switch {
	case s.has("lattice_velocity"):
		if why = s.get("lattice_velocity"); why == nil || !okSpeed {
			return
		}
		dt = why.vals[0].v * dx / speed
	case s.has("tau"):
		if why = s.get("tau"); why == nil || !okNu {
			return
		}
		dt = (why.vals[0].v - 0.5) / 3 * dx * dx / nu
	case s.has("time_step"):
		if why = s.get("time_step"); why == nil {
			return
		}
		dt = why.vals[0].v
	default:
		r.missing(s, closures, "nothing says how long a step is: [scaling] needs lattice_velocity, tau or time_step")
		return
	}
	if !okNu {
		return
	}
	u.Time = dt
	tau := 3*nu*dt/(dx*dx) + 0.5
	if e := s.get("tau"); e != nil {
		tau = e.vals[0].v // exactly as written
	}
	if !(dt > 1e-100 && dt < 1e100) {
		r.add(why.at, "", "a step of %s s is out of range", short(dt))
		return
	}
	r.relaxation(tau, why)
}

// density sets the reference density.
func (r *resolver) density(f *section) {
	u := &r.c.Units
	if !f.has("density") {
		def := "1"
		if u.Physical {
			def = `"1 kg/m3"`
		}
		r.setDefault(f, "density", def)
	}
	e := f.get("density")
	if e == nil {
		return
	}
	if !u.Physical && e.vals[0].v != 1 {
		r.add(e.at, "the lattice density of the fluid is 1 by definition; a deviation belongs to [initial]",
			"density = %s, but the reference density is 1 in lattice units", short(e.vals[0].v))
		return
	}
	u.Density = e.vals[0].v
}

// viscosity is the kinematic one, in the user's units.
func (r *resolver) viscosity(f *section) (float64, bool) {
	r.exclusive(f, "the Reynolds number gives the viscosity: velocity * length / reynolds", "viscosity", "reynolds")
	switch {
	case f.has("viscosity"):
		e := f.get("viscosity")
		if e == nil {
			return 0, false
		}
		nu := e.vals[0].v
		if e.vals[0].dim == dynamicViscosity() {
			if f.broken("density") {
				return 0, false
			}
			if !f.has("density") {
				r.add(e.at, "kinematic = dynamic / density", "a dynamic viscosity needs the density: [fluid] density = \"1000 kg/m3\"")
				return 0, false
			}
			nu /= r.c.Units.Density
		}
		return nu, r.sane(e, nu)
	case f.has("reynolds"):
		ok := true
		for _, k := range []string{"length", "velocity"} {
			if !f.has(k) {
				r.add(f.keys["reynolds"].keyAt, "viscosity = velocity * length / reynolds", "reynolds needs [fluid] %s", k)
				ok = false
			}
		}
		re, l, v := f.get("reynolds"), f.get("length"), f.get("velocity")
		if !ok || re == nil || l == nil || v == nil {
			return 0, false
		}
		nu := v.vals[0].v * l.vals[0].v / re.vals[0].v
		return nu, r.sane(re, nu)
	case !r.c.Units.Physical && r.section("scaling").has("tau"):
		return 0, false
	}
	r.missing(f, "viscosity = \"1e-6 m2/s\", or reynolds with length and velocity", "[fluid] needs a viscosity")
	return 0, false
}

// sane refuses what would overflow later.
func (r *resolver) sane(e *entry, v float64) bool {
	if v > 1e-100 && v < 1e100 {
		return true
	}
	r.add(e.at, "", "a viscosity of %s is out of range", short(v))
	return false
}

// latticeScaling closes a case in lattice units by its viscosity or by tau.
func (r *resolver) latticeScaling(s *section, nu float64, okNu bool) {
	for _, k := range []string{"lattice_velocity", "velocity", "time_step"} {
		if s.has(k) {
			r.add(s.keys[k].keyAt, "without units a step is the unit of time, and the viscosity or tau is all that is needed",
				"%s means nothing in a case in lattice units", k)
		}
	}
	e := s.get("tau")
	if s.has("tau") {
		for _, k := range []string{"viscosity", "reynolds"} {
			if r.section("fluid").has(k) {
				r.add(s.keys["tau"].keyAt, "lattice viscosity = (tau - 1/2)/3", "tau and %s both give the viscosity: one is enough", k)
				return
			}
		}
		if e != nil {
			r.relaxation(e.vals[0].v, e)
		}
		return
	}
	if okNu {
		f := r.section("fluid")
		why := f.get("viscosity")
		if why == nil {
			why = f.get("reynolds")
		}
		r.relaxation(3*nu+0.5, why)
	}
}

// relaxation accepts tau or explains what to change.
func (r *resolver) relaxation(tau float64, why *entry) {
	if r.haveBox {
		var ok bool
		if tau, ok = r.refine(tau); !ok {
			return
		}
	}
	const reason = "tau = 1/2 + 3 viscosity time_step/spacing^2. A larger viscosity or lattice_velocity raises it, a finer spacing too when lattice_velocity is fixed"
	switch {
	case !(tau > 0.5):
		r.add(why.at, reason, "tau = %s: at 1/2 and below nothing damps the flow", short(tau))
		return
	case tau > 100:
		r.add(why.at, reason, "tau = %s: such long relaxation no longer describes a fluid (usual: 0.51 to 1)", short(tau))
		return
	case tau > 2:
		walls := ""
		if r.c.Spec.Collision.Name != "trt" { // whose walls stay
			walls = ", and half-way walls move with it"
		}
		r.warn("tau = %s is above 2: errors grow with tau^2%s; a smaller lattice velocity or time step lowers tau", short(tau), walls)
	}
	r.c.Tau = tau
	r.haveTime = r.haveBox
}

// speedOf is the velocity that scaling.lattice_velocity belongs to, in SI.
func (r *resolver) speedOf(f, s *section) (float64, bool) {
	if !s.has("lattice_velocity") {
		if s.has("velocity") {
			r.add(s.keys["velocity"].keyAt, "", "[scaling] velocity belongs to lattice_velocity, which is not there")
		}
		return 0, false
	}
	if e := s.get("velocity"); s.has("velocity") {
		if e == nil {
			return 0, false
		}
		return e.vals[0].v, true
	}
	largest, unread := 0.0, f.broken("velocity") || r.section("force").broken("mean_velocity") || r.section("initial").broken("velocity")
	if e := f.get("velocity"); e != nil {
		largest = e.vals[0].v
	}
	for _, b := range r.all("boundary") {
		unread = unread || b.broken("velocity")
		if e := b.get("velocity"); e != nil && constant(e.vals) {
			largest = math.Max(largest, norm(e.vals))
		}
	}
	if e := r.section("force").get("mean_velocity"); e != nil {
		largest = math.Max(largest, norm(e.vals))
	}
	if e := r.section("initial").get("velocity"); e != nil && constant(e.vals) {
		largest = math.Max(largest, norm(e.vals))
	}
	if largest == 0 && unread {
		return 0, false
	}
	if largest == 0 {
		r.add(s.keys["lattice_velocity"].keyAt, "give [scaling] velocity: the speed, such as \"0.1 m/s\", that is to be lattice_velocity cells a step (velocities that are expressions do not count)",
			"lattice_velocity stands for a velocity, and the case has none")
		return 0, false
	}
	r.setDefault(s, "velocity", amount{v: largest, dim: model.Velocity}.toml())
	return largest, true
}

// constant tells that no value is an expression of the position.
func constant(v []amount) bool {
	for _, a := range v {
		if a.f != nil {
			return false
		}
	}
	return true
}
