// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"
	"math/rand/v2"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/internal/brief"
	"lbmsim/model"
)

// lawful sets numbers of a law that affect the flows here.
func lawful(law model.ViscosityLaw, p model.Params) model.Params {
	switch law {
	case model.Smagorinsky:
		return p.WithSmagorinsky(0.3)
	case model.Wale:
		return p.WithWale(0.5)
	case model.PowerLaw:
		return p.WithPowerLaw(0.03, 0.01, 0.6, 0.01, 0.06)
	case model.Carreau:
		return p.WithCarreau(0.1, 0.01, 50, 0.4)
	case model.Newtonian:
	}
	return p
}

// Refined flows collide as Flow does with every law, with the trace at the cell's own rate and at a different one.
func TestArithmeticOfLaws(t *testing.T) {
	closures(t, func(t *testing.T, l model.Lattice, collision string) {
		r := rand.New(rand.NewPCG(5, 1))
		for law := range model.ViscosityLaws {
			for _, bulk := range []float64{0, 0.8} {
				f := channel(l, collision, 0.6, [3]float64{1e-3, 2e-3, -1e-3 * float64(l.Dims-2)}, [3]int{1, 1, 1}, 0, [3]float64{})
				f.Law = model.ViscosityLaw(law)
				f.Params = lawful(f.Law, f.Params)
				f.Params.OmegaBulk, f.Eddies, f.eddies = bulk, []float64{0.04}, 0
				if f.Law.LooksAround() {
					f.eddies = f.Eddies[0]
				}
				g := &Grid{Flow: f, arithmetic: newArithmetic(f)}
				for range 5 {
					in, out := make([]float64, l.Q()), make([]float64, l.Q())
					for i, w := range l.Weights {
						in[i] = w * (1 + 0.1*r.Float64())
					}
					var m [10]float64
					g.arithmetic.sums(in, &m)
					g.arithmetic.collide(&m, &f.Params, g.omega(0))
					g.arithmetic.populations(&m, out)
					for i, want := range f.Collide(in) {
						if math.Abs(out[i]-want) > 1e-15 {
							t.Fatalf("%s, bulk %g: population %d is %.17g after the collision, want %.17g", f.Law, bulk, i, out[i], want)
						}
					}
				}
			}
		}
	})
}

// Without boxes a refined flow is a Flow, beyond the step that recomputes the eddy viscosity.
func TestOneLevelOfLawsIsAFlow(t *testing.T) {
	for _, l := range model.Lattices {
		for law := range model.ViscosityLaws {
			c := inflow(l, [3]int{7, 6, 3 * (l.Dims - 2)}, 0.55, 0.02)
			c.law = model.ViscosityLaw(law)
			c.lawful = func(p model.Params) model.Params { return lawful(c.law, p) }
			s := c.make(t)
			f := New(l, c.model, s.Grids[0].Params, c.periodic, c.cells(c.n))
			f.Law = c.law
			for range model.EddySteps + 3 {
				f.Step()
				s.Advance()
			}
			for cell := range f.F {
				for i, want := range f.F[cell] {
					if got := s.Grids[0].F[cell][i]; math.Abs(got-want) > 1e-14 {
						t.Fatalf("%s %s, cell %d: population %d is %.17g, want %.17g", l.Name, c.law, cell, i, got, want)
					}
				}
			}
		}
	}
}

// A fluid of a power law between walls, u = u0 (1 - |1 - 2 y/H|^((n+1)/n)), through interfaces and beside them: at most 1.2 times the
// coarse grid's error. The bound is the constant viscosity's.
func TestRefinedPowerLaw(t *testing.T) {
	const height, index, nu = 12, 0.6, 0.03
	u0 := 0.8 / float64(height)
	rate := 2 * u0 / height * (index + 1) / index // at the walls, where the viscosity is nu
	exact := func(at [3]float64) [3]float64 {
		return [3]float64{u0 * (1 - math.Pow(math.Abs(1-2*at[1]/height), (index+1)/index))}
	}
	run := func(boxes ...[]decomp.Box) float64 {
		c := plane(8, height, 0.5+3*nu, boxes...)
		c.law, c.force[0] = model.PowerLaw, 2*nu*rate/height
		c.lawful = func(p model.Params) model.Params { return p.WithPowerLaw(nu, rate, index, nu/10, 20*nu) }
		c.periodic[1], c.faces[1] = false, [2]uint8{1, 2}
		c.walls = func([3]int) []boundary.Wall { return boundary.BounceWalls([3]float64{}, [3]float64{}) }
		s := c.make(t)
		s.Set(func(at [3]float64) (float64, [3]float64, [3][3]float64) {
			var g [3][3]float64
			const h = 1e-4
			g[0][1] = (exact([3]float64{0, at[1] + h})[0] - exact([3]float64{0, at[1] - h})[0]) / (2 * h)
			return 0, exact(at), g
		})
		s.advanceBy(int(0.25 * height * height / nu))
		return s.errorOf(exact)
	}
	coarse := run()
	t.Logf("the coarse grid's error: %.2e", coarse)
	boxes := map[string]decomp.Box{"across": box2(2, 6, 0, height), "along": box2(0, 8, 3, 9), "at the wall": box2(0, 8, 0, 4), "box": box2(2, 6, 3, 9)}
	if brief.Fewer(t, "boxes"); testing.Short() {
		boxes = map[string]decomp.Box{"box": boxes["box"]}
	}
	for name, box := range boxes {
		e := run([]decomp.Box{box})
		if t.Logf("%s: %.2e", name, e); !(e <= 1.2*coarse) {
			t.Errorf("%s: error %.3e, the coarse grid's %.3e", name, e, coarse)
		}
	}
}

// A thin double shear layer at tau = 0.5001 on level 0 with an eddy viscosity, three levels: its energy never rises, for 20 turnovers.
func TestRefinedShearLayerWithEddies(t *testing.T) {
	const n = 32
	turnovers := 20.
	if brief.Fewer(t, "turnovers of a shear layer"); testing.Short() {
		turnovers = 0.5
	}
	for _, law := range []model.ViscosityLaw{model.Smagorinsky, model.Wale} {
		c := plane(n, n, 0.5001, []decomp.Box{box2(n/4, 3*n/4, n/4, 3*n/4)}, []decomp.Box{box2(12, 20, 10, 20)})
		c.law = law
		if c.lawful = func(p model.Params) model.Params { return p.WithSmagorinsky(0.17) }; law == model.Wale {
			c.lawful = func(p model.Params) model.Params { return p.WithWale(0.5) }
		}
		s := c.make(t)
		s.Set(shearLayer(n))
		start := s.energy()
		before := start
		for range int(turnovers * n * 10 / 50) {
			s.advanceBy(50)
			e := s.energy()
			if !(e <= before) {
				t.Fatalf("%s: the energy rises from %g to %g of its start", law, before/start, e/start)
			}
			before = e
		}
		t.Logf("%s: energy at the end %.4f of its start, mean density %.1e", law, before/start, s.mean())
	}
}
