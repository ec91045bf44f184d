// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"time"

	"lbmsim/config/language"
	"lbmsim/halo/transport"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// [run] and [device]: the end of a run, its devices, and its schedules.

// shortestStall is the shortest accepted stall limit: a busy machine may keep a rank waiting that long.
const shortestStall = 5 * time.Second

// timing reads [run] and [device], after the scaling.
type timing struct {
	*frame
	Run    *Run
	Device *Device
	Live   *Live
}

func (r *timing) readRun() {
	s := r.Section("run")
	run := r.Run
	r.exclusive(s, "the length of a run is a number of steps or a simulated time", s.Table.OneOf[0]...)
	if e := s.Get("steps"); e != nil {
		run.Steps = r.inSteps(e.Ints[0])
	} else if e := s.Get("time"); e != nil && r.haveTime {
		n := e.Values[0].Value / r.Units.Time
		if n > maxSteps {
			r.Add(e.At, "", "%s is %s steps, which is out of range", r.si(e.Values[0].Value, model.Time), language.Short(n))
			return
		}
		// Often a whole number of steps is intended: rounding must not add one.
		run.Steps = max(1, int(math.Ceil(n-1e-9*math.Max(n, 1))))
	} else if !s.Has("steps") && !s.Has("time") {
		r.missing(s, "steps = 1000, or time = \"10 s\"", "[run] needs steps or time")
	}
	if e := s.Get("wall_time"); e != nil {
		run.WallTime = e.Duration
	}
	if e := s.Get("stall_limit"); e != nil {
		if run.StallLimit = e.Duration; e.Duration > 0 && e.Duration < shortestStall {
			r.Add(e.At, "", "stall_limit = %v is shorter than %v: a busy machine would be mistaken for a hang (\"0 s\" disables the limit)", e.Duration, shortestStall)
		}
	}
	if e := s.Get("end_margin"); e != nil {
		run.EndMargin = e.Duration
		if e.Text == "off" {
			run.EndMargin = -1
		}
	}
	if e := s.Get("watch_every"); e != nil {
		run.WatchEvery = e.Ints[0]
	}
	if e := s.Get("max_mach"); e != nil {
		run.MaxMach = e.Values[0].Value
	}
	for _, k := range []struct {
		name string
		to   *float64
	}{{"warn_density_drift", &run.WarnDrift}, {"max_density_drift", &run.MaxDrift}, {"warn_speed", &run.WarnSpeed}, {"warn_grid_scale", &run.WarnGridScale}, {"warn_inflow", &run.WarnInflow},
		{"warn_temperature", &run.WarnTemperature}, {"max_temperature", &run.MaxTemperature}} {
		if e := s.Get(k.name); e != nil {
			*k.to = e.Values[0].Value
		}
	}
	if e := s.Get("grid_scale_every"); e != nil {
		run.GridScaleEvery = e.Ints[0]
	}
	if e := s.Get("forensics"); e != nil {
		run.Forensics = e.Flag
	}
	if e := s.Get("threads"); e != nil {
		run.Threads = e.Ints[0]
	}
	r.parts(s)
}

// parts into which the case cuts the domain.
func (r *timing) parts(s *language.Section) {
	e := s.Get("ranks")
	if e == nil || r.dims == 0 || !r.haveBox {
		return
	}
	if len(e.Ints) != r.dims {
		r.Add(e.At, "", "ranks has %d values in a case of %d dimensions", len(e.Ints), r.dims)
		return
	}
	for a, n := range e.Ints {
		if n > r.Cells[a] {
			r.Add(e.At, "every part must have at least one row of cells", "ranks divides %[2]s into %[1]d parts, but %[2]s has %[3]d cells", n, axes()[a], r.Cells[a])
			return
		}
		r.Run.Ranks[a] = n
	}
	if e.Ints[0] > 1 {
		r.Add(e.At, "rows along x are contiguous in memory", "x is never divided: the first number of ranks must be 1 or 0")
	}
}

func (r *timing) readDevice() {
	s := r.Section("device")
	if e := s.Get("kind"); e != nil {
		r.Device.Kind = DeviceKind(indexOf(deviceKinds(), e.Text))
	}
	if e := s.Get("share"); e != nil {
		r.Device.Share = e.Flag
	}
	if e := s.Get("transport"); e != nil {
		r.Device.Transport = Transport(indexOf(transport.Kinds(), e.Text))
	}
	if e := s.Get("gpu_aware_mpi"); e != nil {
		r.Device.GPUAware = Word(indexOf(transport.Answers(), e.Text))
	}
}

// schedule reads the keys of a schedule; onlyEnd warns when nothing but the end is
// due and the table said otherwise.
func (r *timing) schedule(s *language.Section) Schedule {
	var c Schedule
	if e := s.Get("every"); e != nil {
		if e.Steps {
			c.Period = float64(r.inSteps(e.Ints[0]))
		} else if r.haveTime {
			c.Period = e.Values[0].Value / r.Units.Time
			if c.Period < 1 {
				r.warn(finding.EveryBelowStep, "%s: every = %s is less than one step (%s): writing at every step", s.Head(), r.si(e.Values[0].Value, model.Time), r.si(r.Units.Time, model.Time))
			}
			if c.Period > 1e15 {
				c.Period = 1e15
			}
		}
	}
	if e := s.Get("every_wall"); e != nil {
		c.WallTime = e.Duration
	}
	if s.Knows("at_start") && s.Get("at_start") != nil {
		c.Start = s.Get("at_start").Flag
	}
	if e := s.Get("at_end"); e != nil {
		c.End = e.Flag
	}
	if n := r.Run.Steps; n > 0 && r.haveTime {
		switch {
		case c.Period > float64(n) && s.Has("every"):
			r.warn(finding.NeverDue, "%s: every is %s steps, but the run has only %s: %s", s.Head(), language.Short(c.Period), language.Grouped(n), c.remains())
		case c.Period == 0 && c.WallTime == 0 && !c.Start && !c.End:
			r.warn(finding.NeverDue, "%s is never written: set every, every_wall, at_start or at_end", s.Head())
		}
	}
	return c
}

// begun reads the schedule of a table with a start, before which nothing is written except, where the case asks for it,
// the initial state.
func (r *timing) begun(s *language.Section) Schedule {
	from := r.beginning(s)
	if from > 0 && !s.Has("at_start") {
		r.SetDefault(s, "at_start", "false")
	}
	c := r.schedule(s)
	c.From = from
	return c
}

// remains describes the outputs of a schedule whose period is longer than the run.
func (s Schedule) remains() string {
	switch {
	case s.WallTime > 0:
		return "written by every_wall only"
	case s.Start && s.End:
		return "written at the start and at the end only"
	case s.Start:
		return "written at the start only"
	case s.End:
		return "written at the end only"
	}
	return "never written"
}

// period returns a number of steps, or a time in steps; 0 when the key is not there.
func (r *timing) period(s *language.Section, name string) float64 {
	e := s.Get(name)
	switch {
	case e == nil:
		return 0
	case e.Steps:
		return float64(e.Ints[0])
	case !r.haveTime:
		return 0
	}
	return math.Min(e.Values[0].Value/r.Units.Time, 1e15)
}

// beginning returns the step from which samples count.
func (r *timing) beginning(s *language.Section) int {
	n := int(math.Ceil(r.period(s, "start") * (1 - 1e-12)))
	if last := r.Run.Steps; last > 0 && r.haveTime && n > last {
		r.warn(finding.NeverDue, "%s: start is step %d, but the run has only %d: no samples are taken", s.Head(), n, last)
	}
	return n
}

// times returns moments of the run, in steps: in the middle of its first and last step, and
// more between them, at distances that no period agrees with.
func (r *timing) times(more int) []float64 {
	n := math.Max(float64(r.Run.Steps), 1)
	list := []float64{0.5, n - 0.5}
	const golden = 0.6180339887498949
	for i := 1; i <= more; i++ {
		_, share := math.Modf(float64(i) * golden)
		list = append(list, 0.5+math.Floor(share*n))
	}
	return list
}
