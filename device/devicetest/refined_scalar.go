// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/model"
)

// refinedScalar compares kernels and steps of flows with a scalar with the oracle: its flux rescaled and from differences, with and
// without buoyancy, all laws of walls and faces, in their edges and corners.
func refinedScalar(t *testing.T, d device.Device, o Options) {
	const steps = 3
	turn := 0
	o.couples(t, d, func(t *testing.T, spec model.Spec) {
		turn++
		spec.Scalar = true
		flows := refinedFlows(spec)
		for k, name := range names(flows) {
			if testing.Short() && (k+turn)%3 != 0 {
				continue
			}
			tau := []float64{0.6, 1, 0.75, 0.5001}[(k+turn)%4]
			f := flows[name].with(0.8, []float64{0, 1.3}[k%2], [3]float64{1e-3, -2e-3, 1.5e-3})
			f.carries(tau, [3]float64{0.02, 0.03, -0.01}).couplesAsOracle(t, d, fmt.Sprintf("%s, %s, tau %g", spec, name, tau), uint64(k))
			if leaves(spec, k) {
				continue
			}
			f = flows[name].with(0.52, 0, [3]float64{1e-4, -2e-4, 1e-4})
			f.carries(tau, [3]float64{1e-3, 2e-3, -1e-3}).stepsAsOracle(t, d, fmt.Sprintf("%s, %s, tau %g", spec, name, tau), steps)
		}
	})
}

// refinedHeat verifies that closed boxes conserve heat, also in a buoyant flow between walls, and that a uniform scalar
// stays uniform there: by 1e-16 and 2e-10 of the heat per step, and within 1e-14 and 1e-6, as a uniform flow. Without boxes
// steps round by more in float32, and on D3Q27 by a last digit in one direction. So four times the value without boxes is
// allowed, a bound set after seeing this: the finest level takes four steps in one.
func refinedHeat(t *testing.T, d device.Device, o Options) {
	o.couples(t, d, func(t *testing.T, spec model.Spec) {
		if testing.Short() && spec.Collision.Name != "cumulant" {
			t.Skip("the same lists: make test-all runs it")
		}
		spec.Scalar = true
		heat, uniform := 1e-16, 1e-14
		if spec.Precision != model.Float64 {
			heat, uniform = 2e-10, 1e-6
		}
		f := refinedFlows(spec)["lid"].scaled(4/(spec.Lattice.Dims-1)).with(0.6, 0, [3]float64{}).carries(0.55, [3]float64{1e-4, 2e-4})
		f.walls = []boundary.Wall{{}, {Law: boundary.Slip}}
		whole := f
		whole.boxes = nil
		drift, _ := f.heated(t, d, 0.5)
		own, _ := whole.heated(t, d, 0.5)
		_, worst := f.heated(t, d, 0)
		_, least := whole.heated(t, d, 0)
		t.Logf("%s: heat changes by %.1e per step, uniform within %.1e; without boxes %.1e, %.1e", spec, drift, worst, own, least)
		if limit := max(heat, 4*math.Abs(own)); !(math.Abs(drift) <= limit) {
			t.Errorf("%s: heat changes by %.2e of itself per step, at most %.0e", spec, drift, limit)
		}
		if limit := max(uniform, 4*least); !(worst <= limit) {
			t.Errorf("%s: a uniform scalar deviates by %.2e, at most %.0e", spec, worst, limit)
		}
	})
}

// heated returns the change per step of the mean heat of a flow, which is about 1, and the final deviation of the scalar
// from 1. At the start it is a wave around 1.
func (f refinedFlow) heated(t *testing.T, d device.Device, amplitude float64) (drift, worst float64) {
	dims, number := f.spec.Lattice.Dims, f.spec.Lattice.Moments()
	steps := 200
	if dims == 3 {
		steps = 40
	}
	h := f.hierarchy(t)
	oracle := f.oracle(h)
	f.waves(oracle)
	oracle.SetScalar(func(at [3]float64) (float64, [3]float64) { return 1 + amplitude*math.Sin(at[0]-at[1]), [3]float64{} })
	r := startRefined(t, d, f, h, oracle)
	mean := func() float64 {
		sum, volume := 0.0, 0.0
		r.eachCounted(t, func(level int, m []float64) {
			share, theta := math.Pow(0.5, float64(dims*level)), m[number]
			sum, volume = sum+share*(theta-1+m[0]*theta), volume+share
		})
		return sum / volume
	}
	before := mean()
	for range steps {
		r.advance(0, 0)
	}
	r.eachCounted(t, func(_ int, m []float64) { worst = max(worst, math.Abs(m[number]-1)) })
	return (mean() - before) / float64(steps), worst
}

// refinedEddyHeat compares kernels and steps of flows with eddy diffusivity of a scalar with the oracle, at relaxation times
// of which some are near 1, and with Smagorinsky's eddies at flow's relaxation times above which the finest level's carry
// none.
func refinedEddyHeat(t *testing.T, d device.Device, o Options) {
	const steps = 3
	turn := 0
	o.couples(t, d, func(t *testing.T, spec model.Spec) {
		turn++
		spec.Scalar = true
		for k, law := range []model.ViscosityLaw{model.Smagorinsky, model.Wale} {
			if testing.Short() && (k+turn)%2 == 1 {
				continue
			}
			spec.Viscosity = law
			flows := refinedFlows(spec)
			name := names(flows)[(turn+k)%len(flows)]
			for j, tau := range []float64{0.55, 0.62} {
				if testing.Short() && j != turn/2%2 {
					continue
				}
				scalar := []float64{0.6, 0.9, 0.7}[(j+turn)%3]
				f := flows[name].with(tau, 0, [3]float64{1e-3, -2e-3, 1.5e-3}).carries(scalar, [3]float64{0.02, 0.03, -0.01})
				f.params = f.params.WithEddies(0.4)
				f.couplesAsOracle(t, d, fmt.Sprintf("%s, %s, tau %g and %g", spec, name, tau, scalar), uint64(10*k+j))
			}
			for j, tau := range []float64{0.52, 0.7} {
				if testing.Short() && j != turn/2%2 {
					continue
				}
				f := flows[name].with(tau, 0, [3]float64{1e-4, -2e-4, 1e-4}).carries(0.53, [3]float64{1e-3, 2e-3, -1e-3})
				f.params = f.params.WithEddies(0.4)
				f.stepsAsOracle(t, d, fmt.Sprintf("%s, %s, tau %g", spec, name, tau), steps)
			}
		}
	})
}
