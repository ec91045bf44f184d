// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"math"
	"testing"

	"lbmsim/device"
	"lbmsim/model"
)

// wallLaw verifies the exact profile between half-way walls, for every model: u_j = F/(2 nu) (y
// (H-y) + 4/3 (Lambda - 3/16)) (Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614).
func wallLaw(t *testing.T, d device.Device, o Options) {
	const h = 8
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float64 {
			return // the law is exact, and so must be the arithmetic
		}
		l, c := spec.Lattice, spec.Collision
		taus := []float64{1.5, 0.8}
		if testing.Short() {
			taus = taus[:1] // the fastest to converge
		}
		for _, tau := range taus {
			lambda := 3. / 16
			if c.WallLambda != nil {
				lambda = c.WallLambda(tau)
			}
			nu, force := (tau-0.5)/3, 1e-6
			e := channel(spec, tau, [3]float64{force}, [3]int{3, h, 1}, [3]float64{})
			s := Start(t, d, e)
			s.Step(t, int(6*h*h/nu))
			u := s.fields(t)
			for j := 0; j < h; j++ {
				y := float64(j) + 0.5
				want := force / 2 / nu * (y*(h-y) + 4./3*(lambda-3./16))
				if got := u[e.at([3]int{0, j, 0}, 1, 1+l.Dims)]; math.Abs(got-want) > 1e-8*force/nu*h*h {
					t.Errorf("%s tau %g, node %d: u = %.12g, want %.12g", spec, tau, j, got, want)
				}
			}
		}
	})
}

// mass: a closed box with a moving lid conserves mass to rounding.
func mass(t *testing.T, d device.Device, o Options) {
	o.all(t, func(t *testing.T, spec model.Spec) {
		n := [3]int{33, 18, 17}
		if spec.Lattice.Dims == 2 {
			n[2] = 1
		}
		e := channel(spec, 0.6, [3]float64{}, n, [3]float64{0.05, 0, 0})
		s := Start(t, d, e)
		s.Step(t, 200)
		mass, cells, speed := 0.0, 0, 0.0
		for _, p := range s.planes(t) {
			mass, cells, speed = mass+p.Mass, cells+p.Cells, max(speed, p.MaxSpeed)
		}
		// 16-bit populations came to 4.9e-6; the moments, whose density stays at rest
		// here, to nothing. In float32 it was 3.2e-9.
		limit := map[int]float64{8: 1e-12, 4: 2e-8, 2: 2e-5}[spec.Precision.Bytes()]
		if cells != n[0]*n[1]*n[2] || !(math.Abs(mass)/float64(cells) <= limit) || !(speed > 0.01 && speed < 0.06) {
			t.Errorf("%s: mass defect %g a cell of %d, largest speed %g", spec, mass/float64(cells), cells, speed)
		}
	})
}
