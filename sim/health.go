package sim

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
)

// A run may be stable and wrong: mass that nobody lets out, speeds that the case does not
// have, noise of the grid. The watch warns of each the first time that it sees it, and
// counts at how many looks it did.

// Health is what the watch knows of a run.
type Health struct {
	DensityDrift float64 // of the mean density since the start, as a share
	MaxSpeed     float64 // in the case's unit
	// GridScale is the share of the kinetic energy at the scale of the grid at the last step
	// at which it was looked at.
	GridScale float64
	Warned    map[string]int // looks that saw it, by what they saw
}

// What the watch warns of.
const (
	drifting = "density drift"
	speeding = "speed"
	noisy    = "grid scale"
)

// health on rank 0.
func (r *run) health() Health {
	w := &r.watch
	return Health{
		DensityDrift: derive.Finite(r.drift(w.totals)), MaxSpeed: derive.Finite(w.totals.MaxSpeed) * r.Case.Units.Length / r.Case.Units.Time,
		GridScale: w.grid, Warned: maps.Clone(w.warned),
	}
}

// drift of the mean density since the start, as a share; on rank 0.
func (r *run) drift(t derive.Totals) float64 {
	if r.n == 0 || t.Cells == 0 { // the start is not known yet
		return 0
	}
	return (t.Mass - r.watch.start.Mass) / (float64(t.Cells) + r.watch.start.Mass)
}

// judgeHealth warns, on rank 0, of what the totals of a look show, and tells whether the
// run must stop: of the totals where the look is the first of its step, of the share at the
// scale of the grid where that is new.
func (r *run) judgeHealth(totals, grid bool) (stop bool) {
	c, t := &r.Case.Run, r.watch.totals
	sum := t.MaxSpeed + t.Mass
	if unstable := derive.Finite(sum) != sum || t.MaxSpeed > r.maxSpeed(); unstable || r.n == 0 {
		return false // the message of the end says more, and the initial state is what the case wants
	}
	drift := derive.Finite(r.drift(t))
	if totals && c.WarnDrift > 0 && math.Abs(drift) > c.WarnDrift+r.sound()*r.left() {
		r.caution(drifting, "%s: [run] warn_density_drift = %g; %s", r.driftText(drift), c.WarnDrift, driftHelp)
	}
	if s, u := r.Case.Speed, derive.Finite(t.MaxSpeed); totals && s > 0 && c.WarnSpeed > 0 && u > c.WarnSpeed*s {
		f := r.Case.Units.Length / r.Case.Units.Time
		unit := ""
		if r.Case.Units.Physical {
			unit = " m/s"
		}
		r.caution(speeding, "the largest speed is %.4g%s, %.3g times the %s, %.4g%s: [run] warn_speed = %g; an oscillation or a resonance, noise, or a narrow passage, in which case the Mach number is higher than planned",
			u*f, unit, u/s, r.Case.SpeedOf, s*f, unit, c.WarnSpeed)
	}
	if w := &r.watch; grid && w.grid > c.WarnGridScale {
		r.caution(noisy, "%.3g of the kinetic energy is at the scale of the grid (%.3g at the start of the run): [run] warn_grid_scale = %g; the field is noise, or its gradients are thinner than a cell: a larger tau, a finer grid or another collision model (docs/models.md)",
			w.grid, w.gridStart, c.WarnGridScale)
	}
	return c.MaxDrift > 0 && math.Abs(drift) > c.MaxDrift+r.sound()
}

// sound is the drift that a start at rest against the case's velocities makes without any fault,
// where a face lets mass out: a wave of the density Ma rho fills the box, and outlets may send it
// back.
func (r *run) sound() float64 {
	open := slices.ContainsFunc(r.Case.Boundaries, func(b config.Boundary) bool {
		return b.Kind.Law == boundary.PressureFace || b.Kind.Law == boundary.Outflow
	})
	if !open {
		return 0
	}
	return 2 * r.Case.Given / math.Sqrt(model.CS2)
}

// left is the share of that wave which may still be in the box: all of it while a boundary rises to
// its values, then less by the factor e for every ten ways of sound through the box, as an outflow
// relaxes to its pressure by default. Real leaks are told of in short runs, too.
func (r *run) left() float64 {
	since := float64(r.n)
	for _, b := range r.Case.Boundaries {
		since = min(since, float64(r.n)-b.Ramp)
	}
	ways := max(0, since) * math.Sqrt(model.CS2) / float64(slices.Max(r.Case.Cells[:]))
	return math.Exp(-ways / 10)
}

// caution warns the first time, and counts.
func (r *run) caution(kind, format string, args ...any) {
	if r.watch.warned == nil {
		r.watch.warned = map[string]int{}
	}
	r.watch.warned[kind]++
	if r.watch.warned[kind] == 1 {
		r.options.Report.Warn(fmt.Sprintf("step %d: ", r.n) + fmt.Sprintf(format, args...) + " (further looks that see it are counted)")
	}
}

func (r *run) driftText(drift float64) string {
	return fmt.Sprintf("the mean density has changed by %.3g %% since the start of the run", 100*drift)
}

const driftHelp = "velocity faces whose fluxes do not balance, an outlet that is closed, a pressure that drifts or is reached only now, or sound between an inlet and an outlet of given pressure"

// tooFar ends a run whose mean density has drifted away with one message on every rank,
// after the last fields are on disk. Collective.
func (r *run) tooFar() error {
	files := r.lastFields()
	if _, agreed := ExitCode(files); !agreed {
		return files
	}
	var text []byte
	if r.Root {
		sound := ""
		if s := r.sound(); s > 0 {
			sound = fmt.Sprintf(" and the %.3g %% that sound may make of the %s", 100*s, r.Case.GivenBy)
		}
		text = fmt.Appendf(nil, "the run is stopped, step %d: %s, more than [run] max_density_drift = %g (0: no limit)%s\n  what to look at: %s",
			r.n, r.driftText(r.drift(r.watch.totals)), r.Case.Run.MaxDrift, sound, driftHelp)
	}
	text, err := comm.Broadcast(r.Comm, text)
	if err != nil {
		return err
	}
	return errors.Join(exit.With(exit.Unstable, errors.New(string(text))), files)
}

// gridScale is derive.View.GridScale of the present step. Collective.
func (r *run) gridScale() (float64, error) {
	if r.watch.gridAt == r.n {
		return r.watch.grid, nil
	}
	share, err := r.view().GridScale()
	if err == nil {
		r.watch.grid, r.watch.gridAt = share, r.n
	}
	return share, err
}
