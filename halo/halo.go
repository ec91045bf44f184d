// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package halo keeps the ghost planes of a rank's state equal to its neighbours'
// edges. An Exchange serves links (decomp) by transports: New chooses one for each neighbour (choose.go), each is in one
// file, and halotest verifies their common contract. A run does not depend on the transport, which appears only in its
// report.
//
//	hoststaged.go  messages through the host's memory: always there
//	inbox.go       the same inside a machine: GPUs copy to memory of both
//	gpuaware.go    messages from and to GPU memory, by a library that takes it
//	peer.go        GPUs of one machine write into each other's memory
//	local.go       a rank that is its own neighbour: copies inside its device
//
// NewTraffic (shells.go) returns exchanges between refined levels over the same transports.
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
	// Start begins to fill the ghost planes of state, which is the Setup's state that the previous call did not use, and
	// does not wait. Data are sent once ready, the event after the edge cells, has fired. Between Start and Finish callers
	// must not touch the edge and ghost planes of state; kernels may write the rest of it. From now on the ghost planes of
	// the other state are not read: neighbours may fill them.
	Start(state device.Buffer, ready device.Event) error
	// Finish returns when the ghost planes are valid and the edge planes may be
	// overwritten. After an error the exchange is unusable: end all ranks.
	Finish() error
	// Stats returns the totals of all exchanges so far.
	Stats() Stats
	// Describe names the transports and their paths through memory.
	Describe() string
	// Routes returns the transport of each of the rank's links, and the reason for it.
	Routes() []Route
	// Close frees the transports' memory. All ranks call it, or end.
	Close()
}

// Queued is an Exchange that does not need the host between two steps: its work is in the streams, ordered by events. Many
// steps can then be queued, or recorded, before the host waits. Found by type assertion.
type Queued interface {
	Exchange
	// Queue fills the ghost planes of state, in the order of s: work before it on s
	// has written the edge planes and read the ghost planes of the other state, work
	// after it on s sees valid ghost planes. Stats count queued exchanges, not launches of a
	// recording. Do not call it between Start and Finish.
	Queue(s device.Stream, state device.Buffer)
}

// Stats counts the work of one rank's exchange.
type Stats struct {
	Exchanges int
	Messages  int // sent to other ranks
	Bytes     int // sent to other ranks; as much came back
	Copied    int // bytes copied locally, by a rank that is its own neighbour
	// Seconds from the detection of ready edges to the arrival of the last ghost plane, summed over
	// the exchanges that a rank waited for: the time to be hidden behind the bulk, including waits
	// for late neighbours. Last is the newest exchange's share, Longest the largest.
	Seconds, Last, Longest float64
}

// sent counts the bytes sent on a path.
func (s *Stats) sent(p path) {
	s.Messages += min(p.sendBytes, 1)
	s.Bytes += p.sendBytes
}

// Memory is the part of a device that an exchange needs; device.Device has it.
type Memory interface {
	Alloc(bytes int) (device.Buffer, error)
	NewStream(urgent bool) device.Stream
}

// HostAllocator is a device with page-locked host memory, to and from which it copies faster; free
// releases it. Otherwise staging uses ordinary memory.
type HostAllocator interface {
	AllocHost(bytes int) (memory []byte, free func(), err error)
}

// Setup is the input of New; the same on all ranks, except for a rank's own data.
type Setup struct {
	Comm       comm.Comm
	Links      []decomp.Link // of this rank's box
	Layout     decomp.Layout // of the box
	ValueBytes int           // of a value of the states
	Device     Memory
	// States are the two that a run uses alternately; from AllocState, so that other ranks can
	// access them. Their edge and ghost planes are not yet set.
	States [2]device.Buffer
	// Want is the transport to neighbours, Auto selects the best for each.
	Want Transport
	// Aware is the user's statement whether the MPI library is GPU-aware.
	Aware Word
}

// AllocState allocates a state for an exchange.
func AllocState(dev Memory, bytes int) (device.Buffer, error) {
	if p, ok := dev.(device.Peer); ok {
		return p.AllocShared(bytes)
	}
	return dev.Alloc(bytes)
}

// exchange is the transports of one rank's links.
type exchange struct {
	c        comm.Comm
	routes   []Route
	self     []loop
	peers    *peers        // nil: none
	inboxes  *inboxes      // nil: none
	messages *messages     // nil: none
	shares   bool          // some rank's memory is open to another rank
	words    device.Buffer // where neighbours signal this device; nil: nothing is shared

	stream  device.Stream // of the device's part in Start; nil without such a part
	states  [2]device.Buffer
	last    device.Buffer // the state of the newest exchange
	ready   device.Event  // between Start and Finish ...
	copied  device.Event  // ... and when the device's part is done
	running bool
	broken  error
	stats   Stats
}

// queuedExchange is an exchange without messages.
type queuedExchange struct{ *exchange }

var _ Queued = queuedExchange{}

// Queue implements Queued.
func (e queuedExchange) Queue(s device.Stream, state device.Buffer) {
	if err := e.turn(state); err != nil {
		panic(fmt.Sprintf("rank %d: %v", e.c.Rank(), err)) // a bug of the caller
	}
	e.onDevice(s, state)
	e.stats.Exchanges++
}

// turn checks that the states alternate. Neighbours that write into this rank's memory rely on it
// (peer.go).
func (e *exchange) turn(state device.Buffer) error {
	if state != e.states[0] && state != e.states[1] {
		return errors.New("exchange of a state that it was not set up for")
	}
	if (e.peers != nil || e.inboxes != nil) && state == e.last {
		return errors.New("exchange of the same state twice in a row")
	}
	e.last = state
	return nil
}

// onDevice queues the work that does not need the host: data for other ranks first, since they wait for it.
func (e *exchange) onDevice(s device.Stream, state device.Buffer) {
	if e.inboxes != nil {
		landed := e.inboxes.pass(s.Record(), state)
		defer s.After(landed)
		for _, l := range e.inboxes.links {
			e.stats.sent(l.path)
		}
	}
	if e.peers != nil {
		e.peers.push(s, state, e.self)
		for _, l := range e.peers.links {
			e.stats.sent(l.path)
		}
	} else {
		copyLoops(s, state, e.self)
	}
	for _, l := range e.self {
		e.stats.Copied += l.sendBytes
	}
}

// Start implements Exchange.
func (e *exchange) Start(state device.Buffer, ready device.Event) error {
	if e.broken == nil && e.running {
		e.broken = errors.New("an exchange is already running")
	}
	if e.broken == nil {
		e.broken = e.turn(state)
	}
	if e.broken != nil {
		return e.fail("start", e.broken)
	}
	e.running, e.ready = true, ready
	if e.messages != nil { // first, since they take longest
		if what, err := e.messages.start(state, ready); err != nil {
			return e.fail(what, err)
		}
	}
	if e.stream != nil {
		e.stream.After(ready)
		e.onDevice(e.stream, state)
		e.copied = e.stream.Record()
	}
	return nil
}

// Finish implements Exchange. Messages come first, because the host moves them, while the device's
// part continues by itself: peer neighbours wait only for the edges, never for this rank's
// messages.
func (e *exchange) Finish() error {
	if e.broken != nil {
		return e.fail("finish", e.broken)
	}
	if !e.running {
		return nil
	}
	last := 0.0
	if e.messages != nil {
		seconds, what, err := e.messages.finish()
		if err != nil {
			return e.fail(what, err)
		}
		last = seconds
		for _, m := range e.messages.list {
			e.stats.sent(m.path)
		}
	}
	if e.copied != nil {
		wait := e.copied.Wait
		if e.peers != nil || e.inboxes != nil { // it is a wait for neighbours
			wait = func() error { return comm.HeartbeatOf(e.c).Wait(e.copied.Wait) }
		}
		if err := wait(); err != nil {
			return e.fail("copies of the device", err)
		}
		if e.peers != nil || e.inboxes != nil {
			last = max(last, e.copied.Seconds()-e.ready.Seconds())
		}
	} else if e.messages == nil { // only wait for the edges, like others
		if err := e.ready.Wait(); err != nil {
			return e.fail("start", fmt.Errorf("the edge cells: %w", err))
		}
	}
	e.running, e.ready, e.copied = false, nil, nil
	e.stats.Exchanges++
	e.stats.Last = last
	e.stats.Seconds += last
	e.stats.Longest = max(e.stats.Longest, last)
	return nil
}

func (e *exchange) fail(what string, err error) error {
	if e.broken == nil {
		e.broken = err
	}
	return fmt.Errorf("rank %d: exchange %d, %s: %w", e.c.Rank(), e.stats.Exchanges+1, what, err)
}

// Stats implements Exchange.
func (e *exchange) Stats() Stats { return e.stats }

// Routes implements Exchange.
func (e *exchange) Routes() []Route { return e.routes }

// Close implements Exchange.
func (e *exchange) Close() {
	usable := e.broken == nil
	if usable {
		e.broken = errors.New("the exchange is closed")
	}
	e.end(usable && e.shares)
}

// end releases everything, after a barrier if all ranks take part.
func (e *exchange) end(together bool) {
	if e.messages != nil {
		e.messages.close()
		e.messages = nil
	}
	if e.inboxes != nil {
		e.inboxes.close()
		e.inboxes = nil
	}
	if e.peers != nil {
		e.peers.close()
		e.peers = nil
	}
	if together {
		// An owner frees its memory after the others have closed it ("CUDA Driver API",
		// cuIpcOpenMemHandle). Its error concerns only ranks that end anyway.
		_ = comm.Barrier(e.c)
	}
	if e.words != nil {
		e.words.Free()
		e.words = nil
	}
}
