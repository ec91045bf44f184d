// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/config"
)

// judge evaluates the case's expectations of its end state. Sums do not depend on the number of
// ranks (domain.Part.PlaneSums). Verdicts are the same on every rank.
func (r *run) judge() ([]Verdict, error) {
	if len(r.Case.Expect) == 0 {
		return nil, nil
	}
	if err := (state{r.stepper}).Fill(); err != nil {
		return nil, fmt.Errorf("rank %d: cells beside the rank's own at the end: %w", r.Rank.ID, err)
	}
	var got []float64 // value and half-width of the interval of each
	for _, e := range r.Case.Expect {
		v, half, err := r.measure(e)
		if err != nil {
			return nil, fmt.Errorf("rank %d: measuring %s: %w", r.Rank.ID, e.Name, err)
		}
		got = append(got, v, half)
	}
	// Rank 0 has the values.
	b, err := comm.Broadcast(r.Rank.Comm, comm.Float64Bytes(got))
	if err != nil {
		return nil, err
	}
	var verdicts []Verdict
	for i, e := range r.Case.Expect {
		v := Verdict{Quantity: e.Name, Got: comm.Float64At(b, 2*i), Want: e.Value, Tolerance: e.Tolerance, Free: e.Free}
		if half := comm.Float64At(b, 2*i+1); !math.IsNaN(half) && !math.IsInf(half, 0) {
			v.Half = half
		}
		v.OK = v.Free || math.Abs(v.Got-v.Want) <= v.Tolerance // false for NaN
		if v.Free && math.IsNaN(v.Got) {
			v.Note = v.miss(e)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// miss states how a value differs from the expected one, or why there is no value.
func (v Verdict) miss(e config.Expectation) string {
	want := fmt.Sprintf(" (expected %.6g +- %.3g)", v.Want, v.Tolerance)
	if v.Free {
		want = ""
	}
	switch {
	case !math.IsNaN(v.Got):
		return fmt.Sprintf("%s = %.6g, outside %.6g +- %.3g", v.Quantity, v.Got, v.Want, v.Tolerance)
	case e.Quantity == config.LineCrossing:
		return fmt.Sprintf("%s: the field has no such sign change on the line%s; inspect it with an [output.line.NAME]", v.Quantity, want)
	case e.Quantity == config.ForceValue:
		return fmt.Sprintf("%s: the %s of %s cannot be determined%s: no sample since output.force.%s.start, or, for a frequency, no oscillation of at least four periods above the noise of equally spaced samples; try a longer run, a smaller every, or an earlier start", v.Quantity, e.Statistic, e.Series, want, e.Force)
	}
	return fmt.Sprintf("%s is not a number%s", v.Quantity, want)
}

// measure returns one quantity on rank 0, in the outputs' unit, and half the width of its 95 % interval: NaN where it has none.
func (r *run) measure(e config.Expectation) (value, half float64, err error) {
	if e.Quantity == config.ForceValue {
		if !r.Rank.Root {
			return 0, 0, nil
		}
		value, half = r.outputs.ForceValue(e)
		return value, half, nil
	}
	value, err = r.endState(e)
	return value, math.NaN(), err
}

// endState returns a quantity of the end state, as measure does.
func (r *run) endState(e config.Expectation) (float64, error) {
	factor := r.Case.Units.Factor(e.Dim)
	t, err := r.watch.Totals() // of the last check
	if err != nil {
		return 0, err
	}
	space := t.Space()
	switch e.Quantity {
	case config.MassError:
		return math.Abs(t.Mass-r.watch.Start.Mass) / (space + r.watch.Start.Mass), nil
	case config.MaxSpeed:
		return factor * t.MaxSpeed, nil
	case config.KineticEnergy:
		return factor * t.Energy / space, nil
	case config.MeanVelocity:
		if e.Component < 0 {
			return factor * math.Sqrt(t.Momentum[0]*t.Momentum[0]+t.Momentum[1]*t.Momentum[1]+t.Momentum[2]*t.Momentum[2]) / (space + t.Mass), nil
		}
		return factor * t.Momentum[e.Component] / (space + t.Mass), nil
	case config.VelocityL2Error, config.VelocityLinfError:
		return r.view().VelocityError(e)
	}
	return r.view().LineValue(e)
}
