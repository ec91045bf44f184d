// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// Slabs is an example on a device, cut into slabs that exchange their ghost planes
// by copies within the device, as ranks do by messages.
type Slabs struct {
	e      Example
	device device.Device
	stream device.Stream
	parts  []slab
	steps  int // done or queued
}

type slab struct {
	lo, n   int // planes
	layout  decomp.Layout
	program device.Program
	state   [2]device.Buffer // now and next
}

// Start loads an example, cut before the given planes. Its memory is freed when the
// test ends.
func Start(t testing.TB, d device.Device, e Example, cuts ...int) *Slabs {
	t.Helper()
	s := &Slabs{e: e, device: d, stream: d.NewStream(false)}
	axis := e.axis()
	cuts = append(append([]int{0}, cuts...), e.N[axis])
	t.Cleanup(func() {
		for _, p := range s.parts {
			p.program.Close()
			for _, b := range p.state {
				b.Free()
			}
		}
	})
	for i := 0; i+1 < len(cuts); i++ {
		p := slab{lo: cuts[i], n: cuts[i+1] - cuts[i]}
		n := e.N
		n[axis] = p.n
		p.layout = e.layout(n)
		cells := e.Cells
		cells.N, cells.Type = n, boundary.NewCells(n).Type
		cells.Global, cells.Origin[axis] = e.N, p.lo
		if far := e.Cells.Distance; far != nil {
			cells.Distance = func(x, c [3]int) float64 {
				x[axis] += p.lo
				return far(x, c)
			}
		}
		if slope := e.Cells.Slope; slope != nil {
			cells.Slope = func(x, c [3]int) float64 {
				x[axis] += p.lo
				return slope(x, c)
			}
		}
		if rates := e.Cells.Rates; rates != nil {
			cells.Rates = func(x [3]int) *model.Params {
				x[axis] += p.lo
				return rates(x)
			}
		}
		eachCell(n, 1, func(x [3]int) {
			g := x
			g[axis] += p.lo
			cells.Type[cells.Index(x[0], x[1], x[2])] = e.Cells.At(g[0], g[1], g[2])
		})
		p.program = load(t, d, e.Spec, p.layout, e.Periodic, cells)
		for k := range p.state {
			p.state[k] = alloc(t, d, stateBytes(e.Spec, p.layout))
		}
		s.parts = append(s.parts, p)
		plane := len(e.Fields) / e.N[axis]
		if err := p.program.Init(p.state[0], decomp.Box{Hi: n}, e.Fields[p.lo*plane:(p.lo+p.n)*plane], e.Params); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func load(t testing.TB, d device.Device, spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) device.Program {
	t.Helper()
	p, err := d.Load(spec, l, periodic, cells)
	if err != nil {
		t.Fatalf("load %s: %v", spec, err)
	}
	return p
}

func alloc(t testing.TB, d device.Device, bytes int) device.Buffer {
	t.Helper()
	b, err := d.Alloc(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func stateBytes(spec model.Spec, l decomp.Layout) int { return l.Len() * spec.Precision.Bytes() }

// exchange queues the copies of the ghost planes of the given state (0 now, 1 next);
// at a wall they stay zero, and where the device needs none.
func (s *Slabs) exchange(k int) {
	if w, ok := s.device.(device.Wrapper); ok && w.Wraps() && len(s.parts) == 1 {
		return
	}
	b := s.e.Spec.Precision.Bytes()
	for i, p := range s.parts {
		for _, up := range []int{-1, 1} {
			j := i + up
			if j < 0 || j >= len(s.parts) {
				if !s.e.Periodic[s.e.axis()] {
					continue
				}
				j = (j + len(s.parts)) % len(s.parts)
			}
			o := s.parts[j]
			from, to := o.n-1, -1
			if up > 0 {
				from, to = 0, p.n
			}
			lo, hi := o.layout.Plane(from)
			at, _ := p.layout.Plane(to)
			s.stream.Copy(p.state[k], at*b, o.state[k], lo*b, (hi-lo)*b)
		}
	}
}

// fill queues the ghost cells behind faces.
func (s *Slabs) fill(p slab, k int) {
	p.program.FillFaces(s.stream, p.state[k], false)
	p.program.FillFaces(s.stream, p.state[k], true)
	s.fillModelled(p, k)
}

// fillModelled queues the ghost cells of walls with a model.
func (s *Slabs) fillModelled(p slab, k int) {
	if s.e.Cells.Modelled != nil {
		p.program.(device.WallModeler).FillModelled(s.stream, p.state[k], s.e.Params, false)
	}
}

// schedule uploads the next moments, if walls change with time.
func (s *Slabs) schedule(t testing.TB, steps int) {
	t.Helper()
	if !s.e.Cells.Timed() {
		return
	}
	list := make([]device.Moment, steps)
	for i := range list {
		list[i] = device.Moment{Time: float64(s.steps+i) + 0.5, Force: s.e.Params.Force}
	}
	for _, p := range s.parts {
		if err := errors.Join(s.stream.Sync(), p.program.(device.Timed).Schedule(list)); err != nil {
			t.Fatal(err)
		}
	}
}

// queue queues one step; the new state is then "now".
func (s *Slabs) queue() {
	s.exchange(0)
	for i := range s.parts {
		p := &s.parts[i]
		if s.e.Cells.Timed() {
			p.program.(device.Timed).Advance(s.stream)
		}
		s.fill(*p, 0)
		if s.e.Spec.Viscosity.LooksAround() && s.steps%model.EddySteps == 0 {
			p.program.(device.EddyKeeper).FindEddies(s.stream, p.state[0], s.e.Params)
			s.fillModelled(*p, 0) // whose layer replaces the eddy viscosity
		}
		p.program.Step(s.stream, p.state[0], p.state[1], decomp.Box{Hi: p.layout.N}, s.e.Params)
		p.state[0], p.state[1] = p.state[1], p.state[0]
	}
	s.steps++
}

// Step computes steps and waits for them.
func (s *Slabs) Step(t testing.TB, steps int) {
	t.Helper()
	s.schedule(t, steps)
	for range steps {
		s.queue()
	}
	s.sync(t)
}

func (s *Slabs) sync(t testing.TB) {
	t.Helper()
	if err := s.stream.Sync(); err != nil {
		t.Fatalf("%s of %v, periodic %v, %d slabs: %v", s.e.Spec, s.e.N, s.e.Periodic, len(s.parts), err)
	}
}

// Bits returns the memory of all interior cells, [z][y][c][x] without padding.
func (s *Slabs) Bits(t testing.TB) []byte {
	t.Helper()
	var out []byte
	for _, p := range s.parts {
		out = append(out, bits(t, s.e.Spec, p.layout, p.state[0])...)
	}
	return out
}

func bits(t testing.TB, spec model.Spec, l decomp.Layout, state device.Buffer) []byte {
	t.Helper()
	host := make([]byte, stateBytes(spec, l))
	if err := state.Read(host, 0); err != nil {
		t.Fatal(err)
	}
	var out []byte
	b := spec.Precision.Bytes()
	for z := 0; z < l.N[2]; z++ {
		for y := 0; y < l.N[1]; y++ {
			for c := 0; c < l.Components; c++ {
				out = append(out, host[b*l.At(0, y, z, c):][:b*l.N[0]]...)
			}
		}
	}
	return out
}

// Values returns Bits as numbers.
func (s *Slabs) Values(t testing.TB) []float64 {
	t.Helper()
	bits, b := s.Bits(t), s.e.Spec.Precision.Bytes()
	out := make([]float64, len(bits)/b)
	for i := range out {
		out[i] = decode(s.e.Spec, i/s.e.N[0]%s.e.Spec.Components(), bits[b*i:])
	}
	return out
}

// decode returns the stored value of component c.
func decode(spec model.Spec, c int, bits []byte) float64 {
	switch spec.Precision.Bytes() {
	case 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(bits))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(bits)))
	}
	return math.Ldexp(half(binary.LittleEndian.Uint16(bits)), -halfExponent(spec, c))
}

// half returns the number that an IEEE 754 binary16 represents.
func half(b uint16) float64 {
	v, exponent := float64(b&0x3ff), int(b>>10&0x1f)
	switch exponent {
	case 0:
		v = math.Ldexp(v, -24)
	case 31:
		if v != 0 {
			return math.NaN()
		}
		v = math.Inf(1)
	default:
		v = math.Ldexp(v+1024, exponent-25)
	}
	if b>>15 == 1 {
		return -v
	}
	return v
}

// halfExponent returns the power of two that component c is scaled by in 16 bits
// (kernels/gpu/storage.h explains why).
func halfExponent(spec model.Spec, c int) int {
	switch more := c - spec.FlowComponents(); { // of a scalar
	case more == 0:
		return 11
	case more > spec.Lattice.Dims:
		return 14
	case more > 0:
		return 12
	}
	switch {
	case spec.Collision.Scheme == model.Populations:
		return 15
	case c <= spec.Lattice.Dims:
		return 14
	}
	return 16
}

// notFinite returns the bytes of NaN and the infinities.
func notFinite(p model.Precision) [][]byte {
	var list [][]byte
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		switch p.Bytes() {
		case 8:
			list = append(list, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		case 4:
			list = append(list, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
		}
	}
	if p.Bytes() == 2 {
		for _, h := range []uint16{0x7e00, 0x7c00, 0xfc00} {
			list = append(list, binary.LittleEndian.AppendUint16(nil, h))
		}
	}
	return list
}

// fields of all slabs, as device.Program.Fields gives them for the whole box.
func (s *Slabs) fields(t testing.TB) []float64 {
	t.Helper()
	var out []float64
	for _, p := range s.parts {
		part := make([]float64, s.e.Spec.FieldValues()*p.layout.N[0]*p.layout.N[1]*p.layout.N[2])
		if err := p.program.Fields(p.state[0], decomp.Box{Hi: p.layout.N}, part, s.e.Params); err != nil {
			t.Fatal(err)
		}
		out = append(out, part...)
	}
	return out
}

// planes of all slabs, with global cells.
func (s *Slabs) planes(t testing.TB) []device.Plane {
	t.Helper()
	var out []device.Plane
	for _, p := range s.parts {
		planes, err := p.program.Planes(p.state[0], s.e.Params)
		if err != nil {
			t.Fatal(err)
		}
		for _, plane := range planes {
			plane.MaxAt[s.e.axis()] += p.lo
			if plane.Bad > 0 {
				plane.BadAt[s.e.axis()] += p.lo
			}
			out = append(out, plane)
		}
	}
	return out
}

// sameBits verifies that two runs of one example have equal memory.
func sameBits(t testing.TB, e Example, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	b := e.Spec.Precision.Bytes()
	for i := 0; i < len(want)/b; i++ {
		if !bytes.Equal(got[b*i:b*(i+1)], want[b*i:b*(i+1)]) {
			c := i / e.N[0] % e.Spec.Components()
			t.Fatalf("%s of %v, periodic %v, %s: %s is %.17g, must be %.17g to the bit", e.Spec, e.N, e.Periodic, what, e.where(i),
				decode(e.Spec, c, got[b*i:]), decode(e.Spec, c, want[b*i:]))
		}
	}
	t.Fatalf("%s of %v, %s: %d bytes, want %d", e.Spec, e.N, what, len(got), len(want))
}
