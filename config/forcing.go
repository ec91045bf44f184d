// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"

	"lbmsim/config/language"
	"lbmsim/model"
)

// [force] and [initial]: the driving force of the flow, and its start.

// timedLooks is the number of times of the run at which expressions with t are tried.
const timedLooks = 1000

// forcing reads [force] and [initial], after the scaling and the length of the run.
type forcing struct {
	*timing
	*Flow
	looks *sampler
}

func (r *forcing) force() {
	s := r.Section("force")
	if s == nil {
		return
	}
	r.exclusive(s, "choose one: force density = density * acceleration; mean_velocity and flow_rate compute the force themselves", "acceleration", "force_density", "mean_velocity", "flow_rate")
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
					r.Add(given[a].At, "the body force is uniform: it may depend on the time t only", "the force depends on %s", name)
					return
				}
			}
			timed = timed || e.DependsOn(language.VarT)
		}
		f := r.function(given[a], dim)
		parts[a] = func(t float64) float64 { return f(0, 0, 0, t) }
	}
	at := func(t float64) [3]float64 { return [3]float64{parts[0](t), parts[1](t), parts[2](t)} }
	if r.Force.Density = at(0); timed {
		r.Force.At = at
	}
	for _, a := range given {
		if a.Expr == nil {
			continue
		}
		steps := language.Points{Step: [4]float64{3: 1}, Count: [4]int{1, 1, 1, r.Run.Steps + 1}} // the ends of steps
		if s, _ := r.looks.everywhere(a, dim, steps, identity, func(float64) bool { return true }); s.Found {
			r.Add(a.At, "the expression must be finite at every step", "the force is %s in lattice units at t = %s", language.Short(s.Bad), language.Float(s.At[language.VarT]*r.Units.Time))
			return
		}
	}
	largest, worst, when := 0.0, language.Mark{}, 0.0
	for _, middle := range r.times(timedLooks) {
		t := middle + 0.5
		for a, f := range at(t) {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				r.Add(given[a].At, "", "the force is %s at t = %s", inLattice(f), language.Short(t*r.Units.Time))
				return
			}
			r.Force.Most[a] = max(r.Force.Most[a], math.Abs(f))
			if math.Abs(f) > largest {
				largest, worst, when = math.Abs(f), given[a].At, t
			}
		}
	}
	if largest > 0.1 {
		then := ""
		if timed {
			then = " at t = " + language.Short(when*r.Units.Time)
		}
		fix := "use a smaller time step"
		if !r.Units.Physical {
			fix = "in lattice units it scales with the square of the velocity; lower the velocity, and the viscosity in proportion"
		}
		r.Add(worst, "a force this large accelerates the fluid to the speed of sound within a few steps; "+fix,
			"the force is %s cells/step^2%s; at most 0.1 is allowed", language.Short(largest), then)
	}
}

// drive reads a force that keeps a mean velocity.
func (r *forcing) drive(s *language.Section) {
	if !s.Has("mean_velocity") && !s.Has("flow_rate") {
		for _, k := range []string{"axis", "adjust_every", "response"} {
			if s.Has(k) {
				r.Add(s.KeyAt(k), "", "%s belongs to mean_velocity and flow_rate", k)
			}
		}
		return
	}
	if s.Has("axis") && !s.Has("flow_rate") {
		r.Add(s.KeyAt("axis"), "a mean velocity has one component per axis", "axis belongs to flow_rate")
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
	switch {
	case v != nil:
		for a := range v {
			if v[a].Value != 0 {
				r.keep(d, a, r.lattice(v[a], model.Velocity), v[a].At)
			}
		}
		if d.On == [3]bool{} {
			r.Add(s.Get("mean_velocity").At, "", "a mean velocity of zero requires no force")
			return
		}
	case q != nil:
		if !r.flowRate(s, d, q) {
			return
		}
	default:
		return
	}
	r.response(s, d)
	r.Force.Drive = d
}

// keep makes a force keep the mean velocity u along an axis.
func (r *forcing) keep(d *Drive, axis int, u float64, at language.Mark) {
	if !r.Periodic[axis] && !r.Section("domain").Broken("periodic") {
		r.Add(at, "the force that maintains it acts in every cell; between open faces the inlet sets the velocity", "a mean velocity along %s, where the domain is not periodic", axes()[axis])
	}
	d.On[axis], d.Velocity[axis] = true, u
}

// flowRate makes a force keep the flow rate q; false with an error.
func (r *forcing) flowRate(s *language.Section, d *Drive, q *language.Entry) bool {
	dim, other := model.FlowRate, "a volume flow rate (m3/s) in 3D"
	if r.dims == 2 {
		dim, other = model.Viscosity, "a flow rate per metre of depth (m2/s) in 2D"
	}
	if !q.Values[0].Neutral() && !q.Values[0].Bare && q.Values[0].Dim != dim {
		r.Add(q.At, "", "flow_rate must be %s, not %s", other, language.InWords(q.Values[0].Dim))
		return false
	}
	if !s.Has("axis") {
		r.SetDefault(s, "axis", `"x"`)
	}
	e := s.Get("axis")
	if e == nil {
		return false
	}
	axis := axisOf(e.Text)
	if axis >= r.dims {
		r.Add(e.At, "", "a 2D case has no axis %s", e.Text)
		return false
	}
	if q.Values[0].Value == 0 {
		r.Add(q.At, "", "a flow rate of zero requires no force")
		return false
	}
	n := r.Cells
	d.FlowRate = r.lattice(q.Values[0], dim)
	r.keep(d, axis, d.FlowRate*float64(n[axis])/float64(n[0]*n[1]*n[2]), q.At)
	return true
}

// response reads the time in which a force corrects a deviation.
func (r *forcing) response(s *language.Section, d *Drive) {
	if !s.Has("response") {
		passes := 0.0 // steps in which the flow passes the domain
		for a, on := range d.On {
			if on {
				passes = math.Max(passes, float64(r.Cells[a])/math.Abs(d.Velocity[a]))
			}
		}
		t := math.Max(passes/10, 10*float64(d.Every)) * r.Units.Time
		r.SetDefault(s, "response", language.Amount{Value: t, Bare: !r.Units.Physical, Dim: model.Time}.TOML())
	}
	if e := s.Get("response"); e != nil {
		if d.Response = r.lattice(e.Values[0], model.Time); d.Response < float64(d.Every) {
			r.Add(e.At, "the force is adjusted every "+language.Short(float64(d.Every))+" steps (adjust_every): give a longer response, or adjust more often", "a response shorter than the time between two adjustments would overshoot")
		}
	}
}

func (r *forcing) initial() {
	s := r.Section("initial")
	zero := Constant(0)
	r.Initial = Initial{Uniform: true, Density: Constant(1), Velocity: [3]Function{zero, zero, zero}}
	if s == nil {
		return
	}
	r.exclusive(s, "pressure = cs^2 (density - reference density)", "density", "pressure")
	r.Initial.From = r.source(s)
	vel := r.vector(s, "velocity")
	if !r.haveTime {
		return
	}
	in := &r.Initial
	in.Uniform = in.From == nil
	in.Pressed, in.Moved = s.Has("density") || s.Has("pressure"), s.Has("velocity")
	still := func(a language.Amount, d model.Dimension) Function {
		in.Uniform = in.Uniform && a.Expr == nil
		return r.frame.initial(a, d)
	}
	if e := s.Get("density"); e != nil {
		in.Density = still(e.Values[0], model.Density)
		r.looks.sample(e, e.Values[0], model.Density, r.looks.centres(0), identity, func(v float64) string {
			if v <= 0 || v > 2 {
				return "the lattice density must stay between 0 and 2"
			}
			return ""
		})
	} else if e := s.Get("pressure"); e != nil {
		in.Density = still(e.Values[0], model.Pressure).then(func(p float64) float64 { return 1 + p/model.CS2 })
		r.looks.sample(e, e.Values[0], model.Pressure, r.looks.centres(0), func(v float64) float64 { return 1 + v/model.CS2 }, func(v float64) string {
			if v <= 0 || v > 2 {
				return "density = 1 + pressure/cs^2 must stay between 0 and 2 in lattice units; a smaller lattice velocity makes pressures smaller"
			}
			return ""
		})
	}
	e := s.Get("velocity")
	cells := r.looks.centres(0)
	cells.Around = StrainStep
	for a := range vel {
		in.Velocity[a] = still(vel[a], model.Velocity)
		r.looks.sample(e, vel[a], model.Velocity, cells, identity, anyNumber)
	}
}

// StrainStep is the distance from a cell's centre, in cells, at which the initial velocity is sampled
// on either side for its gradient: far below the scale of anything resolved, far above rounding.
const StrainStep = 1e-3
