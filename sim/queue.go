package sim

import (
	"errors"
	"time"

	"lbmsim/device"
)

// Where an exchange needs nothing of the host, steps are queued from one hook to the
// next and the host waits once: a device that computes a step in microseconds would
// else wait for the host's calls. Two steps lead from one buffer to the other and
// back, so that a device that records work records them once and repeats them: a
// recording knows the buffers by their addresses.

// ahead is how many steps are queued before somebody waits: few enough for any
// queue's memory, enough to make the wait disappear.
const ahead = 512

// quiet is the number of steps until something other than a step is due. Meetings
// come every tenth of a second, so signals and clocks are looked at as often.
func (r *run) quiet() int {
	every := r.Case.Run.WatchEvery
	next := min(r.last, r.n+ahead, r.control.next, (r.n/every+1)*every)
	for _, o := range r.outputs {
		next = min(next, o.schedule().Next(r.n))
	}
	return next - r.n
}

// stretch advances the state by k steps.
func (r *run) stretch(k int) error {
	started, wall := r.bulk.Record(), time.Now()
	for left := k; left > 0; {
		switch recorded, err := r.pair(left); {
		case err != nil:
			return err
		case recorded:
			left -= 2
		default:
			r.queue()
			left--
		}
	}
	done := r.bulk.Record()
	if err := errors.Join(r.edge.Sync(), r.bulk.Sync()); err != nil {
		return err
	}
	r.clock.steps(time.Since(wall), started, done)
	r.n += k
	return nil
}

// queue puts one step into the streams: edges and their exchange beside the bulk, and
// each waits for both of the step before.
func (r *run) queue() {
	in, out := r.state[0], r.state[1]
	if len(r.edges) > 0 {
		r.edge.After(r.bulk.Record())
		for _, box := range r.edges {
			r.program.Step(r.edge, in, out, box, r.params)
		}
		r.queued.Queue(r.edge, out)
	}
	r.program.Step(r.bulk, in, out, r.inner, r.params)
	if len(r.edges) > 0 {
		r.bulk.After(r.edge.Record())
	}
	r.state[0], r.state[1] = out, in
}

// pair queues two steps from a recording, where the device makes them, two steps are
// wanted, and they start from the buffer that the recording starts from.
func (r *run) pair(left int) (bool, error) {
	dev, ok := r.Device.(device.Recorder)
	if !ok || left < 2 {
		return false, nil
	}
	if r.graph == nil {
		g, err := dev.Capture(r.bulk, func() error {
			r.queue()
			r.queue()
			return nil
		})
		if err != nil {
			return false, err
		}
		r.graph, r.graphFrom = g, r.state[0]
	}
	if r.graphFrom != r.state[0] {
		return false, nil
	}
	r.graph.Launch(r.bulk)
	return true, nil
}
