// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// traffic is the exchange of one kind of a level's data between ranks. Two buffers alternate.
type traffic struct {
	*decomp.Traffic
	buffers [2]device.Buffer
	now     int // the buffer of the newest exchange
	halo    halo.Exchange
	queued  halo.Queued // the same, where it needs nothing of the host; otherwise nil
}

// newTraffic allocates the buffers, with space for more items behind the slots.
func newTraffic(dev device.Device, t *decomp.Traffic, more, itemBytes int) (*traffic, error) {
	buffers, err := halo.AllocTraffic(dev, t, more, itemBytes)
	if err != nil {
		return nil, fmt.Errorf("%d MiB for what levels exchange: %w", (t.Slots+more)*itemBytes>>20, err)
	}
	return &traffic{Traffic: t, buffers: buffers}, nil
}

// connect makes the exchange. Collective.
func (t *traffic) connect(on *rank.Rank, c *config.Case, dev device.Device, itemBytes int) (err error) {
	t.halo, err = halo.NewTraffic(halo.TrafficSetup{
		Comm: on.Comm, Traffic: t.Traffic, ItemBytes: itemBytes, Device: dev, Buffers: t.buffers, Want: c.Device.Transport, Aware: c.Device.GPUAware,
	})
	t.queued, _ = t.halo.(halo.Queued)
	if err != nil && c.Device.Transport != config.AutoTransport { // the requested transport is unavailable
		return exit.Agreed(exit.Usage, err)
	}
	return exit.Agreed(exit.Failure, err)
}

// next returns the buffer to which the coming exchange's items are written.
func (t *traffic) next() device.Buffer {
	t.now = 1 - t.now
	return t.buffers[t.now]
}

// begin sends the data queued on a stream, finish makes the items of other ranks visible to later work on it.
func (t *traffic) begin(s device.Stream) error {
	if t.queued != nil {
		t.queued.Queue(s, t.buffers[t.now])
		return nil
	}
	return t.halo.Start(t.buffers[t.now], s.Record())
}

func (t *traffic) finish() error {
	if t.queued != nil {
		return nil
	}
	return t.halo.Finish()
}

// bytes returns the memory of the buffers.
func (t *traffic) bytes() int { return t.buffers[0].Bytes() + t.buffers[1].Bytes() }

// close is collective.
func (t *traffic) close() {
	if t.halo != nil {
		t.halo.Close()
	}
	t.buffers[0].Free()
	t.buffers[1].Free()
}
