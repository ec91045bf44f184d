// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package bench

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/model"
)

// The benchmark verifies before it times; a small box is enough to run all of it.
func TestMeasure(t *testing.T) {
	d, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n := [3]int{32, 32, 32}
	for _, p := range model.Precisions {
		jobs := []Job{InPlace(19, n), CopyPast(19, n), InPlace(10, n)}
		for _, spec := range Specs("D3Q19", p, "regularized", "bgk", "trt") {
			jobs = append(jobs, Closed(spec, n), Packed(spec, n, 0.25))
		}
		through := len(jobs)
		for axis := range n {
			jobs = append(jobs, Through(Specs("D3Q19", p, "regularized")[0], n, axis))
		}
		speeds, err := Measure(d, jobs, 3, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(speeds) != 12 || speeds[0].Ratio != 1 {
			t.Errorf("%+v", speeds)
		}
		for i, s := range speeds {
			if s.MLUPS <= 0 || s.Low > s.MLUPS || s.High < s.MLUPS || s.Share <= 0 {
				t.Errorf("%+v", s)
			}
			if packed := i > 3 && (i%2 == 0 || i >= through); (s.Cells < 32*32*32) != packed || packed && s.Cells < 32*32*32*7/10 {
				t.Errorf("%s counts %d cells", s.Name, s.Cells)
			}
		}
	}
}

// A device that records work and writes fields gives the same verified rows.
func TestPulse(t *testing.T) {
	d, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	spec := Specs("D2Q9", model.Float32, "bgk")[0]
	n := [3]int{96, 80, 1}
	if _, err := Measure(d, []Job{Pulse(spec, n, false)}, 1, 2); err == nil || !strings.Contains(err.Error(), "no fields") {
		t.Errorf("a device without the ability: %v", err)
	}
	for _, off := range []float32{0, 1e-4} {
		speeds, err := Measure(writing{d, off}, []Job{Pulse(spec, n, false)}, 2, 4)
		if off != 0 {
			if err == nil || !strings.Contains(err.Error(), "was written as") {
				t.Errorf("wrong fields: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if s := speeds[0]; s.Traffic != 2*9*4+3*4 || s.Cells != 96*80 {
			t.Errorf("%+v", s)
		}
	}
}

// writing is the CPU as a device that writes fields to its memory, with an error.
type writing struct {
	*cpu.Device
	off float32
}

type writingProgram struct {
	device.Program
	off float32
}

func (w writing) Load(spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := w.Device.Load(spec, l, periodic, cells)
	return writingProgram{p, w.off}, err
}

func (w writingProgram) FieldsTo(s device.Stream, state device.Buffer, box decomp.Box, out device.Buffer, p model.Params) {
	if err := s.Sync(); err != nil {
		panic(err)
	}
	values := make([]float64, box.Cells()*3)
	if err := w.Fields(state, box, values, p); err != nil {
		panic(err)
	}
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)+w.off))
	}
	if err := out.Write(b, 0); err != nil {
		panic(err)
	}
}

// Every model that a case may ask for agrees with the oracle, with the eddy viscosity too.
func TestVerifyEverySpec(t *testing.T) {
	d, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	specs := Catalogue()
	if want := len(model.Lattices) * len(model.Collisions) * len(model.Precisions); len(specs) != want {
		t.Errorf("%d models, want %d", len(specs), want)
	}
	for _, spec := range specs {
		specs = append(specs, WithEddies(spec))
	}
	v := VerifyAll(d, specs, func(spec model.Spec) int { return 21 })
	for _, spec := range specs {
		if difference, err := v.of(spec)(); err != nil || !(difference > 0) {
			t.Errorf("%s: %g, %v", spec, difference, err)
		}
	}
	if _, err := v.of(model.Spec{Lattice: model.Lattices[0]})(); err == nil {
		t.Error("what was not verified has an outcome")
	}
}

// The same state is stepped with and without the eddy viscosity, and each row has the cost of the
// law in the same turns.
func TestEddies(t *testing.T) {
	d, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n := [3]int{32, 24, 16}
	for _, name := range []string{"cumulant", "trt"} {
		spec := Specs("D3Q27", model.Float32, name)[0]
		v := VerifyAll(d, []model.Spec{spec, WithEddies(spec)}, func(model.Spec) int { return n[0] })
		speeds, err := Measure(d, append([]Job{InPlace(19, n)}, v.Eddies(spec, n)...), 1, 4)
		if err != nil {
			t.Fatal(err)
		}
		plain, law := speeds[1], speeds[2]
		if plain.Name != "D3Q27 "+name+" float32" || law.Name != plain.Name+" smagorinsky" || plain.Without != 0 || plain.Bytes != law.Bytes {
			t.Errorf("%+v\n%+v", plain, law)
		}
		if want := law.MLUPS / plain.MLUPS; math.Abs(law.Without-want) > 1e-9*want {
			t.Errorf("%s: %g of the speed without, want %g", law.Name, law.Without, want)
		}
	}
}

// calm is a device that omits the eddy viscosity.
type calm struct{ device.Device }
type calmProgram struct{ device.Program }

func (c calm) Load(spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := c.Device.Load(spec, l, periodic, cells)
	return calmProgram{p}, err
}

func (c calmProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, p model.Params) {
	p.Viscosity[1] = 0
	c.Program.Step(s, in, out, box, p)
}

// The eddy viscosity matters in the flow of the verification.
func TestForgottenEddiesHaveNoSpeed(t *testing.T) {
	d, err := cpu.New(1)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n := [3]int{16, 16, 16}
	for _, p := range []model.Precision{model.Float32, model.Float64} {
		for _, spec := range Specs("D3Q19", p, "regularized", "bgk", "cumulant") {
			v := VerifyAll(calm{d}, []model.Spec{spec, WithEddies(spec)}, func(model.Spec) int { return n[0] })
			if _, err := v.of(spec)(); err != nil {
				t.Error(err)
			}
			if err := v.Err(); err == nil || !strings.Contains(err.Error(), WithEddies(spec).String()+" is wrong") {
				t.Errorf("%s: %v", spec, err)
			}
			if _, err := Measure(calm{d}, v.Eddies(spec, n), 1, 2); err == nil || !strings.Contains(err.Error(), "smagorinsky is wrong") {
				t.Errorf("%s: %v", spec, err)
			}
		}
	}
}

// wrong is a device that collides at a slightly wrong rate.
type wrong struct{ device.Device }
type wrongProgram struct{ device.Program }

func (w wrong) Load(spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := w.Device.Load(spec, l, periodic, cells)
	return wrongProgram{p}, err
}

func (w wrongProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, p model.Params) {
	p.Omega *= 1.01
	w.Program.Step(s, in, out, box, p)
}

// No speed is shown for a device with wrong results.
func TestWrongResultsHaveNoSpeed(t *testing.T) {
	d, err := cpu.New(1)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, p := range model.Precisions {
		_, err := Measure(wrong{d}, []Job{Closed(Specs("D3Q19", p, "regularized")[0], [3]int{16, 16, 16})}, 1, 1)
		if err == nil || !strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v", err)
		}
	}
}
