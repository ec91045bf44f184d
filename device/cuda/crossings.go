// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// crossed is boundary.Crossings or boundary.HeatCrossings in memory order, and the populations of upstream cells.
type crossed struct {
	upstream, modelled, faces, upstreamOf, passages, sent uploaded
	scale                                                 float64
	places                                                int // of sent in each slot: upstream cells, behind them what walls add, and ghost cells of walls with a model
}

// passageABI is Passage of levels.h.
type passageABI struct {
	mass       float64
	momentum   [3]float64
	cell, slot uint32
	_          [2]uint32
}

// putCrossings uploads the lists of the flow and of a scalar.
func putCrossings(c *coupling, x *boundary.Crossings) error {
	upstream, number := inRows(x.Upstream)
	err := errors.Join(put(c, &c.upstream, upstream, nil), c.crossed.put(c, number, x))
	if h := x.Heat; h != nil {
		number := make([]uint32, len(h.Carriers))
		for k := range number {
			number[k] = uint32(k)
		}
		err = errors.Join(err, put(c, &c.warm.upstream, h.Carriers, nil), c.warm.put(c, number, &h.Crossings))
	}
	return err
}

// inRows sorts upstream cells by axis and place, and returns their new numbers by the old ones. At faces across x the cells of both sides
// are neighbours, so that memory is read once.
func inRows(list []boundary.Upstream) (sorted []boundary.Upstream, number []uint32) {
	order := make([]int, len(list))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		u, v := list[a], list[b]
		return cmp.Or(cmp.Compare(u.Axis, v.Axis), cmp.Compare(u.At, v.At))
	})
	number = make([]uint32, len(list))
	for k, was := range order {
		sorted, number[was] = append(sorted, list[was]), uint32(k)
	}
	return sorted, number
}

// put uploads crossings; number has the number of each upstream cell by the one in the lists.
func (x *crossed) put(c *coupling, number []uint32, of *boundary.Crossings) error {
	sends := 0 // populations of an upstream cell
	for _, v := range c.spec.Lattice.Velocities {
		sends += max(0, v[0])
	}
	gains := raw.Bytes(boundary.GainNumbers[float32](of))
	if c.spec.Precision == model.Float64 {
		gains = raw.Bytes(boundary.GainNumbers[float64](of))
	}
	bytes := c.valueBytes()
	sets := len(of.Gains) / sends
	x.places, x.faces.need, x.scale = len(number)+sets+len(of.Models), of.Sums, of.Scale
	sent := make([]byte, sends*x.places*bytes)
	for k := range sets * sends {
		set, slot := k/sends, k%sends
		copy(sent[(slot*x.places+len(number)+set)*bytes:], gains[k*bytes:(k+1)*bytes])
	}
	models := make([]boundary.Upstream, len(of.Models))
	for k, m := range of.Models {
		models[k] = boundary.Upstream{At: int64(m.Ghost), Axis: uint8(m.Axis), High: uint8((m.Side + 1) / 2)}
	}
	faces, cells := inBlocks(of, number)
	return errors.Join(put(c, &x.modelled, models, nil), put(c, &x.faces, faces, nil), put(c, &x.upstreamOf, cells, nil), put(c, &x.passages, passages(c.spec.Lattice, of.List), nil), put(c, &x.sent, sent, nil))
}

// passages returns crossings as kernels read them.
func passages(l model.Lattice, crossings []boundary.Crossing) (list []passageABI) {
	for _, x := range crossings {
		p := passageABI{mass: float64(x.Mass), cell: uint32(x.Cell), slot: uint32(x.Slot)}
		for a, c := range l.Velocities[x.Direction] {
			p.momentum[a] = float64(int(x.Momentum) * c)
		}
		list = append(list, p)
	}
	return list
}

// levelFaces and levelParts are the faces of a block and the threads of each: FACES and PARTS of LevelsOf of kernels/gpu/levels.h.
const levelFaces, levelParts = 32, 8

// inBlocks sorts groups by the place of their sums, which puts neighbouring faces side by side, and writes the upstream cells of
// each block of faces as the kernel reads them: the first of each face, then the second. number has the numbers of upstream
// cells; what walls add keeps its own.
func inBlocks(of *boundary.Crossings, number []uint32) (faces []boundary.Crossed, cells []uint32) {
	lists := map[int64][]uint32{}
	for k, g := range of.Groups {
		end := len(of.Cells)
		if k+1 < len(of.Groups) {
			end = int(of.Groups[k+1].Cells)
		}
		lists[g.Place] = of.Cells[g.Cells:end]
	}
	faces = slices.Clone(of.Groups)
	slices.SortFunc(faces, func(a, b boundary.Crossed) int { return cmp.Compare(a.Place, b.Place) })
	for block := range slices.Chunk(faces, levelFaces) {
		base, most := len(cells), 0
		for _, g := range block {
			most = max(most, len(lists[g.Place]))
		}
		cells = append(cells, make([]uint32, most*levelFaces)...)
		for k := range block {
			for j, cell := range lists[block[k].Place] {
				if int(cell) < len(number) {
					cell = number[cell]
				}
				cells[base+j*levelFaces+k] = cell
			}
			block[k].Cells = uint32(base + k)
		}
	}
	return faces, cells
}

// Count queues the populations of upstream cells, then their sums.
func (c *coupling) Count(s device.Stream, state, sums device.Buffer, add bool) {
	if c.faces.count == 0 {
		return
	}
	adds := uint64(0)
	if add {
		adds = 1
	}
	c.queue(s, "flux between levels", []used{c.ofState(state), c.ofSums(sums, c.faces.need)}, nil, func(own *stream, at []uint64) error {
		if err := c.crossed.populations(c.couplings, c.send, own, at[0]); err != nil {
			return err
		}
		if err := c.crossed.add(c.count, own, at[1], adds); err != nil || c.warm.faces.count == 0 {
			return err
		}
		if err := c.warm.populations(c.couplings, c.carry, own, at[0]); err != nil {
			return err
		}
		return c.warm.add(c.heat, own, at[1], adds)
	})
}

// populations queues the populations from ghost cells of walls with a model, then from upstream cells, which may carry
// the former.
func (x *crossed) populations(c *couplings, fn cu.Function, own *stream, state uint64) error {
	sent, n := uint64(x.sent.at.at), x.modelled.count
	behind := sent + uint64((x.places-n)*c.valueBytes())
	if err := run(c.sendModelled, n, own, uint64(x.modelled.at.at), c.modelled.sends(), behind, uint64(n), uint64(x.places)); err != nil {
		return err
	}
	return run(fn, x.upstream.count, own, uint64(c.box.at), uint64(x.upstream.at.at), state, sent, uint64(x.upstream.count), uint64(x.places))
}

// add queues sums of the sent populations: a block has levelFaces faces.
func (x *crossed) add(fn cu.Function, own *stream, sums, add uint64) error {
	return launch(fn, [3]int{raw.Ceil(x.faces.count, levelFaces), 1, 1}, [2]int{levelFaces * levelParts, 1}, 0, own.s, uint64(x.faces.at.at), uint64(x.upstreamOf.at.at), uint64(x.passages.at.at), uint64(x.sent.at.at), sums, math.Float64bits(x.scale), add, uint64(x.faces.count), uint64(x.places))
}

func (x *crossed) free() {
	for _, l := range []uploaded{x.upstream, x.modelled, x.faces, x.upstreamOf, x.passages, x.sent} {
		l.at.Free()
	}
}
