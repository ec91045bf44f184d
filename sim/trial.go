// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"time"

	"lbmsim/comm"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
)

// Trial is a run for measurements: the caller chooses the number of steps and queries their time.
// It has the parts of Run and executes the same steps, hooks and synchronizations. All ranks make
// the same calls. After an error that is not agreed (ExitCode) the ranks have to be ended.
type Trial struct {
	r       *run
	spacing int // steps between two synchronizations, at the speed measured so far
}

// NewTrial builds the parts and the first state.
func NewTrial(o Options) (*Trial, error) {
	r, err := start(o)
	if err == nil {
		err = r.begin()
	}
	if err != nil {
		if _, agreed := ExitCode(err); agreed {
			r.close()
		}
		return nil, err
	}
	return &Trial{r: r, spacing: 1}, nil
}

// Turn holds the times of some steps: seconds, mean over the ranks unless stated otherwise.
type Turn struct {
	Steps     int
	Seconds   float64 // on the slowest rank, synchronizations included
	Compute   float64 // the kernels kept the steps
	Exposed   float64 // no kernel ran: waiting for messages, or between kernels
	Hidden    float64 // messages in flight while kernels ran, as far as the exchange can measure
	Imbalance float64 // the slowest rank's computing time over the mean, minus 1
	Bytes     float64 // sent per rank and step
}

// Steps computes n more steps; every rank begins when all are ready.
func (t *Trial) Steps(n int) (Turn, error) {
	r, c := t.r, &t.r.control
	if err := comm.Barrier(r.Rank.Comm); err != nil {
		return Turn{}, err
	}
	before, exchanged, began := r.clock, r.exchanged().Seconds, time.Now()
	// A run determines the interval of its synchronizations in the first second. The time between
	// two turns does not measure it.
	c.synced, c.syncedAt, c.next = began, r.Step(), r.Step()+t.spacing
	r.last = r.Step() + n
	if err := r.steps(); err != nil {
		return Turn{}, err
	}
	if r.reason != "" {
		return Turn{}, exit.With(exit.Failure, fmt.Errorf("the measurement ended at step %d: %s", r.Step(), r.reason))
	}
	stats, now := r.exchanged(), r.clock
	spent := stopwatch{wall: now.wall - before.wall, compute: now.compute - before.compute, exchange: now.exchange - before.exchange + stats.Seconds - exchanged}
	all, err := comm.Together(r.Rank.Comm, Turn{
		Seconds: time.Since(began).Seconds(), Compute: spent.compute, Exposed: spent.exposed(), Hidden: spent.hidden(),
		// A recorded exchange is counted once.
		Bytes: float64(stats.Bytes) / float64(max(stats.Exchanges, 1)),
	})
	if err != nil {
		return Turn{}, err
	}
	sum, slowest := Turn{Steps: n}, 0.0
	for _, a := range all {
		share := 1 / float64(len(all))
		sum.Seconds, slowest = max(sum.Seconds, a.Seconds), max(slowest, a.Compute)
		sum.Compute += share * a.Compute
		sum.Exposed += share * a.Exposed
		sum.Hidden += share * a.Hidden
		sum.Bytes += share * a.Bytes
	}
	if sum.Compute > 0 {
		sum.Imbalance = slowest/sum.Compute - 1
	}
	t.spacing = max(1, int(syncEvery.Seconds()*float64(n)/sum.Seconds))
	return sum, nil
}

// Look runs the stability watch; it returns an error when the state has gone wrong.
func (t *Trial) Look() error { return t.r.Look() }

// Field gathers a field of the whole domain, or the magnitude of a vector, on rank 0, as [z][y][x] in the outputs' unit.
// Collective.
func (t *Trial) Field(name string) ([]float64, error) {
	f, ok := model.FindField(name)
	if !ok {
		return nil, fmt.Errorf("there is no field %s", name)
	}
	v := t.r.view()
	return v.Collect(f, -1, derive.Region{Box: v.Case.Box()})
}

// Hash returns the same number on every rank, and for every decomposition of the same state: the
// sum of the hashes of all rows of cells with their positions in the domain.
func (t *Trial) Hash() (uint64, error) {
	r := t.r
	mine, err := r.hash()
	if err := r.all("reading the state", err); err != nil {
		return 0, err
	}
	all, err := comm.Together(r.Rank.Comm, mine)
	sum := uint64(0)
	for _, h := range all {
		sum += h
	}
	return sum, err
}

// Close frees the run; the device and the ranks are the caller's. Collective.
func (t *Trial) Close() { t.r.close() }
