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

// crossed is boundary.Crossings or boundary.HeatCrossings as blocks of faces count them (kernels/gpu/levels.h).
type crossed struct {
	blocks, faces, senders, others, sendersOf, passages, gains, ghosts uploaded
	need, sets                                                         int // sums; of gains
	scale                                                              float64
}

// passageABI is Passage of levels.h, countedABI Counted.
type passageABI struct {
	mass       float64
	momentum   [3]float64
	cell, slot uint32
	_          [2]uint32
}
type countedABI struct{ face, faces, sender, senders uint32 }

// levelFaces and levelSenders are the most faces and senders of a block: LevelsOf::FACES and SENDERS.
const levelFaces, levelSenders = 32, 576

// sender is a number of LevelsOf::count.
func senderOf(at int64, axis, high, kind int) uint64 {
	return uint64(at) | uint64(axis)<<48 | uint64(high)<<50 | uint64(kind)<<51
}

// Kinds of senders.
const (
	senderCell = iota
	senderOther
	senderGains
	senderModel
)

// putCrossings uploads the lists of the flow and of a scalar.
func putCrossings(c *coupling, x *boundary.Crossings) error {
	sets := len(x.Gains) / c.sends()
	var ruled []boundary.Upstream
	senders := make([]uint64, 0, len(x.Upstream)+sets+len(x.Models))
	for _, u := range x.Upstream {
		if u.Rule < 0 {
			senders = append(senders, senderOf(u.At, int(u.Axis), int(u.High), senderCell))
			continue
		}
		senders = append(senders, senderOf(int64(len(ruled)), int(u.Axis), int(u.High), senderOther))
		ruled = append(ruled, u)
	}
	for set := range sets {
		senders = append(senders, senderOf(int64(set), 0, 0, senderGains))
	}
	for _, m := range x.Models {
		senders = append(senders, senderOf(int64(m.Ghost), m.Axis, (m.Side+1)/2, senderModel))
	}
	err := errors.Join(put(c, &c.others, ruled, nil), c.crossed.put(c, senders, x))
	if h := x.Heat; h != nil {
		senders := make([]uint64, len(h.Carriers))
		for k, of := range h.Carriers {
			senders[k] = senderOf(int64(k), int(of.Axis), int(of.High), senderOther)
		}
		err = errors.Join(err, put(c, &c.warm.others, h.Carriers, nil), c.warm.put(c, senders, &h.Crossings))
	}
	return err
}

// sends returns the number of populations that a cell sends through faces across an axis on a side.
func (c *coupling) sends() (n int) {
	for _, v := range c.spec.Lattice.Velocities {
		n += max(0, v[0])
	}
	return n
}

// put uploads crossings; senders has the sender of each number of the lists.
func (x *crossed) put(c *coupling, senders []uint64, of *boundary.Crossings) error {
	sends := c.sends()
	x.sets, x.need, x.scale = len(of.Gains)/sends, of.Sums, of.Scale
	turned := &boundary.Crossings{Gains: make([]float64, len(of.Gains))} // slot by slot
	for k, v := range of.Gains {
		turned.Gains[k%sends*x.sets+k/sends] = v
	}
	gains := raw.Bytes(boundary.GainNumbers[float32](turned))
	if c.spec.Precision == model.Float64 {
		gains = raw.Bytes(boundary.GainNumbers[float64](turned))
	}
	ghosts := make([]uint32, len(of.Models))
	for k, m := range of.Models {
		ghosts[k] = m.Ghost
	}
	b := inBlocks(of, senders)
	return errors.Join(put(c, &x.blocks, b.blocks, nil), put(c, &x.faces, b.faces, nil), put(c, &x.senders, b.senders, nil), put(c, &x.sendersOf, b.sendersOf, nil),
		put(c, &x.passages, passages(c.spec.Lattice, of.List), nil), put(c, &x.gains, gains, nil), put(c, &x.ghosts, ghosts, nil))
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

// blocked is crossings in blocks of faces.
type blocked struct {
	blocks    []countedABI
	faces     []boundary.Crossed
	senders   []uint64 // of one block after the other
	sendersOf []uint16 // numbers within the block's senders: of the first of each face, then of the second
}

// inBlocks sorts groups by the place of their sums, which puts neighbouring faces side by side, and lists the senders of each block, in the
// order of memory: at faces across x the cells of both sides are neighbours. A block has as many faces as its senders have room.
func inBlocks(of *boundary.Crossings, senders []uint64) (b blocked) {
	lists := map[int64][]uint32{}
	for k, g := range of.Groups {
		end := len(of.Cells)
		if k+1 < len(of.Groups) {
			end = int(of.Groups[k+1].Cells)
		}
		lists[g.Place] = of.Cells[g.Cells:end]
	}
	faces := slices.Clone(of.Groups)
	slices.SortFunc(faces, func(a, b boundary.Crossed) int { return cmp.Compare(a.Place, b.Place) })
	number := map[uint64]uint16{}
	for len(faces) > 0 {
		clear(number)
		n := 0
		for n < min(levelFaces, len(faces)) {
			more := 0
			for _, cell := range lists[faces[n].Place] {
				if _, ok := number[senders[cell]]; !ok {
					number[senders[cell]] = 0
					more++
				}
			}
			if len(number) > levelSenders {
				break
			}
			n++
		}
		b.add(faces[:n], lists, senders)
		faces = faces[n:]
	}
	return b
}

// add lists a block of faces.
func (b *blocked) add(faces []boundary.Crossed, lists map[int64][]uint32, senders []uint64) {
	var own []uint64
	most := 0
	for _, g := range faces {
		most = max(most, len(lists[g.Place]))
		for _, cell := range lists[g.Place] {
			own = append(own, senders[cell])
		}
	}
	place := func(s uint64) uint64 { return s & (1<<48 - 1) }
	axis := func(s uint64) uint64 { return s >> 48 & 3 }
	slices.SortFunc(own, func(u, v uint64) int {
		return cmp.Or(cmp.Compare(u>>51, v>>51), cmp.Compare(axis(u), axis(v)), cmp.Compare(place(u), place(v)), cmp.Compare(u, v))
	})
	own = slices.Compact(own)
	number := make(map[uint64]uint16, len(own))
	for k, s := range own {
		number[s] = uint16(k)
	}
	base := len(b.sendersOf)
	b.sendersOf = append(b.sendersOf, make([]uint16, most*levelFaces)...)
	b.blocks = append(b.blocks, countedABI{uint32(len(b.faces)), uint32(len(faces)), uint32(len(b.senders)), uint32(len(own))})
	for k, g := range faces {
		for j, cell := range lists[g.Place] {
			b.sendersOf[base+j*levelFaces+k] = number[senders[cell]]
		}
		g.Cells = uint32(base + k)
		b.faces = append(b.faces, g)
	}
	b.senders = append(b.senders, own...)
}

// Count queues the sums of what crosses faces.
func (c *coupling) Count(s device.Stream, state, sums device.Buffer, add bool) {
	if c.blocks.count == 0 {
		return
	}
	c.queue(s, "flux between levels", []used{c.ofState(state), c.ofSums(sums, c.need)}, nil, func(own *stream, at []uint64) error {
		err := c.crossed.add(c.couplings, c.count, own, at[0], at[1], add)
		if err == nil && c.warm.blocks.count > 0 {
			err = c.warm.add(c.couplings, c.heat, own, at[0], at[1], add)
		}
		return err
	})
}

// add queues a kernel with a block for each block of faces.
func (x *crossed) add(c *couplings, fn cu.Function, own *stream, state, sums uint64, add bool) error {
	adds := uint64(0)
	if add {
		adds = 1
	}
	return run(fn, x.blocks.count*rowThreads, own, uint64(c.box.at), uint64(x.blocks.at.at), uint64(x.faces.at.at), uint64(x.senders.at.at), uint64(x.others.at.at), uint64(x.sendersOf.at.at),
		uint64(x.passages.at.at), uint64(x.gains.at.at), uint64(x.sets), uint64(x.ghosts.at.at), c.modelled.sends(), state, sums, math.Float64bits(x.scale), adds)
}

func (x *crossed) free() {
	for _, l := range []uploaded{x.blocks, x.faces, x.senders, x.others, x.sendersOf, x.passages, x.gains, x.ghosts} {
		l.at.Free()
	}
}
