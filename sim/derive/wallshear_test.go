// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// law is a viscosity law with its formula, written independently of the code.
type law struct {
	law    model.ViscosityLaw
	params model.Params
	nu     func(rate float64) float64
	within float64 // of the stress at the wall, in a channel of 32 cells
}

func laws() map[string]law {
	p := model.Params{Omega: 1 / (0.5 + 3*0.05), Lambda: 3. / 16}
	const rate, lambda, constant = 1e-3, 300, 0.17
	power := func(n float64) func(float64) float64 {
		return func(g float64) float64 { return math.Min(math.Max(0.05*math.Pow(g/rate, n-1), 1e-6), 50) }
	}
	return map[string]law{
		"newtonian":    {model.Newtonian, p, func(float64) float64 { return 0.05 }, 1e-10},
		"thinning":     {model.PowerLaw, p.WithPowerLaw(0.05, rate, 0.5, 1e-6, 50), power(0.5), 1e-3},
		"thickening":   {model.PowerLaw, p.WithPowerLaw(0.05, rate, 1.6, 1e-6, 50), power(1.6), 1e-3},
		"carreau":      {model.Carreau, p.WithCarreau(0.05, 0.003, lambda, 0.4), func(g float64) float64 { return 0.003 + (0.05-0.003)*math.Pow(1+lambda*lambda*g*g, -0.3) }, 1e-3},
		"smagorinsky":  {model.Smagorinsky, p.WithSmagorinsky(constant), func(g float64) float64 { return 0.05 + constant*constant*g }, 1e-3},
		"wale":         {model.Wale, p.WithWale(0.5), func(float64) float64 { return 0.05 }, 1e-10}, // none in plain shear
		"a sponge's":   {model.Newtonian, p, func(float64) float64 { return 0.4 }, 1e-10},
		"eddies in it": {model.Smagorinsky, p.WithSmagorinsky(constant), func(g float64) float64 { return 0.4 + constant*constant*g }, 1e-3},
	}
}

// profile returns the velocity between plates, at rest, a distance h apart, under a force g per mass: the rate at
// each place by bisection of nu(rate) rate = g (h/2 - s), and its integral by Simpson's rule; plus the slip velocity
// that bounce-back leaves at the wall, u”/8 - 2/3 Lambda stress'/nu.
func profile(l law, h, g float64) func(s float64) float64 {
	rate := func(s float64) float64 {
		stress, lo, hi := g*(h/2-s), 0.0, 1e3
		for range 60 {
			if mid := (lo + hi) / 2; l.nu(mid)*mid < stress {
				lo = mid
			} else {
				hi = mid
			}
		}
		return (lo + hi) / 2
	}
	curve := (rate(0.01) - rate(0)) / 0.01
	slip := curve/8 + 2./3*l.params.Lambda*g/l.nu(rate(0))
	return func(s float64) (u float64) {
		const parts = 60
		s = math.Min(s, h-s)
		d := s / parts
		for i := range parts {
			u += d / 6 * (rate(float64(i)*d) + 4*rate((float64(i)+0.5)*d) + rate(float64(i+1)*d))
		}
		return u + slip
	}
}

// The stress at the walls of a channel is half of the force on the fluid by every law, in 2D and 3D.
func TestWallShearByTheLaw(t *testing.T) {
	const h, g = 32, 1e-5
	for name, l := range laws() {
		u := profile(l, h, g)
		var of [h]float64
		for y := range of {
			of[y] = u(float64(y) + 0.5)
		}
		for _, n := range [][3]int{{3, h, 1}, {3, h, 3}} {
			p := plates(n, l)
			got, nc := fieldIn(t, "wall_shear_stress", p, func(x, y, z float64) [3]float64 { return [3]float64{of[max(0, min(h-1, int(y)))]} })
			want := 1.01 * g * h / 2
			for _, y := range []int{0, h - 1} {
				v := got[nc*(1+3*y):][:nc]
				if math.Abs(v[0]-want) > l.within*want || v[1] != 0 || v[2] != 0 {
					t.Errorf("%s, %v, row %d: %v instead of %.6g", name, n, y, v, want)
				}
			}
		}
	}
}

// plates returns walls across y with a fluid of a law; where its viscosity at rest is 0.4, the cells at x = 1 have
// rates of their own.
func plates(n [3]int, l law) *domain.Part {
	cells := boundary.NewCells(n)
	cells.Walls = make([]boundary.Wall, 1)
	for z := -1; z <= n[2]; z++ {
		for x := -1; x <= n[0]; x++ {
			cells.Type[cells.Index(x, -1, z)], cells.Type[cells.Index(x, n[1], z)] = 1, 1
		}
	}
	if l.nu(0) == 0.4 {
		own := l.params
		own.Omega, own.Viscosity[0] = 1/(0.5+3*0.4), (0.5+3*0.4)/2
		cells.Rates = func(x [3]int) *model.Params {
			if x[0] != 1 {
				return nil
			}
			return &own
		}
	}
	return &domain.Part{Case: &config.Case{Grid: config.Grid{Cells: n}, Flow: config.Flow{Spec: model.Spec{Viscosity: l.law}}}, Cells: cells, Params: l.params}
}

// Where bounce-back does not place a half-way wall exactly, the flow slips there by a length known for the collision model, and the
// stress is still exact.
func TestWallShearOfAFlowThatSlips(t *testing.T) {
	const h, g, nu = 12, 1e-5, 0.15
	l := law{model.Newtonian, model.Params{Omega: 1 / (0.5 + 3*nu)}, func(float64) float64 { return nu }, 0}
	for _, lambda := range []float64{0, 0.02, 3. / 16, 2} {
		p := plates([3]int{3, h, 1}, l)
		p.Case.Spec.Collision.WallLambda = func(tau float64) float64 {
			if math.Abs(tau-(0.5+3*nu)) > 1e-12 {
				t.Errorf("tau %v", tau)
			}
			return lambda
		}
		got, _ := fieldIn(t, "wall_shear_stress", p, func(x, y, z float64) [3]float64 {
			return [3]float64{g / (2 * nu) * (y*(h-y) + 4./3*(lambda-3./16))}
		})
		if want := 1.01 * g * h / 2; math.Abs(got[3]-want) > 1e-12*want {
			t.Errorf("Lambda = %v: %v instead of %v", lambda, got[3], want)
		}
	}
}

// A wall that spins bears the stress of the flow's strain, without its own rotation: the flow A r + B/r around a
// cylinder has 2 nu B/r^2 whatever A, which the derivative alone would add.
func TestWallShearAroundASpinningCylinder(t *testing.T) {
	const n, r1, nu, b = 96, 24.3, 0.1, 0.2
	const c = n/2 + 0.13
	around := func(rigid float64) []float64 {
		omega := rigid + b/(r1*r1)
		cells := boundary.NewCells([3]int{n, n, 1})
		for y := -1; y <= n; y++ {
			for x := -1; x <= n; x++ {
				if math.Hypot(float64(x)+0.5-c, float64(y)+0.5-c) < r1 {
					cells.Type[cells.Index(x, y, 0)] = 1
				}
			}
		}
		cells.Walls = []boundary.Wall{{Law: boundary.Interpolated, Motion: boundary.Spin{Angular: [3]float64{0, 0, omega}, Centre: [3]float64{c, c}}}}
		cells.Distance = func(x, v [3]int) float64 { return toCircle(x, v, c, r1) }
		got, _ := fieldOf(t, "wall_shear_stress", cells.N, cells, func(x, y, z float64) [3]float64 {
			w := rigid + b/((x-c)*(x-c)+(y-c)*(y-c))
			return [3]float64{-w * (y - c), w * (x - c)}
		})
		return got
	}
	still, spins := around(-b/(r1*r1)), around(1e-3)
	mean, count, want := 0.0, 0.0, -1.01*nu*2*b/(r1*r1)
	for i := range len(spins) / 3 {
		v, x, y := spins[3*i:][:3], float64(i%n)+0.5-c, float64(i/n)+0.5-c
		for k := range v {
			if off := math.Abs(v[k] - still[3*i+k]); !(off < 1e-12*-want) {
				t.Fatalf("cell (%d, %d): %v, and %v of the same flow without the rotation", i%n, i/n, v, still[3*i:][:3])
			}
		}
		if v[0] != 0 || v[1] != 0 {
			mean += (x*v[1] - y*v[0]) / math.Hypot(x, y)
			count++
		}
	}
	if !(math.Abs(mean/count/want-1) < 0.08) { // corners of the staircase have an oblique normal
		t.Errorf("mean stress %.4g instead of %.4g", mean/count, want)
	}
}

// toCircle returns the distance q from the centre of a cell to a circle, at -q v.
func toCircle(x, v [3]int, c, r float64) float64 {
	px, py := float64(x[0])+0.5-c, float64(x[1])+0.5-c
	dx, dy := -float64(v[0]), -float64(v[1])
	b, d := px*dx+py*dy, px*px+py*py-r*r
	return -b - math.Sqrt(b*b-d)
}
