package config

import (
	"math"

	"lbmsim/config/language"
	"lbmsim/model"
	"lbmsim/robustness"
)

// [force] and [initial], and what the speeds of a case say about its accuracy.

// mostCellReynolds is the Reynolds number of a cell up to which gradients are resolved, as a rule.
const mostCellReynolds = 20

// timedLooks is at how many times of the run expressions with t are tried.
const timedLooks = 1000

func (r *resolver) force() {
	s := r.Section("force")
	if s == nil {
		return
	}
	r.exclusive(s, "one force is enough: force density = density * acceleration; a mean velocity is kept by a force of its own", "acceleration", "force_density", "mean_velocity", "flow_rate")
	if !s.Has("acceleration") && !s.Has("force_density") && !s.Has("mean_velocity") && !s.Has("flow_rate") {
		r.missing(s, "", "[force] needs acceleration, force_density, mean_velocity or flow_rate")
	}
	r.drive(s)
	acc, den := r.vector(s, "acceleration"), r.vector(s, "force_density")
	if !r.haveTime {
		return
	}
	dim, given := model.Acceleration, acc // the lattice reference density is 1
	if acc == nil {
		dim, given = model.ForceDensity, den
	}
	var parts [3]func(t float64) float64
	timed := false
	for a := range parts {
		parts[a] = func(float64) float64 { return 0 }
		if a >= len(given) {
			continue
		}
		if e := given[a].Expr; e != nil {
			names := language.Variables()
			for i, name := range names[:language.VarT] {
				if e.DependsOn(i) {
					r.Add(given[a].At, "the body force is uniform: it may depend on the time t alone", "the force depends on %s", name)
					return
				}
			}
			timed = timed || e.DependsOn(language.VarT)
		}
		f := r.function(given[a], dim)
		parts[a] = func(t float64) float64 { return f(0, 0, 0, t) }
	}
	at := func(t float64) [3]float64 { return [3]float64{parts[0](t), parts[1](t), parts[2](t)} }
	if r.c.Force.Density = at(0); timed {
		r.c.Force.At = at
	}
	for _, a := range given {
		if a.Expr == nil {
			continue
		}
		steps := language.Points{First: [4]float64{3: 0.5}, Step: [4]float64{3: 1}, Count: [4]int{1, 1, 1, max(r.c.Run.Steps, 1)}}
		if s, _ := r.everywhere(a, dim, steps, identity, func(float64) bool { return true }); s.Found {
			r.Add(a.At, "the expression must give a finite number in every step", "the force is %s in lattice units at t = %s", language.Short(s.Bad), language.Float(s.At[language.VarT]*r.c.Units.Time))
			return
		}
	}
	largest, worst, when := 0.0, language.Mark{}, 0.0
	for _, t := range r.times(timedLooks) {
		for a, f := range at(t) {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				r.Add(given[a].At, "", "the force is %s at t = %s", inLattice(f), language.Short(t*r.c.Units.Time))
				return
			}
			if math.Abs(f) > largest {
				largest, worst, when = math.Abs(f), given[a].At, t
			}
		}
	}
	if largest > 0.1 {
		then := ""
		if timed {
			then = " at t = " + language.Short(when*r.c.Units.Time)
		}
		fix := "a smaller time step lowers it"
		if !r.c.Units.Physical {
			fix = "in lattice units it falls with the square of the velocity; scale that, and the viscosity with it"
		}
		r.Add(worst, "a force this large moves the fluid by the speed of sound within a few steps; "+fix,
			"the force is %s cells/step^2%s; at most 0.1 is allowed", language.Short(largest), then)
	}
}

// drive is a force that keeps a mean velocity.
func (r *resolver) drive(s *language.Section) {
	if !s.Has("mean_velocity") && !s.Has("flow_rate") {
		for _, k := range []string{"axis", "adjust_every", "response"} {
			if s.Has(k) {
				r.Add(s.KeyAt(k), "", "%s belongs to mean_velocity and flow_rate", k)
			}
		}
		return
	}
	if s.Has("axis") && !s.Has("flow_rate") {
		r.Add(s.KeyAt("axis"), "a mean velocity has a component for each axis", "axis belongs to flow_rate")
	}
	d := &Drive{Every: 10}
	if !s.Has("adjust_every") {
		r.SetDefault(s, "adjust_every", "10")
	}
	if e := s.Get("adjust_every"); e != nil {
		d.Every = e.Ints[0]
	}
	v := r.vector(s, "mean_velocity")
	q := s.Get("flow_rate")
	if !r.haveTime || !r.haveBox {
		return
	}
	n := r.c.Cells
	passes := 0.0 // steps in which the flow passes the domain
	on := func(axis int, u float64, at language.Mark) {
		if !r.c.Periodic[axis] {
			r.Add(at, "the force that keeps it acts in every cell, from end to end; between open faces the inlet sets the velocity", "a mean velocity along %s, where the domain is not periodic", axes()[axis])
		}
		d.On[axis], d.Velocity[axis] = true, u
		passes = math.Max(passes, float64(n[axis])/math.Abs(u))
	}
	switch {
	case v != nil:
		for a := range v {
			if v[a].Value != 0 {
				on(a, r.lattice(v[a], model.Velocity), v[a].At)
			}
		}
		if d.On == [3]bool{} {
			r.Add(s.Get("mean_velocity").At, "", "a mean velocity of zero needs no force")
			return
		}
	case q != nil:
		dim, other := model.FlowRate, "a volume in a unit of time (m3/s) in 3D"
		if r.dims == 2 {
			dim, other = model.Viscosity, "that of each metre across the plane (m2/s) in 2D"
		}
		if !q.Values[0].Neutral() && !q.Values[0].Bare && q.Values[0].Dim != dim {
			r.Add(q.At, "", "flow_rate must be %s, not %s", other, language.InWords(q.Values[0].Dim))
			return
		}
		if !s.Has("axis") {
			r.SetDefault(s, "axis", `"x"`)
		}
		e := s.Get("axis")
		if e == nil {
			return
		}
		axis := axisOf(e.Text)
		if axis >= r.dims {
			r.Add(e.At, "", "a case in 2D has no axis %s", e.Text)
			return
		}
		if q.Values[0].Value == 0 {
			r.Add(q.At, "", "a flow rate of zero needs no force")
			return
		}
		d.FlowRate = r.lattice(q.Values[0], dim)
		on(axis, d.FlowRate*float64(n[axis])/float64(n[0]*n[1]*n[2]), q.At)
	default:
		return
	}
	if !s.Has("response") {
		t := math.Max(passes/10, 10*float64(d.Every)) * r.c.Units.Time
		r.SetDefault(s, "response", language.Amount{Value: t, Bare: !r.c.Units.Physical, Dim: model.Time}.TOML())
	}
	if e := s.Get("response"); e != nil {
		if d.Response = r.lattice(e.Values[0], model.Time); d.Response < float64(d.Every) {
			r.Add(e.At, "the force is adjusted every "+language.Short(float64(d.Every))+" steps (adjust_every): give a longer response, or adjust more often", "a response shorter than the time between two adjustments would overshoot")
		}
	}
	r.c.Force.Drive = d
}

func (r *resolver) initial() {
	s := r.Section("initial")
	one := func(x, y, z float64) float64 { return 1 }
	zero := func(x, y, z float64) float64 { return 0 }
	r.c.Initial = Initial{Uniform: true, Density: one, Velocity: [3]Function{zero, zero, zero}}
	if s == nil {
		return
	}
	r.exclusive(s, "pressure = cs^2 (density - reference density)", "density", "pressure")
	vel := r.vector(s, "velocity")
	if !r.haveTime {
		return
	}
	in := &r.c.Initial
	still := func(a language.Amount, d model.Dimension) Function {
		in.Uniform = in.Uniform && a.Expr == nil
		f := r.function(a, d)
		return func(x, y, z float64) float64 { return f(x, y, z, 0) }
	}
	if e := s.Get("density"); e != nil {
		in.Density = still(e.Values[0], model.Density)
		r.sample(e, e.Values[0], model.Density, r.centres(0), identity, func(v float64) string {
			if v <= 0 || v > 2 {
				return "the lattice density must stay between 0 and 2"
			}
			return ""
		})
	} else if e := s.Get("pressure"); e != nil {
		p := still(e.Values[0], model.Pressure)
		in.Density = func(x, y, z float64) float64 { return 1 + p(x, y, z)/model.CS2 }
		r.sample(e, e.Values[0], model.Pressure, r.centres(0), func(v float64) float64 { return 1 + v/model.CS2 }, func(v float64) string {
			if v <= 0 || v > 2 {
				return "density = 1 + pressure/cs^2 must stay between 0 and 2 in lattice units; a smaller lattice velocity makes pressures smaller"
			}
			return ""
		})
	}
	e := s.Get("velocity")
	cells := r.centres(0)
	cells.Around = StrainStep
	for a := range vel {
		in.Velocity[a] = still(vel[a], model.Velocity)
		r.sample(e, vel[a], model.Velocity, cells, identity, anyNumber)
	}
}

// StrainStep is how far before and behind a cell's centre, in cells, the initial velocity is
// asked for, for its gradient: far below the scale of anything resolved, far above rounding.
const StrainStep = 1e-3

func identity(v float64) float64 { return v }

func anyNumber(float64) string { return "" }

// samples along each axis, where the largest speed is looked for before a run.
const samples = 9

// points are cell centres spread over the domain.
func (r *resolver) points(visit func(x, y, z float64) bool) {
	n := r.c.Cells
	at := func(a, i int) float64 { return math.Floor(float64(i)*float64(n[a]-1)/(samples-1)) + 0.5 }
	for k := 0; k < samples && (k == 0 || n[2] > 1); k++ {
		for j := 0; j < samples; j++ {
			for i := 0; i < samples; i++ {
				if !visit(at(0, i), at(1, j), at(2, k)) {
					return
				}
			}
		}
	}
}

// speeds checks the Mach number and the cell Reynolds number of the largest speed
// that the case tells of.
func (r *resolver) speeds() {
	if !r.haveTime {
		return
	}
	r.expectedSpeed()
	u, what, at := r.fastest()
	if u == 0 {
		r.hardlyDamped()
		return
	}
	mach := u / math.Sqrt(model.CS2)
	const reason = "the lattice Boltzmann method describes slow flow: its compressibility error grows with the square of the Mach number u/cs = sqrt(3) u (u in cells a step)"
	fix := "a smaller time step, tau or lattice_velocity lowers it"
	if !r.c.Units.Physical {
		fix = "scale the velocity, and the viscosity with it"
	}
	switch {
	case mach > 0.3:
		r.Add(at, reason+"\n"+fix, "Mach number %s of the %s is above 0.3", language.Short(mach), what)
		return
	case mach > 0.1:
		r.warn("Mach number %s of the %s is above 0.1: expect errors of about %s %% from compressibility; %s", language.Short(mach), what, language.Short(100*mach*mach), fix)
	}
	nu := (r.c.Tau - 0.5) / 3
	if re := u / nu; re > mostCellReynolds {
		r.warn("the Reynolds number of a cell (%s * spacing / viscosity) is %s: gradients may become thinner than a cell and unstable; a finer spacing lowers it", what, language.Short(re))
	}
	if !r.robust(u, what) {
		r.hardlyDamped()
	}
}

// hardlyDamped warns of a relaxation time of which the map of robustness says nothing.
func (r *resolver) hardlyDamped() {
	if tau := r.c.Tau; tau < 0.505 {
		r.warn("tau = %s is close to 1/2: the flow is hardly damped on the scale of a cell and may become unstable; a finer spacing or a larger lattice velocity raises tau", language.Float(math.Round(tau*1e6)/1e6))
	}
}

// robust looks up whether the model holds a uniform flow of that speed, and tells whether the map
// knows. The map has the models with the parameters and the bulk viscosity that they have unless a
// case says otherwise, and fluids whose viscosity does not depend on the shear.
func (r *resolver) robust(u float64, what string) bool {
	s := r.c.Spec
	eddies := s.Viscosity == model.Smagorinsky
	if s.Bulk || s.Viscosity != model.Newtonian && !eddies {
		return false
	}
	for i, v := range r.c.Values {
		if v != s.Collision.Params[i].Default {
			return false
		}
	}
	m := robustness.Measured()
	p, found := m.Nearest(s.Lattice.Name, s.Collision.Name, eddies, u, r.c.Tau)
	if !found || p.Holds {
		return found && p.Asks(u, r.c.Tau)
	}
	fix := "a finer spacing or a larger lattice velocity raises tau"
	if q, ok := m.Instead(s.Lattice.Name, eddies, u, r.c.Tau); ok {
		fix = language.Quote(q.Model)
		if q.Lattice != s.Lattice.Name {
			fix += " on " + q.Lattice
		}
		fix += " holds there"
	}
	r.warn("%q on %s lets noise grow even in a uniform flow, of %s cells a step at tau = %s (%s here: %s, at tau = %s): expect noise that the flow does not have, or an unstable run; %s (docs/models.md)",
		s.Collision.Name, s.Lattice.Name, language.Short(p.Velocity), language.Float(p.Tau), what, language.Short(u), language.Float(math.Round(r.c.Tau*1e6)/1e6), fix)
	return true
}

// fastest is the largest lattice speed that is known beforehand.
func (r *resolver) fastest() (u float64, what string, at language.Mark) {
	take := func(v float64, w string, m language.Mark) {
		if v > u {
			u, what, at = v, w, m
		}
	}
	r.given(take)
	if e := r.Section("force").Get("mean_velocity"); e != nil && r.c.Force.Drive != nil {
		take(math.Hypot(math.Hypot(r.c.Force.Drive.Velocity[0], r.c.Force.Drive.Velocity[1]), r.c.Force.Drive.Velocity[2]), "mean velocity of [force]", e.At)
	}
	r.characteristic(take)
	return u, what, at
}

// expectedSpeed finds the largest speed that the case lets expect. Where something else than
// its velocities drives the flow, they say nothing of it.
func (r *resolver) expectedSpeed() {
	c := r.c
	take := func(v float64, w string, _ language.Mark) {
		if v > c.Speed {
			c.Speed, c.SpeedOf = v, w
		}
	}
	driven := c.Force.Density != [3]float64{} || c.Force.At != nil || c.Force.Drive != nil || c.Temperature.Buoyancy != [3]float64{}
	for _, b := range c.Boundaries {
		driven = driven || b.Density != 0
	}
	r.given(func(v float64, w string, _ language.Mark) {
		if v > c.Given {
			c.Given, c.GivenBy = v, w
		}
	})
	if !driven && c.Given > 0 {
		take(c.Given, c.GivenBy, language.Mark{})
	}
	if r.Section("scaling").Has("velocity") || r.Section("fluid").Has("velocity") {
		r.characteristic(take)
	}
}

// given are the velocities of boundaries, bodies and the initial state.
func (r *resolver) given(take func(v float64, what string, at language.Mark)) {
	for i, top := range r.speedAt {
		b := r.c.Boundaries[i]
		if e := r.Named("boundary", b.Name).Get("velocity"); e != nil {
			take(top.speed, "velocity of [boundary."+b.Name+"]"+r.moment(b, top.time), e.At)
		}
	}
	for _, b := range r.c.Bodies {
		if b.Motion == nil || !b.Whole() {
			continue
		}
		s := r.Named("body", b.Name)
		e := s.Get("angular_velocity")
		if e == nil {
			e = s.Get("velocity")
		}
		take(r.surfaceSpeed(b), "surface of [body."+b.Name+"]", e.At)
	}
	if e := r.Section("initial").Get("velocity"); e != nil {
		v := r.c.Initial.Velocity
		r.points(func(x, y, z float64) bool {
			take(math.Hypot(math.Hypot(v[0](x, y, z), v[1](x, y, z)), v[2](x, y, z)), "initial velocity", e.At)
			return true
		})
	}
}

// characteristic are the velocities of [scaling] and [fluid].
func (r *resolver) characteristic(take func(v float64, what string, at language.Mark)) {
	for _, s := range []string{"scaling", "fluid"} {
		if e := r.Section(s).Get("velocity"); e != nil {
			m := e.At
			if l := r.Section("scaling").Get("lattice_velocity"); l != nil && s == "scaling" {
				m = l.At // the number to change
			}
			take(r.lattice(e.Values[0], model.Velocity), "velocity of ["+s+"]", m)
		}
	}
}
