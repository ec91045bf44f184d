// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Levels is a flow on nested grids: the oracle of grid refinement. decomp.Hierarchy has the geometry, with a drawing of an
// interface; each level is a Flow over the whole domain at its spacing, of which it fills the cells that the level stores. Cells
// that no step may read are NaN.
//
// A step of level l takes as long as two of level l+1, whose cells are half as wide. The velocity in lattice units is the same on
// both, so nu = (tau - 1/2)/3 and the bulk viscosity double from level to level, and the body force per step and cell halves. One
// step of level l (Advance) is:
//
//	prolong   the overlap of level l+1, both layers, from level l
//	step      level l; its flux through the faces of the interface counts as -1
//	twice     step level l+1; the flux through its faces counts as +1
//	restrict  covered cells beside the interface get the mean of their children
//	correct   the cell outside each face gets the excess of the fine faces' flux over the coarse one's
//
// Only the first of the two fine steps computes the first layer of the overlap. So nothing is interpolated
// in time.
//
// The content of a cell is interpolated as rho, u and P (value): after a collision with the force F the moments are
//
//	j* = rho u + F/2,  S* = rho u u + (u F + F u)/2 + P,  P = -2/3 rho (tau - 1) e
//
// with the strain rate e in cells and steps of the level. Means of velocities are not point values: both directions keep means, or
// they would differ by dx^2/32 u_aa at every step. The pair alone loses mass at the fourth digit of its error; the matched flux
// (Berger & Colella, J. Comput. Phys. 82 (1989) 64; with populations Rohde et al., Int. J. Numer. Meth. Fluids 51 (2006) 439) keeps
// mass to rounding, and momentum except at walls. docs/refinement-numerics.md has formulas and measurements.
type Levels struct {
	Hierarchy *decomp.Hierarchy
	Grids     []*Grid // by level
}

// Grid is the cells of one level.
type Grid struct {
	*Flow
	Level int
	Force func(step int) [3]float64 // at the end of a step, in cells and steps of the level; nil: constant

	depth      []uint8  // of each cell: 0 owned, 1 and 2 the layers of the overlap, or nothing
	runs       [3][]int // the cells of depth 0; up to 1; up to 2; that are not covered
	upstream   [][]int  // the cells that the populations of a cell come from; nil beside faces of the domain
	next       [][]float64
	after      []Scalar // of a flow with a scalar
	arithmetic *arithmetic
	coupling   coupling // to the coarser level
}

// nothing is the depth of cells that the level does not store.
const nothing = 3

// NewLevels makes a flow at rest. p has the numbers of level 0; cells returns the faces of the domain as a level sees them.
func NewLevels(h *decomp.Hierarchy, l model.Lattice, collision string, law model.ViscosityLaw, p model.Params, cells func(level int) boundary.Cells) *Levels {
	s := &Levels{Hierarchy: h}
	for level := range h.Levels {
		g := &Grid{Flow: New(l, collision, p, h.Periodic, cells(level)), Level: level}
		if g.Cells.N != h.Levels[level].N || !g.closes() || g.Cells.Modelled != nil {
			panic(fmt.Sprintf("level %d: cells of another size, or what refined flows do not have", level))
		}
		g.Law = law
		g.arithmetic = newArithmetic(g.Flow)
		g.next = make([][]float64, len(g.F))
		s.Grids = append(s.Grids, g)
		s.place(g)
		p = finer(p, law)
	}
	for level := 1; level < len(s.Grids); level++ {
		s.couple(level)
	}
	return s
}

// place determines the cells that a level stores and the cells that it computes.
func (s *Levels) place(g *Grid) {
	h := s.Hierarchy
	g.depth = make([]uint8, len(g.F))
	for cell := range g.depth {
		g.depth[cell] = nothing
	}
	for _, p := range h.Levels[g.Level].Patches {
		each(p.Stored, func(x [3]int) {
			depth := 0
			for a := range x {
				depth = max(depth, p.Owned.Lo[a]-x[a], x[a]-p.Owned.Hi[a]+1)
			}
			x, _ = h.Wrap(g.Level, x)
			g.depth[g.number(x)] = min(g.depth[g.number(x)], uint8(depth))
		})
	}
	g.upstream = make([][]int, len(g.F))
	g.Each(func(cell int, x [3]int, solid bool) {
		depth := g.depth[cell]
		switch {
		case solid:
		case depth == nothing:
			g.F[cell] = nil
		case depth == 0 && h.Role(g.Level, x) == decomp.Hidden:
			g.forget(cell)
		case depth == 0 && h.Role(g.Level, x) == decomp.Mirrored:
		default:
			for d := int(depth); d < nothing; d++ {
				g.runs[d] = append(g.runs[d], cell)
			}
			g.next[cell] = make([]float64, g.Lattice.Q())
			g.upstream[cell] = g.sources(x)
		}
	})
}

func each(b decomp.Box, visit func(x [3]int)) {
	var x [3]int
	for x[2] = b.Lo[2]; x[2] < b.Hi[2]; x[2]++ {
		for x[1] = b.Lo[1]; x[1] < b.Hi[1]; x[1]++ {
			for x[0] = b.Lo[0]; x[0] < b.Hi[0]; x[0]++ {
				visit(x)
			}
		}
	}
}

// forget overwrites the content of a cell by NaN.
func (g *Grid) forget(cell int) {
	for i := range g.F[cell] {
		g.F[cell][i] = math.NaN()
	}
	if g.G != nil {
		g.G[cell].Theta = math.NaN()
	}
}

// sources returns the cells that populations come from, nil if some come from beyond a face of the domain.
func (g *Grid) sources(x [3]int) (list []int) {
	for _, c := range g.Lattice.Velocities {
		up := minus(x, c)
		for a, n := range g.Cells.N {
			if (up[a] < 0 || up[a] >= n) && !g.Periodic[a] && a < g.Lattice.Dims {
				return nil
			}
		}
		if g.Cells.At(up[0], up[1], up[2]) != 0 {
			return nil
		}
		list = append(list, g.number(up))
	}
	return list
}

// Advance computes one step of level 0.
func (s *Levels) Advance() { s.advance(0, 0) }

// advance computes a step of a level: the first (0) or second (1) within a step of the coarser one.
func (s *Levels) advance(level, which int) {
	g := s.Grids[level]
	g.Time = float64(g.steps) + 0.5
	if level+1 == len(s.Grids) {
		g.coupling.count(g, g.coupling.fine)
		g.step(which)
		return
	}
	fine := s.Grids[level+1]
	s.prolong(fine)
	g.coupling.count(g, g.coupling.fine)
	fine.coupling.count(g, fine.coupling.coarse)
	g.step(which)
	s.advance(level+1, 0)
	s.advance(level+1, 1)
	s.restrict(fine)
	s.correct(fine)
}

// step computes the owned cells and, in the first of two steps, the first layer of the overlap.
func (g *Grid) step(which int) {
	if g.Law.LooksAround() && g.steps%model.EddySteps == 0 {
		g.findEddies()
	}
	g.steps++
	if g.Force != nil {
		g.Params.Force = g.Force(g.steps)
	}
	deepest := 1 - which
	if g.Level == 0 {
		deepest = 0
	}
	for _, cell := range g.runs[deepest] {
		g.update(cell)
	}
	for _, cell := range g.runs[deepest] {
		g.F[cell], g.next[cell] = g.next[cell], g.F[cell]
		if g.G != nil {
			g.G[cell] = g.after[cell]
		}
	}
	for _, cell := range g.runs[2] {
		if int(g.depth[cell]) > deepest {
			g.forget(cell) // of the step before
		}
	}
}

// in returns the grid with the numbers of a cell, which are its own in a sponge.
func (g *Grid) in(cell int) *Grid {
	if g.Cells.Rates == nil {
		return g
	}
	rates := g.Cells.Rates(g.position(cell))
	if rates == nil {
		return g
	}
	own, flow := *g, *g.Flow
	flow.Params.Omega, flow.Params.OmegaMinus, flow.Params.Viscosity = rates.Omega, rates.OmegaMinus, rates.Viscosity
	own.Flow = &flow
	return &own
}

// update computes the next populations of a cell.
func (g *Grid) update(cell int) {
	var m [10]float64
	var in [27]float64
	pop := in[:g.Lattice.Q()]
	up := g.upstream[cell]
	for i, from := range up {
		pop[i] = g.F[from][i]
	}
	if up == nil {
		pop = g.gather(cell, g.position(cell))
	}
	g.arithmetic.sums(pop, &m)
	own := g.in(cell)
	g.arithmetic.collide(&m, &own.Params, own.omega(cell))
	g.arithmetic.populations(&m, g.next[cell])
	if g.G != nil {
		g.after[cell] = carried(g.Flow, cell, g.position(cell), g.next[cell])
	}
	if up == nil {
		copy(g.next[cell], g.applyOutflow(g.position(cell), g.next[cell]))
	}
}

func (g *Grid) position(cell int) [3]int {
	n := g.Cells.N
	return [3]int{cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]}
}

// Width returns the width of the level's cells in cells of level 0.
func (g *Grid) Width() float64 { return 1 / float64(int(1)<<g.Level) }

// Centre returns the centre of a cell in cells of level 0.
func (g *Grid) Centre(x [3]int) (at [3]float64) {
	for a := range g.Lattice.Dims {
		at[a] = (float64(x[a]) + 0.5) * g.Width()
	}
	return at
}

// Set gives all cells a state: fill returns rho - 1, the velocity and its gradient g[a][b] = du_a/dx_b per cell of level 0, at a
// place in cells of level 0.
func (s *Levels) Set(fill func(at [3]float64) (density float64, u [3]float64, gradient [3][3]float64)) {
	for _, g := range s.Grids {
		g.Each(func(cell int, x [3]int, solid bool) {
			if solid || g.depth[cell] == nothing || math.IsNaN(g.F[cell][0]) {
				return
			}
			var v value
			var gradient [3][3]float64
			v.density, v.u, gradient = fill(g.Centre(x))
			for a := range gradient {
				for b := range gradient {
					gradient[a][b] *= g.Width()
				}
			}
			g.setTrace(&v, gradient)
			g.setDeviator(&v, gradient)
			g.set(cell, v)
		})
	}
}

// SetScalar adds a scalar to a flow whose state is set: fill returns its value and gradient at a place, per cell of level 0.
func (s *Levels) SetScalar(fill func(at [3]float64) (theta float64, gradient [3]float64)) {
	for _, g := range s.Grids {
		g.G, g.after = make([]Scalar, len(g.F)), make([]Scalar, len(g.F))
		g.Each(func(cell int, x [3]int, solid bool) {
			if solid || g.depth[cell] == nothing || math.IsNaN(g.F[cell][0]) {
				return
			}
			v := g.value(cell)
			var gradient [3]float64
			v.theta, gradient = fill(g.Centre(x))
			for a := range gradient {
				gradient[a] *= g.Width()
			}
			setFlux(&v, g.Params.ScalarTau, gradient)
			g.set(cell, v)
		})
	}
}

// EachScalar calls visit for the finest cell in each place.
func (s *Levels) EachScalar(visit func(g *Grid, x [3]int, density, theta, volume float64)) {
	s.EachCounted(func(g *Grid, x [3]int, density float64, _ [3]float64, volume float64) {
		visit(g, x, density, g.G[g.number(x)].Theta, volume)
	})
}

// EachCounted calls visit for the finest cell in each place, with its share of a cell of level 0.
func (s *Levels) EachCounted(visit func(g *Grid, x [3]int, density float64, u [3]float64, volume float64)) {
	for _, g := range s.Grids {
		for _, cell := range g.runs[0] {
			v := g.value(cell)
			visit(g, g.position(cell), v.density, v.u, math.Pow(g.Width(), float64(g.Lattice.Dims)))
		}
	}
}
