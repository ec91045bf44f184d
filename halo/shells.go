package halo

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// What refined levels exchange (decomp.Traffic) travels as ghost planes do: the items of one kind lie in a buffer, in slots, and an
// exchange fills the slots of the items that other ranks have. A rank's own items are written to their slots by the kernels that
// write those for other ranks, so that nothing is copied inside a rank.

// TrafficSetup is the input of NewTraffic; the same on all ranks, but for a rank's own data.
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

// AllocTraffic makes the buffers of an exchange of items, with room for so many more behind the slots.
func AllocTraffic(dev Memory, t *decomp.Traffic, more, itemBytes int) (buffers [2]device.Buffer, err error) {
	for i := range buffers {
		// Of a rank without items, too: memory of no bytes cannot be shared.
		if buffers[i], err = AllocState(dev, max(t.Slots+more, 1)*itemBytes); err != nil {
			if i > 0 {
				buffers[0].Free()
			}
			return buffers, err
		}
	}
	return buffers, nil
}

// NewTraffic makes the exchange of a rank's items, on all ranks together, as New does for ghost planes. Edge planes are here the slots
// that Traffic.Sources names, and ghost planes the slots of other ranks' items: ready, of Start, is the event after the first have been
// written, and what has read the other buffer comes before it. Several exchanges may be under way at once if all ranks start and
// finish them in the same order.
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
