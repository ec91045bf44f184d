// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"math"
	"strings"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
	"lbmsim/io/status"
)

// Results of a run: a mean with its interval where the record allows one, otherwise the reason.

// Results lists the results of each [output.force.NAME], on rank 0.
func (s *Set) Results() (list []status.Result) {
	for _, f := range with[*forces](s.List) {
		list = append(list, f.result(s.Run))
	}
	return list
}

// negligible is the share of the largest number of its kind below which a change of the mean does not matter: a steady flow
// approaches its final state exponentially, and never settles by the measure of a fluctuating one.
const negligible = 1e-3

// A force that wanders slowly has no error of its mean. The spread of its blocks is given instead, if it is below confined of the
// largest number of its kind for a time of at least observed reference lengths over the velocity: several periods of a wake.
const confined, observed = 1e-2, 20

func (f *forces) result(r *Run) status.Result {
	u := r.Case.Units
	found := status.Result{Output: f.Name, File: f.path, Since: float64(f.since(r)) * u.Time}
	if len(f.series) > 0 {
		found.Samples = f.series[0].Estimate().N
	}
	if found.Samples < stats.Fewest {
		since, cure := "start = ", ", or an earlier start"
		if r.averagesFrom > f.Start {
			since, cure = "the restart of averages at ", ""
		}
		found.Note = fmt.Sprintf("%d samples since %s%s, a mean needs at least %d: try a longer run, a smaller every%s",
			found.Samples, since, timeText(u, found.Since), stats.Fewest, cure)
		return found
	}
	if r.averagesFrom > f.Start {
		found.Note = fmt.Sprintf("averages were restarted by order: samples from %s on", timeText(u, found.Since))
	}
	for i, n := range f.list {
		found.Numbers = append(found.Numbers, f.number(r, i, n))
	}
	if n, oscillates := f.shedding(r.Case); oscillates {
		found.Numbers = append(found.Numbers, n)
	}
	return found
}

// number returns the mean of column i, or a note why it is not known yet.
func (f *forces) number(r *Run, i int, of config.ForceSeries) status.Number {
	u := r.Case.Units
	n := status.Number{Quantity: of.Name, Unit: unitOf(u, of.Dim), Meaning: f.meaning(of, r.Case)}
	e, small := f.series[i].Estimate(), negligible*f.largest(of.Name)
	if f.course[i].Steady(e, small) {
		n.Value, n.Half = &e.Mean, &e.Half
		return n
	}
	unit := ""
	if n.Unit != "" {
		unit = " " + n.Unit
	}
	discard, rest, settles := f.course[i].Settled(small)
	if band, found := f.course[i].Confined(confined * f.largest(of.Name)); !settles && found && !of.Thermal() && f.times(r, band.N) >= observed {
		n.Value, n.Half = &band.Mean, &band.Half
		n.Note = fmt.Sprintf("wanders slowly: the interval is the spread of means over %d samples from %s on, since the error of their mean is not known", band.Width, f.momentOf(r, band.Discard))
		return n
	}
	if !settles {
		n.Note = fmt.Sprintf("still drifts (last value %.5g%s): the mean since start is not converged; run longer", f.series[i].Last, unit)
		return n
	}
	n.Note = fmt.Sprintf("the mean since start contains a transient; from about %s on it is %.5g +- %.2g%s: move start there", f.momentOf(r, discard), rest.Mean, rest.Half, unit)
	return n
}

// momentOf names the time of a sample since start.
func (f *forces) momentOf(r *Run, sample int64) string {
	if f.uneven {
		return fmt.Sprintf("sample %d", sample)
	}
	u := r.Case.Units
	return timeText(u, (float64(f.since(r))+float64(sample)*f.Schedule.Period)*u.Time)
}

// times returns the duration of samples in reference lengths over the velocity; 0: not known.
func (f *forces) times(r *Run, samples int64) float64 {
	if f.uneven || f.Coefficient == 0 || f.Size <= 0 {
		return 0
	}
	length := f.Size
	if r.Case.Dims() == 3 {
		length = math.Sqrt(f.Size)
	}
	return float64(samples) * f.Schedule.Period * f.Velocity / length
}

// meaning returns the definition of a coefficient.
func (f *forces) meaning(of config.ForceSeries, c *config.Case) string {
	area, dim := "A", f.list[0].Dim // the first column is a force
	if c.Dims() == 2 {
		area = "L"
	}
	along := func(d [3]float64) string {
		return fmt.Sprintf("force along %s / (rho U^2 %s/2 = %s)", directionText(d, c.Dims()), area, strings.TrimSpace(fmt.Sprintf("%.5g %s", c.Units.Factor(dim)/f.Coefficient, unitOf(c.Units, dim))))
	}
	switch of.Name {
	case "drag":
		return along(f.Drag)
	case "lift":
		return along(f.Lift)
	case "friction_drag":
		return "of the drag, by the law of the wall"
	case "pressure_drag":
		return "of the drag, the rest"
	case "nusselt":
		return "heat flux / conduction over length"
	}
	return ""
}

// directionText names a unit vector.
func directionText(d [3]float64, dims int) string {
	for a := range dims {
		if math.Abs(d[a]) == 1 {
			return strings.TrimPrefix(fmt.Sprintf("%+.0f", d[a])[:1], "+") + "xyz"[a:a+1]
		}
	}
	var parts []string
	for _, v := range d[:dims] {
		parts = append(parts, fmt.Sprintf("%.4g", v))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// shedding returns the frequency of the strongest oscillation of a force across or along the flow; false where there is no
// oscillation.
func (f *forces) shedding(c *config.Case) (n status.Number, oscillates bool) {
	strongest := 0.0
	for _, of := range f.list {
		if !f.mayShed(of.Name) {
			continue
		}
		o := f.oscillation(of.Name, f.Strouhal > 0, c)
		if math.IsNaN(o.value) || o.amplitude <= strongest || o.doubt.Kind == finding.WeakOscillation.Name {
			continue
		}
		strongest, oscillates = o.amplitude, true
		n = status.Number{Quantity: f.oscillationName(), Of: of.Name, Value: &o.value, Half: &o.half, Note: o.note}
		if o.doubt.Text != "" {
			n.Doubt, n.Note = o.doubt.Kind, o.doubt.Text
		}
	}
	switch {
	case !oscillates:
	case f.Strouhal > 0:
		n.Meaning = fmt.Sprintf("f L/U of %s", n.Of)
	case c.Units.Physical:
		n.Unit = "Hz"
	}
	return n, oscillates
}

// timeText formats a time in the case's unit.
func timeText(u config.Units, t float64) string {
	if u.Physical {
		return fmt.Sprintf("%.5g s", t)
	}
	return fmt.Sprintf("step %.0f", t)
}
