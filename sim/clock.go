// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"time"

	"lbmsim/device"
	"lbmsim/sim/level"
)

// stopwatch splits the wall time of the steps into computing, messages and the rest. Kernels and
// messages overlap, so the split counts the time that the step waited for each.
type stopwatch struct {
	wall     float64 // of all steps, seconds
	compute  float64 // from the start of the steps to the end of their last kernel
	exchange float64 // from the first message to the last arrival
	ending   float64 // outputs after the last step, not overlapped
	watch    float64
}

// steps adds steps with a common wait. Events share the device's clock, wall is the host's.
func (s *stopwatch) steps(wall time.Duration, started device.Event, ends ...device.Event) {
	s.wall += wall.Seconds()
	done := 0.0
	for _, e := range ends {
		done = max(done, e.Seconds())
	}
	s.compute += done - started.Seconds()
}

// idle takes the time from the kernels of a step to the next step, which the host had not queued before, out of computing.
func (s *stopwatch) idle(step level.Ends, queued device.Event) {
	s.compute -= max(0, queued.Seconds()-max(step.Edges.Seconds(), step.Bulk.Seconds()))
}

// sample takes one of k queued steps as their mean: the duration of its exchange, and the part not
// hidden by the bulk, which would otherwise count as computing.
func (s *stopwatch) sample(k int, of level.Ends) {
	edges, exchanged := of.Edges.Seconds(), of.Exchanged.Seconds()
	s.exchange += float64(k) * max(0, exchanged-edges)
	s.compute -= float64(k) * max(0, exchanged-max(edges, of.Bulk.Seconds()))
}

// spend runs f and adds its time to a total.
func spend(total *float64, f func() error) error {
	t := time.Now()
	err := f()
	*total += time.Since(t).Seconds()
	return err
}

// exposed returns the time of the steps in which no kernel ran: they waited for messages
// or, without neighbours, for kernels to start.
func (s *stopwatch) exposed() float64 {
	if s.wall > s.compute {
		return s.wall - s.compute
	}
	return 0
}

// hidden returns the time that messages were in flight behind kernels.
func (s *stopwatch) hidden() float64 {
	if h := s.exchange - s.exposed(); h > 0 {
		return h
	}
	return 0
}

// pace is the speed of the latest steps alone, without output, checks and synchronization between
// them. It averages over one to two seconds of steps; over the tenth of a second between two
// synchronizations it would be noise.
type pace struct {
	from, next split
}

// split is a number of steps and the time they took.
type split struct {
	steps   int
	seconds float64
}

const paceOver = 1 // seconds

// at returns steps per second from the total time of the steps so far; 0 if unknown.
func (p *pace) at(steps int, seconds float64) float64 {
	took := seconds - p.from.seconds
	if steps <= p.from.steps || took <= 0 {
		return 0
	}
	speed := float64(steps-p.from.steps) / took
	if seconds-p.next.seconds >= paceOver {
		p.from, p.next = p.next, split{steps, seconds}
	}
	return speed
}
