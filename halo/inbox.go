// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// GPUs of one machine that cannot write into each other's memory exchange through host memory that both copy to: a rank's
// inbox for each neighbour. An exchange is work in streams, as in peer.go: copies of the edges into the neighbours' inboxes, a
// barrier whose words are in the inboxes as well, and copies from the rank's own inboxes into its ghost planes. The host is not
// involved. Exchanges are cut into pieces, each with its own passage of the barrier, so that a piece enters one GPU while the next
// leaves the other: the bus carries both directions at once.
//
// An inbox has room for both states. The reasons why peer.go needs one number each way hold here, too: B copies X(n) from its
// inbox before its edge cells of X(n+1), and these are before its signals of that exchange, which A awaits before it fills
// the room of X(n+2), the same.

// inboxes is the links through inboxes.
type inboxes struct {
	links   []inbox
	barrier device.Barrier
	states  [2]device.Buffer
	pieces  int // the same on all ranks
	// Outgoing copies do not wait for neighbours, nor incoming ones for outgoing ones of later pieces.
	leave, meet, land device.Stream
}

// inbox is a path through host memory.
type inbox struct {
	path
	mine, theirs []byte
	free         []func()
	out, in      [2][][]stridedCopy // by state and piece
}

// Sizes of pieces, estimated: at 50 GB/s a piece of pieceBytes takes 10 us, several times the start of a copy, and the last of
// mostPieces is an eighth of the exchange that no copy in the other direction hides.
const (
	pieceBytes = 512 << 10
	mostPieces = 8
)

// sharesHost reports whether a device can have inboxes.
func sharesHost(dev Memory) (device.HostSharer, bool) {
	h, ok := dev.(device.HostSharer)
	if ok {
		_, ok = dev.NewStream(true).(device.RowCopier)
	}
	if ok {
		_, ok = dev.(device.Peer)
	}
	return h, ok
}

// inboxBytes returns the size of an inbox for messages of the given size: the barrier's word, then room for both states.
func inboxBytes(message int) int { return device.BarrierWord + 2*message }

// room is the place of a state's message in an inbox.
func room(side, bytes int) decomp.Range {
	at := device.BarrierWord + side*bytes
	return decomp.Range{Lo: at, Hi: at + bytes}
}

// newInbox creates the rank's own side of a link.
func newInbox(p path, h device.HostSharer) (box *inbox, key []byte, err error) {
	memory, key, free, err := h.ShareHost(inboxBytes(p.recvBytes))
	if err != nil {
		return nil, nil, err
	}
	return &inbox{path: p, mine: memory, free: []func(){free}}, key, nil
}

// open gives access to the neighbour's side.
func (b *inbox) open(h device.HostSharer, key []byte) error {
	memory, free, err := h.OpenHost(key)
	if err != nil {
		return err
	}
	b.free = append(b.free, free)
	if n := inboxBytes(b.sendBytes); len(memory) != n {
		return fmt.Errorf("the inbox of rank %d has %d bytes, not %d", b.Rank, len(memory), n)
	}
	b.theirs = memory
	return nil
}

// cut prepares the copies of an exchange in pieces. Small messages are in the first ones.
func (b *inbox) cut(pieces int) {
	out, in := min(pieces, piecesOf(b.sendBytes)), min(pieces, piecesOf(b.recvBytes))
	for side := range 2 {
		for k := range pieces {
			from, there := part(b.send, k, out), part([]decomp.Range{room(side, b.sendBytes)}, k, out)
			here, to := part([]decomp.Range{room(side, b.recvBytes)}, k, in), part(b.recv, k, in)
			b.out[side] = append(b.out[side], stridedCopies(from, there))
			b.in[side] = append(b.in[side], stridedCopies(here, to))
		}
	}
}

// piecesOf returns the number of pieces of a message.
func piecesOf(bytes int) int { return min(1+bytes/pieceBytes, mostPieces) }

func (b *inbox) close() {
	for _, free := range b.free {
		free()
	}
	b.free = nil
}

// part returns piece k of the bytes in ranges, of about equal sizes that depend on the number of bytes alone; no bytes if k is not
// less than pieces.
func part(list []decomp.Range, k, pieces int) (out []decomp.Range) {
	bytes := span(list)
	edge := func(k int) int { return bytes / word * min(k, pieces) / pieces * word }
	lo, hi := edge(k), edge(k+1)
	at := 0
	for _, r := range list {
		from, to := max(r.Lo, r.Lo+lo-at), min(r.Hi, r.Lo+hi-at)
		if from < to {
			out = append(out, decomp.Range{Lo: from, Hi: to})
		}
		at += r.Hi - r.Lo
	}
	return out
}

// newInboxes creates the links. The number of pieces is the same on all ranks.
func newInboxes(links []inbox, pieces int, states [2]device.Buffer, dev Memory) (*inboxes, error) {
	b := &inboxes{links: links, pieces: pieces, states: states, leave: dev.NewStream(true), meet: dev.NewStream(true), land: dev.NewStream(true)}
	var parties []device.Party
	for i := range links {
		links[i].cut(pieces)
		parties = append(parties, device.Party{Signal: device.Rows{Host: links[i].theirs}, Await: device.Rows{Host: links[i].mine}})
	}
	var err error
	if b.barrier, err = dev.(device.Peer).NewBarrier(parties); err != nil {
		return nil, fmt.Errorf("a barrier with %d neighbours: %w", len(links), err)
	}
	return b, nil
}

// pass queues an exchange after an event and returns the event after it.
func (b *inboxes) pass(ready device.Event, state device.Buffer) (landed device.Event) {
	side := 0
	if state == b.states[1] {
		side = 1
	}
	b.leave.After(ready)
	for k := range b.pieces {
		for _, l := range b.links {
			for _, c := range l.out[side][k] {
				queueCopy(b.leave, device.Rows{Host: l.theirs}, device.Rows{Buffer: state}, c)
			}
		}
		b.meet.After(b.leave.Record())
		b.barrier.Queue(b.meet)
		b.land.After(b.meet.Record())
		for _, l := range b.links {
			for _, c := range l.in[side][k] {
				queueCopy(b.land, device.Rows{Buffer: state}, device.Rows{Host: l.mine}, c)
			}
		}
	}
	return b.land.Record()
}

// close releases the memory. Pending waits are ended: no signal would come.
func (b *inboxes) close() {
	b.barrier.Break()
	b.barrier.Close()
	for i := range b.links {
		b.links[i].close()
	}
}

// shareHost creates inboxes for the links through the host that support them on both sides. Collective.
func (b *builder) shareHost() error {
	h, ok := sharesHost(b.Device)
	wanted, pieces, boxes := make([]bool, len(b.others)), []int64{0}, 0
	for i, p := range b.others {
		// A rank that waits on a GPU would slow down the others on it (whyRefused).
		wanted[i] = ok && b.e.routes[i].Transport == Host && !b.mine.Shared && !b.theirs[i].Shared && boxes < device.MaxParties
		if wanted[i] {
			boxes++
			pieces[0] = max(pieces[0], int64(piecesOf(p.sendBytes)))
		}
	}
	if err := comm.Max(b.Comm, pieces); err != nil || pieces[0] == 0 {
		return err
	}
	b.pieces = int(pieces[0])
	b.boxes = make([]*inbox, len(b.others))
	keys := make([][]byte, len(b.others)) // nil: none
	for i, p := range b.others {
		if wanted[i] {
			// Without one the message takes the other path: no error.
			b.boxes[i], keys[i], _ = newInbox(p, h)
		}
	}
	theirs, err := swap(b, keys)
	if err != nil {
		return err
	}
	opened := make([]bool, len(b.others))
	for i, box := range b.boxes {
		opened[i] = box != nil && theirs[i] != nil && box.open(h, theirs[i]) == nil
	}
	both, err := swap(b, opened)
	if err != nil {
		return err
	}
	for i, box := range b.boxes {
		if box != nil && !(opened[i] && both[i]) {
			box.close()
			b.boxes[i] = nil
		}
	}
	return nil
}
