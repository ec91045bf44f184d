package sim

import (
	"errors"
	"time"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/output"
)

// stepper is this rank's part of the state, and what takes it from step to step.
type stepper struct {
	*domain.Part
	n, first int // the current step, and the one that the run began from
	params   model.Params
	state    [2]device.Buffer // state[0] is the current one

	device  device.Device
	program device.Program
	timed   device.Timed // the same, where something changes with time; else nil
	passes  passes
	streams
	edges  []decomp.Box // local
	inner  decomp.Box
	halo   halo.Exchange
	queued halo.Queued // the same, where steps need not wait for the host; else nil

	unjoined bool // the bulk's stream has not waited for the last exchange
	graphs   [len(recorded)]recording
	leave    leaving
	clock    stopwatch
}

// streams of a rank's work.
type streams struct {
	edge   device.Stream // urgent: the planes that neighbours wait for
	bulk   device.Stream
	reader device.Stream // of fields, beside the steps
}

// stepwise computes one step whose exchange is the host's to do.
func (s *stepper) stepwise() error {
	if err := s.foresee(1); err != nil {
		return err
	}
	started, wall := s.bulk.Record(), time.Now()
	step := s.queueLeaving(s.n, s.leave.at == s.n+1)
	if step.edges == nil { // no neighbour waits for any
		step.edges = s.edge.Record()
	}
	if err := s.halo.Start(s.state[0], step.edges); err != nil {
		return err
	}
	if err := s.halo.Finish(); err != nil {
		return err
	}
	if err := errors.Join(s.edge.Sync(), s.bulk.Sync()); err != nil {
		return err
	}
	s.clock.steps(time.Since(wall), started, step.edges, step.bulk)
	s.done(1)
	return nil
}

// done counts steps whose work has come to its end.
func (s *stepper) done(k int) {
	s.n += k
	s.setForce(s.n)
}

// queuedStep is the ends of one step's parts; nil: it has no such part.
type queuedStep struct{ edges, exchanged, bulk device.Event }

// queue puts the step that leads on from step n into the streams. What it computes is the current state from then on.
//
//	bulk: passes due before step n        the edges' parts of them follow on edge: a pass reads what all ranks know at n
//	edge: step the edges                  first, since neighbours wait for them; they read the bulk's cells and ghost cells
//	edge: exchange the edges              on the device's own, or by the host once it has seen step.edges
//	bulk: step the inner cells            they read edge cells and no ghost cells: no wait for the exchange
//	bulk: wait for the edges              the next step's inner cells read them
//	swap the states                       so two steps lead back to the first buffer, as recordings want it
func (s *stepper) queue(n int) (step queuedStep) {
	in, out := s.state[0], s.state[1]
	s.passes.queue(n, in)
	if len(s.edges) > 0 {
		for _, box := range s.edges {
			s.step(s.edge, in, out, box)
		}
		step.edges = s.edge.Record()
		if s.queued != nil {
			s.queued.Queue(s.edge, out)
			step.exchanged = s.edge.Record()
		}
	}
	s.step(s.bulk, in, out, s.inner)
	step.bulk = s.bulk.Record()
	if len(s.edges) > 0 {
		s.bulk.After(step.edges)
		s.unjoined = s.queued != nil
	}
	s.state[0], s.state[1] = out, in
	return step
}

// queueLeaving is queue of a step that leaves fields, or none.
func (s *stepper) queueLeaving(n int, fields bool) queuedStep {
	l := &s.leave
	if l.now = fields; fields && l.sent != nil {
		s.edge.After(l.sent)
		s.bulk.After(l.sent)
	}
	defer func() { l.now = false }()
	return s.queue(n)
}

// Step is the current step.
func (s *stepper) Step() int { return s.n }

// Fields reads cells of the current state.
func (s *stepper) Fields(box decomp.Box, values []float64) error {
	return s.program.Fields(s.state[0], box, values, s.params)
}

// SumPlanes and SumRows add the cells of the current state up.
func (s *stepper) SumPlanes() ([]device.Plane, error) { return s.program.Planes(s.state[0], s.params) }
func (s *stepper) SumRows() ([]device.Plane, error)   { return s.program.Rows(s.state[0], s.params) }

// view is the current state, read as fields.
func (s *stepper) view() derive.View { return derive.View{Part: s.Part, State: s} }

// setForce makes the body force, where it changes with time, that of the state after step n.
// A step collides at its end, with the force of that time; half of it belongs to the velocity
// there, so that the velocity gains the mean of the forces at both ends of a step: of second order.
// The walls' links are passed in its middle, hence the half step of foresee.
func (s *stepper) setForce(n int) {
	if at := s.Case.Force.At; at != nil {
		s.params.Force = at(float64(n))
	}
}

// foresee reports the device what the next k steps depend on, where something changes with time: so
// they can be queued, and recorded, like all others.
func (s *stepper) foresee(k int) error {
	if s.timed == nil {
		return nil
	}
	steps := make([]device.Moment, k)
	for i := range steps {
		n := s.n + i
		steps[i] = device.Moment{Time: float64(n) + 0.5, Force: s.params.Force}
		if at := s.Case.Force.At; at != nil {
			steps[i].Force = at(float64(n + 1))
		}
	}
	return s.timed.Foresee(steps)
}

// Force is the body force at the current step.
func (s *stepper) Force() [3]float64 { return s.params.Force }

// Snapshots of the current state beside the steps; nil: the device makes none.
func (s *stepper) Snapshots() output.Snapshotter {
	if taker, ok := s.program.(device.SnapshotTaker); ok {
		return snapshotter{s, taker}
	}
	return nil
}

// snapshotter reads fields on a stream of its own.
type snapshotter struct {
	*stepper
	taker device.SnapshotTaker
}

func (s snapshotter) Prepare(box decomp.Box) error { return s.taker.Prepare(box) }

func (s snapshotter) Take(box decomp.Box) (device.Snapshot, error) {
	if s.left(box) {
		return s.sendLeft()
	}
	return s.taker.FieldsAsync(s.reader, s.state[0], box, s.params)
}

func (s snapshotter) Await(e device.Event) {
	s.edge.After(e)
	s.bulk.After(e)
}
