// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/kernels/lookup"
	"lbmsim/model"
)

// coupling is a device.Coupling. Its lists have no pointers: kernels read them in place.
type coupling struct {
	*program
	levels kernels.Levels
	lists  device.CouplingLists
	sent   *memory     // of upstream cells, then additions of walls, then populations from ghost cells of walls with a model
	warm   *memory     // the same of a scalar's carriers
	slots  [3][2][]int // directions of the populations sent across an axis, down and up
	number int         // bytes of a number
	values int         // of a cell
}

var (
	_ device.Coupler      = (*program)(nil)
	_ device.LevelCoupler = (*Device)(nil)
)

// CouplesLevels reports whether programs of a spec can be coupled.
func (d *Device) CouplesLevels(spec model.Spec) bool {
	index, err := lookup.Index(spec)
	_, ok := d.isa.Levels(index)
	return err == nil && ok
}

// Couple copies the lists and allocates the memory of populations that cross faces.
func (p *program) Couple(lists device.CouplingLists) (device.Coupling, error) {
	index, err := lookup.Index(p.spec)
	if err != nil {
		return nil, err
	}
	if !p.device.CouplesLevels(p.spec) {
		return nil, fmt.Errorf("%s has no coupling of levels: it takes moments of 32 or 64 bits", p.spec)
	}
	levels, _ := p.device.isa.Levels(index)
	c := &coupling{program: p, levels: levels, lists: lists, sent: &memory{}, warm: &memory{}, number: p.spec.Precision.Bytes(), values: p.layout.Components}
	if x := lists.Crossings; x != nil {
		if c.sent, err = c.room(len(x.Upstream), x); err == nil && x.Heat != nil {
			c.warm, err = c.room(len(x.Heat.Carriers), &x.Heat.Crossings)
		}
		if err != nil {
			return nil, fmt.Errorf("populations that pass between levels: %w", err)
		}
		c.placeGains()
		if x.Timed() {
			p.moments.couplings = append(p.moments.couplings, c)
		}
	}
	for i, v := range p.spec.Lattice.Velocities {
		for a, side := range v {
			if side != 0 {
				up := (side + 1) / 2
				c.slots[a][up] = append(c.slots[a][up], i)
			}
		}
	}
	return c, nil
}

// sendModels queues the copies of populations from ghost cells of walls with a model in the step from this state, behind the
// populations of a number of upstream cells and the additions of walls.
func (c *coupling) sendModels(s device.Stream, upstream int, x *boundary.Crossings, sent *memory) {
	m := &c.modelled
	if len(x.Models) == 0 {
		return
	}
	q, sends := c.spec.Lattice.Q(), c.levels.Sends()
	first := c.gainsAt(upstream) + len(x.Gains)*c.number
	populations := int(uintptr(m.list.Populations) - uintptr(m.memory.pointer()))
	c.queue(s, "populations of ghost cells between levels", len(x.Models), nil, nil, func(from, to int, _ []unsafe.Pointer) {
		for k, u := range x.Models[from:to] {
			for slot, i := range c.slots[u.Axis][(u.Side+1)/2] {
				at, place := populations+(int(u.Ghost)*q+i)*c.number, first+((from+k)*sends+slot)*c.number
				copy(sent.view[place:place+c.number], m.memory.view[at:at+c.number])
			}
		}
	})
}

// gainsAt returns the offset of the additions of walls, behind the populations of a number of upstream cells.
func (c *coupling) gainsAt(upstream int) int { return upstream * c.levels.Sends() * c.number }

// room allocates memory for the populations of a number of upstream cells, then the additions of walls and populations from
// ghost cells of walls with a model.
func (c *coupling) room(upstream int, x *boundary.Crossings) (*memory, error) {
	m, err := newMemory(c.gainsAt(upstream) + len(x.Gains)*c.number + c.gainsAt(len(x.Models)))
	if err != nil {
		return &memory{}, err
	}
	return m, nil
}

// placeGains writes the additions of walls.
func (c *coupling) placeGains() {
	to := func(m *memory, upstream int, x *boundary.Crossings) {
		if c.spec.Precision == model.Float64 {
			place(m, c.gainsAt(upstream), boundary.GainNumbers[float64](x))
		} else {
			place(m, c.gainsAt(upstream), boundary.GainNumbers[float32](x))
		}
	}
	x := c.lists.Crossings
	to(c.sent, len(x.Upstream), x)
	if x.Heat != nil {
		to(c.warm, len(x.Heat.Carriers), &x.Heat.Crossings)
	}
}

// advanceTo sets the additions of walls for time t.
func (c *coupling) advanceTo(t float64) {
	c.lists.Crossings.AdvanceTo(t)
	c.placeGains()
}

// couplingPiece is the number of list entries per task.
const couplingPiece = 1024

// queue queues work on a list in pieces, with the memory of some buffers, each of at least a given size.
func (c *coupling) queue(s device.Stream, what string, count int, buffers []device.Buffer, bytes []int, do func(first, last int, at []unsafe.Pointer)) {
	own := c.device.own(s, what)
	at := make([]unsafe.Pointer, len(buffers))
	for k, b := range buffers {
		m, ok := b.(*memory)
		if !ok {
			own.fail(fmt.Errorf("%s of %s: a buffer of another device (%T)", what, c.spec, b))
			return
		}
		if m.Bytes() < bytes[k] {
			own.fail(fmt.Errorf("%s of %s: a buffer of %d bytes for %d", what, c.spec, m.Bytes(), bytes[k]))
			return
		}
		at[k] = m.pointer()
	}
	var tasks []task
	for first := 0; first < count; first += couplingPiece {
		tasks = append(tasks, func(*worker) error {
			do(first, min(first+couplingPiece, count), at)
			return nil
		})
	}
	if len(tasks) > 0 {
		own.pool.push(own, &operation{tasks: tasks})
	}
}

// stateBytes and bufferBytes return the bytes of a state, and of a compact buffer with a number of cells.
func (c *coupling) stateBytes() int           { return c.layout.Len() * c.number }
func (c *coupling) bufferBytes(cells int) int { return cells * c.values * c.number }

// places returns how many cells a compact buffer needs for the places of a list.
func places[T any](list []T, place func(T) int64) (cells int) {
	for _, e := range list {
		cells = max(cells, int(place(e))+1)
	}
	return cells
}

// Gather queues the copies of cells to a compact buffer.
func (c *coupling) Gather(s device.Stream, state, buffer device.Buffer) {
	list := c.lists.Gathered
	c.queue(s, "gathering cells", len(list), []device.Buffer{state, buffer}, []int{c.stateBytes(), c.copiedBytes(list)}, func(first, last int, at []unsafe.Pointer) {
		c.copy(list[first:last], func(cell, compact int) {
			copy(unsafe.Slice((*byte)(unsafe.Add(at[1], compact)), c.number), unsafe.Slice((*byte)(unsafe.Add(at[0], cell)), c.number))
		})
	})
}

// Scatter queues the copies of cells from a compact buffer.
func (c *coupling) Scatter(s device.Stream, buffer, state device.Buffer) {
	list := c.lists.Scattered
	c.queue(s, "scattering cells", len(list), []device.Buffer{state, buffer}, []int{c.stateBytes(), c.copiedBytes(list)}, func(first, last int, at []unsafe.Pointer) {
		c.copy(list[first:last], func(cell, compact int) {
			copy(unsafe.Slice((*byte)(unsafe.Add(at[0], cell)), c.number), unsafe.Slice((*byte)(unsafe.Add(at[1], compact)), c.number))
		})
	})
}

func (c *coupling) copiedBytes(list []decomp.Copied) int {
	return c.bufferBytes(places(list, func(e decomp.Copied) int64 { return e.Place }))
}

// copy visits the offsets in bytes of all components of cells, in the state and in the compact buffer.
func (c *coupling) copy(list []decomp.Copied, visit func(cell, compact int)) {
	for _, e := range list {
		for k := range c.values {
			visit((int(e.At)+k*c.layout.Pitch)*c.number, (int(e.Place)*c.values+k)*c.number)
		}
	}
}

// GatherValues queues the values from which a finer level is interpolated.
func (c *coupling) GatherValues(s device.Stream, state, buffer device.Buffer, q model.Params) {
	list, n := c.lists.Values, c.numbers(q)
	c.queue(s, "gathering values", len(list), []device.Buffer{state, buffer}, []int{c.stateBytes(), c.copiedBytes(list)}, func(first, last int, at []unsafe.Pointer) {
		c.levels.Values(c.box, n, unsafe.Pointer(unsafe.SliceData(list)), first, last, at[0], at[1])
	})
}

// Prolong queues the cells beyond ends of the domain, then the overlap.
func (c *coupling) Prolong(s device.Stream, buffer, state device.Buffer, coarse, own model.Params) {
	v, p := lookup.Conversion(c.spec, coarse, own, 0.5), &c.lists.Parents
	need := c.bufferBytes(p.Cells + len(p.Extrapolated))
	for round, first := range p.Rounds[:3] {
		list := p.Extrapolated[first:p.Rounds[round+1]]
		c.queue(s, "extrapolation", len(list), []device.Buffer{buffer}, []int{need}, func(from, to int, at []unsafe.Pointer) {
			c.levels.Extrapolate(c.box, unsafe.Pointer(unsafe.SliceData(list)), from, to, p.Cells+first, at[0])
		})
	}
	c.queue(s, "interpolation", len(p.List), []device.Buffer{buffer, state}, []int{need, c.stateBytes()}, func(from, to int, at []unsafe.Pointer) {
		c.levels.Prolong(c.box, &v, unsafe.Pointer(unsafe.SliceData(p.List)), from, to, at[0], at[1])
	})
}

// Restrict queues the means of children.
func (c *coupling) Restrict(s device.Stream, state, buffer device.Buffer, own, coarse model.Params) {
	v, list := lookup.Conversion(c.spec, own, coarse, 2), c.lists.Families
	need := c.bufferBytes(places(list, func(f decomp.Family) int64 { return f.Place }))
	c.queue(s, "means of children", len(list), []device.Buffer{state, buffer}, []int{c.stateBytes(), need}, func(first, last int, at []unsafe.Pointer) {
		c.levels.Restrict(c.box, &v, unsafe.Pointer(unsafe.SliceData(list)), first, last, at[0], at[1])
	})
}

// Count queues the populations of upstream cells, then their sums.
func (c *coupling) Count(s device.Stream, state, sums device.Buffer, add bool) {
	x := c.lists.Crossings
	if x == nil {
		return
	}
	number := int(c.numbers(model.Params{}).Model)
	c.queue(s, "populations between levels", len(x.Upstream), []device.Buffer{state}, []int{c.stateBytes()}, func(first, last int, at []unsafe.Pointer) {
		c.levels.Send(c.box, number, unsafe.Pointer(unsafe.SliceData(x.Upstream)), first, last, at[0], c.sent.pointer())
	})
	c.sendModels(s, len(x.Upstream), x, c.sent)
	c.queue(s, "flux between levels", len(x.Groups), []device.Buffer{sums}, []int{c.sumBytes(x.Sums)}, func(first, last int, at []unsafe.Pointer) {
		c.levels.Count(unsafe.Pointer(unsafe.SliceData(x.Groups)), unsafe.Pointer(unsafe.SliceData(x.Cells)), unsafe.Pointer(unsafe.SliceData(x.List)), first, last, c.sent.pointer(), x.Scale, add, device.SumNumbers(c.spec), at[0])
	})
	h := x.Heat
	if h == nil {
		return
	}
	c.sendModels(s, len(h.Carriers), &h.Crossings, c.warm)
	c.queue(s, "scalar between levels", len(h.Carriers), []device.Buffer{state}, []int{c.stateBytes()}, func(first, last int, at []unsafe.Pointer) {
		gains := unsafe.Add(c.warm.pointer(), c.gainsAt(len(h.Carriers)))
		c.levels.Carry(c.box, number, unsafe.Pointer(unsafe.SliceData(h.Carriers)), first, last, at[0], gains, c.warm.pointer())
	})
	c.queue(s, "heat between levels", len(h.Groups), []device.Buffer{sums}, []int{c.sumBytes(h.Sums)}, func(first, last int, at []unsafe.Pointer) {
		c.levels.Heat(unsafe.Pointer(unsafe.SliceData(h.Groups)), unsafe.Pointer(unsafe.SliceData(h.Cells)), unsafe.Pointer(unsafe.SliceData(h.List)), first, last, c.warm.pointer(), h.Scale, add, at[0])
	})
}

// sumBytes returns the bytes of a number of sums.
func (c *coupling) sumBytes(sums int) int { return 8 * device.SumNumbers(c.spec) * sums }

// Correct queues the corrections of cells outside the interface.
func (c *coupling) Correct(s device.Stream, own, fine, state device.Buffer, q model.Params) {
	list, faces, n := c.lists.Corrected, c.lists.Faces, c.numbers(q)
	need := places(faces, func(f uint32) int64 { return int64(f) })
	c.queue(s, "correction", len(list), []device.Buffer{own, fine, state}, []int{c.sumBytes(len(list)), c.sumBytes(need), c.stateBytes()}, func(first, last int, at []unsafe.Pointer) {
		c.levels.Correct(c.box, n, unsafe.Pointer(unsafe.SliceData(list)), unsafe.Pointer(unsafe.SliceData(faces)), first, last, at[0], at[1], at[2])
	})
}

// Bytes returns the memory of the lists and of crossing populations.
func (c *coupling) Bytes() int {
	l := &c.lists
	n := len(raw.Bytes(l.Gathered)) + len(raw.Bytes(l.Values)) + len(raw.Bytes(l.Scattered)) + len(raw.Bytes(l.Parents.List)) + len(raw.Bytes(l.Parents.Extrapolated)) +
		len(raw.Bytes(l.Families)) + len(raw.Bytes(l.Corrected)) + len(raw.Bytes(l.Faces))
	if x := l.Crossings; x != nil {
		n += len(raw.Bytes(x.Upstream)) + len(raw.Bytes(x.Groups)) + len(raw.Bytes(x.Cells)) + len(raw.Bytes(x.List))
		if h := x.Heat; h != nil {
			n += len(raw.Bytes(h.Carriers)) + len(raw.Bytes(h.Groups)) + len(raw.Bytes(h.Cells)) + len(raw.Bytes(h.List))
		}
	}
	return n + c.sent.Bytes() + c.warm.Bytes()
}

// Close frees the memory.
func (c *coupling) Close() {
	c.sent.Free()
	c.warm.Free()
}
