// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// recorder: steps recorded once and launched many times give the bits of plain steps, on one stream
// and over two, edges first.
func recorder(t *testing.T, d device.Device, o Options) {
	r, ok := d.(device.Recorder)
	if !ok {
		return // an ability that a device need not have
	}
	const launches = 12 // of two steps
	o.each(t, func(t *testing.T, spec model.Spec) {
		e := NewExample(spec, [3]int{65, 17, 18}, [3]bool{true, false, true}, 31)
		plain := Start(t, d, e)
		plain.Step(t, 2*launches)
		want := plain.Bits(t)
		urgent := d.NewStream(true)
		for _, two := range []bool{false, true} {
			s := Start(t, d, e)
			before := s.Bits(t)
			graph, err := r.Capture(s.stream, func() error {
				for range 2 {
					if two {
						s.edgesFirst(urgent)
					} else {
						s.queue()
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			defer graph.Close()
			s.sync(t)
			sameBits(t, e, "while it was recorded", s.Bits(t), before)
			for range launches / 2 {
				graph.Launch(s.stream)
			}
			s.sync(t) // launches continue after a wait
			for range launches / 2 {
				graph.Launch(s.stream)
			}
			s.sync(t)
			sameBits(t, e, "recorded", s.Bits(t), want)
		}

		// An error of the body is the error of the recording, and leaves the stream usable.
		s := Start(t, d, e)
		if g, err := r.Capture(s.stream, func() error {
			s.queue()
			return errors.New("the body fails")
		}); err == nil {
			g.Close()
			t.Error("a body that failed was recorded")
		}
		s = Start(t, d, e)
		s.Step(t, 2*launches)
		sameBits(t, e, "after a recording that failed", s.Bits(t), want)
	})
}

// edgesFirst queues one step as a run does: the edge planes on the urgent stream, the
// rest meanwhile, then the exchange, all joined to the slabs' stream.
func (s *Slabs) edgesFirst(urgent device.Stream) {
	s.exchange(0)
	p := &s.parts[0]
	axis := s.e.axis()
	n := p.layout.N[axis]
	urgent.After(s.stream.Record())
	for _, r := range [][2]int{{0, 1}, {n - 1, n}} {
		b := decomp.Box{Hi: p.layout.N}
		b.Lo[axis], b.Hi[axis] = r[0], r[1]
		p.program.Step(urgent, p.state[0], p.state[1], b, s.e.Params)
	}
	bulk := decomp.Box{Hi: p.layout.N}
	bulk.Lo[axis], bulk.Hi[axis] = 1, n-1
	p.program.Step(s.stream, p.state[0], p.state[1], bulk, s.e.Params)
	s.stream.After(urgent.Record())
	p.state[0], p.state[1] = p.state[1], p.state[0]
}

// snapshots: fields copied while the run continues equal Fields at that step.
func snapshots(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		n := [3]int{65, 33, 20}
		if spec.Lattice.Dims == 2 {
			n = [3]int{257, 150, 1}
		}
		e := NewExample(spec, n, [3]bool{true, false, true}, 32)
		s := Start(t, d, e)
		taker, takes := s.parts[0].program.(device.SnapshotTaker)
		writer, writes := s.parts[0].program.(device.FieldsWriter)
		if !takes && !writes {
			return // optional abilities of a device
		}
		box := decomp.Box{Lo: [3]int{3, 1, 0}, Hi: e.N}
		values := box.Cells() * (1 + spec.Lattice.Dims)
		want := make([]float64, values)
		q := d.NewStream(false)
		if takes {
			if err := taker.Prepare(box); err != nil {
				t.Fatal(err)
			}
		}
		for round := range 4 {
			s.Step(t, 1)
			if err := s.parts[0].program.Fields(s.parts[0].state[0], box, want, e.Params); err != nil {
				t.Fatal(err)
			}
			if takes {
				shot, err := taker.FieldsAsync(q, s.parts[0].state[0], box, e.Params)
				if err != nil {
					t.Fatal(err)
				}
				// Both states are overwritten, once the event allows it.
				s.stream.After(shot.Taken())
				s.Step(t, 2)
				single, double, err := shot.Wait()
				if err != nil {
					t.Fatal(err)
				}
				if single != nil && double != nil || (double != nil) != (spec.Precision == model.Float64) {
					t.Fatalf("%s: a snapshot of %d float32 and %d float64 values", spec, len(single), len(double))
				}
				for _, v := range single {
					double = append(double, float64(v))
				}
				sameFields(t, spec, "a snapshot", round, double, want)
				shot.Close()
			}
			if writes {
				if err := s.parts[0].program.Fields(s.parts[0].state[0], box, want, e.Params); err != nil {
					t.Fatal(err)
				}
				b := 4
				if spec.Precision == model.Float64 {
					b = 8
				}
				out := alloc(t, d, b*values+b)
				guard := noise(b, 5)
				write(t, out, guard, b*values)
				writer.FieldsTo(s.stream, s.parts[0].state[0], box, out, e.Params)
				s.sync(t)
				bytes := read(t, out, b*values+b, 0)
				got := make([]float64, values)
				for i := range got {
					if b == 8 {
						got[i] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
					} else {
						got[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:])))
					}
				}
				sameFields(t, spec, "fields left on the device", round, got, want)
				if string(bytes[b*values:]) != string(guard) {
					t.Errorf("%s: FieldsTo wrote beyond its %d values", spec, values)
				}
				out.Free()
			}
		}
	})
}

// sameFields: float64 to the bit, otherwise rounded to float32.
func sameFields(t *testing.T, spec model.Spec, what string, round int, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %s has %d values, want %d", spec, what, len(got), len(want))
	}
	for i := range got {
		w := want[i]
		if spec.Precision != model.Float64 {
			w = float64(float32(w))
		}
		if got[i] != w {
			t.Fatalf("%s: value %d of %s, round %d, is %.17g, Fields says %.17g", spec, i, what, round, got[i], w)
		}
	}
}

// multisteps: several steps as one piece of work give the bits of single steps: periodic axes and walls at rest and
// moving, in boxes of one tile and of many, of odd lengths.
func multisteps(t *testing.T, d device.Device, o Options) {
	shapes := []struct {
		n        [3]int
		periodic [3]bool
		rest     bool
	}{
		{[3]int{65, 17, 1}, [3]bool{true, true, true}, false},
		{[3]int{131, 150, 1}, [3]bool{true, false, true}, false},
		{[3]int{300, 97, 1}, [3]bool{false, true, true}, true},
		{[3]int{256, 256, 1}, [3]bool{false, false, true}, true},
		{[3]int{9, 7, 1}, [3]bool{false, true, true}, false},
	}
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Lattice.Dims != 2 {
			return
		}
		for k, shape := range shapes {
			e := NewExample(spec, shape.n, shape.periodic, int64(50+k))
			if shape.rest {
				e.restFaces()
			}
			compareStrides(t, d, e)
		}
		e := NewExample(spec, [3]int{257, 129, 1}, [3]bool{true, true, true}, 57)
		for i := range e.Cells.Type { // no walls at all
			e.Cells.Type[i] = 0
		}
		compareStrides(t, d, e)
	})
}

// compareStrides runs both variants from the same state, if the device has two.
func compareStrides(t *testing.T, d device.Device, e Example) {
	const pieces = 3
	s, plain := Start(t, d, e), Start(t, d, e)
	p := &s.parts[0]
	m, ok := p.program.(device.Multistepper)
	if !ok || m.Stride() < 2 {
		return // an ability that a device need not have
	}
	for range pieces {
		m.Steps(s.stream, p.state[0], p.state[1], e.Params)
		p.state[0], p.state[1] = p.state[1], p.state[0]
	}
	s.sync(t)
	plain.Step(t, pieces*m.Stride())
	sameBits(t, e, "several steps at once", s.Bits(t), plain.Bits(t))
}
