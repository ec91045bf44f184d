package halo

import (
	"errors"
	"fmt"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// Queued is an Exchange that needs nothing of the host between two steps: what it
// does stands in the streams, ordered by events. Many steps can then be queued, or
// recorded, before anybody waits. Found by type assertion.
type Queued interface {
	Exchange
	// Queue fills the ghost planes of state, in the order of s: work before it on s
	// has written the edge planes, work after it on s sees valid ghost planes. Stats
	// count what was queued; launches of a recording are not seen. It is not mixed
	// with an exchange that Start has begun and Finish has not ended.
	Queue(s device.Stream, state device.Buffer)
}

// local is the exchange of a rank that has no other rank as a neighbour: nothing to
// do between walls, and copies from one end of the box to the other where its ends
// meet. Beside messages it is the part of an exchange that stays in the device.
type local struct {
	rank   int
	self   []loop
	stream device.Stream // of Start; nil when there is nothing to copy
	copied device.Event  // between Start and Finish
	closed bool
	stats  Stats
}

var _ Queued = (*local)(nil)

// Local makes the exchange inside one device: New says what its arguments are. It
// fails where another rank is a neighbour.
func Local(c comm.Comm, plan decomp.Plan, layout decomp.Layout, valueBytes int, dev Memory) (Exchange, error) {
	others, self, err := paths(c, plan, layout, valueBytes)
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("rank %d is a neighbour", others[0].Rank)
	}
	if err != nil {
		return nil, fmt.Errorf("rank %d: set up the exchange: %w", c.Rank(), err)
	}
	return newLocal(c.Rank(), self, dev), nil
}

func newLocal(rank int, self []loop, dev Memory) *local {
	e := &local{rank: rank, self: self}
	if len(self) > 0 {
		e.stream = dev.NewStream(true)
	}
	return e
}

// Queue implements Queued.
func (e *local) Queue(s device.Stream, state device.Buffer) {
	for _, p := range e.self {
		for i, r := range p.send {
			s.Copy(state, p.lands[i].Lo, state, r.Lo, r.Hi-r.Lo)
		}
		e.stats.Copied += p.bytes
	}
	e.stats.Exchanges++
}

// Start implements Exchange.
func (e *local) Start(state device.Buffer, ready device.Event) error {
	if e.closed || e.copied != nil {
		return e.fail("start", errors.New("an exchange is running already, or the last was closed"))
	}
	if e.copied = ready; e.stream != nil {
		e.stream.After(ready)
		e.Queue(e.stream, state)
		e.copied = e.stream.Record()
	} else {
		e.stats.Exchanges++
	}
	return nil
}

// Finish implements Exchange.
func (e *local) Finish() error {
	copied := e.copied
	if copied == nil {
		return nil
	}
	e.copied = nil
	if err := copied.Wait(); err != nil {
		return e.fail("local copy", err)
	}
	return nil
}

func (e *local) fail(what string, err error) error {
	return fmt.Errorf("rank %d: exchange %d, %s: %w", e.rank, e.stats.Exchanges, what, err)
}

// Stats implements Exchange.
func (e *local) Stats() Stats { return e.stats }

// Describe implements Exchange.
func (e *local) Describe() string {
	if len(e.self) == 0 {
		return "none needed"
	}
	return "copies inside the device"
}

// Close implements Exchange.
func (e *local) Close() { e.closed = true }
