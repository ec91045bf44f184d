package sim

import "lbmsim/device"

// foresee tells the device what the next k steps depend on, where something changes with time: so
// they can be queued, and recorded, like all others.
func (r *run) foresee(k int) error {
	if r.timed == nil {
		return nil
	}
	steps := make([]device.Moment, k)
	for i := range steps {
		n := r.n + i
		steps[i] = device.Moment{Time: float64(n) + 0.5, Force: r.params.Force}
		if at := r.Case.Force.At; at != nil {
			steps[i].Force = at(float64(n + 1))
		}
	}
	return r.timed.Foresee(steps)
}

// retime queues the next of the moments that were foreseen, ahead of its step.
func (r *run) retime() {
	if r.timed != nil {
		r.timed.Retime(r.bulk)
	}
}
