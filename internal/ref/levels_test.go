// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"
	"math/rand/v2"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/model"
)

// setup describes a refined flow. Boxes are in cells of level 0, by level from 1 on.
type setup struct {
	lattice  model.Lattice
	model    string
	tau      float64
	force    [3]float64
	n        [3]int
	periodic [3]bool
	faces    [3][2]uint8                    // types of the domain's faces, of walls
	walls    func(n [3]int) []boundary.Wall // of a level with so many cells
	boxes    [][]decomp.Box
	tied     bool // bulk viscosity from the shear's relaxation time
	law      model.ViscosityLaw
	lawful   func(p model.Params) model.Params // with the law's numbers
}

func (c setup) make(t *testing.T) *Levels {
	t.Helper()
	d := c.lattice.Dims
	plan, err := decomp.Slabs(c.n, c.periodic, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	var list []decomp.Refinement
	for k, boxes := range c.boxes {
		for _, b := range boxes {
			r := decomp.Refinement{Name: "refine.box", Level: k + 1}
			for a := range r.From {
				r.From[a], r.To[a] = float64(b.Lo[a]), float64(b.Hi[a])
			}
			list = append(list, r)
		}
	}
	h, err := decomp.NewHierarchy(plan, list)
	if err != nil {
		t.Fatal(err)
	}
	collision, _ := model.FindCollision(c.model)
	p := model.NewParams(collision, c.tau, nil, c.force)
	if c.tied {
		p.OmegaBulk = 0
	}
	if c.lawful != nil {
		p = c.lawful(p)
	}
	return NewLevels(h, c.lattice, c.model, c.law, p, func(level int) boundary.Cells { return c.cells(h.Levels[level].N) })
}

// cells puts walls behind the faces of a domain; at an edge the later axis wins.
func (c setup) cells(n [3]int) boundary.Cells {
	cells := boundary.NewCells(n)
	if c.walls != nil {
		cells.Walls = c.walls(n)
	}
	each(decomp.Box{Lo: [3]int{-1, -1, -1}, Hi: [3]int{n[0] + 1, n[1] + 1, n[2] + 1}}, func(x [3]int) {
		for a := range c.lattice.Dims {
			if k := c.faces[a][0]; x[a] < 0 && !c.periodic[a] {
				cells.Type[cells.Index(x[0], x[1], x[2])] = k
			}
			if k := c.faces[a][1]; x[a] == n[a] && !c.periodic[a] {
				cells.Type[cells.Index(x[0], x[1], x[2])] = k
			}
		}
	})
	return cells
}

// mean returns the volume mean of rho - 1.
func (s *Levels) mean() float64 {
	sum, volume := 0.0, 0.0
	s.EachCounted(func(_ *Grid, _ [3]int, density float64, _ [3]float64, share float64) {
		sum, volume = sum+share*density, volume+share
	})
	return sum / volume
}

// energy returns the kinetic energy.
func (s *Levels) energy() (sum float64) {
	s.EachCounted(func(_ *Grid, _ [3]int, density float64, u [3]float64, share float64) {
		sum += share * (1 + density) * (u[0]*u[0] + u[1]*u[1] + u[2]*u[2]) / 2
	})
	return sum
}

// errorOf returns the L2 error of the velocity.
func (s *Levels) errorOf(exact func(at [3]float64) [3]float64) float64 {
	sum, all := 0.0, 0.0
	s.EachCounted(func(g *Grid, x [3]int, _ float64, u [3]float64, share float64) {
		want := exact(g.Centre(x))
		for a := range u {
			sum += share * (u[a] - want[a]) * (u[a] - want[a])
			all += share * want[a] * want[a]
		}
	})
	return math.Sqrt(sum / all)
}

func (s *Levels) advanceBy(steps int) {
	for range steps {
		s.Advance()
	}
}

func lattice(name string) model.Lattice {
	l, ok := model.FindLattice(name)
	if !ok {
		panic(name)
	}
	return l
}

func box(x0, x1, y0, y1, z0, z1 int) decomp.Box {
	return decomp.Box{Lo: [3]int{x0, y0, z0}, Hi: [3]int{x1, y1, z1}}
}

// closures calls f for all lattices with all models with a state of moments.
func closures(t *testing.T, f func(t *testing.T, l model.Lattice, collision string)) {
	for _, p := range model.Pairs() {
		if p.Collision.Scheme == model.Moments {
			t.Run(p.Lattice.Name+" "+p.Collision.Name, func(t *testing.T) { f(t, p.Lattice, p.Collision.Name) })
		}
	}
}

// Grids compute the same values from moments as Flow from populations.
func TestArithmetic(t *testing.T) {
	closures(t, func(t *testing.T, l model.Lattice, collision string) {
		r := rand.New(rand.NewPCG(3, 1))
		f := channel(l, collision, 0.7, [3]float64{1e-3, 2e-3, -1e-3 * float64(l.Dims-2)}, [3]int{1, 1, 1}, 0, [3]float64{})
		f.Params.OmegaBulk = 0.8
		a := newArithmetic(f)
		for range 20 {
			in, out := make([]float64, l.Q()), make([]float64, l.Q())
			for i, w := range l.Weights {
				in[i] = w * (1 + 0.3*r.Float64())
			}
			var m [10]float64
			a.sums(in, &m)
			a.collide(&m, &f.Params, nil)
			a.populations(&m, out)
			for i, want := range f.Collide(in) {
				if math.Abs(out[i]-want) > 1e-15 {
					t.Fatalf("population %d is %.17g after the collision, want %.17g", i, out[i], want)
				}
			}
		}
	})
}

// Without boxes a refined flow is a Flow, with walls and open faces.
func TestOneLevelIsAFlow(t *testing.T) {
	for _, l := range model.Lattices {
		c := inflow(l, [3]int{9, 7, 5 * (l.Dims - 2)}, 0.55, 0.02)
		s := c.make(t)
		p := s.Grids[0].Params
		f := New(l, c.model, p, c.periodic, c.cells(c.n))
		for range 30 {
			f.Step()
			s.Advance()
		}
		for cell := range f.F {
			for i, want := range f.F[cell] {
				if got := s.Grids[0].F[cell][i]; math.Abs(got-want) > 1e-14 {
					t.Fatalf("%s, cell %d: population %d is %.17g, want %.17g", l.Name, cell, i, got, want)
				}
			}
		}
	}
}

// inflow returns a channel between walls across y, with an inlet and a pressure outlet across x, periodic along z.
func inflow(l model.Lattice, n [3]int, tau, top float64) setup {
	n[2] = max(n[2], 1)
	return setup{lattice: l, model: "cumulant", tau: tau, n: n, periodic: [3]bool{2: true}, faces: [3][2]uint8{{1, 2}, {3, 3}},
		walls: func(n [3]int) []boundary.Wall {
			return []boundary.Wall{{Law: boundary.VelocityFace, Motion: parabola{top, float64(n[1])}}, {Law: boundary.PressureFace}, {Law: boundary.Bounce}}
		}}
}

// parabola is the velocity along x of a channel of so many cells.
type parabola struct{ top, height float64 }

func (p parabola) At(x [3]float64, _ float64) [3]float64 {
	y := x[1] / p.height
	return [3]float64{4 * p.top * y * (1 - y)}
}
func (p parabola) Steady() bool { return true }

// A uniform flow is unchanged across the edges and corners of a concave union, on three levels: within 1e-14.
func TestRefinedUniformFlow(t *testing.T) {
	closures(t, func(t *testing.T, l model.Lattice, collision string) {
		c := setup{lattice: l, model: collision, tau: 0.51, n: [3]int{16, 16, 1}, periodic: [3]bool{true, true, true}}
		c.boxes = [][]decomp.Box{{box(2, 14, 2, 8, 0, 1), box(2, 8, 2, 14, 0, 1)}, {box(4, 12, 4, 6, 0, 1), box(4, 6, 4, 12, 0, 1)}}
		steps := 100
		if l.Dims == 3 {
			c.n, steps = [3]int{10, 10, 10}, 10
			c.boxes = [][]decomp.Box{{box(1, 9, 1, 5, 1, 6), box(1, 6, 1, 9, 1, 6)}, {box(2, 8, 2, 4, 2, 5), box(2, 5, 2, 8, 2, 5)}}
			if testing.Short() {
				steps = 2
			}
		}
		s := c.make(t)
		s.staysUniform(t, 0.01, [3]float64{0.07, 0.04, 0.03 * float64(l.Dims-2)}, steps)
	})
}

// staysUniform checks that a uniform flow with rho-1 = r is unchanged for some steps, within 1e-14.
func (s *Levels) staysUniform(t *testing.T, r float64, u [3]float64, steps int) {
	t.Helper()
	s.Set(func([3]float64) (float64, [3]float64, [3][3]float64) { return r, u, [3][3]float64{} })
	s.advanceBy(steps)
	worst := 0.0
	s.EachCounted(func(_ *Grid, _ [3]int, density float64, v [3]float64, _ float64) {
		for _, d := range []float64{density - r, v[0] - u[0], v[1] - u[1], v[2] - u[2]} {
			worst = math.Max(worst, math.Abs(d)) // NaN, if one is
		}
	})
	if t.Logf("deviation %.1e", worst); !(worst <= 1e-14) {
		t.Errorf("a uniform flow deviates by %.2e, at most 1e-14", worst)
	}
}

// A uniform flow passes boxes that touch faces of the domain: an inlet, an outlet and frictionless sides, in their edges and
// corners; and a fluid at rest remains at rest between walls.
func TestRefinedUniformFlowAtFaces(t *testing.T) {
	for _, l := range model.Lattices {
		n, steps := [3]int{12, 9, 1}, 40
		boxes := [][]decomp.Box{{box(0, 4, 0, 5, 0, 1), box(4, 6, 2, 9, 0, 1), box(8, 12, 1, 9, 0, 1)}, {box(0, 2, 0, 3, 0, 1), box(10, 12, 4, 9, 0, 1)}}
		if l.Dims == 3 {
			n, steps = [3]int{8, 7, 7}, 4
			boxes = [][]decomp.Box{{box(0, 3, 0, 4, 0, 4), box(5, 8, 1, 7, 3, 7), box(3, 4, 2, 7, 3, 5)}, {box(0, 1, 0, 2, 0, 2)}}
		}
		c := setup{lattice: l, model: "cumulant", tau: 0.51, n: n, boxes: boxes, faces: [3][2]uint8{{1, 2}, {3, 3}, {3, 3}}}
		u := [3]float64{0.07}
		open := []boundary.Wall{{Law: boundary.VelocityFace, Motion: boundary.Constant(u)}, {Law: boundary.PressureFace, Density: 0.01}, {Law: boundary.Slip}}
		c.walls = func([3]int) []boundary.Wall { return open }
		t.Run(l.Name+" open", func(t *testing.T) { c.make(t).staysUniform(t, 0.01, u, steps) })
		mixed := []boundary.Wall{{Law: boundary.VelocityFace}, {Law: boundary.PressureFace, Density: 0.01}, {Law: boundary.Bounce}, {Law: boundary.Slip}}
		c.walls = func([3]int) []boundary.Wall { return mixed }
		c.faces[2] = [2]uint8{3, 4}
		t.Run(l.Name+" mixed", func(t *testing.T) { c.make(t).staysUniform(t, 0.01, [3]float64{}, steps) })
		c.walls = func([3]int) []boundary.Wall { return make([]boundary.Wall, 4) }
		t.Run(l.Name+" walls", func(t *testing.T) { c.make(t).staysUniform(t, 0.01, [3]float64{}, steps) })
	}
}

// A uniform flow passes boxes at both ends of a periodic axis, boxes one coarse cell apart, one that spans an axis, two that touch
// at a corner, and five levels.
func TestRefinedUniformFlowAcrossEnds(t *testing.T) {
	c := setup{lattice: lattice("D2Q9"), model: "cumulant", tau: 0.51, n: [3]int{16, 16, 1}, periodic: [3]bool{true, true, true}}
	for _, boxes := range [][][]decomp.Box{
		{{box(0, 4, 4, 9, 0, 1), box(12, 16, 2, 12, 0, 1)}, {box(0, 1, 6, 7, 0, 1), box(14, 16, 6, 8, 0, 1)}},
		{{box(2, 6, 2, 12, 0, 1), box(7, 12, 2, 12, 0, 1)}},
		{{box(0, 16, 2, 12, 0, 1)}, {box(0, 16, 4, 8, 0, 1), box(5, 9, 4, 10, 0, 1)}},
		{{box(1, 16, 0, 16, 0, 1)}},
		{{box(0, 5, 0, 5, 0, 1), box(5, 9, 5, 9, 0, 1)}},
		{{box(3, 13, 3, 13, 0, 1)}, {box(4, 12, 4, 12, 0, 1)}, {box(5, 11, 5, 11, 0, 1)}, {box(6, 10, 6, 10, 0, 1)}, {box(7, 9, 7, 9, 0, 1)}},
	} {
		c.boxes = boxes
		c.make(t).staysUniform(t, 0.01, [3]float64{0.07, 0.04}, 20)
	}
}

// A closed box conserves its mass, with a box on a wall and a smaller one in it: 1e-17 per step and cell.
func TestRefinedMass(t *testing.T) {
	walls := func(l ...boundary.Law) (list []boundary.Wall) {
		for _, law := range l {
			list = append(list, boundary.Wall{Law: law})
		}
		list[1].Motion = boundary.Constant{0.05}
		return list
	}
	keepsMass(t, walls(boundary.Bounce, boundary.Bounce))
	t.Run("frictionless", func(t *testing.T) { keepsMass(t, walls(boundary.Slip, boundary.MovingFace)) })
}

// So does a box under a sliding lid, with other boxes beside one of the lid's ends: 1e-17 per step and cell, as without boxes. The
// lid's velocity is constant, or changes along it; its law is bounce-back, or ghost cells between walls and frictionless sides.
func TestRefinedMassUnderLid(t *testing.T) {
	slides := boundary.Formula{Velocity: func(p [3]float64, _ float64) [3]float64 { return [3]float64{0.03 + 1e-3*p[0], 0, -0.02 + 1e-3*p[2]} }}
	for name, walls := range map[string][]boundary.Wall{
		"constant":     {{}, {Motion: boundary.Constant{0.05, 0, 0.03}}},
		"profile":      {{}, {Motion: slides}},
		"ghost cells":  {{}, {Law: boundary.MovingFace, Motion: slides}},
		"frictionless": {{Law: boundary.Slip}, {Law: boundary.MovingFace, Motion: slides}},
	} {
		for _, l := range model.Lattices {
			c := setup{lattice: l, model: "cumulant", tau: 0.6, n: [3]int{16, 16, 1}, faces: [3][2]uint8{{1, 1}, {1, 2}, {1, 1}}, walls: func([3]int) []boundary.Wall { return walls }}
			boxes := [][][]decomp.Box{nil, {{box2(4, 9, 10, 16)}}, {{box2(10, 16, 12, 16), box2(13, 16, 6, 16)}, {box2(14, 16, 14, 16)}}}
			steps := 50
			if l.Dims == 3 {
				c.n, steps = [3]int{7, 7, 8}, 10
				boxes = [][][]decomp.Box{nil, {{box(2, 5, 3, 7, 2, 6)}}, {{box(3, 7, 4, 7, 0, 6), box(5, 7, 2, 7, 0, 3)}}}
				if testing.Short() {
					steps = 2
				}
			}
			for k := range boxes {
				c.boxes = boxes[k]
				s := c.make(t)
				s.advanceBy(steps)
				drift := s.mean() / float64(steps)
				t.Logf("%s, %s, boxes %d: drift %.1e", name, l.Name, k, drift)
				if !(math.Abs(drift) <= 1e-17) {
					t.Errorf("%s, %s, boxes %d: the mean density drifts by %.2e per step, at most 1e-17", name, l.Name, k, drift)
				}
			}
		}
	}
}

// A flow between walls that move with it is unchanged in boxes on these walls: a wall drags fluid through the interface. Bounce-back
// has rho0 = 1 in the wall's momentum, so the density is 1.
func TestRefinedUniformFlowAtMovingWalls(t *testing.T) {
	for _, l := range model.Lattices {
		u := [3]float64{0.07, 0, 0.03 * float64(l.Dims-2)}
		c := setup{lattice: l, model: "cumulant", tau: 0.51, n: [3]int{12, 9, 1}, periodic: [3]bool{0: true, 2: true}, faces: [3][2]uint8{1: {1, 1}},
			boxes: [][]decomp.Box{{box2(2, 8, 3, 9), box2(0, 5, 0, 5)}, {box2(4, 6, 6, 9)}}}
		steps := 40
		if l.Dims == 3 {
			c.n, steps = [3]int{8, 7, 7}, 4
			c.boxes = [][]decomp.Box{{box(1, 4, 3, 7, 1, 5), box(4, 6, 2, 7, 1, 4)}}
		}
		for name, law := range map[string]boundary.Law{"bounce": boundary.Bounce, "ghost cells": boundary.MovingFace} {
			c.walls = func([3]int) []boundary.Wall { return []boundary.Wall{{Law: law, Motion: boundary.Constant(u)}} }
			t.Run(l.Name+" "+name, func(t *testing.T) { c.make(t).staysUniform(t, 0, u, steps) })
		}
	}
}

func keepsMass(t *testing.T, walls []boundary.Wall) {
	closures(t, func(t *testing.T, l model.Lattice, collision string) {
		c := setup{lattice: l, model: collision, tau: 0.6, n: [3]int{16, 16, 1}, faces: [3][2]uint8{{1, 1}, {1, 2}, {1, 1}},
			walls: func([3]int) []boundary.Wall { return walls },
			boxes: [][]decomp.Box{{box(5, 16, 0, 9, 0, 1)}, {box(8, 13, 0, 5, 0, 1)}}}
		steps := 100
		if l.Dims == 3 {
			c.n, steps = [3]int{8, 8, 8}, 20
			c.boxes = [][]decomp.Box{{box(2, 8, 0, 6, 2, 6)}}
			if testing.Short() {
				steps = 3
			}
		}
		s := c.make(t)
		s.Set(func(at [3]float64) (float64, [3]float64, [3][3]float64) {
			return 0.01 * math.Sin(at[0]) * math.Cos(at[1]/2+at[2]), [3]float64{0.03 * math.Sin(at[1]), 0.02 * math.Cos(at[0])}, [3][3]float64{}
		})
		before := s.mean()
		s.advanceBy(steps)
		drift := (s.mean() - before) / float64(steps)
		t.Logf("drift %.1e", drift)
		if !(math.Abs(drift) <= 1e-17) {
			t.Errorf("the mean density drifts by %.2e per step, at most 1e-17", drift)
		}
	})
}
