// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// transfers write and read the fields of a state synchronously.
type transfers struct{ *core }

// Init writes the state from physical fields.
func (t *transfers) Init(state device.Buffer, box decomp.Box, fields []float64, q model.Params) error {
	return t.through("init", state, box, [3]int{}, fields, t.spec.InitValues(), q, func(l *lane, h *half, at cu.DevicePtr, k piece) error {
		n := copyWide(h.host, raw.Bytes(fields[k.first:][:k.count]))
		if err := cu.MemcpyHtoDAsync(h.there.at, unsafe.Pointer(&h.host[0]), int64(n), l.stream); err != nil {
			return err
		}
		return t.rowsOf(t.kernels.init, l.stream, at, h.there.at, k.box)
	}, func(*half, piece) {})
}

// Fields reads density and velocity.
func (t *transfers) Fields(state device.Buffer, box decomp.Box, fields []float64, q model.Params) error {
	return t.through("fields", state, box, t.layout.Ghost, fields, t.spec.FieldValues(), q, func(l *lane, h *half, at cu.DevicePtr, k piece) error {
		if err := t.rowsOf(t.kernels.fields, l.stream, at, h.there.at, k.box); err != nil {
			return err
		}
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&h.host[0]), h.there.at, int64(8*k.count), l.stream)
	}, func(h *half, k piece) { copyWide(raw.Bytes(fields[k.first:][:k.count]), h.host) })
}

// through takes the fields of a box piece by piece through a lane.
func (t *transfers) through(what string, state device.Buffer, box decomp.Box, layers [3]int, fields []float64, components int, q model.Params,
	start func(*lane, *half, cu.DevicePtr, piece) error, finish func(*half, piece)) error {
	own, err := t.state(state)
	if err == nil {
		err = t.inside(box, layers, false)
	}
	if need := components * box.Cells(); err == nil && len(fields) != need {
		err = fmt.Errorf("%d values for a box that has %d", len(fields), need)
	}
	if err == nil {
		err = t.upload(q)
	}
	list := pieces(box, components, laneBytes/8)
	if err == nil && len(list) > 0 {
		most := 0
		for _, k := range list {
			most = max(most, 8*k.count)
		}
		l := <-t.d.lanes
		defer func() { t.d.lanes <- l }()
		if err = l.open(); err == nil {
			err = l.reserve(most, true)
		}
		if err == nil {
			err = l.turns(what, len(list), func(k int, h *half) error { return start(l, h, own.at, list[k]) },
				func(k int, h *half) { finish(h, list[k]) })
		}
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", what, t.spec, err)
	}
	return nil
}

// piece is a part of a box whose values are contiguous among the box's.
type piece struct {
	box          decomp.Box
	first, count int // values
}

// pieces cuts a box into whole planes, or into rows of one plane, of at most so many
// values if a row has no more.
func pieces(b decomp.Box, components, values int) (list []piece) {
	if b.Cells() == 0 {
		return nil
	}
	n := b.Size()
	row := components * n[0]
	rows := max(1, values/row)
	depth := min(max(1, rows/n[1]), maxGrid)
	height := min(rows, n[1], maxGrid)
	if height < n[1] {
		depth = 1
	}
	for z := 0; z < n[2]; z += depth {
		for y := 0; y < n[1]; y += height {
			p := piece{box: b}
			p.box.Lo[1], p.box.Hi[1] = b.Lo[1]+y, b.Lo[1]+min(y+height, n[1])
			p.box.Lo[2], p.box.Hi[2] = b.Lo[2]+z, b.Lo[2]+min(z+depth, n[2])
			p.first, p.count = (z*n[1]+y)*row, components*p.box.Cells()
			list = append(list, p)
		}
	}
	return list
}
