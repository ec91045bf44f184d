// Package halo keeps the ghost planes of a rank's state equal to its neighbours'
// edges. An Exchange is a plan (decomp) brought to life by a transport; each
// transport is one file, and halotest holds what all of them must do. A run never
// learns which one it has, except as a word in its report.
package halo

import (
	"errors"
	"fmt"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// Exchange fills the ghost planes of one rank's state, once per step. All ranks
// make the same calls; the goroutine that makes the rank's other communication
// calls makes these.
type Exchange interface {
	// Start begins to fill the ghost planes of state and does not wait. Messages
	// leave once ready, the event after the edge cells, has fired, which Start or
	// Finish look for. Between Start and Finish nobody touches the edge and ghost
	// planes of state; kernels may write the rest of it.
	Start(state device.Buffer, ready device.Event) error
	// Finish returns when the ghost planes are valid and the edge planes may be
	// overwritten. After an error the exchange is of no more use: end all ranks.
	Finish() error
	// Stats of all exchanges so far.
	Stats() Stats
	// Describe names the transport and its way through memory.
	Describe() string
	// Close frees the transport's memory.
	Close()
}

// Stats counts the work of one rank's exchange.
type Stats struct {
	Exchanges int
	Messages  int // sent to other ranks
	Bytes     int // sent to other ranks; as much came back
	Copied    int // bytes copied locally, by a rank that is its own neighbour
	// Seconds from the moment that the edges were seen ready to the arrival of the
	// last ghost plane, summed over the exchanges: the time that messages had to
	// hide behind the bulk, waiting for a late neighbour included. Last is the
	// newest exchange's share, Longest the largest.
	Seconds, Last, Longest float64
}

// Memory is what an exchange needs of a device; device.Device has it.
type Memory interface {
	Alloc(bytes int) (device.Buffer, error)
	NewStream(urgent bool) device.Stream
}

// HostAllocator is a device with host memory that it copies to and from faster
// (page-locked); free gives it back. Without it staging uses ordinary memory.
type HostAllocator interface {
	AllocHost(bytes int) (memory []byte, free func(), err error)
}

// New makes the exchange of this rank for states of the given layout, whose values
// have valueBytes bytes, in the memory of dev. It talks to nobody, so it may fail
// on some ranks only. It takes the best transport that the device and the ranks
// have: messages through the host for now.
func New(c comm.Comm, plan decomp.Plan, layout decomp.Layout, valueBytes int, dev Memory) (Exchange, error) {
	return HostStaged(c, plan, layout, valueBytes, dev)
}

// path is one link of the plan in bytes of the state.
type path struct {
	decomp.Link
	send, recv []decomp.Range
	bytes      int
}

// loop is a path of a rank to itself: what leaves on one side lands in the ghost
// cells of the opposite side.
type loop struct {
	path
	lands []decomp.Range
}

// paths turns the rank's links into byte ranges: those to other ranks and those to
// the rank itself.
func paths(c comm.Comm, plan decomp.Plan, layout decomp.Layout, valueBytes int) (others []path, self []loop, err error) {
	if plan.Ranks() != c.Size() {
		return nil, nil, fmt.Errorf("the plan is for %d ranks, there are %d", plan.Ranks(), c.Size())
	}
	if n := plan.Box(c.Rank()).Size(); layout.N != n || layout.Ghost != plan.Ghost() {
		return nil, nil, fmt.Errorf("the layout is for %v cells with ghosts %v, the rank's box has %v and %v",
			layout.N, layout.Ghost, n, plan.Ghost())
	}
	inBytes := func(b decomp.Box) (out []decomp.Range, n int) {
		for _, r := range layout.Ranges(b) {
			r.Lo *= valueBytes
			r.Hi *= valueBytes
			out = append(out, r)
			n += r.Hi - r.Lo
		}
		return out, n
	}
	for _, l := range plan.Links(c.Rank()) {
		p := path{Link: l}
		var n int
		p.send, p.bytes = inBytes(l.Send)
		p.recv, n = inBytes(l.Recv)
		if n != p.bytes || len(p.recv) != len(p.send) {
			return nil, nil, errors.New("what a link sends does not fit what it receives") // a bug in decomp
		}
		if l.Rank == c.Rank() {
			self = append(self, loop{path: p})
		} else {
			others = append(others, p)
		}
	}
	for i := range self {
		for _, p := range self {
			if p.RecvTag == self[i].SendTag {
				self[i].lands = p.recv
			}
		}
	}
	return others, self, nil
}
