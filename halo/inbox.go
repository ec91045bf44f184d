// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"encoding/binary"
	"fmt"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// If two ranks are on one machine and their devices copy to shared memory, messages through the host bypass the library: the
// device of one writes the bytes to the other's inbox, and a message of one number announces them. A library copies them
// twice, by CPUs, which is slower than the devices. Only for GPUs: ranks on CPUs send directly from the state.
//
// An inbox holds two exchanges. The bytes of exchange n+2 replace the bytes of n after the neighbour's number n+1, which it
// sends after it has read n. So numbers go both ways, even if bytes go only one way.

// inbox is a carrier through shared host memory.
type inbox struct {
	path
	nb           comm.NonBlocking
	mine, theirs []byte
	free         []func()
	leave, land  device.Stream
	out, in      [2][]stridedCopy // alternately

	sent, got         uint64
	count, heardCount []byte // messages of one number
}

// sharesHost reports whether a device can have inboxes.
func sharesHost(dev Memory) (device.HostSharer, bool) {
	h, ok := dev.(device.HostSharer)
	if ok {
		_, ok = dev.NewStream(true).(device.RowCopier)
	}
	return h, ok
}

// inboxBytes returns the size of an inbox for messages of the given size: empty memory cannot be shared.
func inboxBytes(message int) int { return 2 * max(message, 1) }

// newInbox creates the rank's own side of a link.
func newInbox(p path, nb comm.NonBlocking, dev Memory, h device.HostSharer) (box *inbox, key []byte, err error) {
	box = &inbox{path: p, nb: nb, count: make([]byte, 8), heardCount: make([]byte, 8)}
	memory, key, free, err := h.ShareHost(inboxBytes(p.recvBytes))
	if err != nil {
		return nil, nil, err
	}
	box.mine, box.free = memory, []func(){free}
	// Incoming data do not queue behind outgoing data, which wait for the edges.
	box.leave, box.land = dev.NewStream(true), dev.NewStream(true)
	for turn := range 2 {
		room := func(bytes int) []decomp.Range { return []decomp.Range{{Lo: turn * bytes, Hi: (turn + 1) * bytes}} }
		box.out[turn], box.in[turn] = stridedCopies(p.send, room(p.sendBytes)), stridedCopies(room(p.recvBytes), p.recv)
	}
	return box, key, nil
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

func (b *inbox) pack(state device.Buffer, ready device.Event) (device.Event, error) {
	b.leave.After(ready)
	for _, c := range b.out[b.sent%2] {
		queueCopy(b.leave, device.Rows{Host: b.theirs}, device.Rows{Buffer: state}, c)
	}
	b.sent++
	return b.leave.Record(), nil
}

func (b *inbox) isend(device.Buffer) (comm.Request, error) {
	binary.LittleEndian.PutUint64(b.count, b.sent)
	return b.nb.Isend(b.count, b.Rank, b.SendTag)
}

func (b *inbox) irecv(device.Buffer) (comm.Request, error) {
	return b.nb.Irecv(b.heardCount, b.Rank, b.RecvTag)
}

func (b *inbox) unpack(state device.Buffer) (device.Event, error) {
	turn := b.got % 2
	b.got++
	if n := binary.LittleEndian.Uint64(b.heardCount); n != b.got {
		return nil, fmt.Errorf("rank %d reports %d sends; %d were received", b.Rank, n, b.got)
	}
	for _, c := range b.in[turn] {
		queueCopy(b.land, device.Rows{Buffer: state}, device.Rows{Host: b.mine}, c)
	}
	return b.land.Record(), nil
}

func (b *inbox) close() {
	for _, free := range b.free {
		free()
	}
	b.free = nil
}

// shareHost creates inboxes for the links through the host that support them on both sides.
func (b *builder) shareHost() error {
	h, ok := sharesHost(b.Device)
	wanted := []int64{0}
	for _, r := range b.e.routes {
		if ok && r.Transport == Host {
			wanted[0] = 1
		}
	}
	if err := comm.Max(b.Comm, wanted); err != nil || wanted[0] == 0 {
		return err
	}
	b.boxes = make([]*inbox, len(b.others))
	keys := make([][]byte, len(b.others)) // nil: none
	for i, p := range b.others {
		if ok && b.e.routes[i].Transport == Host {
			// Without one the message takes the other path: no error.
			b.boxes[i], keys[i], _ = newInbox(p, b.nb, b.Device, h)
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
