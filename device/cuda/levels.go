// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/kernels/lookup"
	"lbmsim/model"
)

// couplings is the functions of kernels/gpu/levels.h, loaded when a program is first coupled.
type couplings struct {
	*core
	modelled *modelled
	module   module

	gather, scatter, values, extrapolate, prolong, restricted, send, sendModelled, carry, count, heat, correct cu.Function
}

var (
	_ device.Coupler      = (*program)(nil)
	_ device.LevelCoupler = (*Device)(nil)
	_ device.Compiler     = (*Device)(nil)
)

// CouplesLevels reports whether programs of a spec can be coupled.
func (*Device) CouplesLevels(spec model.Spec) bool {
	return spec.Collision.Scheme == model.Moments && spec.Precision != model.Float16
}

func (c *couplings) free() { c.module.unload(c.d) }

// prepare compiles the kernels.
func (c *couplings) prepare() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.module.loaded {
		return nil
	}
	return c.load(&c.module, "loading the kernels that couple levels", levelsFile, functions{
		"lbm_level_gather": &c.gather, "lbm_level_scatter": &c.scatter, "lbm_level_values": &c.values, "lbm_level_extrapolate": &c.extrapolate, "lbm_level_prolong": &c.prolong,
		"lbm_level_restrict": &c.restricted, "lbm_level_send": &c.send, "lbm_level_send_modelled": &c.sendModelled, "lbm_level_carry": &c.carry, "lbm_level_count": &c.count, "lbm_level_heat": &c.heat, "lbm_level_correct": &c.correct}, nil)
}

// uploaded is a list in the GPU's memory, and the buffer size that its kernels need.
type uploaded struct {
	at    *buffer
	count int
	need  int // cells of a compact buffer, or sums
}

// coupling is a device.Coupling.
type coupling struct {
	*couplings
	crossed
	warm                                                         crossed // of a scalar
	gathered, scattered, valued, parents, extrapolated, families uploaded
	rounds                                                       [4]int
	corrected, facesOf                                           uploaded
	bytes                                                        int

	conversions uploaded // []kernels.Conversion: from the coarser level, and to it
	params      [2]kernels.Conversion
	given       [2]bool
}

// Couple uploads the lists to the GPU.
func (c *couplings) Couple(lists device.CouplingLists) (device.Coupling, error) {
	if !c.d.CouplesLevels(c.spec) {
		return nil, fmt.Errorf("%s has no coupling of levels: it takes moments of 32 or 64 bits", c.spec)
	}
	if lists.Crossings.Timed() {
		return nil, fmt.Errorf("coupling of levels of %s: moving walls that meet the ends of boxes cannot change with time on GPUs", c.spec)
	}
	err := c.prepare()
	if err != nil {
		return nil, fmt.Errorf("coupling of levels of %s: %w", c.spec, err)
	}
	p := &coupling{couplings: c, rounds: lists.Parents.Rounds}
	errs := []error{
		put(p, &p.gathered, lists.Gathered, func(e decomp.Copied) int { return int(e.Place) }),
		put(p, &p.scattered, lists.Scattered, func(e decomp.Copied) int { return int(e.Place) }),
		put(p, &p.valued, lists.Values, func(e decomp.Copied) int { return int(e.Place) }),
		putParents(p, lists.Parents.List),
		put(p, &p.extrapolated, lists.Parents.Extrapolated, nil),
		put(p, &p.families, lists.Families, func(e decomp.Family) int { return int(e.Place) }),
		put(p, &p.corrected, lists.Corrected, nil),
		put(p, &p.facesOf, lists.Faces, func(place uint32) int { return int(place) }),
		put(p, &p.conversions, p.params[:], nil),
	}
	p.parents.count = len(lists.Parents.List)
	p.parents.need = lists.Parents.Cells + len(lists.Parents.Extrapolated)
	if x := lists.Crossings; x != nil {
		errs = append(errs, putCrossings(p, x))
	}
	for _, f := range lists.Families {
		errs = append(errs, even(f.First))
	}
	if err := errors.Join(errs...); err != nil {
		p.Close()
		return nil, fmt.Errorf("coupling of levels of %s: %w", c.spec, err)
	}
	return p, nil
}

// put uploads a list. place returns the place of an entry in a compact buffer, or among sums; nil: entries have none.
func put[T any](c *coupling, to *uploaded, list []T, place func(T) int) (err error) {
	bytes := raw.Bytes(list)
	if to.at, err = c.d.alloc(len(bytes)); err != nil {
		return err
	}
	to.count = len(list)
	c.bytes += len(bytes)
	for _, e := range list {
		if place != nil {
			to.need = max(to.need, place(e)+1)
		}
	}
	return to.at.Write(bytes, 0)
}

// even checks the place of a first child: kernels read and write two children at once.
func even(first int64) error {
	if first%2 != 0 {
		return fmt.Errorf("the first child of a cell is at the odd place %d", first)
	}
	return nil
}

// putParents uploads parents as the kernel reads them: the first children of all, then the first cell around each, and so on.
func putParents(c *coupling, list []decomp.Parent) error {
	first, around := make([]int64, len(list)), [19][]uint32{}
	for k := range around {
		around[k] = make([]uint32, len(list))
	}
	for i, p := range list {
		if err := even(p.First); err != nil {
			return err
		}
		first[i] = p.First
		for k, at := range p.Around {
			around[k][i] = at
		}
	}
	bytes := raw.Bytes(first)
	for _, of := range around[:c.around()] {
		bytes = append(bytes, raw.Bytes(of)...)
	}
	return put(c, &c.parents, bytes, nil)
}

// around returns the number of cells around a parent.
func (c *coupling) around() int { return map[int]int{2: 9, 3: 19}[c.spec.Lattice.Dims] }

// used is a buffer of a coupling's work and its required bytes.
type used struct {
	buffer device.Buffer
	bytes  int
}

func (c *coupling) ofState(b device.Buffer) used {
	return used{b, c.layout.Len() * c.spec.Precision.Bytes()}
}
func (c *coupling) ofCells(b device.Buffer, cells int) used {
	return used{b, cells * c.layout.Components * c.spec.Precision.Bytes()}
}
func (c *coupling) ofSums(b device.Buffer, sums int) used {
	return used{b, 8 * device.SumNumbers(c.spec) * sums}
}

// queue queues kernels that work with some buffers, whose addresses launch gets.
func (c *coupling) queue(s device.Stream, what string, buffers []used, prepared func() error, work func(own *stream, at []uint64) error) {
	own := c.stream(s)
	at := make([]uint64, len(buffers))
	var err error
	for k, b := range buffers {
		on, e := c.d.part(b.buffer, 0, b.bytes)
		if e != nil && err == nil {
			err = e
		}
		at[k] = uint64(on)
	}
	if err == nil && prepared != nil {
		err = prepared()
	}
	if err != nil {
		own.fail(fmt.Errorf("%s of %s: %w", what, c.spec, err))
		return
	}
	own.queue(what, func() error { return work(own, at) })
}

// run launches a kernel with a number of threads.
func run(fn cu.Function, threads int, s *stream, args ...uint64) error {
	if threads == 0 {
		return nil
	}
	return launch(fn, [3]int{raw.Ceil(threads, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, s.s, args...)
}

// copies queues the copies of a list's cells between two buffers, in the order of the kernel's arguments.
func (c *coupling) copies(s device.Stream, fn cu.Function, list uploaded, from, to used) {
	if list.count == 0 {
		return
	}
	c.queue(s, "copying cells between levels", []used{from, to}, nil, func(own *stream, at []uint64) error {
		return run(fn, list.count, own, at[0], uint64(list.at.at), at[1], uint64(list.count), uint64(c.layout.Pitch))
	})
}

// Gather queues the copies of cells to a compact buffer, Scatter from one.
func (c *coupling) Gather(s device.Stream, state, buffer device.Buffer) {
	c.copies(s, c.gather, c.gathered, c.ofState(state), c.ofCells(buffer, c.gathered.need))
}
func (c *coupling) Scatter(s device.Stream, buffer, state device.Buffer) {
	c.copies(s, c.scatter, c.scattered, c.ofCells(buffer, c.scattered.need), c.ofState(state))
}

// GatherValues queues the values from which a finer level is interpolated.
func (c *coupling) GatherValues(s device.Stream, state, buffer device.Buffer, q model.Params) {
	if c.valued.count == 0 {
		return
	}
	buffers := []used{c.ofState(state), c.ofCells(buffer, c.valued.need)}
	c.queue(s, "gathering values", buffers, func() error { return c.uploadStep(q) }, func(own *stream, at []uint64) error {
		return run(c.values, c.valued.count, own, uint64(c.box.at), uint64(c.valued.at.at), at[0], at[1], uint64(c.valued.count))
	})
}

// convert uploads conversion k and returns its address. Work that is queued has to see the old one.
func (c *coupling) convert(k int, v kernels.Conversion) error {
	if c.given[k] && c.params[k] == v {
		return nil
	}
	if c.d.recording.Load() {
		return fmt.Errorf("the parameters of %s change while a graph is recorded", c.spec)
	}
	if err := c.d.call("waiting before the parameters change", cu.Synchronize); err != nil {
		return err
	}
	c.params[k], c.given[k] = v, true
	return c.conversions.at.Write(raw.Bytes([]kernels.Conversion{v}), k*int(unsafe.Sizeof(v)))
}

func (c *coupling) conversion(k int) uint64 {
	return uint64(c.conversions.at.at) + uint64(k)*uint64(unsafe.Sizeof(kernels.Conversion{}))
}

// Prolong queues the cells beyond ends of the domain, then the overlap.
func (c *coupling) Prolong(s device.Stream, buffer, state device.Buffer, coarse, own model.Params) {
	if c.parents.count == 0 {
		return
	}
	upload := func() error { return c.convert(0, lookup.Conversion(c.spec, coarse, own, 0.5)) }
	c.queue(s, "interpolation", []used{c.ofCells(buffer, c.parents.need), c.ofState(state)}, upload, func(own *stream, at []uint64) error {
		for round, first := range c.rounds[:3] {
			last := c.rounds[round+1]
			if err := run(c.extrapolate, last-first, own, uint64(c.extrapolated.at.at), at[0], uint64(c.parents.need-c.extrapolated.count), uint64(first), uint64(last)); err != nil {
				return err
			}
		}
		return run(c.prolong, c.parents.count, own, uint64(c.box.at), c.conversion(0), uint64(c.parents.at.at), at[0], at[1], uint64(c.parents.count))
	})
}

// Restrict queues the means of children.
func (c *coupling) Restrict(s device.Stream, state, buffer device.Buffer, own, coarse model.Params) {
	if c.families.count == 0 {
		return
	}
	upload := func() error { return c.convert(1, lookup.Conversion(c.spec, own, coarse, 2)) }
	c.queue(s, "means of children", []used{c.ofState(state), c.ofCells(buffer, c.families.need)}, upload, func(own *stream, at []uint64) error {
		return run(c.restricted, c.families.count, own, uint64(c.box.at), c.conversion(1), uint64(c.families.at.at), at[0], at[1], uint64(c.families.count))
	})
}

// Correct queues the corrections of cells outside the interface.
func (c *coupling) Correct(s device.Stream, own, fine, state device.Buffer, q model.Params) {
	if c.corrected.count == 0 {
		return
	}
	buffers := []used{c.ofSums(own, c.corrected.count), c.ofSums(fine, c.facesOf.need), c.ofState(state)}
	c.queue(s, "correction", buffers, func() error { return c.uploadStep(q) }, func(own *stream, at []uint64) error {
		return run(c.correct, c.corrected.count, own, uint64(c.box.at), uint64(c.corrected.at.at), uint64(c.facesOf.at.at), at[0], at[1], at[2], uint64(c.corrected.count))
	})
}

// Bytes returns the GPU's memory of the lists and of crossing populations.
func (c *coupling) Bytes() int { return c.bytes }

// Close frees the memory.
func (c *coupling) Close() {
	for _, l := range []uploaded{c.gathered, c.scattered, c.valued, c.parents, c.extrapolated, c.families, c.corrected, c.facesOf, c.conversions} {
		l.at.Free()
	}
	c.crossed.free()
	c.warm.free()
}
