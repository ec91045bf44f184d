// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/status"
	"lbmsim/sim"
)

// Status keeps status.json in the output folder. Trouble with that file is reported once and
// does not end the run.
type Status struct {
	warn   func(finding.Finding)
	file   *status.Writer // nil before the start and without an output folder
	state  status.State
	since  time.Time // time of the last state passed to file
	failed bool
	end    sim.Summary

	begun time.Time              // of this process
	dir   atomic.Pointer[string] // the output folder, on every rank
}

// NewStatus returns the status of a run of this process. It reports errors of the disk to warn.
func NewStatus(warn func(finding.Finding)) *Status { return &Status{warn: warn, begun: time.Now()} }

// Summary returns how the run ended; zero if it did not.
func (r *Status) Summary() sim.Summary { return r.end }

// Folder sets the output folder for Lost, on every rank.
func (r *Status) Folder(dir string) { r.dir.Store(&dir) }

const (
	statusEvery  = 5 * time.Second
	mostWarnings = 50 // the last ones
)

// Start implements sim.Reporter.
func (r *Status) Start(s sim.Start) {
	if info, err := os.Stat(s.Case.OutputDir); err == nil && info.IsDir() { // otherwise the run writes nothing
		r.file = status.NewWriter(s.Case.OutputDir)
	}
	host, _ := os.Hostname()
	r.state = status.State{
		Phase: status.Running,
		Identity: status.Identity{
			Case: s.Case.Path, Title: s.Case.Title, Version: s.Version, Units: unitsOf(s.Case),
			Host: host, Process: os.Getpid(), Job: os.Getenv("SLURM_JOB_ID"), Ranks: len(s.Ranks),
		},
		Progress: status.Progress{
			Started: time.Now(), Every: statusEvery.Seconds(),
			First: s.First, Step: s.First, Last: s.Case.Run.Steps, Time: float64(s.First) * s.Case.Units.Time,
		},
		Outputs: status.Outputs{Restart: s.Restart, Files: map[string]string{}},
		Outcome: status.Outcome{Warnings: slices.Concat(r.state.Warnings, s.Case.Warnings)}, // the first came before the start
	}
	r.write()
}

// unitsOf returns the units of a case's results.
func unitsOf(c *config.Case) string {
	if c.Units.Physical {
		return status.SI
	}
	return status.Lattice
}

// write passes the state to the file's goroutine.
func (r *Status) write() {
	if r.file == nil {
		return
	}
	r.since = time.Now()
	r.file.Write(r.State())
}

// State returns a copy of the current state.
func (r *Status) State() status.State {
	s := r.state
	s.Updated = time.Now()
	s.Warnings = slices.Clone(s.Warnings[max(0, len(s.Warnings)-mostWarnings):])
	s.Files = maps.Clone(s.Files)
	return s
}

// Progress implements sim.Reporter.
func (r *Status) Progress(p sim.Progress) {
	s := &r.state
	s.Step, s.Last, s.Time, s.MLUPS, s.ETA, s.MaxMach = p.Step, p.Last, p.Time, p.MLUPS, p.ETA.Seconds(), p.MaxMach
	s.LeftOut = p.LeftOut
	r.observed(p.Health)
	if time.Since(r.since) >= statusEvery {
		r.write()
	}
}

// observed stores the results of the stability watch.
func (r *Status) observed(h sim.Health) {
	s := &r.state
	s.MaxSpeed, s.DensityDrift, s.GridScale, s.Temperature, s.Warned = h.MaxSpeed, h.DensityDrift, h.GridScale, h.Temperature, h.Warned
}

// Wrote implements sim.Reporter.
func (r *Status) Wrote(kind, path string) {
	if r.state.Files == nil { // ahead of the start
		return
	}
	r.state.Files[kind] = path
	if kind == "checkpoint" {
		r.state.Checkpoint = path
		r.write()
	}
}

// Warn implements sim.Reporter.
func (r *Status) Warn(w finding.Finding) {
	r.state.Warnings = append(r.state.Warnings, w)
	r.write()
}

// Finish implements sim.Reporter.
func (r *Status) Finish(s sim.Summary) {
	r.end = s
	missed := slices.ContainsFunc(s.Expect, func(v sim.Verdict) bool { return !v.Free && !v.OK })
	code := 0
	if missed {
		code = sim.ExitExpect
	}
	r.state.Phase, r.state.Reason, r.state.Step, r.state.ETA, r.state.ExitCode = status.Finished, s.Reason, s.Last, 0, &code
	if s.Last < r.state.Last {
		r.state.Phase = status.Stopped
	}
	r.state.MLUPS = s.MLUPS
	r.state.Time, r.state.LeftOut = float64(s.Last)*s.Case.Units.Time, s.LeftOut
	r.state.MaxMach = s.MaxMach
	r.observed(s.Health)
	r.state.Results, r.state.Walls, r.state.Expect = s.Results, s.Walls, measured(s.Expect)
	r.close()
}

// measured returns the values of expectations.
func measured(list []sim.Verdict) (numbers []status.Number) {
	for _, v := range list {
		n := status.Number{Quantity: v.Quantity, Note: v.Note}
		if !v.Free && !v.OK {
			n.Note = fmt.Sprintf("missed: %.6g +- %.3g was expected", v.Want, v.Tolerance)
		}
		if v.Note == "" && !math.IsNaN(v.Got) && !math.IsInf(v.Got, 0) {
			n.Value = &v.Got
		}
		if v.Half > 0 && !math.IsInf(v.Half, 0) {
			n.Half = &v.Half
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// Fail implements Reporter.
func (r *Status) Fail(err error) {
	code, _ := sim.ExitCode(err)
	// Errors after the end of the run (a job that cannot be requeued) count, too.
	if r.state.Phase == status.Running || r.state.ExitCode != nil && *r.state.ExitCode != code {
		r.state.Phase, r.state.Error, r.state.ExitCode = status.Failed, Failure(err), &code
		r.close()
	}
}

// close leaves the last state on disk.
func (r *Status) close() {
	if r.file == nil {
		return
	}
	r.write()
	if err := r.file.Close(); err != nil && !r.failed {
		r.failed = true
		r.warn(finding.StatusUnwritten.Says("cannot write the state of the run: %v", err))
	}
}

// Note implements Reporter: the state has no notes.
func (r *Status) Note(string) {}

// Lost writes why a rank ends all ranks at once: rank 0 may be the lost one. It does not wait for
// the disk, which may be the cause.
func (r *Status) Lost(text string) {
	dir := r.dir.Load()
	if dir == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = status.Fail(*dir, os.Getenv("SLURM_JOB_ID"), r.begun, "lbmsim: "+text, sim.ExitFailure) // already reported on the terminal
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Second): // a busy disk needs some of them
	}
}
