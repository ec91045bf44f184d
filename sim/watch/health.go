// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package watch

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"lbmsim/internal/finding"
	"lbmsim/sim/derive"
)

// A run may be stable and wrong: mass that no boundary lets out, speeds beyond the case's, grid-scale noise, a temperature
// overshoot. The watch warns of each on its first occurrence, and counts the checks with it.

// Health holds the watch's results for a run.
type Health struct {
	DensityDrift float64 // relative change of the mean density since the start
	MaxSpeed     float64 // in the case's unit
	// GridScale is the share of the kinetic energy at the scale of the grid at the last step at which it was sampled.
	GridScale float64
	// Temperature is the overshoot of the temperature beyond the range imposed by the case, at that
	// step and as a share of this range.
	Temperature float64
	Warned      map[string]int // number of checks with a warning, by its kind
}

// Health returns the results so far, on rank 0.
func (w *Watch) Health() Health {
	return Health{
		DensityDrift: derive.Finite(w.Drift(w.totals)), MaxSpeed: derive.Finite(w.totals.MaxSpeed) * w.view.Case.Units.Length / w.view.Case.Units.Time,
		GridScale: w.sample.GridScale, Temperature: derive.Finite(w.beyond()), Warned: maps.Clone(w.warned),
	}
}

// judge warns, on rank 0, of problems found by a check, and returns the reason for stopping the run, if any. It judges the
// totals in the first check of a step, and the sample of the fields if it is new.
func (w *Watch) judge(totals, sample bool) (wrong string) {
	c, t := &w.view.Case.Run, w.totals
	sum := t.MaxSpeed + t.Mass
	if unstable := derive.Finite(sum) != sum || t.MaxSpeed > w.view.MaxSpeed(); unstable || w.view.Step() == 0 {
		return "" // the final message has more details, and the initial state is prescribed by the case
	}
	drift := w.unasked(t)
	if totals && c.WarnDrift > 0 && drift > c.WarnDrift {
		w.judgeDrift(drift)
	}
	if s, u := w.view.Case.Speed, derive.Finite(t.MaxSpeed); totals && s > 0 && c.WarnSpeed > 0 && u > c.WarnSpeed*s {
		f := w.view.Case.Units.Length / w.view.Case.Units.Time
		unit := " cells/step"
		if w.view.Case.Units.Physical {
			unit = " m/s"
		}
		w.warn(finding.Speed, Speeding, "maximum speed %.4g%s is %.3g times the %s, %.4g%s: [run] warn_speed = %g; possible causes: oscillation or resonance, noise, or a narrow passage, in which case the Mach number is higher than planned",
			u*f, unit, u/s, w.view.Case.SpeedOf, s*f, unit, c.WarnSpeed)
	}
	if grid := w.sample.GridScale; sample && c.WarnGridScale > 0 && grid > c.WarnGridScale && !w.diedAway() {
		w.warn(finding.GridScale, Noisy, "grid-scale energy fraction %.3g (%.3g at the start): [run] warn_grid_scale = %g; the flow is noisy or under-resolved: try a larger tau, a finer grid or another collision model (docs/models.md)",
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

// atRest is the speed, relative to the largest of the run, below which a flow has died away: its energy is a
// millionth.
const atRest = 1e-3

// diedAway reports whether the flow has come to rest except for residual sound and rounding, which are
// grid-scale.
func (w *Watch) diedAway() bool { return w.totals.MaxSpeed < atRest*w.Fastest }

// beyond returns how far the temperature of the last sample is outside its bounds, as a share of their span.
func (w *Watch) beyond() float64 {
	if w.view.Case.Temperature.Bounds == nil {
		return 0
	}
	return w.sample.Excess.Beyond / w.view.Case.Temperature.Bounds.Span()
}

// judgeTemperature judges the temperature for judge.
func (w *Watch) judgeTemperature() (wrong string) {
	c, share := &w.view.Case.Run, w.beyond()
	switch {
	case c.MaxTemperature > 0 && share > c.MaxTemperature:
		return fmt.Sprintf("stopped at step %d: %s; allowed %.3g %% (run.max_temperature; 0 disables)\n  try %s",
			w.view.Step(), w.temperatureText(), 100*c.MaxTemperature, temperatureHelp)
	case c.WarnTemperature > 0 && share > c.WarnTemperature:
		w.warn(finding.Overshoot, Beyond, "%s: [run] warn_temperature = %g; try %s", w.temperatureText(), c.WarnTemperature, temperatureHelp)
	}
	return ""
}

// temperatureText states the temperature that is farthest beyond the bounds, and the bounds.
func (w *Watch) temperatureText() string {
	b, e := w.view.Case.Temperature.Bounds, w.sample.Excess
	kelvin := func(above float64) string {
		digit := 1e-6 * b.Span()                                                                         // bounds of an expression are inexact
		text := fmt.Sprintf("%.6g", digit*math.Round((w.view.Case.Temperature.Reference+above)/digit)+0) // not -0
		if w.view.Case.Units.Physical {
			text += " K"
		}
		return text
	}
	v, side := b.Lo-e.Beyond, "below"
	if e.Above {
		v, side = b.Hi+e.Beyond, "above"
	}
	at := strings.ReplaceAll(strings.Trim(fmt.Sprint(e.At[:w.view.Case.Dims()]), "[]"), " ", ", ")
	level := ""
	if w.view.Refined != nil {
		level = fmt.Sprintf(" of level %d", e.Level)
	}
	text := fmt.Sprintf("temperature overshoot: %s in cell (%s)%s, %s the imposed range", kelvin(v), at, level, side)
	if b.Alike() {
		return text + fmt.Sprintf(" (%s of %s) by %.3g %% of its distance from the reference", kelvin(b.Hi), b.HiOf, 100*w.beyond())
	}
	return text + fmt.Sprintf(" (%s of %s to %s of %s) by %.3g %% of that range", kelvin(b.Lo), b.LoOf, kelvin(b.Hi), b.HiOf, 100*w.beyond())
}

// temperatureHelp states what can be done about it.
const temperatureHelp = "a larger diffusivity or a finer grid"
