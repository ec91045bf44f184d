package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
	"lbmsim/model"
	"lbmsim/robustness"
)

// What the speeds of a case say about its accuracy.

// mostCellReynolds is the Reynolds number of a cell up to which gradients are resolved, as a rule.
const mostCellReynolds = 20

// samples along each axis, where the largest speed is looked for before a run.
const samples = 9

// speeds looks at the velocities of the whole case.
type speeds struct {
	*frame
	*Flow
	*Solids
	openings *openings
}

// points are cell centres spread over the domain.
func (r *speeds) points(visit func(x, y, z float64) bool) {
	n := r.Cells
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
func (r *speeds) check() {
	if !r.haveTime {
		return
	}
	r.expectedSpeed()
	r.movingFiles()
	u, what, at := r.fastest(true)
	if u == 0 {
		r.hardlyDamped()
		return
	}
	if !r.slow(u, what, at) {
		return
	}
	nu := (r.Tau - 0.5) / 3
	if re := u / nu; re > mostCellReynolds {
		r.warn(finding.CellReynolds, "the Reynolds number of a cell (%s * spacing / viscosity) is %s: gradients may be under-resolved and the run unstable; refine the grid", what, language.Short(re))
	}
	if !r.robust(u, what) {
		r.hardlyDamped()
	}
	r.streaks()
}

// movingFiles checks the speed of moving surfaces from files when their size is known.
func (r *speeds) movingFiles() {
	for _, b := range r.Bodies {
		if b.Motion == nil || r.known(b) {
			continue
		}
		r.once(func() {
			u, what := r.surfaceSpeed(b), "surface of [body."+b.Name+"]"
			if u > r.speed {
				r.speed, r.speedOf = u, what
			}
			r.slow(u, what, r.Named("body", b.Name).At)
		}, b)
	}
}

// slow checks the Mach number of a speed and reports whether the case may run.
func (r *speeds) slow(u float64, what string, at language.Mark) bool {
	mach := u / math.Sqrt(model.CS2)
	const reason = "the lattice Boltzmann method describes slow flow: its compressibility error grows with the square of the Mach number u/cs = sqrt(3) u (u in cells per step)"
	fix := "a smaller time step, tau or lattice_velocity lowers it"
	if !r.Units.Physical {
		fix = "scale the velocity, and the viscosity with it"
	}
	switch {
	case mach > 0.3:
		r.Add(at, reason+"\n"+fix, "Mach number %s of the %s is above 0.3", language.Short(mach), what)
		return false
	case mach > 0.1:
		r.warn(finding.MachNumber, "Mach number %s of the %s is above 0.1: expect errors of about %s %% from compressibility; %s", language.Short(mach), what, language.Short(100*mach*mach), fix)
	}
	return true
}

// streaks warns of models that let disturbances along the stream grow behind an inlet, of which the map of robustness knows
// nothing. The trace of their stress hardly relaxes at such tau.
func (r *speeds) streaks() {
	const bulk = 0.02 // cells^2/step, with which none grow
	inlet := slices.IndexFunc(r.Boundaries, func(b Boundary) bool { return b.Kind.Law == boundary.VelocityFace })
	if inlet < 0 || r.Spec.Bulk || r.Tau >= r.Spec.Collision.StreakTau {
		return
	}
	value := language.Short(bulk)
	if r.Units.Physical {
		value = language.Quote(language.Short(bulk*r.Units.Factor(model.Viscosity)) + " m2/s")
	}
	r.warn(finding.Streaks, "%q lets streaks grow in the stream behind an inlet of given velocity, [boundary.%s], at tau = %s: in a long run they reach some per cent of its velocity, or more; bulk_viscosity = %s in [fluid] keeps them away (docs/models.md)",
		r.Spec.Collision.Name, r.Boundaries[inlet].Name, language.Float(math.Round(r.Tau*1e6)/1e6), value)
}

// hardlyDamped warns of a relaxation time of which the map of robustness says nothing.
func (r *speeds) hardlyDamped() {
	if tau := r.Tau; tau < 0.505 {
		r.warn(finding.TauNearHalf, "tau = %s is close to 1/2: the flow is hardly damped on the scale of a cell and may become unstable; a finer spacing or a larger lattice velocity raises tau", language.Float(math.Round(tau*1e6)/1e6))
	}
}

// robust looks up whether the model holds a uniform flow of that speed, and tells whether the map
// knows. The map has the models with the parameters and the bulk viscosity that they have unless a
// case says otherwise, and fluids whose viscosity does not depend on the shear.
func (r *speeds) robust(u float64, what string) bool {
	s := r.Spec
	eddies := s.Viscosity == model.Smagorinsky
	if s.Bulk || s.Viscosity != model.Newtonian && !eddies {
		return false
	}
	for i, v := range r.Values {
		if v != s.Collision.Params[i].Default {
			return false
		}
	}
	m := robustness.Measured()
	p, found := m.Nearest(s.Lattice.Name, s.Collision.Name, eddies, u, r.Tau)
	if !found || p.Holds {
		return found && p.Asks(u, r.Tau)
	}
	fix := "a finer spacing or a larger lattice velocity raises tau"
	if q, ok := m.Instead(s.Lattice.Name, eddies, u, r.Tau); ok {
		fix = language.Quote(q.Model)
		if q.Lattice != s.Lattice.Name {
			fix += " on " + q.Lattice
		}
		fix += " holds there"
	}
	r.warn(finding.UniformNoise, "%q on %s lets noise grow even in a uniform flow, of %s cells a step at tau = %s (%s here: %s, at tau = %s): expect noise that the flow does not have, or an unstable run; %s (docs/models.md)",
		s.Collision.Name, s.Lattice.Name, language.Short(p.Velocity), language.Float(p.Tau), what, language.Short(u), language.Float(math.Round(r.Tau*1e6)/1e6), fix)
	return true
}

// fastest is the largest lattice speed that is known beforehand, with the turbulence of inlets or without.
func (r *speeds) fastest(waves bool) (u float64, what string, at language.Mark) {
	take := func(v float64, w string, m language.Mark) {
		if v > u {
			u, what, at = v, w, m
		}
	}
	r.given(waves, take)
	for _, key := range []string{"mean_velocity", "flow_rate"} {
		if e := r.Section("force").Get(key); e != nil && r.Force.Drive != nil {
			take(sizeOf(r.Force.Drive.Velocity), "mean velocity of [force]", e.At)
		}
	}
	r.characteristic(take)
	return u, what, at
}

// expectedSpeed finds the largest speed that the case lets expect. Where something else than
// its velocities drives the flow, they say nothing of it.
func (r *speeds) expectedSpeed() {
	take := func(v float64, w string, _ language.Mark) {
		if v > r.Speed {
			r.Speed, r.SpeedOf = v, w
		}
	}
	driven := r.Force.Density != [3]float64{} || r.Force.At != nil || r.Force.Drive != nil || r.Temperature.Buoyancy != [3]float64{}
	for _, b := range r.Boundaries {
		driven = driven || b.Density != 0
	}
	r.given(true, func(v float64, w string, _ language.Mark) {
		if v > r.Given {
			r.Given, r.GivenBy = v, w
		}
	})
	if !driven && r.Given > 0 {
		take(r.Given, r.GivenBy, language.Mark{})
	}
	if r.Section("scaling").Has("velocity") || r.Section("fluid").Has("velocity") {
		r.characteristic(take)
	}
}

// given are the velocities of boundaries, bodies and the initial state.
func (r *speeds) given(waves bool, take func(v float64, what string, at language.Mark)) {
	for i, top := range r.openings.speedAt {
		b := r.Boundaries[i]
		if e := r.Named("boundary", b.Name).Get("velocity"); e != nil {
			of := "velocity of [boundary." + b.Name + "]" + r.openings.moment(b, top.time)
			switch {
			case !waves:
				top.speed = top.mean
			case top.waves > 0:
				of += fmt.Sprintf(" with %d times the rms of its turbulence", rmsOfLargest)
			}
			take(top.speed, of, e.At)
		}
	}
	for _, b := range r.Bodies {
		if b.Motion == nil || !r.known(b) {
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
		v := r.Initial.Velocity
		r.points(func(x, y, z float64) bool {
			take(sizeOf([3]float64{v[0](x, y, z), v[1](x, y, z), v[2](x, y, z)}), "initial velocity", e.At)
			return true
		})
	}
}

// characteristic are the velocities of [scaling] and [fluid].
func (r *speeds) characteristic(take func(v float64, what string, at language.Mark)) {
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

// surfaceSpeed is about the largest speed of a body's surface: that in the middle of the
// faces of the box around it.
func (r *speeds) surfaceSpeed(b Body) (speed float64) {
	lo, hi := r.shape(b).Bounds()
	m := *b.Motion
	turns := m.Angular != [3]float64{}
	for a := range r.dims {
		for _, x := range []float64{lo[a], hi[a]} {
			p := m.Centre
			if turns {
				for o := range r.dims { // the middle of a face of the box
					p[o] = math.Max(0, math.Min(float64(r.Cells[o]), (lo[o]+hi[o])/2))
				}
				p[a] = math.Max(0, math.Min(float64(r.Cells[a]), x))
			}
			speed = math.Max(speed, sizeOf(m.At(p)))
		}
	}
	return speed
}
