// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"errors"

	"lbmsim/device"
)

// Step returns the number of the current step.
func (l *Level) Step() int { return l.n }

// SetStep makes n the step of the current state, which differs from the previous one.
func (l *Level) SetStep(n int) { l.n, l.filled = n, 0 }

// Done counts k completed steps.
func (l *Level) Done(k int) {
	l.n += k
	l.SetForce(l.n)
}

// Ends are the ends of one step's parts; nil: it has no such part.
type Ends struct{ Edges, Exchanged, Bulk device.Event }

// Queue puts the step that leads on from step n into the streams. What it computes is the current state from then on.
//
//	bulk: passes due before step n        the edges' parts of them follow on edge: a pass reads what all ranks know at n
//	edge: step the edges                  first, since neighbours wait for them; they read the bulk's cells and ghost cells
//	edge: gather cells of the edges       that other ranks' ghost cells behind walls with a model read
//	edge: exchange the edges              on the device's own, or by the host (Exchange) once it has seen Ends.Edges
//	bulk: step the inner cells            they read edge cells and no ghost cells: no wait for the exchange
//	bulk: wait for the edges              the next step's inner cells read them
//	swap the states                       so two steps lead back to the first buffer, as recordings want it
func (l *Level) Queue(n int) (step Ends) {
	in, out := l.State[0], l.State[1]
	l.passes.queue(n, in)
	if len(l.edges) > 0 {
		for _, box := range l.edges {
			l.step(l.Edge, in, out, box)
		}
		gather(l, out)
		step.Edges = l.Edge.Record()
		if l.Queued != nil {
			l.Queued.Queue(l.Edge, out)
			step.Exchanged = l.Edge.Record()
		}
	}
	l.step(l.Bulk, in, out, l.inner)
	step.Bulk = l.Bulk.Record()
	if len(l.edges) > 0 {
		l.Bulk.After(step.Edges)
		l.unjoined = l.Queued != nil
	}
	l.State[0], l.State[1] = out, in
	return step
}

// QueueFused queues the same step, with the fields that it writes (FuseFields). A recording writes none.
func (l *Level) QueueFused(n int) Ends {
	if l.fused.now = l.FusesFields(n + 1); l.fused.now {
		l.awaitSent()
	}
	defer func() { l.fused.now = false }()
	return l.Queue(n)
}

// QueuePieces queues k steps, an even number, several at once, where the device can do so and neither neighbours nor
// time-dependent values are involved. It reports whether it did.
func (l *Level) QueuePieces(k int) bool {
	m := device.InPieces(l.Program, k)
	if m == nil || len(l.edges) > 0 || l.timed != nil {
		return false
	}
	for range k / m.Stride() {
		m.Steps(l.Bulk, l.State[0], l.State[1], l.Params)
		l.State[0], l.State[1] = l.State[1], l.State[0]
	}
	return true
}

// Recordable reports whether a recording of k steps may begin at step n and be repeated.
func (l *Level) Recordable(k, n int) bool { return l.passes.recordable(k, n) }

// Exchange fills the ghost planes of the current state once its edges are ready, where the host must do so.
func (l *Level) Exchange(ready device.Event) error {
	if err := l.Halo.Start(l.State[0], ready); err != nil {
		return err
	}
	return l.Halo.Finish()
}

// Wait waits for all work in the streams.
func (s Streams) Wait() error { return errors.Join(s.Edge.Sync(), s.Bulk.Sync()) }

// Sync waits for all queued steps. Where neighbours write into this rank's memory, it waits for them, too.
func (l *Level) Sync() error {
	if l.Rank.Size > 1 {
		return l.Rank.Heartbeat.Wait(l.Wait)
	}
	return l.Wait()
}

// Join makes later work on the bulk's stream wait for the last exchange too.
func (l *Level) Join() {
	if l.unjoined {
		l.Bulk.After(l.Edge.Record())
		l.unjoined = false
	}
}

// SetForce sets the body force, where it changes with time, to its value for the state after step n.
// A step collides at its end, with the force of that time; half of it belongs to the velocity
// there, so that the velocity gains the mean of the forces at both ends of a step: of second order.
// The walls' links are passed in its middle, hence the half step of Schedule.
func (l *Level) SetForce(n int) {
	if at := l.Part.Case.Force.At; at != nil {
		l.Params.Force = at(float64(n))
	}
}

// Schedule passes the times of the next k steps to the device, where values depend on time: these steps can then
// be queued, and recorded, like all others.
func (l *Level) Schedule(k int) error {
	if l.timed == nil {
		return nil
	}
	steps := make([]device.Moment, k)
	for i := range steps {
		n := l.n + i
		steps[i] = device.Moment{Time: float64(n) + 0.5, Force: l.Params.Force}
		if at := l.Part.Case.Force.At; at != nil {
			steps[i].Force = at(float64(n + 1))
		}
	}
	return l.timed.Schedule(steps)
}
