// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"math"
	"testing"

	"lbmsim/device"
	"lbmsim/model"
)

// Same verifies that devices compute equal numbers, cut or not; a zero may differ in its sign, as
// it does between instruction sets.
func Same(t *testing.T, devices []device.Device, o Options) {
	const steps = 3
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range sizes {
			e := NewExample(spec, n, periodic(3*k%8), int64(300+k))
			var want []float64
			for i, d := range devices {
				var at []int
				if m := e.N[e.axis()]; m >= 3 && i%2 == 1 {
					at = []int{1, m - 1}
				}
				s := Start(t, d, e, at...)
				s.Step(t, steps)
				got := s.Values(t)
				if i == 0 {
					want = got
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s of %v, periodic %v, cut before planes %v: %s is %.17g on %s, %.17g on %s", spec, e.N, e.Periodic, at, e.where(i), got[i], d.Info().Detail, want[i], devices[0].Info().Detail)
					}
				}
			}
		}
	})
}

// Compare verifies that a hundred steps on two devices agree to rounding: the first is
// trusted, the second tested. States of 16 bits are compared with states of 32.
func Compare(t *testing.T, believed, tested device.Device, o Options) {
	const steps = 100
	o.each(t, func(t *testing.T, spec model.Spec) {
		n := [3]int{67, 35, 34}
		if spec.Lattice.Dims == 2 {
			n = [3]int{261, 135, 1}
		}
		for _, mask := range []int{0, 3, 7} {
			e := NewExample(spec, n, periodic(mask), int64(400+mask))
			for a := range e.Params.Force {
				e.Params.Force[a] /= 20 // so that the flow stays slow
			}
			wide := e
			if spec.Precision == model.Float16 {
				wide.Spec.Precision = model.Float32
			}
			a, b := Start(t, believed, wide), Start(t, tested, e)
			a.Step(t, steps)
			b.Step(t, steps)
			want, got := a.Values(t), b.Values(t)
			worst, at, scale := 0.0, 0, 0.0
			for i := range want {
				if diff := math.Abs(got[i] - want[i]); !(diff <= worst) {
					worst, at = diff, i
				}
				scale = math.Max(scale, math.Abs(want[i]))
			}
			// Rounding errors of the steps add up like random ones, and the flow
			// dissipates them; they may not grow beyond ten times the errors of a few steps.
			limit := 10 * rounding(spec)
			t.Logf("%v, periodic %v: values up to %.3g, difference up to %.3g", e.N, e.Periodic, scale, worst)
			if !(worst <= limit) || !(scale > 1e-3 && scale < 0.5) {
				t.Fatalf("%s of %v, periodic %v: %s is %.9g on %s, %.9g on %s; %.2g is allowed between them", spec, e.N, e.Periodic, e.where(at), got[at], tested.Info().Name, want[at], believed.Info().Name, limit)
			}
		}
	})
}
