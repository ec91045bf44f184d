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

// sampled is from how many steps on a queue ends with steps that are looked at: the
// exchange of a step that nobody waits for shows in events alone, and recorded steps
// have none.
const sampled = 16

// advanceQueued advances the state by k steps.
func (s *stepper) advanceQueued(k int) error {
	if err := s.foresee(k); err != nil {
		return err
	}
	started, wall := s.bulk.Record(), time.Now()
	look, alone := k >= sampled && s.halo.Stats().Messages > 0, 0
	if look {
		alone = 2 // the last ones, so that recordings keep their buffers
	}
	if len(s.Case.Forces) > 0 && device.InPieces(s.program, k) != nil {
		alone = 2 // loads ask for the state that the last step started from
	}
	leaves := s.leave.at == s.n+k
	if leaves {
		alone = max(alone, 1) // a recording leaves no fields
	}
	var seen queuedStep
	for left := k; left > 0; {
		recorded, err := s.launchRecorded(s.n+k-left, left-alone)
		if err != nil {
			return err
		}
		if left -= recorded; recorded == 0 {
			seen = s.queueLeaving(s.n+k-left, leaves && left == 1)
			left--
		}
	}
	s.join()
	done := s.bulk.Record()
	if err := s.sync(); err != nil {
		return err
	}
	s.clock.steps(time.Since(wall), started, done)
	if look {
		s.clock.sample(k, seen)
	}
	s.done(k)
	return nil
}

// sync waits for all steps that are queued. Where neighbours write into this rank's memory
// that is a wait for them, too.
func (s *stepper) sync() error {
	wait := func() error { return errors.Join(s.edge.Sync(), s.bulk.Sync()) }
	if s.Size > 1 {
		return s.Heartbeat.Wait(wait)
	}
	return wait()
}

// join makes what follows on the bulk's stream wait for the last exchange too.
func (s *stepper) join() {
	if s.unjoined {
		s.bulk.After(s.edge.Record())
		s.unjoined = false
	}
}

// recorded are the steps of the recordings: even, so that they end at the buffer that they start from.
// Between two launches a small box waits as long as for a kernel of a step.
var recorded = [...]int{64, 8, 2}

// launchRecorded queues at most so many steps that lead on from step n, from a recording, where the device makes them and they start
// from the buffer that the recording starts from. It reports how many.
func (s *stepper) launchRecorded(n, most int) (int, error) {
	dev, ok := s.device.(device.Recorder)
	if !ok || most < 2 {
		return 0, nil
	}
	k := 0
	for recorded[k] > most {
		k++
	}
	if !s.passes.recordable(recorded[k], n) {
		return 0, nil
	}
	s.join() // with what was queued step by step
	g := &s.graphs[k]
	if g.Graph == nil {
		made, err := dev.Capture(s.bulk, func() error {
			s.queueSteps(recorded[k])
			s.join()
			return nil
		})
		if err != nil {
			return 0, err
		}
		*g = recording{made, s.state[0]}
	}
	if g.from != s.state[0] {
		return 0, nil
	}
	g.Launch(s.bulk)
	return recorded[k], nil
}

// queueSteps queues k steps, an even number: in pieces of several, where the device computes such and neither neighbours nor
// times have a part in them.
func (s *stepper) queueSteps(k int) {
	if m := device.InPieces(s.program, k); m != nil && len(s.edges) == 0 && s.timed == nil {
		for range k / m.Stride() {
			m.Steps(s.bulk, s.state[0], s.state[1], s.params)
			s.state[0], s.state[1] = s.state[1], s.state[0]
		}
		return
	}
	for i := range k {
		s.queue(i) // from a step like the first of a recording (passes.recordable)
	}
}

// recording is steps that lead from one buffer back to it.
type recording struct {
	device.Graph
	from device.Buffer
}

// advance computes k steps; more than one only where none waits for the host.
func (s *stepper) advance(k int) error {
	if s.queued != nil {
		return s.advanceQueued(k)
	}
	for range k {
		if err := s.stepwise(); err != nil {
			return err
		}
	}
	return nil
}
