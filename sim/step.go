// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"time"

	"lbmsim/config"
	"lbmsim/sim/derive"
	"lbmsim/sim/level"
	"lbmsim/sim/rank"
	"lbmsim/sim/refined"
)

// stepper advances this rank's cells of a run.
type stepper struct {
	Rank   *rank.Rank
	Case   *config.Case
	level  *level.Level  // of a refined grid level 0
	grid   *refined.Grid // nil: the case is not refined
	first  int           // step that the run began from
	graphs [len(recorded)]recording
	clock  stopwatch
}

// Step returns the current step.
func (s *stepper) Step() int { return s.level.Step() }

// stepwise computes k steps whose exchanges are the host's to do. The host queues a step once the ghost planes that it reads have
// arrived, while the bulk of the previous one is still computing.
func (s *stepper) stepwise(k int) error {
	l := s.level
	if err := l.Schedule(k); err != nil {
		return err
	}
	started, wall := l.Bulk.Record(), time.Now()
	var last level.Ends
	for i := range k {
		queued := l.Edge.Record()
		step := l.QueueFused(l.Step())
		if step.Edges == nil { // no neighbour waits for edges
			step.Edges = l.Edge.Record()
		}
		if err := l.Exchange(step.Edges); err != nil {
			return err
		}
		if i > 0 { // the exchange has waited for edges, which the previous step precedes
			s.clock.idle(last, queued)
		}
		l.Done(1)
		last = step
	}
	if err := l.Wait(); err != nil {
		return err
	}
	s.clock.steps(time.Since(wall), started, last.Edges, last.Bulk)
	return nil
}

// view returns the current state, read as fields.
func (s *stepper) view() derive.View {
	if s.grid != nil {
		return s.grid.View()
	}
	return derive.View{Rank: s.Rank, Case: s.Case, Part: s.level.Part, State: s.level}
}

// free releases the resources of the steps, except the device itself.
func (s *stepper) free() {
	for _, g := range s.graphs {
		if g.Graph != nil {
			g.Close()
		}
	}
	switch {
	case s.grid != nil:
		s.grid.Close()
	case s.level != nil:
		s.level.Close()
	}
}
