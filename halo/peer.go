// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"fmt"

	"lbmsim/decomp"
	"lbmsim/device"
)

// GPUs of one machine write into each other's ghost planes. Handles of the states are exchanged once, when the exchange is
// created (choose.go); from then on an exchange is work in a stream: copies of the edges into the neighbours' memory, then a
// barrier, which signals the neighbours that their ghost planes are filled and waits for their signals. The host is not
// involved, so that many steps can be queued, or recorded.
//
// One number each way suffices for two conditions: that ghost planes are filled before their owner reads them, and that
// their owner has read them before they are filled again. Let ranks A and B be neighbours, and X(n) whichever of the two
// states exchange n fills: X(n+1) is the other one, X(n+2) is X(n) again.
//
//   - A reads the ghost planes of X(n) after it has heard n from B, and B says n behind
//     its copies into them, in the same stream. They are filled.
//   - A fills B's ghost planes of X(n+2) behind its own edge cells of that step, and these
//     behind its wait for B's n+1. B says n+1 behind its edge cells of X(n+1), in the
//     same stream, and computing them was the last that read the ghost planes of X(n)
//     before: the bulk reads none, and what reads fields at step n, beside the steps or
//     not, is waited for by the edge cells of step n+1. They have been read.
//   - A's edge planes of X(n) are overwritten in step n+2 by A itself, behind its own
//     copies from them.
//
// This holds for every pair of neighbours, since each waits for all to whom it writes. It fails if the same state is
// exchanged twice in a row: exchange.turn refuses that.

// peers is the links to neighbours whose memory this device can write.
type peers struct {
	links   []peerLink
	barrier device.Barrier
	states  [2]device.Buffer
	streams []device.Stream // in addition to the first one, so that copies run concurrently
	opened  []device.Buffer
}

// peerLink is a path to a neighbour.
type peerLink struct {
	path
	theirs [2]device.Buffer // its states
	copies []stridedCopy    // from a state into its
	// The numbers of the words by which the neighbour hears this rank, and this rank the neighbour.
	signal, await int
}

// newPeers creates the links to neighbours with opened memory.
func newPeers(links []peerLink, signals []device.Buffer, words device.Buffer, states [2]device.Buffer, dev Memory) (*peers, error) {
	p := &peers{links: links, states: states}
	var parties []device.Party
	for i, l := range links {
		parties = append(parties, device.Party{
			Signal: device.Rows{Buffer: signals[i], Offset: l.signal * device.BarrierWord},
			Await:  device.Rows{Buffer: words, Offset: l.await * device.BarrierWord},
		})
		if i > 0 {
			p.streams = append(p.streams, dev.NewStream(true))
		}
	}
	var err error
	if p.barrier, err = dev.(device.Peer).NewBarrier(parties); err != nil {
		return nil, fmt.Errorf("a barrier with %d neighbours: %w", len(links), err)
	}
	return p, nil
}

// push queues the copies to the neighbours, and to the rank itself, and the barrier.
func (p *peers) push(s device.Stream, state device.Buffer, self []loop) {
	side := 0
	if state == p.states[1] {
		side = 1
	}
	if len(p.streams) > 0 {
		edges := s.Record()
		for _, other := range p.streams {
			other.After(edges)
		}
	}
	for i, l := range p.links {
		on := s
		if i > 0 {
			on = p.streams[i-1]
		}
		queueCopies(on, l.theirs[side], state, l.copies)
	}
	copyLoops(s, state, self)
	for _, other := range p.streams {
		s.After(other.Record())
	}
	p.barrier.Queue(s)
}

// close ends the access to the neighbours' memory. Pending waits for them are ended: no signal
// would come.
func (p *peers) close() {
	p.barrier.Break()
	p.barrier.Close()
	for _, b := range p.opened {
		b.Free()
	}
}

// spans encodes a list of ranges as few numbers, for a message: equal ranges at equal
// distances are one.
func spans(list []decomp.Range) []stridedCopy { return stridedCopies(list, whole(span(list))) }

// unspan returns the list that spans encoded.
func unspan(list []stridedCopy) (out []decomp.Range) {
	for _, c := range list {
		for i := range c.Count {
			at := c.From + i*c.FromStride
			out = append(out, decomp.Range{Lo: at, Hi: at + c.Bytes})
		}
	}
	return out
}
