// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/parallel"
	"lbmsim/internal/raw"
	"lbmsim/internal/render"
	"lbmsim/model"
)

// volumes are a program's support of 3D views: the kernels of kernels/gpu/cast.h, once used.
type volumes struct {
	*core
	snapshots                                           *snapshots // whose memory hits share
	module                                              module
	failed                                              error // of loading it
	evaluate, put, extend, ends, count, bricks, through cu.Function
	cells                                               boundary.Cells
	types                                               *buffer // boundary.Cells.Type
}

// place keeps the cells, which views upload.
func (v *volumes) place(in *placing) error {
	v.cells = in.cells
	return nil
}

func (v *volumes) free() {
	v.types.Free()
	v.module.unload(v.d)
}

// prepare compiles the kernels and uploads the types of the cells.
func (v *volumes) prepare() (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed != nil {
		return v.failed // not compiled for each picture again
	}
	if !v.module.loaded {
		if err = v.load(&v.module, "loading the kernels for views", castFile, functions{"lbm_evaluate": &v.evaluate, "lbm_put": &v.put, "lbm_extend": &v.extend,
			"lbm_ends": &v.ends, "lbm_count": &v.count, "lbm_bricks": &v.bricks, "lbm_cast": &v.through}, nil); err != nil {
			v.failed = err
			return err
		}
	}
	if v.types == nil {
		types, err := v.d.reserve(len(v.cells.Type))
		if err == nil {
			err = types.Write(v.cells.Type, 0)
		}
		if err != nil {
			types.Free()
			return err
		}
		v.types = types
	}
	return nil
}

// leftFree is the memory that a volume leaves free, for its own transfers and for the run: a viewer must not end it.
const leftFree = 256 << 20

// Launch numbers of kernels/gpu/cast.h: threads of a block of lbm_evaluate and the planes of its march, and threads of a block of lbm_cast.
const (
	shotX, shotY, shotDepth = 32, 8, 32
	raysX, raysY            = 8, 16
)

// NewVolume allocates the memory.
func (v *volumes) NewVolume(at device.VolumeBox, fields [2]device.Shown) (device.Volume, error) {
	if err := v.prepare(); err != nil {
		return nil, fmt.Errorf("views of %s: %w", v.spec, err)
	}
	w := &volume{of: v, at: at, stream: v.d.newStream(false), marked: math.NaN()}
	b := at.Block
	abi := volumeABI{scale: float64(int(1) << b.Level)}
	stored, bricks, piles := 1, 1, 1
	for a, n := range b.N {
		abi.lo[a], abi.n[a] = int32(b.Lo[a]), int32(n)
		abi.ends[0][a], abi.ends[1][a] = int32(-b.Lo[a]), int32(at.Domain[a]-1-b.Lo[a])
		w.stored[a] = n + 2*render.Margin
		stored, bricks, piles = stored*w.stored[a], bricks*raw.Ceil(n, 1<<render.BrickShift), piles*raw.Ceil(n, 1<<render.PileShift)
	}
	w.bricks = bricks
	finest := 0
	if b.Finest != nil {
		finest = len(b.Finest)
	}
	const size = int(unsafe.Sizeof(abi))
	shown := 2 * int(unsafe.Sizeof(fields[0]))
	// All in one piece of memory: the fields; then the structs, and bytes.
	const optics = int(unsafe.Sizeof(render.Optics{}))
	var err error
	if w.memory, err = v.d.reserve(8*stored + size + shown + optics + finest + bricks + piles); err == nil {
		err = w.stream.failed()
	}
	if err == nil {
		var free int64
		if free, err = v.d.FreeMemory(); err == nil && free < leftFree {
			err = fmt.Errorf("%d bytes would be left, less than %d", free, leftFree)
		}
	}
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("views of %s: %w", v.spec, err)
	}
	from := w.memory.at
	take := func(bytes int) uint64 {
		at := from
		from += cu.DevicePtr(bytes)
		return uint64(at)
	}
	w.fields = [2]uint64{take(4 * stored), take(4 * stored)}
	w.abi, w.shown, w.optics = take(size), take(shown), take(optics)
	abi.shape, abi.colour = w.fields[0], w.fields[1]
	if abi.finest = take(finest); finest == 0 {
		abi.finest = 0
	}
	abi.bricks, abi.piles = take(bricks), take(piles)
	w.piles, w.pileBytes = abi.piles, piles
	err = w.memory.Write(raw.Bytes(fields[:]), 8*stored+size)
	if err == nil {
		err = w.memory.Write(raw.Bytes([]volumeABI{abi}), 8*stored)
	}
	if err == nil && finest > 0 {
		err = w.memory.Write(raw.Bytes(b.Finest), 8*stored+size+shown+optics)
	}
	if err == nil && at.Rays > 0 {
		var hits *snapshotMemory // taken now: a picture does not fail later
		if hits, err = v.snapshots.take(hitsOf(at.Rays)); err == nil {
			v.snapshots.give(hits)
		}
	}
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("views of %s: %w", v.spec, err)
	}
	return w, nil
}

// volume is a device.Volume.
type volume struct {
	of        *volumes
	at        device.VolumeBox
	stream    *stream
	memory    *buffer
	stored    [3]int    // values along each axis, margin included
	fields    [2]uint64 // addresses in the memory: of the fields ...
	abi       uint64    // ... of volumeABI
	shown     uint64    // ... of both device.Shown
	optics    uint64    // ... of render.Optics
	piles     uint64
	pileBytes int
	bricks    int
	marked    float64 // value of the surface for which bricks are marked; NaN: none
}

// Close frees the memory.
func (w *volume) Close() {
	_ = w.stream.Sync()
	w.memory.Free()
	w.stream.close()
}

// place returns the address of a cell's value, and the distances of rows and planes.
func (w *volume) place(field int, at [3]int) (to, dy, dz uint64) {
	dy = uint64(w.stored[0])
	dz = dy * uint64(w.stored[1])
	to = w.fields[field]
	for a, step := range [3]uint64{4, 4 * dy, 4 * dz} {
		to += uint64(at[a]-w.at.Local[a]+render.Margin) * step
	}
	return to, dy, dz
}

// inside checks that the volume stores a box.
func (w *volume) inside(box decomp.Box) error {
	for a := range box.Lo {
		if lo := w.at.Local[a] - render.Margin; box.Lo[a] < lo || box.Hi[a] > lo+w.stored[a] {
			return fmt.Errorf("box %v reaches out of a volume of %v values", box, w.stored)
		}
	}
	return nil
}

// run queues a kernel over cells or values and waits.
func (w *volume) run(doing string, fn cu.Function, grid [3]int, threads [2]int, args ...uint64) error {
	w.stream.queue(doing, func() error { return launch(fn, grid, threads, 0, w.stream.s, args...) })
	return w.stream.Sync()
}

func bounds(box decomp.Box) (args []uint64) {
	for _, corner := range [][3]int{box.Lo, box.Hi} {
		for _, k := range corner {
			args = append(args, uint64(int64(k)))
		}
	}
	return args
}

// evaluate computes fields of a box into memory with rows and planes at these distances.
func (w *volume) evaluate(state device.Buffer, box decomp.Box, p model.Params, shown, one, two, dy, dz uint64) error {
	v := w.of
	from, err := v.state(state)
	if err == nil {
		err = v.inside(box, [3]int{}, false)
	}
	if err == nil {
		err = v.upload(p)
	}
	if err != nil || box.Cells() == 0 {
		return err
	}
	n := box.Size()
	args := append([]uint64{uint64(v.box.at), uint64(from.at), uint64(v.types.at), shown, one, two, dy, dz}, bounds(box)...)
	return w.run("fields of a view", v.evaluate, [3]int{raw.Ceil(n[0], shotX), raw.Ceil(n[1], shotY), raw.Ceil(n[2], shotDepth)}, [2]int{shotX, shotY}, args...)
}

// Evaluate computes both fields in place.
func (w *volume) Evaluate(state device.Buffer, box decomp.Box, p model.Params) error {
	if err := w.inside(box); err != nil {
		return err
	}
	w.marked = math.NaN()
	one, dy, dz := w.place(0, box.Lo)
	two, _, _ := w.place(1, box.Lo)
	return w.evaluate(state, box, p, w.shown, one, two, dy, dz)
}

// Sample computes one field in scratch memory.
func (w *volume) Sample(state device.Buffer, field int, box decomp.Box, values []float32, p model.Params) error {
	scratch, err := w.of.d.reserve(4 * box.Cells())
	if err != nil {
		return err
	}
	defer scratch.Free()
	n := box.Size()
	shown := w.shown + uint64(field)*uint64(unsafe.Sizeof(device.Shown{}))
	if err = w.evaluate(state, box, p, shown, uint64(scratch.at), 0, uint64(n[0]), uint64(n[0]*n[1])); err != nil {
		return err
	}
	return scratch.Read(raw.Bytes(values), 0)
}

// Put writes values of a box.
func (w *volume) Put(field int, box decomp.Box, values []float32) error {
	if err := w.inside(box); err != nil {
		return err
	}
	scratch, err := w.of.d.reserve(4 * box.Cells())
	if err != nil {
		return err
	}
	defer scratch.Free()
	if err = scratch.Write(raw.Bytes(values), 0); err != nil {
		return err
	}
	n := box.Size()
	to, dy, dz := w.place(field, box.Lo)
	return w.run("values of a view", w.of.put, [3]int{raw.Ceil(box.Cells(), rowThreads), 1, 1}, [2]int{rowThreads, 1},
		to, uint64(scratch.at), uint64(n[0]), uint64(n[1]), dy, dz, uint64(box.Cells()))
}

// Extend fills the rest of the margin.
func (w *volume) Extend(inside decomp.Box) error {
	if err := w.inside(inside); err != nil {
		return err
	}
	for a := range inside.Lo { // from the corner of the stored values
		shift := render.Margin - w.at.Local[a]
		inside.Lo[a], inside.Hi[a] = inside.Lo[a]+shift, inside.Hi[a]+shift
	}
	return w.run("margin of a view", w.of.extend, [3]int{w.stored[1], w.stored[2], 1}, [2]int{rowThreads, 1}, append([]uint64{w.abi}, bounds(inside)...)...)
}

// visitors is the number of blocks that visit all values.
const visitors = 4096

// Extremes finds the largest of ordered values.
func (w *volume) Extremes() (least, most float32, ok bool, err error) {
	ends := []int32{math.MinInt32, math.MinInt32}
	if err = w.reduce(raw.Bytes(ends), w.of.ends); err != nil || ends[0] == math.MinInt32 {
		return 0, 0, false, err
	}
	float := func(o int32) float32 {
		if o < 0 {
			return -math.Float32frombits(uint32(-o))
		}
		return math.Float32frombits(uint32(o))
	}
	return -float(ends[0]), float(ends[1]), true, nil
}

// Count adds a histogram.
func (w *volume) Count(b device.Bins, counts []int64) error {
	if len(counts) != device.VolumeBins {
		return fmt.Errorf("%d bins, not %d", len(counts), device.VolumeBins)
	}
	return w.reduce(raw.Bytes(counts), w.of.count, uint64(b.Floor), uint64(b.Lo), uint64(b.Hi))
}

// reduce runs a kernel over all values that updates a few numbers.
func (w *volume) reduce(numbers []byte, fn cu.Function, args ...uint64) error {
	there, err := w.of.d.reserve(len(numbers))
	if err != nil {
		return err
	}
	defer there.Free()
	if err = there.Write(numbers, 0); err != nil {
		return err
	}
	if err = w.run("values of a view", fn, [3]int{visitors, 1, 1}, [2]int{rowThreads, 1}, append([]uint64{w.abi, uint64(there.at)}, args...)...); err != nil {
		return err
	}
	return there.Read(numbers, 0)
}

// Cast queues the marks of bricks, the rays, and the transfer of the hits to page-locked memory.
func (w *volume) Cast(scene render.Scene, others ...device.Volume) (device.Seen, error) {
	list := []*volume{w}
	for _, o := range others {
		own, ok := o.(*volume)
		if !ok || own.of.d != w.of.d {
			return nil, fmt.Errorf("a volume of another device (%T)", o)
		}
		list = append(list, own)
	}
	optics := []render.Optics{scene.Optics()}
	o := optics[0]
	// The hits arrive where the optics leave: page-locked memory, from which a copy is queued.
	m, err := w.of.snapshots.take(hitsOf(int(o.W * o.H)))
	if err != nil {
		return nil, fmt.Errorf("hits of a view: %w", err)
	}
	toSend := copy(m.host, raw.Bytes(optics))
	q := w.stream
	q.queue("rays of a view", func() error {
		if err := cu.MemcpyHtoDAsync(cu.DevicePtr(w.optics), unsafe.Pointer(&m.host[0]), int64(toSend), q.s); err != nil {
			return err
		}
		for i, v := range list {
			if err := v.mark(q, scene.Level); err != nil {
				return err
			}
			if err := launch(v.of.through, [3]int{raw.Ceil(int(o.W), raysX), raw.Ceil(int(o.H), raysY), 1}, [2]int{raysX, raysY}, 0, q.s,
				w.optics, v.abi, uint64(m.there.at), uint64(i)); err != nil {
				return err
			}
		}
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&m.host[0]), m.there.at, int64(len(m.host)), q.s)
	})
	arrived := q.Record()
	if err = q.failed(); err != nil {
		_ = q.Sync() // part of the work may be under way
		w.of.snapshots.give(m)
		return nil, err
	}
	return &seen{of: w.of.snapshots, memory: m, rays: int(o.W * o.H), arrived: arrived}, nil
}

// mark finds the bricks and piles that may have a surface, unless they are known.
func (w *volume) mark(q *stream, level float64) error {
	if w.marked == level {
		return nil
	}
	w.marked = level
	if err := cu.MemsetD8Async(cu.DevicePtr(w.piles), 0, int64(w.pileBytes), q.s); err != nil {
		return err
	}
	return launch(w.of.bricks, [3]int{w.bricks, 1, 1}, [2]int{rowThreads, 1}, 0, q.s, w.abi, math.Float64bits(level))
}

// hitsOf returns the bytes of the hits of so many rays, and at least the size of the optics, which pass through the same memory.
func hitsOf(rays int) int { return max(rays*hitBytes, int(unsafe.Sizeof(render.Optics{}))) }

// hitABI is Seen of kernels/cast.h, and never the depth of a ray without a hit.
type hitABI struct{ depth, value, light, gloss float32 }

const (
	hitBytes = int(unsafe.Sizeof(hitABI{}))
	never    = 3e38
)

// seen is a device.Seen.
type seen struct {
	of      *snapshots
	memory  *snapshotMemory
	rays    int
	arrived device.Event
}

// Hits lists the rays that hit something.
func (s *seen) Hits() ([]render.Hit, error) {
	if err := s.arrived.Wait(); err != nil {
		return nil, fmt.Errorf("rays of a view: %w", err) // the device is lost, and the memory with it
	}
	defer s.of.give(s.memory)
	all := unsafe.Slice((*hitABI)(unsafe.Pointer(&s.memory.host[0])), s.rays)
	return parallel.List(len(all), 1<<16, func(lo, hi int) (list []render.Hit) {
		for i, h := range all[lo:hi] {
			if h.depth < never {
				list = append(list, render.Hit{Ray: uint32(lo + i), Depth: h.depth, Value: h.value, Light: h.light, Gloss: h.gloss})
			}
		}
		return list
	}), nil
}
