package sim

import (
	"time"

	"lbmsim/config"
	"lbmsim/sim/derive"
	"lbmsim/sim/level"
	"lbmsim/sim/output"
	"lbmsim/sim/rank"
)

// stepper takes this rank's level of a run from step to step.
type stepper struct {
	Rank   *rank.Rank
	Case   *config.Case
	level  *level.Level
	first  int // step that the run began from
	graphs [len(recorded)]recording
	clock  stopwatch
}

// Step returns the current step.
func (s *stepper) Step() int { return s.level.Step() }

// stepwise computes one step whose exchange is the host's to do.
func (s *stepper) stepwise() error {
	l := s.level
	if err := l.Schedule(1); err != nil {
		return err
	}
	started, wall := l.Bulk.Record(), time.Now()
	step := l.QueueFused(l.Step())
	if step.Edges == nil { // no neighbour waits for any
		step.Edges = l.Edge.Record()
	}
	if err := l.Exchange(step.Edges); err != nil {
		return err
	}
	if err := l.Wait(); err != nil {
		return err
	}
	s.clock.steps(time.Since(wall), started, step.Edges, step.Bulk)
	l.Done(1)
	return nil
}

// view returns the current state, read as fields.
func (s *stepper) view() derive.View {
	return derive.View{Rank: s.Rank, Case: s.Case, Part: s.level.Part, State: s.level}
}

// state is a level as outputs see it.
type state struct{ *level.Level }

// Force returns the body force at the current step.
func (s state) Force() [3]float64 { return s.Params.Force }

// ReadImage copies the current state into an image.
func (s state) ReadImage(image []byte) error { return level.Image(s).Read(image) }

// Snapshots of the current state beside the steps; nil: the device makes none.
func (s state) Snapshots() output.Snapshotter {
	if shots, ok := s.Level.Snapshots(); ok {
		return shots
	}
	return nil
}

// Statistics of the state that stay with the device.
func (s state) Statistics() output.Statistics { return s.Level.Statistics() }

// free gives what belongs to the steps back, the device itself excepted.
func (s *stepper) free() {
	for _, g := range s.graphs {
		if g.Graph != nil {
			g.Close()
		}
	}
	s.level.Close()
}
