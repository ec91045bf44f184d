// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// Exchanges between refined levels (decomp.Traffic) work as for ghost planes: the items of one kind are in slots of a
// buffer, and an exchange fills the slots of other ranks' items. The kernels that write items for other ranks also write the
// rank's own items to their slots, so that no copy inside a rank is needed.

// TrafficSetup is the input of NewTraffic; the same on all ranks, except for a rank's own data.
type TrafficSetup struct {
	Comm      comm.Comm
	Traffic   *decomp.Traffic // of this rank
	ItemBytes int             // of a slot, a multiple of 4
	Device    Memory
	// Buffers are two that a run uses alternately, from AllocTraffic. Both are written to until NewTraffic returns.
	Buffers [2]device.Buffer
	// Want and Aware are as in Setup.
	Want  Transport
	Aware Word
}

// AllocTraffic allocates the buffers of an exchange of items, with space for more items behind the slots.
func AllocTraffic(dev Memory, t *decomp.Traffic, more, itemBytes int) (buffers [2]device.Buffer, err error) {
	for i := range buffers {
		// Also for a rank without items: empty memory cannot be shared.
		if buffers[i], err = AllocState(dev, max(t.Slots+more, 1)*itemBytes); err != nil {
			if i > 0 {
				buffers[0].Free()
			}
			return buffers, err
		}
	}
	return buffers, nil
}

// NewTraffic returns the exchange of a rank's items, as New does for ghost planes; it is collective. Here the edge planes
// are the slots in Traffic.Sources, and the ghost planes are the slots of other ranks' items: ready, of Start, is the event
// after the former have been written and the other buffer has been read. Several exchanges may be in flight at once if all
// ranks start and finish them in the same order.
func NewTraffic(s TrafficSetup) (Exchange, error) {
	return newExchange(Setup{Comm: s.Comm, Device: s.Device, States: s.Buffers, Want: s.Want, Aware: s.Aware}, "what refined levels need", func() ([]path, []loop, error) {
		others, err := s.paths()
		return others, nil, err
	})
}

// paths turns the slots of other ranks' items into byte ranges.
func (s TrafficSetup) paths() (list []path, err error) {
	if s.ItemBytes <= 0 || s.ItemBytes%word != 0 {
		return nil, fmt.Errorf("items of %d bytes, want a multiple of %d", s.ItemBytes, word)
	}
	for _, b := range s.Buffers {
		if b == nil || b.Bytes() < s.Traffic.Slots*s.ItemBytes {
			return nil, fmt.Errorf("the items have %d bytes, a buffer fewer", s.Traffic.Slots*s.ItemBytes)
		}
	}
	for _, p := range s.Traffic.Peers {
		if p.Rank < 0 || p.Rank >= s.Comm.Size() || p.Rank == s.Comm.Rank() {
			return nil, fmt.Errorf("items for rank %d from rank %d of %d", p.Rank, s.Comm.Rank(), s.Comm.Size())
		}
		var send []decomp.Range
		if p.Send.Lo < p.Send.Hi {
			send = append(send, p.Send)
		}
		list = append(list, newPath(p.Rank, s.Traffic.Tag, s.Traffic.Tag, send, p.Recv, s.ItemBytes))
	}
	return list, nil
}
