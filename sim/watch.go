// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"errors"
	"fmt"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim/exit"
)

// Look runs the stability watch: it stops every rank if a value is not finite, or the Mach number,
// mass or temperature is beyond its bounds, and copies a good state. Collective.
func (r *run) Look() error { return spend(&r.clock.watch, r.look) }

func (r *run) look() error {
	since, cost := r.postmortem.Age()
	f, err := r.watch.Look(int64(since), int64(cost), int64(r.control.elapsed()))
	switch {
	case err != nil || !f.New:
		return err
	case f.Trouble:
		return r.stopUnstable(f.Mine, time.Duration(f.Largest[2]))
	case f.Wrong:
		return r.stopWrong()
	case r.Step() < r.last && r.postmortem.Due(f.Largest[0], f.Largest[1]):
		return r.postmortem.Keep()
	}
	return nil
}

// stopUnstable ends an unstable run on every rank with one message, after the last fields are on
// disk. mine is this rank's observation.
func (r *run) stopUnstable(mine string, elapsed time.Duration) error {
	parts, err := comm.Gather(r.Rank.Comm, []byte(mine))
	if err != nil {
		return err
	}
	var message []byte
	for _, p := range parts {
		if len(p) > 0 {
			message = fmt.Appendf(p, "\n  try a smaller lattice velocity (time step), a larger tau (now %s), a finer grid, or a smoother start", config.TauText(r.Case.Tau))
			break
		}
	}
	files := r.outputs.LastFields()
	if exit.IsAgreed(files) {
		if r.Rank.Root {
			r.outputs.ForgetBlowup()
		}
		report, err := r.postmortem.Investigate(elapsed, r.first, r.watch.Start)
		if !exit.IsAgreed(err) {
			return err
		}
		files = errors.Join(files, err)
		if r.Rank.Root && report != nil {
			message = r.postmortem.Message(report, message)
			r.outputs.CutTables(report.Step)
		}
	}
	if message, err = comm.Broadcast(r.Rank.Comm, message); err != nil {
		return err
	}
	return errors.Join(exit.With(exit.Unstable, errors.New("the run is unstable, "+string(message))), files)
}

// stopWrong ends a stable run whose results are outside the case's limits, with one message on
// every rank, after the last fields are on disk. Collective.
func (r *run) stopWrong() error {
	files := r.outputs.LastFields()
	if !exit.IsAgreed(files) {
		return files
	}
	var text []byte
	if r.Rank.Root {
		text = []byte(r.watch.Wrong())
	}
	text, err := comm.Broadcast(r.Rank.Comm, text)
	if err != nil {
		return err
	}
	return errors.Join(exit.With(exit.Unstable, errors.New(string(text))), files)
}
