// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/model"
)

// Differences of models and viscosity laws, by flows with an exact solution.

// still returns a periodic box of fluid without a force, at rest.
func still(spec model.Spec, tau float64, n [3]int) Example {
	e := Example{Spec: spec, N: n, Periodic: [3]bool{true, true, true}, Cells: boundary.NewCells(n)}
	e.Params = model.NewParams(spec.Collision, tau, values(spec.Collision, 3./16), [3]float64{})
	e.Fields = make([]float64, spec.InitValues()*n[0]*n[1]*n[2])
	return e
}

// set gives a cell's initial moment c.
func (e *Example) set(x [3]int, c int, v float64) {
	e.Fields[e.at(x, c, e.Spec.InitValues())] = v
}

// fluids: the profile of a power-law fluid between two walls. With the shear stress
// F (H/2 - y) = K |du/dy|^n,
//
//	u = n/(n+1) (F/K)^(1/n) ((H/2)^(1+1/n) - |y - H/2|^(1+1/n))
//
// (Boyd, Buick & Green, J. Phys. A 39 (2006) 14241, eq. 20). Half-way walls and the
// centre, where the viscosity meets its bound, cost an error of second order.
func fluids(t *testing.T, d device.Device, o Options) {
	const h, k = 24, 0.04
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float64 || spec.Lattice.Dims == 3 && spec.Collision.Name != "regularized" || spec.Collision.Name == "bgk" {
			return // the law is the same text for all; the walls of bgk move with the viscosity
		}
		if testing.Short() && (spec.Lattice.Dims == 3 || spec.Collision.Name != "trt" && spec.Collision.Name != "cumulant") {
			t.Skip("the same law in another model: make test-all runs it")
		}
		for _, n := range []float64{0.6} { // thickening fluids take too long to converge
			const top = 0.02 // the largest velocity
			force := k * math.Pow(top*(n+1)/n/math.Pow(h/2., 1+1/n), n)
			spec.Viscosity = model.PowerLaw
			e := channel(spec, 3*k+0.5, [3]float64{force}, [3]int{1, h, 1}, [3]float64{})
			rate := math.Pow(force*h/2/k, 1/n) // at the wall
			e.Params = e.Params.WithPowerLaw(k*math.Pow(rate, n-1), rate, n, 1e-4, 1)
			s := Start(t, d, e)
			s.Step(t, 20*h*h)
			u := s.fields(t)
			worst := 0.0
			for j := range h {
				y := math.Abs(float64(j) + 0.5 - h/2.)
				want := top * (1 - math.Pow(y/(h/2.), 1+1/n))
				worst = max(worst, math.Abs(u[e.at([3]int{0, j, 0}, 1, 1+spec.Lattice.Dims)]-want)/top)
			}
			t.Logf("%s: index %g, the profile is off by %.2g of the largest velocity", spec, n, worst)
			if !(worst <= 0.01) {
				t.Errorf("%s: index %g, the profile is off by %.2g of the largest velocity", spec, n, worst)
			}
		}
	})
}

// advected: a shear wave decays at the same rate at any mean velocity. The models of second order
// are off by the share 3 U^2 of the viscosity (Qian & Orszag, Europhys. Lett. 21 (1993) 255), those
// with third-order moments are not.
func advected(t *testing.T, d device.Device, o Options) {
	const n, nu, speed, small = 48, 0.02, 0.15, 1e-3
	k := 2 * math.Pi / n
	steps := int(1 / (nu * k * k))
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float64 {
			return // depends on the model, not on the precision
		}
		dims := spec.Lattice.Dims
		e := still(spec, 3*nu+0.5, [3]int{n, 1, 1})
		for x := range n {
			sin, cos := math.Sincos(k * float64(x))
			e.set([3]int{x}, 1, speed)
			e.set([3]int{x}, 2, small*sin)
			e.set([3]int{x}, 1+dims+dims, small*k*cos/2) // the strain rate xy
		}
		s := Start(t, d, e)
		s.Step(t, steps)
		got := -math.Log(s.amplitude(t, k)/small) / (k * k * float64(steps))
		off := got/nu - 1
		t.Logf("%s: a wave at the speed %g has the viscosity of one at rest times 1 %+.4f", spec, speed, off)
		third := spec.Collision.Name == "recursive_regularized" || spec.Collision.Name == "cumulant"
		if third && !(math.Abs(off) < 0.003) || !third && !(off < -0.03) {
			t.Errorf("%s: a wave at the speed %g decays as if the viscosity were off by %.4f of itself", spec, speed, off)
		}
	})
}

// sound: a standing wave decays by k^2/2 (2 (D-1)/D nu + nu_bulk) a step (Landau & Lifshitz,
// Fluid Mechanics, section 79; Dellar, Phys. Rev. E 64 (2001) 031203).
func sound(t *testing.T, d device.Device, o Options) {
	const n, nu, bulk, small, periods = 96, 0.03, 0.2, 1e-5, 8
	k := 2 * math.Pi / n
	steps := int(math.Round(periods * n / math.Sqrt(model.CS2)))
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float64 {
			return // small waves need many digits
		}
		dims := spec.Lattice.Dims
		spec.Bulk = true
		e := still(spec, 3*nu+0.5, [3]int{n, 1, 1})
		e.Params = e.Params.WithBulk(bulk, dims)
		for x := range n {
			e.set([3]int{x}, 0, small*math.Sin(k*float64(x)))
		}
		s := Start(t, d, e)
		energy := func() (sum float64) {
			f := s.fields(t)
			for x := range n {
				r, u := f[e.at([3]int{x}, 0, 1+dims)], f[e.at([3]int{x}, 1, 1+dims)]
				sum += model.CS2*r*r + u*u
			}
			return sum
		}
		before := energy()
		s.Step(t, steps)
		got := -math.Log(energy()/before) / (k * k * float64(steps))
		want := 2*float64(dims-1)/float64(dims)*nu + bulk
		if !(math.Abs(got/want-1) < 0.02) {
			t.Errorf("%s: sound decays as by the viscosity %.4f, not %.4f", spec, got, want)
		}
	})
}

// layers: an under-resolved doubly periodic shear layer (Minion & Brown, J. Comput. Phys. 138
// (1997) 734) rolls up without spurious vortices: models for high Reynolds numbers keep its energy
// from growing, where bgk breaks down.
func layers(t *testing.T, d device.Device, o Options) {
	const n, re, u0, width, disturbance = 128, 1e5, 0.1, 80, 0.05
	steps := int(1.5 * n / u0)
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float64 || spec.Lattice.Dims == 3 && testing.Short() {
			return // depends on the model, not on the precision
		}
		name := spec.Collision.Name
		if name != "bgk" && name != "cumulant" && name != "recursive_regularized" || name == "bgk" && spec.Lattice.Dims == 3 {
			return
		}
		dims := spec.Lattice.Dims
		e := still(spec, 3*u0*n/re+0.5, [3]int{n, n, 1})
		for y := range n {
			for x := range n {
				at, a, b := [3]int{x, y}, (float64(x)+0.5)/n, (float64(y)+0.5)/n
				sign, from := 1., b-0.25
				if b > 0.5 {
					sign, from = -1, b-0.75
				}
				tanh := math.Tanh(width * from)
				e.set(at, 1, sign*u0*tanh)
				e.set(at, 2, disturbance*u0*math.Sin(2*math.Pi*(a+0.25)))
				shear := sign * u0 * width / n * (1 - tanh*tanh)
				e.set(at, 1+dims+dims, (shear+disturbance*u0*2*math.Pi/n*math.Cos(2*math.Pi*(a+0.25)))/2)
			}
		}
		s := Start(t, d, e)
		energy, bad := 0.0, 0
		for part := range 10 {
			sum := 0.0
			for _, p := range s.planes(t) {
				sum, bad = sum+p.Energy, bad+p.Bad
			}
			if part == 0 {
				energy = sum
			} else if !(sum <= energy*1.0005) {
				bad++
			}
			if bad > 0 {
				break
			}
			s.Step(t, steps/10)
		}
		if stable := name != "bgk"; stable == (bad > 0) {
			t.Errorf("%s at the Reynolds number %g: stable is %v", spec, float64(re), bad == 0)
		}
	})
}
