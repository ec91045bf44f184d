// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"bytes"
	"testing"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// stepFields: fields written by steps equal the result of FieldsTo after them, to the bit, beside
// walls, in cells that are recomputed, in slabs, in ranges and recorded; and the states are the
// states of plain steps.
func stepFields(t *testing.T, d device.Device, o Options) {
	resting := func(spec model.Spec, n [3]int, periodic [3]bool, seed int64) Example {
		e := NewExample(spec, n, periodic, seed)
		e.restFaces()
		return e
	}
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, draw := range []func(model.Spec, [3]int, [3]bool, int64) Example{resting, NewExample, newOpenExample, newScalarExample} {
			for i, n := range [][3]int{{37, 9, 8}, {1, 3, 4}, {256, 4, 3}, {130, 7, 5}} {
				if i > 1 && i != k+2 { // rows with their own kernels, which take long to compile
					continue
				}
				e := draw(spec, n, periodic(2*k+i), int64(900+4*k+i))
				if !sameStepFields(t, d, e) || e.N[e.axis()] > 1 && !sameStepFields(t, d, e, 1) {
					return // an ability that a device need not have
				}
			}
		}
		recordedFields(t, d, spec)
	})
}

// sameStepFields compares an example's fields and states with plain steps', and returns false if the device has no such
// fields.
func sameStepFields(t *testing.T, d device.Device, e Example, cuts ...int) bool {
	const steps = 3
	s, plain := Start(t, d, e, cuts...), Start(t, d, e, cuts...)
	frames, able := s.frames(t, len(cuts) > 0)
	if !able {
		return false
	}
	plain.Step(t, steps)
	s.schedule(t, steps)
	for range steps {
		s.queueFields(frames)
	}
	s.sync(t)
	sameBits(t, e, "with fields", s.Bits(t), plain.Bits(t))
	s.checkFields(t, frames)
	s.sendFields(t, frames)
	return true
}

// framed is the fields of a slab in the device's memory.
type framed struct {
	box    decomp.Box
	fields device.Buffer
	before []byte
}

// frames returns a frame per slab: its own cells, or also its ghost layers. able is false if steps of the device
// cannot write fields.
func (s *Slabs) frames(t *testing.T, ghosts bool) (list []framed, able bool) {
	t.Helper()
	for i, p := range s.parts {
		program, ok := p.program.(device.StepFielder)
		if ok {
			var err error
			if ok, err = program.PrepareStepFields(); err != nil {
				t.Fatal(err)
			}
		}
		if !ok {
			return nil, false
		}
		f := framed{box: decomp.Box{Hi: p.layout.N}}
		for a, g := range p.layout.Ghost {
			if ghosts {
				f.box.Lo[a], f.box.Hi[a] = -g, p.layout.N[a]+g
			}
		}
		f.before = noise(f.box.Cells()*s.e.Spec.FieldValues()*fieldBytes(s.e.Spec), int64(i))
		f.fields = alloc(t, s.device, len(f.before))
		t.Cleanup(f.fields.Free)
		write(t, f.fields, f.before, 0)
		list = append(list, f)
	}
	return list, true
}

// fieldBytes returns the size of a value of device.FieldsWriter.
func fieldBytes(spec model.Spec) int { return max(4, spec.Precision.Bytes()) }

// queueFields queues a step with fields: the planes at both ends first, then the bulk.
func (s *Slabs) queueFields(frames []framed) {
	axis := s.e.axis()
	s.exchange(0)
	for i := range s.parts {
		p := &s.parts[i]
		if s.e.Cells.Timed() {
			p.program.(device.Timed).Advance(s.stream)
		}
		s.fill(*p, 0)
		n := p.layout.N[axis]
		for _, r := range [][2]int{{0, 1}, {max(1, n-1), n}, {1, max(1, n-1)}} {
			box := decomp.Box{Hi: p.layout.N}
			box.Lo[axis], box.Hi[axis] = r[0], r[1]
			p.program.(device.StepFielder).StepFields(s.stream, p.state[0], p.state[1], box, frames[i].fields, frames[i].box, s.e.Params)
		}
		p.state[0], p.state[1] = p.state[1], p.state[0]
	}
	s.steps++
}

// checkFields compares the frames with the fields of the present state; the rest of a frame is unchanged.
func (s *Slabs) checkFields(t *testing.T, frames []framed) {
	t.Helper()
	for i, p := range s.parts {
		f, all := frames[i], decomp.Box{Hi: p.layout.N}
		row := p.layout.N[0] * s.e.Spec.FieldValues() * fieldBytes(s.e.Spec)
		own := alloc(t, s.device, all.Cells()/p.layout.N[0]*row)
		defer own.Free()
		p.program.(device.FieldsWriter).FieldsTo(s.stream, p.state[0], all, own, s.e.Params)
		s.sync(t)
		got, now := read(t, f.fields, len(f.before), 0), read(t, own, own.Bytes(), 0)
		for z := f.box.Lo[2]; z < f.box.Hi[2]; z++ {
			for y := f.box.Lo[1]; y < f.box.Hi[1]; y++ {
				at := ((z-f.box.Lo[2])*f.box.Size()[1] + y - f.box.Lo[1]) * row
				want := f.before[at:][:row]
				if y >= 0 && y < all.Hi[1] && z >= 0 && z < all.Hi[2] {
					want = now[(z*all.Hi[1]+y)*row:][:row]
				}
				if !bytes.Equal(got[at:][:row], want) {
					x := 0
					for got[at+x] == want[x] {
						x++
					}
					x /= fieldBytes(s.e.Spec)
					t.Fatalf("%s of %v, periodic %v, slab %d: value %d of cell (%d, %d, %d) differs from FieldsTo", s.e.Spec, s.e.N, s.e.Periodic, i, x/s.e.N[0], x%s.e.N[0], y, z)
				}
			}
		}
	}
}

// sendFields compares snapshots of fields written by steps with Fields, ghost planes included.
func (s *Slabs) sendFields(t *testing.T, frames []framed) {
	t.Helper()
	s.exchange(0)
	s.sync(t)
	for i, p := range s.parts {
		sender, ok := p.program.(device.StepSnapshots)
		if box := frames[i].box; !ok || s.e.Spec.Lattice.Dims == 3 && box.Lo[1] < 0 {
			continue // ghost rows within planes are not contiguous
		}
		want := make([]float64, s.e.Spec.FieldValues()*frames[i].box.Cells())
		if err := p.program.Fields(p.state[0], frames[i].box, want, s.e.Params); err != nil {
			t.Fatal(err)
		}
		shot, sent, err := sender.SendFields(s.stream, p.state[0], frames[i].fields, frames[i].box, s.e.Params)
		if err == nil {
			err = sent.Wait()
		}
		if err != nil {
			t.Fatal(err)
		}
		single, double, err := shot.Wait()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range single {
			double = append(double, float64(v))
		}
		sameFields(t, s.e.Spec, "a snapshot of what steps have left", i, double, want)
		shot.Close()
	}
}

// recordedFields: steps with fields in a recording.
func recordedFields(t *testing.T, d device.Device, spec model.Spec) {
	r, ok := d.(device.Recorder)
	if !ok {
		return
	}
	e := NewExample(spec, [3]int{65, 9, 6}, [3]bool{true, false, true}, 34)
	s := Start(t, d, e)
	frames, _ := s.frames(t, false)
	plain := Start(t, d, e)
	plain.Step(t, 4)
	s.Step(t, 2)
	graph, err := r.Capture(s.stream, func() error {
		s.queueFields(frames)
		s.queueFields(frames)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer graph.Close()
	graph.Launch(s.stream)
	s.sync(t)
	sameBits(t, e, "recorded with fields", s.Bits(t), plain.Bits(t))
	s.checkFields(t, frames)
}
