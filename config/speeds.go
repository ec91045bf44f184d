// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/cases/robustness"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// Accuracy of a case as judged by its speeds.

// mostCellReynolds is the cell Reynolds number up to which gradients are resolved, as a rule.
const mostCellReynolds = 20

// samples along each axis, where the largest speed is looked for before a run.
const samples = 9

// speeds checks the velocities of the whole case.
type speeds struct {
	*frame
	*Flow
	*Solids
	openings *openings
	initial  *float64 // the result of largestInitial
}

// largestInitial returns the largest initial speed in a fluid cell: from cell centres at equal distances, in a small domain
// all, and from there uphill cell by cell. In bodies the expression may be anything.
func (r *speeds) largestInitial() float64 {
	if r.initial == nil {
		u := r.searchInitial()
		r.initial = &u
	}
	return *r.initial
}

func (r *speeds) searchInitial() float64 {
	shapes, v := r.knownShapes(r.Bodies), r.Initial.Velocity
	speed := func(c [3]int) float64 {
		x, y, z := float64(c[0])+0.5, float64(c[1])+0.5, float64(c[2])+0.5
		for a := range c {
			if c[a] < 0 || c[a] >= r.Cells[a] {
				return -1
			}
		}
		if slices.ContainsFunc(shapes, func(s geometry.Shape) bool { return s.Contains(x, y, z) }) {
			return -1
		}
		if u := sizeOf([3]float64{v[0].At(x, y, z), v[1].At(x, y, z), v[2].At(x, y, z)}); u < math.Inf(1) {
			return u
		}
		return -1 // refused elsewhere
	}
	if r.Initial.Uniform {
		return max(0, sizeOf([3]float64{v[0].At(0, 0, 0), v[1].At(0, 0, 0), v[2].At(0, 0, 0)}))
	}
	step := 1
	for r.Cells[0]/step*(r.Cells[1]/step)*max(1, r.Cells[2]/step) > initialSamples {
		step++
	}
	var best [initialPeaks]peak
	for k := 0; k < r.Cells[2]; k += step {
		for j := 0; j < r.Cells[1]; j += step {
			for i := 0; i < r.Cells[0]; i += step {
				c := [3]int{i, j, k}
				if u, lowest := speed(c), &best[len(best)-1]; u > lowest.speed {
					lowest.at, lowest.speed = c, u
					slices.SortFunc(best[:], func(a, b peak) int { return cmp.Compare(b.speed, a.speed) })
				}
			}
		}
	}
	for _, b := range best {
		best[0].speed = max(best[0].speed, uphill(b.at, step, speed))
	}
	return best[0].speed
}

// Numbers of a search for the largest initial speed.
const (
	initialSamples = 1 << 12
	initialPeaks   = 8
)

// peak is a cell with a large speed.
type peak struct {
	at    [3]int
	speed float64
}

// uphill returns the largest value on the path from a cell to a maximum, in steps that are halved where none leads higher.
func uphill(at [3]int, step int, value func([3]int) float64) float64 {
	best := value(at)
	for ; step > 0; step /= 2 {
		for higher := true; higher; {
			higher = false
			for n := range 27 {
				c := [3]int{at[0] + (n%3-1)*step, at[1] + (n/3%3-1)*step, at[2] + (n/9-1)*step}
				if v := value(c); v > best {
					at, best, higher = c, v, true
				}
			}
		}
	}
	return best
}

// check checks the Mach number and the cell Reynolds number of the largest speed
// that the case states.
func (r *speeds) check() {
	if !r.haveTime {
		return
	}
	r.weakViscosity()
	r.expectedSpeed()
	r.withFiles()
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
		level, grid := "", "grid"
		if r.finer != nil {
			level, grid = " of level 0", "grid there"
		}
		r.warn(finding.CellReynolds, "the cell Reynolds number%s (%s * spacing / viscosity) is %s: gradients may be under-resolved and the run unstable; refine the %s", level, what, language.Short(re), grid)
	}
	if !r.robust(u, what) {
		r.hardlyDamped()
	}
	r.streaks()
}

// withFiles checks the speeds that need bodies from files: of moving surfaces, and of the fluid around bodies at the start.
func (r *speeds) withFiles() {
	for _, b := range r.Bodies {
		if b.Motion == nil || r.known(b) {
			continue
		}
		r.once(func() { r.late(r.surfaceSpeed(b), "surface of [body."+b.Name+"]", r.Named("body", b.Name).At) }, b)
	}
	if e := r.Section("initial").Get("velocity"); e != nil && len(r.knownShapes(r.Bodies)) < len(r.Bodies) {
		r.once(func() { r.late(r.largestInitial(), "initial velocity", e.At) }, r.Bodies...)
	}
}

// late takes a speed that is known only with the files of bodies.
func (r *speeds) late(u float64, what string, at language.Mark) {
	if u > r.speed {
		r.speed, r.speedOf = u, what
	}
	r.slow(u, what, at)
}

// slow checks the Mach number of a speed and reports whether the case may run.
func (r *speeds) slow(u float64, what string, at language.Mark) bool {
	mach := u / math.Sqrt(model.CS2)
	const reason = "the lattice Boltzmann method describes low-Mach flow: its compressibility error grows with the square of the Mach number u/cs = sqrt(3) u (u in cells per step)"
	fix := "lower the time step, tau or lattice_velocity"
	if !r.Units.Physical {
		fix = "lower the velocity, and the viscosity in proportion"
	}
	switch {
	case mach > 0.3:
		r.Add(at, reason+"\n"+fix, "Mach number %s of the %s is above 0.3", language.Short(mach), what)
		return false
	case mach > 0.1:
		r.warn(finding.MachNumber, "Mach number %s of the %s is above 0.1: expect compressibility errors of about %s %%; %s", language.Short(mach), what, language.Short(100*mach*mach), fix)
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
	r.warn(finding.Streaks, "with %q, streaks grow downstream of the velocity inlet [boundary.%s] at tau = %s: in a long run they reach several per cent of the inlet velocity or more; bulk_viscosity = %s in [fluid] suppresses them (docs/models.md)",
		r.Spec.Collision.Name, r.Boundaries[inlet].Name, TauText(r.Tau), value)
}

// hardlyDamped warns of a relaxation time of which the map of robustness says nothing.
func (r *speeds) hardlyDamped() {
	if tau := r.Tau; tau < 0.505 {
		r.warn(finding.TauNearHalf, "tau = %s is close to 1/2: grid-scale damping is almost zero and the run may become unstable; a finer spacing or a larger lattice velocity raises tau", TauText(tau))
	}
}

// robust looks up whether the model holds a uniform flow of that speed, and reports whether the map
// knows. The map has the models with the parameters that they have unless a case says otherwise, with their own bulk viscosity and
// two others, and fluids whose viscosity does not depend on the shear.
func (r *speeds) robust(u float64, what string) bool {
	s := r.Spec
	eddies := s.Viscosity == model.Smagorinsky && r.Rheology.Constant > 0
	if !eddies && !r.plain() {
		return false
	}
	for i, v := range r.Values {
		if v != s.Collision.Params[i].Default {
			return false
		}
	}
	m := robustness.Measured()
	p, bulk, found := r.nearest(m, eddies, u)
	if !found || p.Holds {
		return found && p.Asks(u, r.Tau)
	}
	fix := "a finer spacing or a larger lattice velocity raises tau"
	if q, ok := m.Instead(s.Lattice.Name, eddies, u, r.Tau); ok {
		fix = language.Quote(q.Model)
		if q.Lattice != s.Lattice.Name {
			fix += " on " + q.Lattice
		}
		fix += " is stable there"
	}
	r.warn(finding.UniformNoise, "with %q on %s%s, noise grows even in a uniform flow of %s cells per step at tau = %s (%s here: %s, at tau = %s): expect spurious noise or an unstable run; %s (docs/models.md)",
		s.Collision.Name, s.Lattice.Name, bulk, language.Short(p.Velocity), language.Float(p.Tau), what, language.Short(u), TauText(r.Tau), fix)
	return true
}

// nearest returns the point of the map that a case is judged by, and in words its bulk viscosity. A bulk viscosity
// between two of the map is judged by the worse: more of it damps sound in one model and lets noise grow in another.
func (r *speeds) nearest(m robustness.Map, eddies bool, u float64) (p robustness.Point, text string, found bool) {
	s := r.Spec
	of := func(bulk float64) (robustness.Point, bool) {
		return m.With(bulk).Nearest(s.Lattice.Name, s.Collision.Name, eddies, u, r.Tau)
	}
	if !s.Bulk {
		p, found = of(0)
		return p, "", found
	}
	below, above, known := m.Around(s.Lattice.Name, s.Collision.Name, r.Rheology.Bulk)
	if !known {
		return p, "", false
	}
	for _, bulk := range []float64{below, above} {
		text = fmt.Sprintf(" with a bulk viscosity of %s cells^2/step", language.Short(bulk))
		if bulk == 0 {
			text = " with its own bulk viscosity"
		}
		if p, found = of(bulk); !found || !p.Holds {
			break
		}
	}
	return p, text, found
}

// fastest returns the largest lattice speed that is known beforehand, with the turbulence of inlets or without.
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

// expectedSpeed finds the largest expected speed. Where a force rather than
// its velocities drives the flow, they do not determine it.
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

// given passes the velocities of boundaries, bodies and the initial state to take.
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
	// A body with an error may stand where the expression is largest.
	if e := r.Section("initial").Get("velocity"); e != nil && !r.broken && len(r.knownShapes(r.Bodies)) == len(r.Bodies) {
		take(r.largestInitial(), "initial velocity", e.At)
	}
}

// characteristic passes the velocities of [scaling] and [fluid] to take.
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

// surfaceSpeed returns about the largest speed of a body's surface: in the middle of the faces of the box around it, and of an
// image in its cells.
func (r *speeds) surfaceSpeed(b Body) (speed float64) {
	m := *b.Motion
	if geometry.Grain(r.shape(b)) > 0 {
		return geometry.Most(r.shape(b), r.Cells, r.dims, func(p [3]float64) float64 { return sizeOf(m.At(p, 0)) })
	}
	lo, hi := r.shape(b).Bounds()
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
			speed = math.Max(speed, sizeOf(m.At(p, 0)))
		}
	}
	return speed
}
