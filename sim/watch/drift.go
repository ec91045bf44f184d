// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

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

// Legitimate deviations of the mean density from its initial value.

// open reports whether a boundary fixes the pressure of the fluid that passes it.
func open(b config.Boundary) bool {
	return b.Kind.Law == boundary.PressureFace || b.Kind.Law == boundary.Outflow
}

// Drift returns the relative change of the mean density since the start; on rank 0.
func (w *Watch) Drift(t derive.Totals) float64 {
	if w.view.Step() == 0 || t.Cells == 0 { // the initial state is not yet known
		return 0
	}
	return (t.Mass - w.Start.Mass) / (t.Space() + w.Start.Mass)
}

// unasked returns the distance of the mean density from the range between its initial value and the densities
// prescribed by faces and forces of the case, as a share.
func (w *Watch) unasked(t derive.Totals) float64 {
	if w.view.Step() == 0 || t.Cells == 0 {
		return 0
	}
	space := t.Space()
	start, now := w.Start.Mass/space, t.Mass/space
	lo, hi := w.asked()
	return derive.Finite(max(0, min(start, lo)-now, now-max(start, hi)) / (1 + start))
}

// asked returns the range of the densities, minus 1, that pressure faces and, relative to them, the weight of the
// fluid impose on the domain. Without such a face the mean density must remain the initial one.
func (w *Watch) asked() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, b := range w.view.Case.Boundaries {
		if open(b) {
			least, most := w.view.Part.Factors(b)
			lo, hi = min(lo, b.Density*least, b.Density*most), max(hi, b.Density*least, b.Density*most)
		}
	}
	head := 0.0
	for a, force := range w.view.Case.Force.Most {
		if w.view.Case.Periodic[a] {
			continue // it drives the flow
		}
		if bounds := w.view.Case.Temperature.Bounds; bounds != nil {
			force += math.Abs(w.view.Case.Temperature.Buoyancy[a]) * bounds.Far()
		}
		head += force * float64(w.view.Case.Cells[a]) / model.CS2
	}
	return lo - head, hi + head
}

// sound returns the legitimate drift of a start at rest against the case's velocities and pressures, if a face lets
// mass out: a wave of density Ma rho fills the box, and outlets may reflect it; a rising pressure overshoots by the
// same amount.
func (w *Watch) sound() float64 {
	if !slices.ContainsFunc(w.view.Case.Boundaries, open) {
		return 0
	}
	lo, hi := w.asked()
	start := w.Start.Mass / max(1, w.totals.Space())
	return 2*w.view.Case.Given/math.Sqrt(model.CS2) + max(start, hi) - min(start, lo)
}

// judgeDrift warns of a drift, on rank 0. A drift explained by the start matters where means begin or the
// run ends.
func (w *Watch) judgeDrift(drift float64) {
	c := w.view.Case.Run
	if drift > c.WarnDrift+w.sound()*w.left() {
		w.warn(finding.DensityDrift, Drifting, "%s: [run] warn_density_drift = %g; %s", w.driftText(), c.WarnDrift, driftHelp)
		return
	}
	if matters := w.startMatters(); matters != "" {
		w.warn(finding.StartMass, Starting, "%s, from acoustic waves of the start against the %s, and %s: [run] warn_density_drift = %g; start from the velocity or the flow of another run ([initial]), ramp up the boundary over many acoustic crossing times, or run longer and start means later",
			w.driftText(), w.soundOf(), matters, c.WarnDrift)
	}
}

func (w *Watch) driftText() string {
	drift, unasked := derive.Finite(w.Drift(w.totals)), w.unasked(w.totals)
	text := fmt.Sprintf("mean density drifted %.3g %% since the start", 100*drift)
	if unasked < 0.999*math.Abs(drift) {
		text += fmt.Sprintf(", %.3g %% beyond the effect of face pressures and the weight of the fluid", 100*unasked)
	}
	return text
}

const driftHelp = "unbalanced fluxes of velocity faces, a closed outlet, a drifting or slowly approached pressure, or acoustic waves between an inlet and a pressure outlet"

// driftMessage returns, on rank 0, why a run whose mean density has drifted away is stopped.
func (w *Watch) driftMessage() string {
	sound := ""
	if s := w.sound(); s > 0 {
		sound = fmt.Sprintf(", plus %.3g %% for acoustic waves from the %s", 100*s, w.soundOf())
	}
	return fmt.Sprintf("stopped at step %d: %s; allowed %.3g %% (run.max_density_drift; 0 disables)%s\n  what to check: %s",
		w.view.Step(), w.driftText(), 100*w.view.Case.Run.MaxDrift, sound, driftHelp)
}

// startMatters describes the result affected by an initial drift: the result at the last step, or means with a
// chosen start.
func (w *Watch) startMatters() string {
	if w.view.Step() >= w.view.Case.Run.Steps {
		return "it is present at the end of the run"
	}
	sampled := func(start int) bool { return start > 0 && w.view.Step() >= start }
	for _, f := range w.view.Case.Forces {
		if sampled(f.Start) {
			return "[output.force." + f.Name + "] averages it"
		}
	}
	if a := w.view.Case.Averages; a.On && sampled(a.Start) {
		return "[output.averages] averages it"
	}
	for _, p := range w.view.Case.Profiles {
		if sampled(p.Start) {
			return "[output.profile." + p.Name + "] averages it"
		}
	}
	return ""
}

// soundOf describes the source of the initial sound.
func (w *Watch) soundOf() string {
	if w.view.Case.GivenBy == "" {
		return "pressures of the faces"
	}
	return w.view.Case.GivenBy
}

// left returns the share of that wave which may still be in the box: all of it while a boundary ramps
// up, then a factor e less for every ten acoustic crossings of the box, as an outflow relaxes to its
// pressure by default. So real leaks are reported in short runs, too.
func (w *Watch) left() float64 {
	since := float64(w.view.Step())
	for _, b := range w.view.Case.Boundaries {
		since = min(since, float64(w.view.Step())-b.Ramp)
	}
	ways := max(0, since) * math.Sqrt(model.CS2) / float64(slices.Max(w.view.Case.Cells[:]))
	return math.Exp(-ways / 10)
}
