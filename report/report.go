// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package report presents a run to people and programs: as text, as JSON events, and as the state
// in its output folder. Each is a Reporter; Many combines several. The meaning of the numbers is
// decided in sim, the choice of reporters in cmd.
package report

import (
	"lbmsim/internal/finding"
	"lbmsim/sim"
)

// Reporter reports a run until its process ends. Only rank 0 calls it, from one goroutine.
type Reporter interface {
	sim.Reporter
	// Fail reports the error that ended the run.
	Fail(error)
	// Note reports events after the end.
	Note(message string)
}

// Many forwards every call to each of its reporters, in their order.
type Many []Reporter

// Start implements sim.Reporter.
func (m Many) Start(s sim.Start) {
	for _, r := range m {
		r.Start(s)
	}
}

// Progress implements sim.Reporter.
func (m Many) Progress(p sim.Progress) {
	for _, r := range m {
		r.Progress(p)
	}
}

// Wrote implements sim.Reporter.
func (m Many) Wrote(kind, path string) {
	for _, r := range m {
		r.Wrote(kind, path)
	}
}

// Warn implements sim.Reporter.
func (m Many) Warn(w finding.Finding) {
	for _, r := range m {
		r.Warn(w)
	}
}

// Finish implements sim.Reporter.
func (m Many) Finish(s sim.Summary) {
	for _, r := range m {
		r.Finish(s)
	}
}

// Fail implements Reporter.
func (m Many) Fail(err error) {
	for _, r := range m {
		r.Fail(err)
	}
}

// Note implements Reporter.
func (m Many) Note(message string) {
	for _, r := range m {
		r.Note(message)
	}
}
