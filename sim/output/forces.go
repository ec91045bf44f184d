// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/stats"
	"lbmsim/io/checkpoint"
	"lbmsim/io/probe"
	"lbmsim/sim/derive"
)

// forces writes one [output.force.NAME]: a CSV row per sample, on rank 0, with the means so
// far and their confidence intervals.
type forces struct {
	config.ForceOutput
	rows
	list   []config.ForceSeries
	series []stats.Series // of each number of a row, rank 0 only
	course []stats.Record // the same numbers over time
	uneven bool           // their samples are not equally spaced
	other  bool           // the checkpoint has statistics of other numbers
}

// since returns the first step that counts for statistics.
func (f *forces) since(r *Run) int { return max(f.Start, r.averagesFrom) }

// forceOutputs returns the outputs of [output.force].
func forceOutputs(s *Set) (list []Output) {
	for _, f := range s.Case.Forces {
		numbers := f.Series(s.Case.Dims())
		list = append(list, &forces{ForceOutput: f, list: numbers, series: make([]stats.Series, len(numbers)), course: make([]stats.Record, len(numbers)), uneven: f.Schedule.Period <= 0,
			rows: newRows(s.Run, f.Schedule, "force", f.Name, "force/"+f.Name)})
	}
	return list
}

// Write adds a row. A failure of the file is reported at the next sync, as for probes.
func (f *forces) Write(r *Run) error {
	f.at = r.Step()
	all, of, err := r.Loads.Present()
	if err != nil {
		return err
	}
	var walls []derive.WallSum
	if f.Modelled {
		if walls, err = r.Loads.Walls(); err != nil {
			return err
		}
	}
	if r.Rank.Root {
		values := f.values(all, 1/float64(of), f.friction(walls), r.Case.Units)
		if r.Step() >= f.Start {
			for i, v := range values {
				f.series[i].Add(r.Time(), v)
				f.course[i].Add(v)
			}
		}
		row := values
		for i := range values {
			mean, half := math.NaN(), math.NaN() // before the first sample that counts
			if e := f.series[i].Estimate(); e.N > 0 {
				mean, half = e.Mean, e.Half
			}
			row = append(row, mean, half)
		}
		_ = f.file.Append(int64(r.Step()), r.Time(), row...)
	}
	return r.Sampled()
}

// friction returns the friction on its walls by the law of walls with a model, in lattice units.
func (f *forces) friction(walls []derive.WallSum) [3]float64 {
	var own []derive.WallSum
	for _, w := range walls {
		if slices.Contains(f.Types, w.Type) {
			own = append(own, w)
		}
	}
	return derive.Together(own).Friction()
}

// values of a row, in the outputs' units: share times all, of which friction is the part by the law of walls with a model.
func (f *forces) values(all []device.Load, share float64, friction [3]float64, units config.Units) (values []float64) {
	var sum device.Load
	for _, t := range f.Types {
		sum.Add(all[t-1])
	}
	force, torque := sum.Values(f.About)
	dot := func(force, direction [3]float64) float64 {
		return f.Coefficient * (force[0]*direction[0] + force[1]*direction[1] + force[2]*direction[2])
	}
	var pressure [3]float64
	for a := range force {
		friction[a] /= share
		pressure[a] = force[a] - friction[a]
	}
	for _, s := range f.list {
		var v float64
		switch axis := int(s.Name[len(s.Name)-1]) - 'x'; s.Name {
		case "heat":
			v = -sum.Lost()
		case "nusselt":
			v = -f.Nusselt * sum.Lost()
		case "drag":
			v = dot(force, f.Drag)
		case "lift":
			v = dot(force, f.Lift)
		case "friction_drag":
			v = dot(friction, f.Drag)
		case "pressure_drag":
			v = dot(pressure, f.Drag)
		case "force_x", "force_y", "force_z":
			v = force[axis]
		case "torque_x", "torque_y", "torque_z":
			v = torque[axis]
		case "friction_x", "friction_y", "friction_z":
			v = friction[axis]
		case "pressure_x", "pressure_y", "pressure_z":
			v = pressure[axis]
		default:
			panic("there is no number of a force " + s.Name) // a row of config.ForceOutput.Series without a formula
		}
		values = append(values, units.Factor(s.Dim)*share*v)
	}
	return values
}

// header names the columns.
func (f *forces) header(r *Run) probe.Header {
	u := r.Case.Units
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true}
	unit := func(s config.ForceSeries) string { return unitOf(u, s.Dim) }
	for _, s := range f.list {
		h.Columns = append(h.Columns, probe.Column{Name: s.Name, Unit: unit(s)})
	}
	for _, s := range f.list {
		h.Columns = append(h.Columns, probe.Column{Name: "mean " + s.Name, Unit: unit(s)}, probe.Column{Name: "+- " + s.Name, Unit: unit(s)})
	}
	return h
}

// forceMemory holds what a checkpoint keeps of a force output.
type forceMemory struct {
	Output config.ForceOutput // the definition of its numbers
	Series []stats.Series
	Course []stats.Record `json:",omitempty"`
	Every  float64        `json:",omitempty"` // steps between its samples
	Uneven bool           `json:",omitempty"` // some had a different spacing
}

// measured returns the output without its schedule, which a restart may change.
func (f *forces) measured() config.ForceOutput {
	m := f.ForceOutput
	m.Schedule = config.Schedule{}
	return m
}

// remember keeps the statistics, and the loads that the coming step's are averaged with.
func (f *forces) remember(r *Run, m *Memory) error {
	past, err := r.Loads.Past()
	if err != nil || !r.Rank.Root {
		return err
	}
	m.Forces[f.Name] = forceMemory{f.measured(), f.series, f.course, f.Schedule.Period, f.uneven}
	if past == nil {
		return nil
	}
	m.Loads = map[int]device.Load{}
	for k, w := range r.View.Part.Cells.Walls {
		if w.Measured {
			m.Loads[k] = past[k]
		}
	}
	return nil
}

func (f *forces) beside(*Run, checkpoint.Header, string) ([]*bool, error) { return nil, nil }

// recall continues with the statistics. The loads are the run's to recall.
func (f *forces) recall(r *Run, _ string, m *Memory) error {
	clear(f.series) // reading a newer checkpoint may have been abandoned halfway
	clear(f.course)
	f.uneven = f.Schedule.Period <= 0
	old, known := m.Forces[f.Name]
	f.other = known && !(reflect.DeepEqual(old.Output, f.measured()) && len(old.Series) == len(f.series))
	switch {
	case !known:
	case !f.other:
		if f.series = old.Series; len(old.Course) == len(f.course) { // an older version kept none
			f.course = old.Course
		}
		if len(f.series) > 0 && len(f.series[0].Levels) > 0 {
			r.mixes("[output.force."+f.Name+"]", old.Every, f.Schedule)
			f.uneven = f.uneven || old.Uneven || old.Every > 0 && old.Every != f.Schedule.Period
		}
	case r.Rank.Root:
		r.recalls("[output.force.%s] differs from the one in the checkpoint: restarting its averages", f.Name)
	}
	return nil
}

func (f *forces) isOther() bool { return f.other }

// statistics returns what rank 0 keeps of a number of a force output: its place among the output's.
func (s *Set) statistics(output, number string) (*forces, int) {
	for _, f := range with[*forces](s.List) {
		for i, n := range f.list {
			if f.Name == output && n.Name == number {
				return f, i
			}
		}
	}
	panic("there is no force " + output + " with " + number) // config has checked that it exists
}

// Widths returns the confidence intervals of the means of [run] stop_when, on rank 0, and whether
// they are narrow enough. The interval of a series that still drifts is narrow soon after its start, and meaningless.
func (s *Set) Widths() (text string, enough bool) {
	enough = true
	for i, rule := range s.Case.Run.StopWhen {
		f, k := s.statistics(rule.Force, rule.Series)
		e := f.series[k].Estimate()
		width := rule.Width
		if rule.Relative {
			width *= math.Abs(e.Mean)
		}
		enough = enough && e.Half <= width && f.course[k].Steady(e, negligible*f.largest(rule.Series))
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s.%s is %.5g +- %.2g", rule.Series, rule.Force, e.Mean, e.Half)
	}
	return "stop_when: " + text, enough
}

// ForceValue returns a statistic of [expect.force.NAME], on rank 0, and half the width of its 95 % interval: NaN where it
// has none.
func (s *Set) ForceValue(e config.Expectation) (value, half float64) {
	f, k := s.statistics(e.Force, e.Series)
	series := &f.series[k]
	if len(series.Levels) == 0 { // no samples
		return math.NaN(), math.NaN()
	}
	switch e.Statistic {
	case "min":
		return series.Min, math.NaN()
	case "max":
		return series.Max, math.NaN()
	case "amplitude":
		return (series.Max - series.Min) / 2, math.NaN()
	case "last":
		return series.Last, math.NaN()
	case "frequency", "strouhal":
		o := f.oscillation(e.Series, e.Statistic == "strouhal", s.Case)
		if o.doubt.Text != "" {
			o.doubt.Text = fmt.Sprintf("[%s]: %s", e.Name, o.doubt.Text)
			s.Rank.Warn(o.doubt)
		}
		return o.value, o.half
	case "mean":
		estimate := series.Estimate()
		return estimate.Mean, estimate.Half
	}
	panic("there is no statistic of a force " + e.Statistic) // config has a statistic that is missing here
}

// oscillationName returns the statistic that describes an oscillation: with a length and a velocity of reference the
// Strouhal number.
func (f *forces) oscillationName() string {
	if f.Strouhal > 0 {
		return "strouhal"
	}
	return "frequency"
}
