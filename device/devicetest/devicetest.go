// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package devicetest is the conformance suite of devices: kernels are compared with the float64
// oracle of internal/ref, cuts and ranges with whole boxes bit for bit, and sums, queues and
// refused calls are tested.
package devicetest

import (
	"fmt"
	"slices"
	"testing"

	"lbmsim/device"
	"lbmsim/internal/brief"
	"lbmsim/model"
)

// Options selects the tests that a device supports.
type Options struct {
	// Precisions of the device; nil: all of the catalogue.
	Precisions []model.Precision
	// Memory in bytes that one test may fill, to go beyond offsets of 2^31 bytes (5 GB)
	// and, better, of 2^31 values (36 GB). If it is less, that test is skipped.
	Memory int64
}

func (o Options) has(p model.Precision) bool {
	return o.Precisions == nil || slices.Contains(o.Precisions, p)
}

// specs calls test for every instance of the catalogue that the device has.
func (o Options) specs(test func(model.Spec)) {
	for _, spec := range model.Pairs() {
		for _, p := range model.Precisions {
			if spec.Precision = p; o.has(p) {
				test(spec)
			}
		}
	}
}

// all runs test as a subtest for every instance.
func (o Options) all(t *testing.T, test func(*testing.T, model.Spec)) {
	o.specs(func(spec model.Spec) {
		t.Run(fmt.Sprint(spec), func(t *testing.T) { test(t, spec) })
	})
}

// each runs test for those instances that differ in more than the arithmetic of one
// cell: models of a scheme move their values with the same code. Of the closures it uses the one
// with the most arithmetic, and the second-order one on one lattice.
func (o Options) each(t *testing.T, test func(*testing.T, model.Spec)) {
	o.all(t, func(t *testing.T, spec model.Spec) {
		switch spec.Collision.Name {
		case "recursive_regularized":
			return
		case "regularized":
			if spec.Lattice.Name != "D3Q19" {
				return
			}
		case "bgk", "trt":
			if spec.Lattice.Name == "D3Q27" {
				return
			}
		}
		usual := spec.Collision.Name == "regularized" || spec.Collision.Name == "trt"
		if testing.Short() && spec.Precision != model.Float32 && !(usual && spec.Precision == model.Float64) {
			t.Skip("the same arithmetic in another precision: make test-all runs it")
		}
		test(t, spec)
	})
}

// leaves reports whether a short run skips example k of a test, which models with the other half of the examples run.
func leaves(spec model.Spec, k int) bool {
	number := slices.IndexFunc(model.Collisions, func(c model.Collision) bool { return c.Name == spec.Collision.Name })
	if spec.Lattice.Q() == 27 {
		number++ // so that closures cover both halves
	}
	if spec.Precision == model.Float64 && spec.Collision.Scheme == model.Populations {
		number++ // so that float64 covers both: a short run uses an even closure
	}
	return testing.Short() && (k+number)%2 == 1
}

// Run tests a device. open returns one, which is closed at the end of its test; it is called twice,
// since two devices at once must not disturb each other.
func Run(t *testing.T, open func(testing.TB) device.Device, o Options) {
	d := open(t)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	t.Logf("%+v", d.Info())
	for _, test := range []struct {
		name string
		run  func(*testing.T, device.Device, Options)
	}{
		{"Oracle", oracle},
		{"Viscosities", viscosities},
		{"Eddies", eddies},
		{"RestingFaces", restingFaces},
		{"Laws", Laws},
		{"Modelled", modelled},
		{"ModelledHeat", modelledHeat},
		{"Scheduled", scheduled},
		{"BodyEnds", bodyEnds},
		{"Scalars", scalars},
		{"ScalarWaves", scalarWaves},
		{"ScalarSum", scalarSum},
		{"Cuts", cuts},
		{"Ranges", ranges},
		{"Pencil", pencil},
		{"Repeat", repeat},
		{"InitFields", initFields},
		{"Planes", planes},
		{"Rows", rowsOf},
		{"CountedRows", countedRows},
		{"FirstOfEquals", firstOfEquals},
		{"WallLaw", wallLaw},
		{"Mass", mass},
		{"Momentum", momentum},
		{"SlowWave", slowWave},
		{"Fluids", fluids},
		{"Advected", advected},
		{"Sound", sound},
		{"Layers", layers},
		{"Halves", halves},
		{"Accuracy", accurate},
		{"Memory", memory},
		{"Streams", streams},
		{"Refusals", refusals},
		{"LargeOffsets", largeOffsets},
		{"Recorder", recorder},
		{"Multisteps", multisteps},
		{"Snapshots", snapshots},
		{"StepFields", stepFields},
		{"Statistics", statistics},
		{"Volumes", volumes},
		{"Roofline", roofline},
		{"Uncoupled", uncoupled},
		{"Couplings", couplings},
		{"RefinedSteps", refinedSteps},
		{"RefinedLaws", refinedLaws},
		{"RefinedScalar", refinedScalar},
		{"RefinedEddyHeat", refinedEddyHeat},
		{"RefinedHeat", refinedHeat},
		{"RefinedUniform", refinedUniform},
		{"RefinedMass", refinedMass},
		{"RefinedCuts", refinedCuts},
		{"RefinedRecorder", refinedRecorder},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, d, o) })
	}
	t.Run("Strangers", func(t *testing.T) { strangers(t, d, open) })
	brief.Fewer(t, "sizes, laws and cuts")
}

// Small runs every instance through all of its kernels in small ragged boxes, cut
// and whole: the work for tools that check each access of memory and are slow. The results are
// still compared with the oracle.
func Small(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{37, 9, 5}, {2, 3, 4}} {
			e := NewExample(spec, n, [3]bool{k == 0, k == 1, k == 0}, int64(40+k))
			const steps = 2
			want := e.Oracle(steps)
			for _, at := range [][]int{nil, {1}} {
				s := Start(t, d, e, at...)
				s.Step(t, steps)
				e.check(t, s.Values(t), want)
				for _, part := range s.parts {
					if _, err := part.program.Planes(part.state[0], e.Params); err != nil {
						t.Fatal(err)
					}
				}
				s.fields(t)
			}
		}
	})
}
