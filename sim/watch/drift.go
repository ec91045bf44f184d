package watch

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// How far the mean density may be from its initial value without any fault.

// open reports whether a boundary fixes the pressure of what passes it.
func open(b config.Boundary) bool {
	return b.Kind.Law == boundary.PressureFace || b.Kind.Law == boundary.Outflow
}

// Drift of the mean density since the start, as a share; on rank 0.
func (w *Watch) Drift(t derive.Totals) float64 {
	if w.Step() == 0 || t.Cells == 0 { // the start is not known yet
		return 0
	}
	return (t.Mass - w.Start.Mass) / (float64(t.Cells) + w.Start.Mass)
}

// unasked is how far the mean density has left the range between its initial value and the densities that the faces
// and forces of the case ask for, as a share.
func (w *Watch) unasked(t derive.Totals) float64 {
	if w.Step() == 0 || t.Cells == 0 {
		return 0
	}
	cells := float64(t.Cells)
	start, now := w.Start.Mass/cells, t.Mass/cells
	lo, hi := w.asked()
	return derive.Finite(max(0, min(start, lo)-now, now-max(start, hi)) / (1 + start))
}

// asked is the range of the densities, less 1, that faces of given pressure and, from there on, the weight of the fluid
// give to the domain. Without such a face the mean density is the initial one: nothing else may change it.
func (w *Watch) asked() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, b := range w.Case.Boundaries {
		if open(b) {
			least, most := w.Factors(b)
			lo, hi = min(lo, b.Density*least, b.Density*most), max(hi, b.Density*least, b.Density*most)
		}
	}
	head := 0.0
	for a, force := range w.Case.Force.Most {
		if w.Case.Periodic[a] {
			continue // it drives the flow
		}
		if bounds := w.Case.Temperature.Bounds; bounds != nil {
			force += math.Abs(w.Case.Temperature.Buoyancy[a]) * bounds.Far()
		}
		head += force * float64(w.Case.Cells[a]) / model.CS2
	}
	return lo - head, hi + head
}

// sound is the drift that a start at rest against the case's velocities and pressures makes without any fault, where a
// face lets mass out: a wave of the density Ma rho fills the box, and outlets may send it back; a pressure that rises
// overshoots by as much.
func (w *Watch) sound() float64 {
	if !slices.ContainsFunc(w.Case.Boundaries, open) {
		return 0
	}
	lo, hi := w.asked()
	start := w.Start.Mass / max(1, float64(w.totals.Cells))
	return 2*w.Case.Given/math.Sqrt(model.CS2) + max(start, hi) - min(start, lo)
}

// judgeDrift warns of a drift, on rank 0. What the start explains matters where means begin or the run ends.
func (w *Watch) judgeDrift(drift float64) {
	c := w.Case.Run
	if drift > c.WarnDrift+w.sound()*w.left() {
		w.warn(finding.DensityDrift, Drifting, "%s: [run] warn_density_drift = %g; %s", w.driftText(), c.WarnDrift, driftHelp)
		return
	}
	if matters := w.startMatters(); matters != "" {
		w.warn(finding.StartMass, Starting, "%s, by sound that the start has made against the %s, and %s: [run] warn_density_drift = %g; start from the velocity or another run's flow ([initial]), let the boundary rise over many crossings of sound (ramp), or run longer and start means later",
			w.driftText(), w.soundOf(), matters, c.WarnDrift)
	}
}

func (w *Watch) driftText() string {
	drift, unasked := derive.Finite(w.Drift(w.totals)), w.unasked(w.totals)
	text := fmt.Sprintf("the mean density has changed by %.3g %% since the start of the run", 100*drift)
	if unasked < 0.999*math.Abs(drift) {
		text += fmt.Sprintf(", which is %.3g %% beyond the pressures of the case's faces and the weight of the fluid", 100*unasked)
	}
	return text
}

const driftHelp = "velocity faces whose fluxes do not balance, an outlet that is closed, a pressure that drifts or is reached only now, or sound between an inlet and an outlet of given pressure"

// driftMessage says, on rank 0, why a run whose mean density has drifted away is stopped.
func (w *Watch) driftMessage() string {
	sound := ""
	if s := w.sound(); s > 0 {
		sound = fmt.Sprintf(" and the %.3g %% that sound may make of the %s", 100*s, w.soundOf())
	}
	return fmt.Sprintf("the run is stopped, step %d: %s, more than [run] max_density_drift = %g (0: no limit)%s\n  what to look at: %s",
		w.Step(), w.driftText(), w.Case.Run.MaxDrift, sound, driftHelp)
}

// startMatters names what a drift of the start is part of: the result, at the last step, or means whose start is chosen.
func (w *Watch) startMatters() string {
	if w.Step() >= w.Case.Run.Steps {
		return "the run ends with it"
	}
	sampled := func(start int) bool { return start > 0 && w.Step() >= start }
	for _, f := range w.Case.Forces {
		if sampled(f.Start) {
			return "[output.force." + f.Name + "] takes means of it"
		}
	}
	if a := w.Case.Averages; a.On && sampled(a.Start) {
		return "[output.averages] takes means of it"
	}
	for _, p := range w.Case.Profiles {
		if sampled(p.Start) {
			return "[output.profile." + p.Name + "] takes means of it"
		}
	}
	return ""
}

// soundOf names what makes that sound.
func (w *Watch) soundOf() string {
	if w.Case.GivenBy == "" {
		return "pressures of the faces"
	}
	return w.Case.GivenBy
}

// left is the share of that wave which may still be in the box: all of it while a boundary rises to
// its values, then less by the factor e for every ten ways of sound through the box, as an outflow
// relaxes to its pressure by default. Real leaks are told of in short runs, too.
func (w *Watch) left() float64 {
	since := float64(w.Step())
	for _, b := range w.Case.Boundaries {
		since = min(since, float64(w.Step())-b.Ramp)
	}
	ways := max(0, since) * math.Sqrt(model.CS2) / float64(slices.Max(w.Case.Cells[:]))
	return math.Exp(-ways / 10)
}
