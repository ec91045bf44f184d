// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"errors"
	"fmt"
	"time"

	"lbmsim/sim/level"
	"lbmsim/sim/output"
	"lbmsim/sim/postmortem"
)

// replay is a run as its post-mortem sees it.
type replay struct{ *run }

// Again recomputes one step, and writes nothing. Collective.
func (r replay) Again() error {
	r.Rank.Heartbeat.Computing(r.Step())
	if err := r.steer(); err != nil {
		return err
	}
	next := r.Step() + 1
	if err := r.advance(1); err != nil {
		return fmt.Errorf("rank %d, step %d: %w", r.Rank.ID, next, err)
	}
	return nil
}

// Save copies the current state of this rank's own cells, and everything else that the coming steps
// depend on.
func (r replay) Save(image []byte) (postmortem.Circumstances, error) {
	c := postmortem.Circumstances{Step: r.Step(), Drive: r.driver.drive, Walls: r.friction.memory(), Force: r.level.Params.Force}
	if r.grid != nil {
		return c, r.grid.ReadImages(image)
	}
	return c, level.Image{Level: r.level}.Read(image)
}

// Back restores a saved state, or the initial state if image is nil. Collective.
func (r replay) Back(image []byte, c postmortem.Circumstances) error {
	l := r.level
	setStep, write := l.SetStep, level.Image{Level: l}.Write
	if r.grid != nil {
		r.grid.Rewind()
		setStep, write = r.grid.SetStep, r.grid.WriteImages
	} else { // states alternate in exchanges: the other one is next
		l.State[0], l.State[1] = l.State[1], l.State[0]
	}
	var err error
	if image == nil {
		setStep(0)
		r.driver.drive, l.Params.Force = output.Drive{}, r.Case.Params().Force
		err = origin(r).state()
	} else {
		setStep(c.Step)
		r.driver.drive, l.Params.Force = c.Drive, c.Force
		err = write(image)
	}
	err = errors.Join(err, r.friction.recall(c.Walls))
	r.watch.Forget()
	if err := r.all("going back", err); err != nil || r.grid != nil { // steps of refined grids fill ghost cells themselves
		return err
	}
	return l.FillGhosts()
}

// Heard returns more than 0 if this rank has received a signal, or knows that the job's time is
// over.
func (r replay) Heard() int64 {
	r.control.listen(r.options.Signals)
	if r.Rank.Root && r.control.jobTimeOver(r.options.JobEnd, r.Case.Run.EndMargin, time.Now()) {
		return byLauncher
	}
	return r.control.signal
}
