package watch

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"lbmsim/internal/finding"
	"lbmsim/sim/derive"
)

// A run may be stable and wrong: mass that nobody lets out, speeds that the case does not
// have, noise of the grid, a temperature that nothing has. The watch warns of each the first time that it sees it, and
// counts at how many looks it did.

// Health is what the watch knows of a run.
type Health struct {
	DensityDrift float64 // of the mean density since the start, as a share
	MaxSpeed     float64 // in the case's unit
	// GridScale is the share of the kinetic energy at the scale of the grid at the last step
	// at which it was looked at.
	GridScale float64
	// Temperature is how far the temperature was beyond all that the case gives it, at that step
	// and as a share of the span of what it gives.
	Temperature float64
	Warned      map[string]int // looks that saw it, by what they saw
}

// Health on rank 0.
func (w *Watch) Health() Health {
	return Health{
		DensityDrift: derive.Finite(w.Drift(w.totals)), MaxSpeed: derive.Finite(w.totals.MaxSpeed) * w.Case.Units.Length / w.Case.Units.Time,
		GridScale: w.sample.GridScale, Temperature: derive.Finite(w.beyond()), Warned: maps.Clone(w.warned),
	}
}

// judge warns, on rank 0, of what the totals of a look show, and reports why the run must stop,
// if it must: of the totals where the look is the first of its step, of the sample of the
// fields where that is new.
func (w *Watch) judge(totals, sample bool) (wrong string) {
	c, t := &w.Case.Run, w.totals
	sum := t.MaxSpeed + t.Mass
	if unstable := derive.Finite(sum) != sum || t.MaxSpeed > w.MaxSpeed(); unstable || w.Step() == 0 {
		return "" // the message of the end says more, and the initial state is what the case wants
	}
	drift := w.unasked(t)
	if totals && c.WarnDrift > 0 && drift > c.WarnDrift {
		w.judgeDrift(drift)
	}
	if s, u := w.Case.Speed, derive.Finite(t.MaxSpeed); totals && s > 0 && c.WarnSpeed > 0 && u > c.WarnSpeed*s {
		f := w.Case.Units.Length / w.Case.Units.Time
		unit := " cells/step"
		if w.Case.Units.Physical {
			unit = " m/s"
		}
		w.warn(finding.Speed, Speeding, "the largest speed is %.4g%s, %.3g times the %s, %.4g%s: [run] warn_speed = %g; an oscillation or a resonance, noise, or a narrow passage, in which case the Mach number is higher than planned",
			u*f, unit, u/s, w.Case.SpeedOf, s*f, unit, c.WarnSpeed)
	}
	if grid := w.sample.GridScale; sample && c.WarnGridScale > 0 && grid > c.WarnGridScale && !w.diedAway() {
		w.warn(finding.GridScale, Noisy, "%.3g of the kinetic energy is at the scale of the grid (%.3g at the start of the run): [run] warn_grid_scale = %g; the field is noise, or its gradients are thinner than a cell: a larger tau, a finer grid or another collision model (docs/models.md)",
			grid, w.GridStart, c.WarnGridScale)
	}
	if sample {
		w.judgeInflow()
		wrong = w.judgeTemperature()
	}
	if c.MaxDrift > 0 && drift > c.MaxDrift+w.sound() {
		wrong = w.driftMessage()
	}
	return wrong
}

// atRest is the speed, by the largest of the run, below which a flow has died away: its energy is a millionth.
const atRest = 1e-3

// diedAway reports whether the flow has come to rest but for what is left of its sound and its rounding, which is at the
// scale of the grid.
func (w *Watch) diedAway() bool { return w.totals.MaxSpeed < atRest*w.Fastest }

// beyond is how far the temperature of the last sample is outside of its bounds, as a share of
// their span.
func (w *Watch) beyond() float64 {
	if w.Case.Temperature.Bounds == nil {
		return 0
	}
	return w.sample.Excess.Beyond / w.Case.Temperature.Bounds.Span()
}

// judgeTemperature is judge's part of the temperature.
func (w *Watch) judgeTemperature() (wrong string) {
	c, share := &w.Case.Run, w.beyond()
	switch {
	case c.MaxTemperature > 0 && share > c.MaxTemperature:
		return fmt.Sprintf("the run is stopped, step %d: %s, more than [run] max_temperature = %g (0: no limit)\n  what helps: %s",
			w.Step(), w.temperatureText(), c.MaxTemperature, temperatureHelp)
	case c.WarnTemperature > 0 && share > c.WarnTemperature:
		w.warn(finding.Overshoot, Beyond, "%s: [run] warn_temperature = %g; what helps: %s", w.temperatureText(), c.WarnTemperature, temperatureHelp)
	}
	return ""
}

// temperatureText tells of the temperature that is farthest beyond the bounds, and of these.
func (w *Watch) temperatureText() string {
	b, e := w.Case.Temperature.Bounds, w.sample.Excess
	kelvin := func(above float64) string {
		digit := 1e-6 * b.Span()                                                                    // bounds of an expression are not exact
		text := fmt.Sprintf("%.6g", digit*math.Round((w.Case.Temperature.Reference+above)/digit)+0) // not -0
		if w.Case.Units.Physical {
			text += " K"
		}
		return text
	}
	v, side := b.Lo-e.Beyond, "below"
	if e.Above {
		v, side = b.Hi+e.Beyond, "above"
	}
	at := strings.ReplaceAll(strings.Trim(fmt.Sprint(e.At[:w.Case.Dims()]), "[]"), " ", ", ")
	text := fmt.Sprintf("the temperature is %s in cell (%s), %s all that the case gives", kelvin(v), at, side)
	if b.Alike() {
		return text + fmt.Sprintf(" (%s of %s) by %.3g times the distance of that from the reference", kelvin(b.Hi), b.HiOf, w.beyond())
	}
	return text + fmt.Sprintf(" (%s of %s to %s of %s) by %.3g times the span of that", kelvin(b.Lo), b.LoOf, kelvin(b.Hi), b.HiOf, w.beyond())
}

// temperatureHelp is what can be done about it.
const temperatureHelp = "a larger diffusivity, a finer grid"
