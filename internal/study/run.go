// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package study

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/model"
	"lbmsim/sim"
	"lbmsim/sim/domain"
)

// Folder below the output folder of the case that has one for the tables of each grid: those beside
// it are of the case's own run.
const Folder = "study"

// Options of a study. All ranks call Run with the same.
type Options struct {
	Path    string
	Text    []byte   // the case
	Set     []string // changes of it: KEY=VALUE
	Levels  int
	First   float64 // refinement of the coarsest grid
	Ratio   float64 // of the spacings of two grids that follow each other
	Scaling config.Scaling
	Formal  float64 // order of the method
	// Continue starts each grid from the flow at the end of the one before it.
	Continue bool

	Comm     comm.Comm
	Device   device.Device
	Threads  int
	Version  string
	Signals  <-chan os.Signal
	Stepping func(bool)  // sim.Options.Stepping
	Done     func(Level) // called with each grid, on rank 0
	// Also makes a further reporter of the run of each grid, on rank 0; may be nil.
	Also func() Reporter
}

// Reporter reports the run of a grid, and the error that ends it.
type Reporter interface {
	sim.Reporter
	Fail(error)
}

// Level is one grid.
type Level struct {
	Factor  float64       `json:"factor"`        // of refinement against the case
	Cells   [3]int        `json:"cells"`         // of level 0
	All     int           `json:"all,omitempty"` // of a refined grid: of all levels, the finest in each place
	Spacing float64       `json:"spacing"`       // in the unit of the case
	Step    float64       `json:"step"`
	Tau     float64       `json:"tau"`
	Steps   int           `json:"steps"`
	Seconds float64       `json:"seconds"`
	MLUPS   float64       `json:"mlups"`
	Mach    float64       `json:"mach"` // the largest at the end
	Expect  []sim.Verdict `json:"expect"`
	Output  string        `json:"output,omitempty"` // folder of its tables, if it has any
}

// Study is the result of a study; on rank 0.
type Study struct {
	Case    string   `json:"case"`
	Title   string   `json:"title"`
	Version string   `json:"version"`
	Device  string   `json:"device"`
	Scaling string   `json:"scaling"`
	Ratio   float64  `json:"ratio"`
	Formal  float64  `json:"formal"`
	Levels  []Level  `json:"levels"`
	Results []Result `json:"results"`
	// Warnings are the warnings of the runs; Result.Warnings are separate.
	Warnings []Warning `json:"warnings"`
}

// Load returns the case on all grids, from the coarsest to the finest, so that every error is
// reported before the first step.
func (o Options) Load() ([]*config.Case, error) {
	switch {
	case o.Levels < 2 || o.Levels > 12:
		return nil, fmt.Errorf("--levels %d: must be 2 to 12", o.Levels)
	case !(o.Ratio > 1 && o.Ratio <= 16):
		return nil, fmt.Errorf("--ratio %g: must be above 1 and at most 16", o.Ratio)
	case !(o.First > 0 && o.First <= 1024):
		return nil, fmt.Errorf("--first %g: must be above 0 and at most 1024", o.First)
	case !(o.Formal > 0 && o.Formal <= 8):
		return nil, fmt.Errorf("--order %g: must be above 0", o.Formal)
	}
	var cases []*config.Case
	var shelf domain.Shelf
	for k := range o.Levels {
		set := o.Set
		if o.Continue && k > 0 {
			path, err := beside(o.Path, cases[k-1].OutputDir)
			if err != nil {
				return nil, err
			}
			set = append(slices.Clone(set), "initial.from="+strconv.Quote(path))
		}
		c, err := config.LoadRefined(o.Path, o.Text, config.Refinement{Factor: o.factor(k), Scaling: o.Scaling, Extents: shelf.Extents(o.Comm)}, set...)
		if err != nil {
			// The file and its line stay at the start of a line, where editors look.
			return nil, fmt.Errorf("the grid refined by %.6g:\n%w", o.factor(k), err)
		}
		if len(c.Expect) == 0 {
			return nil, fmt.Errorf("%s measures nothing: a study compares the quantities of [expect], such as [expect.max_speed]", o.Path)
		}
		// Tables of every grid are useful; fields would fill the disk.
		c.Fields.On, c.Averages.On, c.Pictures, c.Views, c.Checkpoint.On, c.Planes, c.Surfaces = false, false, nil, nil, false, nil, nil
		if o.Continue && k < o.Levels-1 {
			c.Fields = flowOf(c)
		}
		c.OutputDir = filepath.Join(c.OutputDir, Folder, fmt.Sprintf("refined_%.6g", o.factor(k)))
		cases = append(cases, c)
	}
	return cases, nil
}

// flowOf returns the output at the end of a run from which another grid can start.
func flowOf(c *config.Case) config.FieldsOutput {
	f := config.FieldsOutput{On: true, Schedule: config.Schedule{End: true}, Dir: "fields", Type: model.Float64}
	names := []string{"pressure", "velocity"}
	if c.Spec.Scalar {
		names = append(names, "temperature")
	}
	if len(c.Bodies) > 0 {
		names = append(names, "solid")
	}
	for _, name := range names {
		one, _ := model.FindField(name)
		f.Fields = append(f.Fields, one)
	}
	return f
}

// beside returns a folder relative to the folder of a case file, absolute where there is no relative path.
func beside(path, dir string) (string, error) {
	from, err1 := filepath.Abs(filepath.Dir(path))
	to, err2 := filepath.Abs(dir)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	if near, err := filepath.Rel(from, to); err == nil {
		return near, nil
	}
	return to, nil
}

func (o Options) factor(k int) float64 { return o.First * math.Pow(o.Ratio, float64(k)) }

// Run computes the case on every grid. After an error the study has the warnings of the runs so far. Collective.
func Run(o Options, cases []*config.Case) (*Study, error) {
	s := &Study{
		Case: o.Path, Title: cases[0].Title, Version: o.Version, Scaling: o.Scaling.String(), Ratio: o.Ratio, Formal: o.Formal,
		Device: o.Device.Info().Model,
	}
	root := o.Comm.Rank() == 0
	for k, c := range cases {
		report := &listener{}
		if o.Also != nil && root {
			report.also = o.Also()
		}
		err := sim.Run(sim.Options{
			Case: c, Comm: o.Comm, Device: o.Device, Threads: o.Threads, Report: report, Version: o.Version, Signals: o.Signals, Stepping: o.Stepping,
			Overwrite: true, // an earlier study has the same folder
		})
		if err != nil && report.also != nil {
			report.also.Fail(err)
		}
		s.warns(o.factor(k), report.warned)
		// Expectations of a case apply to its own grid.
		if code, agreed := sim.ExitCode(err); err != nil && !(agreed && code == sim.ExitExpect) {
			return s, fmt.Errorf("refined by %.6g: %w", o.factor(k), err)
		}
		// The reason for the end of the run is known on rank 0.
		why := []byte{}
		if root && len(report.end.Expect) == 0 {
			why = []byte(report.end.Reason)
		}
		if why, err = comm.Broadcast(o.Comm, why); err != nil {
			return s, err
		}
		if len(why) > 0 {
			return s, sim.Agreed(sim.ExitFailure, fmt.Errorf("refined by %.6g: the run ended before its last step (%s): nothing to compare", o.factor(k), why))
		}
		if !root {
			continue
		}
		l := Level{
			Factor: o.factor(k), Cells: c.Cells, Spacing: c.Units.Length, Step: c.Units.Time, Tau: c.Tau, Steps: c.Run.Steps,
			Seconds: report.end.Elapsed.Round(time.Millisecond).Seconds(), MLUPS: report.end.MLUPS, Mach: report.mach, Expect: report.end.Expect,
		}
		if len(c.Refine) > 0 {
			l.All = config.Counted(c)
		}
		if info, err := os.Stat(c.OutputDir); err == nil && info.IsDir() {
			l.Output = c.OutputDir
		}
		s.Levels = append(s.Levels, l)
		if o.Done != nil {
			o.Done(l)
		}
	}
	if !root {
		return nil, nil
	}
	for i, e := range cases[0].Expect {
		var values []float64
		for _, l := range s.Levels {
			values = append(values, l.Expect[i].Got)
		}
		exact := e.Quantity == config.VelocityL2Error || e.Quantity == config.VelocityLinfError || e.Quantity == config.MassError
		r := Analyse(e.Name, values, o.Ratio, o.Formal, exact, cases[0].Spec.Precision)
		switch e.Quantity {
		case config.MassError:
			r.Warnings = []string{"the change of mass is rounding, which does not decrease with refinement: its order is meaningless"}
		case config.ProbeValue:
			if math.Mod(o.Ratio, 2) != 1 {
				r.Warnings = append(r.Warnings, "a probe reads the cell that holds its point, whose centre moves with refinement (but not with --ratio 3): a first-order error")
			}
		}
		s.Results = append(s.Results, r)
	}
	return s, nil
}

// listener records the reports of a run, and passes them on.
type listener struct {
	also   Reporter // may be nil
	end    sim.Summary
	mach   float64
	warned finding.List
}

// Start implements sim.Reporter.
func (l *listener) Start(s sim.Start) {
	l.warned = append(l.warned, s.Case.Warnings...)
	if l.also != nil {
		l.also.Start(s)
	}
}

// Progress implements sim.Reporter.
func (l *listener) Progress(p sim.Progress) {
	l.mach = p.MaxMach
	if l.also != nil {
		l.also.Progress(p)
	}
}

// Wrote implements sim.Reporter.
func (l *listener) Wrote(kind, path string) {
	if l.also != nil {
		l.also.Wrote(kind, path)
	}
}

// Warn implements sim.Reporter.
func (l *listener) Warn(w finding.Finding) {
	l.warned = append(l.warned, w)
	if l.also != nil {
		l.also.Warn(w)
	}
}

// Finish implements sim.Reporter.
func (l *listener) Finish(s sim.Summary) {
	l.end = s
	if l.also != nil {
		l.also.Finish(s)
	}
}
