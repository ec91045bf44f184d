// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"errors"
	"fmt"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// Messages through the host: one for each link, from host memory. Where the host can
// address the state and a link is one contiguous range, as all are but the faces across
// y, the message is sent from and received in the state; otherwise it passes through staging
// memory, page-locked if the device supports it. A device that copies there by itself
// (device.RowCopier) does so message by message, so that one is in flight while the next is copied.
// Whole rows are sent. Of D3Q19's populations only 5 of 19 cross a face, so sending these alone
// would save 74% of the bytes at the price of a packing copy; of the moments, the default, all are
// needed.

// straight is a carrier for states that the host addresses.
type straight struct {
	path
	nb comm.NonBlocking
}

func (s *straight) pack(_ device.Buffer, ready device.Event) (device.Event, error) {
	if s.sendBytes == 0 {
		return nil, nil
	}
	return ready, nil
}

func (s *straight) unpack(device.Buffer) (device.Event, error) { return nil, nil }
func (s *straight) close()                                     {}

func (s *straight) isend(state device.Buffer) (comm.Request, error) {
	b, err := hostPart(state, s.send[0])
	if err != nil {
		return nil, err
	}
	return s.nb.Isend(b, s.Rank, s.SendTag)
}

func (s *straight) irecv(state device.Buffer) (comm.Request, error) {
	if s.recvBytes == 0 {
		return nil, nil
	}
	b, err := hostPart(state, s.recv[0])
	if err != nil {
		return nil, err
	}
	return s.nb.Irecv(b, s.Rank, s.RecvTag)
}

// hostPart returns a range of the state in the host's memory.
func hostPart(state device.Buffer, r decomp.Range) ([]byte, error) {
	v, ok := state.(device.HostVisible)
	if !ok {
		return nil, errors.New("the state is not in host memory, unlike the other one")
	}
	return v.Host()[r.Lo:r.Hi], nil
}

// staged is a carrier through staging memory.
type staged struct {
	path
	nb       comm.NonBlocking
	from, to []byte
	free     []func()

	// For a device that copies by itself:
	leave, land device.Stream
	out, in     []stridedCopy
}

// newStaged creates a carrier for a link.
func newStaged(p path, nb comm.NonBlocking, dev Memory) (*staged, error) {
	s := &staged{path: p, nb: nb}
	for _, m := range []struct {
		of    *[]byte
		bytes int
	}{{&s.from, p.sendBytes}, {&s.to, p.recvBytes}} {
		h, ok := dev.(HostAllocator)
		if !ok || m.bytes == 0 {
			*m.of = make([]byte, m.bytes)
			continue
		}
		memory, free, err := h.AllocHost(m.bytes)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("%d bytes of staging memory: %w", m.bytes, err)
		}
		*m.of = memory
		s.free = append(s.free, free)
	}
	if _, ok := dev.(HostAllocator); ok {
		// Incoming data do not queue behind outgoing data, which wait for the edges.
		leave, land := dev.NewStream(true), dev.NewStream(true)
		if _, ok := leave.(device.RowCopier); ok {
			s.leave, s.land = leave, land
			s.out, s.in = stridedCopies(p.send, whole(p.sendBytes)), stridedCopies(whole(p.recvBytes), p.recv)
		}
	}
	return s, nil
}

func (s *staged) pack(state device.Buffer, ready device.Event) (device.Event, error) {
	if s.sendBytes == 0 {
		return nil, nil
	}
	if s.leave == nil {
		return ready, nil
	}
	s.leave.After(ready)
	for _, c := range s.out {
		queueCopy(s.leave, device.Rows{Host: s.from}, device.Rows{Buffer: state}, c)
	}
	return s.leave.Record(), nil
}

func (s *staged) isend(state device.Buffer) (comm.Request, error) {
	if s.leave == nil {
		at := 0
		for _, r := range s.send {
			if err := state.Read(s.from[at:at+r.Hi-r.Lo], r.Lo); err != nil {
				return nil, fmt.Errorf("read %d bytes of the state: %w", r.Hi-r.Lo, err)
			}
			at += r.Hi - r.Lo
		}
	}
	return s.nb.Isend(s.from, s.Rank, s.SendTag)
}

func (s *staged) irecv(device.Buffer) (comm.Request, error) {
	if s.recvBytes == 0 {
		return nil, nil
	}
	return s.nb.Irecv(s.to, s.Rank, s.RecvTag)
}

func (s *staged) unpack(state device.Buffer) (device.Event, error) {
	if s.land != nil {
		for _, c := range s.in {
			queueCopy(s.land, device.Rows{Buffer: state}, device.Rows{Host: s.to}, c)
		}
		return s.land.Record(), nil
	}
	at := 0
	for _, r := range s.recv {
		if err := state.Write(s.to[at:at+r.Hi-r.Lo], r.Lo); err != nil {
			return nil, fmt.Errorf("write %d bytes of the state: %w", r.Hi-r.Lo, err)
		}
		at += r.Hi - r.Lo
	}
	return nil, nil
}

func (s *staged) close() {
	for _, free := range s.free {
		free()
	}
	s.free = nil
}
