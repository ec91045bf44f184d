// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"lbmsim/comm"
	"lbmsim/device"
)

// Messages from GPU memory: the MPI library gets addresses on the device. A link that is one
// contiguous range is sent from and received in the state. A link of many rows is first packed into
// device memory: libraries accept descriptions of rows (derived datatypes), but some are said to
// send them byte by byte.

// onGPU is a carrier for a GPU-aware library.
type onGPU struct {
	path
	lib      comm.DeviceMessages
	from, to device.Buffer    // packed rows; nil: a contiguous range of the state
	pieces   [2][]stridedCopy // out, in

	leave, land device.Stream
}

// newOnGPU creates a carrier for a link.
func newOnGPU(p path, lib comm.DeviceMessages, dev Memory) (*onGPU, error) {
	g := &onGPU{path: p, lib: lib}
	var err error
	if len(p.send) > 1 {
		if g.from, err = dev.Alloc(p.sendBytes); err != nil {
			return nil, err
		}
		g.leave = dev.NewStream(true)
		g.pieces[0] = stridedCopies(p.send, whole(p.sendBytes))
	}
	if len(p.recv) > 1 {
		if g.to, err = dev.Alloc(p.recvBytes); err != nil {
			g.close()
			return nil, err
		}
		g.land = dev.NewStream(true)
		g.pieces[1] = stridedCopies(whole(p.recvBytes), p.recv)
	}
	return g, nil
}

func (g *onGPU) pack(state device.Buffer, ready device.Event) (device.Event, error) {
	if g.sendBytes == 0 {
		return nil, nil
	}
	if g.from == nil {
		return ready, nil
	}
	g.leave.After(ready)
	queueCopies(g.leave, g.from, state, g.pieces[0])
	return g.leave.Record(), nil
}

func (g *onGPU) isend(state device.Buffer) (comm.Request, error) {
	if g.from != nil {
		return g.lib.IsendFrom(address(g.from, 0), g.sendBytes, g.Rank, g.SendTag)
	}
	return g.lib.IsendFrom(address(state, g.send[0].Lo), g.sendBytes, g.Rank, g.SendTag)
}

func (g *onGPU) irecv(state device.Buffer) (comm.Request, error) {
	if g.recvBytes == 0 {
		return nil, nil
	}
	if g.to != nil {
		return g.lib.IrecvTo(address(g.to, 0), g.recvBytes, g.Rank, g.RecvTag)
	}
	return g.lib.IrecvTo(address(state, g.recv[0].Lo), g.recvBytes, g.Rank, g.RecvTag)
}

func (g *onGPU) unpack(state device.Buffer) (device.Event, error) {
	if g.to == nil {
		return nil, nil
	}
	queueCopies(g.land, state, g.to, g.pieces[1])
	return g.land.Record(), nil
}

func (g *onGPU) close() {
	for _, b := range []device.Buffer{g.from, g.to} {
		if b != nil {
			b.Free()
		}
	}
}

// address returns the address of an offset in a buffer that has addresses, as checked in choose.go.
func address(b device.Buffer, offset int) uintptr {
	return b.(device.Addressed).Address() + uintptr(offset)
}
