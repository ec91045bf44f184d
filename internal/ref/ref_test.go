// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/internal/brief"
	"lbmsim/model"
)

// channel returns a box that is periodic except for walls on the faces of one axis.
func channel(l model.Lattice, collision string, tau float64, force [3]float64, n [3]int, axis int, upper [3]float64) *Flow {
	c, ok := model.FindCollision(collision)
	if !ok {
		panic("no model " + collision)
	}
	var values []float64
	for _, p := range c.Params {
		values = append(values, p.Default)
	}
	cells := boundary.NewCells(n)
	cells.Walls = boundary.BounceWalls([3]float64{}, upper)
	var x [3]int
	for x[2] = -1; x[2] <= n[2]; x[2]++ {
		for x[1] = -1; x[1] <= n[1]; x[1]++ {
			for x[0] = -1; x[0] <= n[0]; x[0]++ {
				switch x[axis] {
				case -1:
					cells.Type[cells.Index(x[0], x[1], x[2])] = 1
				case n[axis]:
					cells.Type[cells.Index(x[0], x[1], x[2])] = 2
				}
			}
		}
	}
	periodic := [3]bool{true, true, true}
	periodic[axis] = false
	return New(l, collision, model.NewParams(c, tau, values, force), periodic, cells)
}

// Force-driven flow between half-way walls: u_j = F/(2 nu) (y (H-y) +
// 4/3 (Lambda - 3/16)), y = j + 1/2 (Ginzburg & d'Humieres, Phys. Rev. E 68 (2003)
// 066614; for the regularized model Lambda = (tau - 1/2)/2).
func TestExactWallLaw(t *testing.T) {
	brief.Fewer(t, "relaxation times")
	const h, force = 8, 1e-6
	for _, s := range model.Pairs() {
		l, c := s.Lattice, s.Collision
		taus := []float64{0.55, 0.8, 1, 1.5, 2}
		if l.Q() == 27 || l.Dims == 3 && c.Name == "cumulant" {
			taus = []float64{0.8, 2} // expensive
		}
		if testing.Short() {
			taus = taus[1:]
		}
		for _, tau := range taus {
			lambda := 3. / 16
			if c.WallLambda != nil {
				lambda = c.WallLambda(tau)
			}
			n := [3]int{1, h, 1}
			f := channel(l, c.Name, tau, [3]float64{force}, n, 1, [3]float64{})
			nu := (tau - 0.5) / 3
			for range int(6 * h * h / nu) {
				f.Step()
			}
			top := force / 2 / nu * h * h / 4
			for j := 0; j < h; j++ {
				y := float64(j) + 0.5
				want := force / 2 / nu * (y*(h-y) + 4./3*(lambda-3./16))
				// Post-collision momentum is half a force ahead of the velocity's, on both sides.
				rho, u := f.Macroscopic(f.F[j])
				got := u[0] - force/rho
				if math.Abs(got-want) > 1e-8*top {
					t.Errorf("%s %s tau %g, node %d: u = %.12g, want %.12g", l.Name, c.Name, tau, j, got, want)
				}
			}
		}
	}
}

// Couette flow is linear from wall to wall, along any axis.
func TestCouette(t *testing.T) {
	brief.Fewer(t, "steps")
	for _, s := range model.Pairs() {
		l, c := s.Lattice, s.Collision
		for axis := 0; axis < l.Dims; axis++ {
			n := [3]int{1, 1, 1}
			n[axis] = 6
			along := (axis + 1) % l.Dims
			var lid [3]float64
			lid[along] = 0.03
			f := channel(l, c.Name, 0.9, [3]float64{}, n, axis, lid)
			steps := 1000 // the unsteady part decays by 1e-15
			if testing.Short() {
				steps = 700 // by 7e-12
			}
			for range steps {
				f.Step()
			}
			for j := range f.F {
				_, u := f.Macroscopic(f.F[j])
				if want := 0.03 * (float64(j) + 0.5) / 6; math.Abs(u[along]-want) > 1e-10 {
					t.Errorf("%s %s walls across %c, node %d: %.12g, want %.12g", l.Name, c.Name, "xyz"[axis], j, u[along], want)
				}
			}
		}
	}
}

// collisions conserve mass and add the force to the momentum, with every law of the viscosity.
func TestCollisionsConserve(t *testing.T) {
	for _, s := range model.Pairs() {
		for law := range model.ViscosityLaws {
			t.Run(fmt.Sprint(s.Lattice.Name, s.Collision.Name, model.ViscosityLaw(law)), func(t *testing.T) {
				l := s.Lattice
				force := [3]float64{1e-3, 2e-3, -1e-3}
				if l.Dims == 2 {
					force[2] = 0
				}
				f := channel(l, s.Collision.Name, 0.7, force, [3]int{1, 1, 1}, 0, [3]float64{})
				switch f.Law = model.ViscosityLaw(law); f.Law {
				case model.Smagorinsky:
					f.Params = f.Params.WithSmagorinsky(0.2)
				case model.PowerLaw:
					f.Params = f.Params.WithPowerLaw(0.05, 0.01, 0.5, 0.001, 1).WithBulk(0.2, l.Dims)
				case model.Carreau:
					f.Params = f.Params.WithCarreau(0.2, 0.01, 100, 0.5)
				}
				in := make([]float64, l.Q())
				for i := range in {
					in[i] = l.Weights[i] * (1 + 0.1*math.Sin(float64(3*i)))
				}
				a, b := f.Moments(in), f.Moments(f.Collide(in))
				for k := 0; k <= l.Dims; k++ {
					want := a[k]
					if k > 0 {
						want += force[k-1]
					}
					if math.Abs(b[k]-want) > 1e-15 {
						t.Errorf("moment %d: %.17g after the collision, want %.17g", k, b[k], want)
					}
				}
			})
		}
	}
}

// Moments and Populations are inverse to each other.
func TestMomentsOfPopulations(t *testing.T) {
	for _, l := range model.Lattices {
		f := channel(l, "bgk", 0.7, [3]float64{}, [3]int{1, 1, 1}, 0, [3]float64{})
		m := make([]float64, l.Moments())
		for i := range m {
			m[i] = 0.01 * math.Sin(float64(2*i+1))
		}
		for i, v := range f.Moments(f.Populations(m)) {
			if math.Abs(v-m[i]) > 1e-15 {
				t.Errorf("%s: moment %d is %.17g, want %.17g", l.Name, i, v, m[i])
			}
		}
	}
}
