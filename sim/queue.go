// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"time"

	"lbmsim/device"
	"lbmsim/sim/level"
)

// If an exchange does not need the host, steps are queued from one hook to the next and the host waits once: a device that
// computes a step in microseconds would otherwise wait for the host's calls. Two steps lead from one buffer to the other and
// back, so a device that records work can record them once and replay them: a recording contains the addresses of the
// buffers.

// ahead is the number of steps queued before the host waits: few enough for any
// queue's memory, enough to make the wait negligible.
const ahead = device.MaxScheduled

// sampled is the number of steps from which a queue ends with sampled steps: without a host wait, only events show the exchange
// of a step, and recorded steps have none.
const sampled = 16

// advanceQueued advances the state by k steps.
func (s *stepper) advanceQueued(k int) error {
	l := s.level
	if err := l.Schedule(k); err != nil {
		return err
	}
	started, wall, end := l.Bulk.Record(), time.Now(), l.Step()+k
	look, alone := k >= sampled && l.Halo.Stats().Messages > 0, 0
	if look {
		alone = 2 // the last ones, so that recordings keep their buffers
	}
	if len(s.Case.Forces) > 0 && device.InPieces(l.Program, k) != nil {
		alone = 2 // loads need the state from which the last step started
	}
	if l.FusesFields(end) {
		alone = max(alone, 1) // a recording writes no fields
	}
	var seen level.Ends
	for left := k; left > 0; {
		recorded, err := s.launchRecorded(end-left, left-alone)
		if err != nil {
			return err
		}
		if left -= recorded; recorded == 0 {
			seen = l.QueueFused(end - left)
			left--
		}
	}
	l.Join()
	done := l.Bulk.Record()
	if err := l.Sync(); err != nil {
		return err
	}
	s.clock.steps(time.Since(wall), started, done)
	if look {
		s.clock.sample(k, seen)
	}
	l.Done(k)
	return nil
}

// recorded lists the steps of the recordings: even, so that they end at the buffer that they start
// from. A launch costs a small box as much time as a kernel of a step.
var recorded = [...]int{64, 8, 2}

// launchRecorded queues up to most steps after step n from a recording, if the device makes recordings and the buffer is the one
// that the recording starts from. It returns their number.
func (s *stepper) launchRecorded(n, most int) (int, error) {
	l := s.level
	dev, ok := l.Device.(device.Recorder)
	if !ok || most < 2 {
		return 0, nil
	}
	k := 0
	for recorded[k] > most {
		k++
	}
	if !l.Recordable(recorded[k], n) {
		return 0, nil
	}
	l.Join() // with what was queued step by step
	g := &s.graphs[k]
	if g.Graph == nil {
		made, err := dev.Capture(l.Bulk, func() error {
			s.queueSteps(recorded[k])
			l.Join()
			return nil
		})
		if err != nil {
			return 0, err
		}
		*g = recording{made, l.State[0]}
	}
	if g.from != l.State[0] {
		return 0, nil
	}
	g.Launch(l.Bulk)
	return recorded[k], nil
}

// queueSteps queues k steps, an even number, from a step like the first of a recording (Level.Recordable).
func (s *stepper) queueSteps(k int) {
	if s.level.QueuePieces(k) {
		return
	}
	for i := range k {
		s.level.Queue(i)
	}
}

// recording is steps that lead from one buffer back to it.
type recording struct {
	device.Graph
	from device.Buffer
}

// advance computes k steps.
func (s *stepper) advance(k int) error {
	if s.grid != nil {
		return s.advanceRefined(k)
	}
	if s.level.Queued != nil {
		return s.advanceQueued(k)
	}
	return s.stepwise(k)
}
