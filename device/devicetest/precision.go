// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"math"
	"testing"

	"lbmsim/device"
	"lbmsim/device/accuracy"
	"lbmsim/model"
)

// halves: 16-bit storage works as in docs/precision.md: each initial value has 11 bits, however
// slow the flow, relative to the scale of its component; and values that are too large become
// infinite, which Planes finds.
func halves(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float16 {
			return // the others have no scales
		}
		for _, amplitude := range []float64{5, 1, 1e-2, 1e-4, 1e-6} {
			e := NewExample(spec, [3]int{37, 6, 5}, [3]bool{true, true, true}, 31)
			e.Params.Force = [3]float64{}
			for i := range e.Fields {
				e.Fields[i] *= amplitude // of 0.02
			}
			got := Start(t, d, e).Values(t)
			for i, want := range e.Oracle(0) {
				// To the nearest of 11 bits, and of the even steps of the smallest halves.
				c := i / e.N[0] % spec.Components()
				limit := math.Abs(want)/(1<<11)*(1+1e-3) + math.Ldexp(1, -25-halfExponent(spec, c))
				if diff := math.Abs(got[i] - want); !(diff <= limit) {
					t.Fatalf("%s, fields of %g: %s is stored as %.9g, not as %.9g; %.2g is allowed between them", spec, 0.02*amplitude, e.where(i), got[i], want, limit)
				}
			}
		}

		// The largest density that fits, for moments, and one too large for any format.
		e := NewExample(spec, [3]int{37, 6, 5}, [3]bool{true, true, true}, 32)
		x := [3]int{}
		for e.Cells.At(x[0], x[1], x[2]) != 0 {
			x[0]++
		}
		at := func(c int) *float64 { return &e.Fields[e.at(x, c, spec.Lattice.Moments())] }
		for c := 1; c < spec.Lattice.Moments(); c++ {
			*at(c) = 0
		}
		e.Params.Force = [3]float64{}
		for density, bad := range map[float64]int{3.99: 0, 7: 1} {
			*at(0) = density
			s := Start(t, d, e)
			p := s.planes(t)[x[e.axis()]]
			if p.Bad != bad || bad > 0 && p.BadAt != x {
				t.Errorf("%s: a density of 1 + %g in %v: %d values that are not finite, want %d (first %v)", spec, density, x, p.Bad, bad, p.BadAt)
			}
			// Stochastic rounding must not turn non-finite values into numbers.
			if s.Step(t, 1); bad > 0 && s.planes(t)[x[e.axis()]].Bad == 0 {
				t.Errorf("%s: what was not finite in %v is finite after a step", spec, x)
			}
		}
	})
}

// accurate: vortices decay as in float64, up to the errors of narrower numbers in
// docs/precision.md. Three times as much is allowed, since the order of rounding depends on the
// device.
func accurate(t *testing.T, d device.Device, o Options) {
	if !o.has(model.Float64) {
		t.Skip("the device has no float64 to compare with")
	}
	for _, f := range []struct {
		accuracy.Flow
		until float64            // in units of Flow.Unit
		half  map[string]float64 // the error in 16 bits, by model
	}{
		{accuracy.TaylorGreen(32, 100, 0.1), 1, map[string]float64{"regularized": 1.3e-3, "bgk": 5.7e-4, "trt": 9.7e-4}},
		{accuracy.TaylorGreen(64, 100, 0.02), 0.25, map[string]float64{"regularized": 1.4e-3, "bgk": 8.9e-4, "trt": 8.7e-4}},
		// Rounded to the nearest it would stay 41 % too slow (regularized).
		{accuracy.Channel(32, 0.02, 0.05), 1, map[string]float64{"regularized": 1e-2, "bgk": 2e-3, "trt": 2e-3}},
		{accuracy.TaylorGreen3D(16, 100, 0.1), 1, map[string]float64{"regularized": 1.2e-3, "bgk": 4.4e-4, "trt": 4.1e-4}},
	} {
		for _, c := range model.Collisions {
			if f.half[c.Name] == 0 {
				continue // docs/precision.md has measurements of the models intended for narrow numbers
			}
			if testing.Short() && c.Name != "regularized" {
				continue
			}
			believed, err := f.Run(d, c, model.Float64, f.Step(f.until))
			if err != nil {
				t.Fatal(err)
			}
			for p, limit := range map[model.Precision]float64{
				// Constants that are rounded, 1/12 above all, let momentum grow by up to 6e-8 of
				// itself per step.
				model.Float32: 2e-7 * float64(f.Step(f.until)),
				model.Float16: 3 * f.half[c.Name],
			} {
				if !o.has(p) {
					continue
				}
				m, err := f.Run(d, c, p, f.Step(f.until))
				if err != nil {
					t.Fatal(err)
				}
				e := m[0].From(believed[0])
				t.Logf("%s, %s %s, %d steps: velocity off by %.2g (L2), %.2g (max)", f.Name, c.Name, p, m[0].Step, e.L2, e.Max)
				if !(e.L2 <= limit) || e.L2 == 0 {
					t.Errorf("%s, %s %s: after %d steps the velocity differs from float64's by %.2g (L2); allowed is up to %.2g, and not nothing", f.Name, c.Name, p, m[0].Step, e.L2, limit)
				}
			}
		}
	}
}
