package sim

import (
	"time"

	"lbmsim/device"
)

// stopwatch splits the wall time of the steps into computing, messages and the
// rest. Kernels and messages run at the same time, so the split follows what the
// step waited for.
type stopwatch struct {
	steps    int
	wall     float64 // of all steps, seconds
	compute  float64 // from the start of a step to the end of its last kernel
	exchange float64 // from the first message to the last arrival
	output   float64
	watch    float64
}

// step adds one step. Events share the device's clock, wall is the host's.
func (s *stopwatch) step(wall time.Duration, started, edges, bulk device.Event) {
	s.steps++
	s.wall += wall.Seconds()
	done := bulk.Seconds()
	if t := edges.Seconds(); t > done {
		done = t
	}
	s.compute += done - started.Seconds()
}

// spend runs f and adds its time to a total.
func spend(total *float64, f func() error) error {
	t := time.Now()
	err := f()
	*total += time.Since(t).Seconds()
	return err
}

// exposed is the time of the steps in which no kernel ran: they waited for messages
// or, without neighbours, for kernels to start.
func (s *stopwatch) exposed() float64 {
	if s.wall > s.compute {
		return s.wall - s.compute
	}
	return 0
}

// hidden is the time that messages were in flight behind kernels.
func (s *stopwatch) hidden() float64 {
	if h := s.exchange - s.exposed(); h > 0 {
		return h
	}
	return 0
}
