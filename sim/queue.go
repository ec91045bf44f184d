package sim

import (
	"errors"
	"time"

	"lbmsim/device"
)

// Where an exchange needs nothing of the host, steps are queued from one hook to the
// next and the host waits once: a device that computes a step in microseconds would
// else wait for the host's calls. Two steps lead from one buffer to the other and
// back, so that a device that records work records some once and repeats them: a
// recording knows the buffers by their addresses.

// ahead is how many steps are queued before somebody waits: few enough for any
// queue's memory, enough to make the wait disappear.
const ahead = device.MaxForeseen

// quiet is the number of steps until something other than a step is due. Meetings
// come every tenth of a second, so signals and clocks are looked at as often.
func (r *run) quiet() int {
	every := r.Case.Run.WatchEvery
	next := min(r.last, r.n+ahead, r.control.next, (r.n/every+1)*every)
	if d := r.Case.Force.Drive; d != nil {
		next = min(next, (r.n/d.Every+1)*d.Every)
	}
	for _, o := range r.outputs {
		next = min(next, o.schedule().Next(r.n))
	}
	return next - r.n
}

// sampled is from how many steps on a stretch ends with steps that are looked at: the
// exchange of a step that nobody waits for shows in events alone, and recorded steps
// have none.
const sampled = 16

// stretch advances the state by k steps.
func (r *run) stretch(k int) error {
	if err := r.foresee(k); err != nil {
		return err
	}
	started, wall := r.bulk.Record(), time.Now()
	look, alone := k >= sampled && r.halo.Stats().Messages > 0, 0
	if look {
		alone = 2 // the last ones, so that recordings keep their buffers
	}
	var seen *queuedStep
	for left := k; left > 0; {
		recorded, err := r.replay(left - alone)
		if err != nil {
			return err
		}
		if left -= recorded; recorded == 0 {
			seen = r.queue()
			left--
		}
	}
	r.join()
	done := r.bulk.Record()
	if err := r.sync(); err != nil {
		return err
	}
	r.clock.steps(time.Since(wall), started, done)
	if look {
		r.clock.sample(k, seen)
	}
	r.n += k
	r.setForce(r.n)
	return nil
}

// sync waits for all steps that are queued. Where neighbours write into this rank's memory
// that is a wait for them, too.
func (r *run) sync() error {
	wait := func() error { return errors.Join(r.edge.Sync(), r.bulk.Sync()) }
	if r.Size > 1 {
		return r.Pulse.Wait(wait)
	}
	return wait()
}

// queuedStep is the ends of one step's parts.
type queuedStep struct{ edges, exchanged, bulk device.Event }

// queue puts one step into the streams: edges and their exchange beside the bulk. The
// edges read cells of the bulk and ghost cells of the step before; the bulk reads edge
// cells, but no ghost cells, and does not wait for the exchange.
func (r *run) queue() (step *queuedStep) {
	in, out := r.state[0], r.state[1]
	step = &queuedStep{}
	r.retime()
	r.program.FillFaces(r.bulk, in, false)
	if len(r.edges) > 0 {
		r.edge.After(r.bulk.Record())
		r.program.FillFaces(r.edge, in, true)
		for _, box := range r.edges {
			r.program.Step(r.edge, in, out, box, r.params)
		}
		step.edges = r.edge.Record()
		r.queued.Queue(r.edge, out)
		step.exchanged = r.edge.Record()
	}
	r.program.Step(r.bulk, in, out, r.inner, r.params)
	step.bulk = r.bulk.Record()
	if len(r.edges) > 0 {
		r.bulk.After(step.edges)
		r.loose = true
	}
	r.state[0], r.state[1] = out, in
	return step
}

// join makes what follows on the bulk's stream wait for the last exchange too.
func (r *run) join() {
	if r.loose {
		r.bulk.After(r.edge.Record())
		r.loose = false
	}
}

// recorded are the steps of the recordings: even, so that they end at the buffer that they start from.
// Between two launches a small box waits as long as for a kernel of a step.
var recorded = [...]int{64, 2}

// replay queues at most so many steps from a recording, where the device makes them and they start
// from the buffer that the recording starts from. It tells how many.
func (r *run) replay(most int) (int, error) {
	dev, ok := r.options.Device.(device.Recorder)
	if !ok || most < 2 {
		return 0, nil
	}
	k := 0
	for recorded[k] > most {
		k++
	}
	r.join() // with what was queued step by step
	g := &r.graphs[k]
	if g.Graph == nil {
		made, err := dev.Capture(r.bulk, func() error {
			for range recorded[k] {
				r.queue()
			}
			r.join()
			return nil
		})
		if err != nil {
			return 0, err
		}
		*g = recording{made, r.state[0]}
	}
	if g.from != r.state[0] {
		return 0, nil
	}
	g.Launch(r.bulk)
	return recorded[k], nil
}

// recording is steps that lead from one buffer back to it.
type recording struct {
	device.Graph
	from device.Buffer
}
