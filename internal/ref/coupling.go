// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/model"
)

// value is the content of a cell in a form that can be interpolated: rho - 1, the velocity and P, in the order of Pairs; of a scalar
// theta and its flux q.
type value struct {
	density float64
	u       [3]float64
	stress  [6]float64

	theta float64
	flux  [3]float64
}

// add adds w times another value.
func (v *value) add(w float64, o *value) {
	v.density += w * o.density
	for a := range v.u {
		v.u[a] += w * o.u[a]
	}
	for k := range v.stress {
		v.stress[k] += w * o.stress[k]
	}
	v.theta += w * o.theta
	for a := range v.flux {
		v.flux[a] += w * o.flux[a]
	}
}

// force returns the force on a cell with a scalar's value theta.
func (g *Grid) force(theta float64) (force [3]float64) {
	for a := range force {
		force[a] = g.Params.Force[a] + g.Params.Buoyancy[a]*theta
	}
	return force
}

// value returns the content of a cell.
func (g *Grid) value(cell int) (v value) {
	var m [10]float64
	g.arithmetic.sums(g.F[cell], &m)
	if g.G != nil {
		v.theta, v.flux = g.G[cell].Theta, g.G[cell].Q
	}
	d, force := g.Lattice.Dims, g.force(v.theta)
	rho := 1 + m[0]
	v.density = m[0]
	for a := range d {
		v.u[a] = (m[1+a] - force[a]/2) / rho
	}
	for k, ab := range g.arithmetic.pairs {
		a, b := ab[0], ab[1]
		v.stress[k] = m[1+d+k] - rho*v.u[a]*v.u[b] - (v.u[a]*force[b]+v.u[b]*force[a])/2
	}
	return v
}

// set is the inverse of value.
func (g *Grid) set(cell int, v value) { g.setBy(g.force(v.theta), cell, v) }

// setBy does the same with a given force.
func (g *Grid) setBy(force [3]float64, cell int, v value) {
	var m [10]float64
	d := g.Lattice.Dims
	rho := 1 + v.density
	m[0] = v.density
	for a := range d {
		m[1+a] = rho*v.u[a] + force[a]/2
	}
	for k, ab := range g.arithmetic.pairs {
		a, b := ab[0], ab[1]
		m[1+d+k] = rho*v.u[a]*v.u[b] + (v.u[a]*force[b]+v.u[b]*force[a])/2 + v.stress[k]
	}
	g.arithmetic.populations(&m, g.F[cell])
	if g.G != nil {
		g.G[cell] = Scalar{Theta: v.theta, Q: v.flux, U: g.speed(g.F[cell])}
	}
}

// setFlux replaces the flux of the scalar by -1/3 rho (tau - 1) times its gradient, in cells of the level.
func setFlux(v *value, tau float64, gradient [3]float64) {
	for a := range v.flux {
		v.flux[a] = -1. / 3 * (1 + v.density) * (tau - 1) * gradient[a]
	}
}

// convertFlux turns the flux of the scalar of a level into the next level's as convert does with P, which is (tau - 1) times a
// gradient, too: with an eddy diffusivity, by the relaxation times that follow from the velocity gradient.
func convertFlux(v *value, from, to *Grid, gradient [3]float64, velocity [3][3]float64) {
	width := to.Width() / from.Width()
	tau, other := from.scalarTau(inCells(velocity, width)), to.scalarTau(velocity)
	share := to.rescaled(tau, other, from.Params.ScalarEddy != 0 || to.Params.ScalarEddy != 0)
	differences := *v
	setFlux(&differences, other, gradient)
	for a := range v.flux {
		v.flux[a] = mix(share, v.flux[a]*(other-1)/(tau-1)*width, differences.flux[a])
	}
}

// inCells returns a gradient per cell of a level with cells 1/width times as wide.
func inCells(gradient [3][3]float64, width float64) [3][3]float64 {
	for a := range gradient {
		for b := range gradient {
			gradient[a][b] /= width
		}
	}
	return gradient
}

// setTrace replaces the trace of P by -2/3 rho (tau_b - 1) div u, the gradient in cells of the level.
func (g *Grid) setTrace(v *value, gradient [3][3]float64) {
	d := g.Lattice.Dims
	_, bulk := g.tau(gradient)
	change := 0.0 // of each of the normal stresses
	for a := range d {
		change += (-2. / 3 * (1 + v.density) * (bulk - 1) * gradient[a][a]) / float64(d)
	}
	for k := range d {
		change -= v.stress[k] / float64(d)
	}
	old := v.stress
	for k := range d {
		v.stress[k] = old[k] + change
	}
}

// setDeviator replaces the deviator of P by -2/3 rho (tau - 1) e.
func (g *Grid) setDeviator(v *value, gradient [3][3]float64) {
	d := g.Lattice.Dims
	shear, _ := g.tau(gradient)
	trace, divergence := 0.0, 0.0
	for a := range d {
		trace += v.stress[a] / float64(d)
		divergence += gradient[a][a] / float64(d)
	}
	for k, ab := range g.arithmetic.pairs {
		a, b := ab[0], ab[1]
		e := (gradient[a][b] + gradient[b][a]) / 2
		v.stress[k] = 0
		if a == b {
			e -= divergence
			v.stress[k] = trace
		}
		v.stress[k] -= 2. / 3 * (1 + v.density) * (shear - 1) * e
	}
}

// nearOne is the distance from 1 within which a relaxation time makes P, (tau - 1) e, useless for the other level's.
const (
	nearOne = 0.05
	ramp    = 0.1 // see rescaled
)

// convert turns P of a level into the next level's P: deviator and trace each by rescaling, or, where the relaxation time of either
// level is near 1, from the velocity gradient, in cells of the level to. Far from 1 the gradient is worse: it makes P an explicit
// diffusion of the velocity, which is unstable at tau_b = 16.5, level 5's if level 0 has 1. Cells with their own relaxation times
// use the ones that follow from the gradient on both levels.
func convert(v *value, from, to *Grid, gradient [3][3]float64) {
	width := to.Width() / from.Width()
	shear, bulk := from.tau(inCells(gradient, width))
	toShear, toBulk := to.tau(gradient)
	d := to.Lattice.Dims
	trace := 0.0
	for k := range d {
		trace += v.stress[k] / float64(d)
	}
	byTrace, byShear := to.rescaled(bulk, toBulk, to.Params.OmegaBulk == 0), to.rescaled(shear, toShear, true)
	strained := *v
	to.setDeviator(&strained, gradient)
	to.setTrace(&strained, gradient)
	strainedTrace := 0.0
	for k := range d {
		strainedTrace += strained.stress[k] / float64(d)
	}
	for k := range v.stress {
		normal, strainedNormal := 0.0, 0.0
		if k < d {
			normal, strainedNormal = trace, strainedTrace
		}
		v.stress[k] = mix(byShear, (v.stress[k]-normal)*(toShear-1)/(shear-1)*width, strained.stress[k]-strainedNormal)
		if k < d {
			v.stress[k] += mix(byTrace, trace*(toBulk-1)/(bulk-1)*width, strainedTrace)
		}
	}
}

// rescaled returns the share of P that is rescaled at relaxation times of both levels: none within nearOne of 1. Where they are a
// cell's own, it rises from there over the ramp, so that P does not jump with the gradient.
func (g *Grid) rescaled(tau, other float64, own bool) float64 {
	least := math.Min(math.Abs(tau-1), math.Abs(other-1))
	if g.Law == model.Newtonian || !own {
		if least < nearOne {
			return 0
		}
		return 1
	}
	return math.Max(0, math.Min(1, (least-nearOne)/ramp))
}

// mix returns a share of a plus the remaining share of b. A zero share gives 0, also for NaN.
func mix(share, a, b float64) float64 {
	switch share {
	case 0:
		return b
	case 1:
		return a
	}
	return share*a + (1-share)*b
}

// coupling is the data that a level exchanges with the coarser one.
type coupling struct {
	parents      []parent // of interpolated overlap cells
	mirror       []family
	fine, coarse passages
	cells        []int        // of the coarser level, outside the faces
	excess       [][5]float64 // R: mass, momentum and heat that have left through the faces of each, more on the finer level
}

// parent is a cell of the coarser level with overlap cells to fill.
type parent struct {
	at       [3]int
	children []child
}

type child struct {
	cell int
	side [3]int // of the parent's centre: -1 or +1
}

// family is a mirror cell and its children.
type family struct {
	cell     int
	children []int
}

// couple lists the data that a level exchanges with the coarser one.
func (s *Levels) couple(level int) {
	h, c := s.Hierarchy, &s.Grids[level].coupling
	fine, coarse := s.Grids[level], s.Grids[level-1]
	index := map[int]int{} // of parents
	filled := map[int]bool{}
	h.Overlap(level, func(f decomp.Filled) {
		x, _ := h.Wrap(level, f.Cell)
		cell := fine.number(x)
		if f.Sibling >= 0 || filled[cell] {
			return // the level's array has one place for a cell and its copies
		}
		filled[cell] = true
		k, ok := index[coarse.number(f.Source)]
		if !ok {
			k = len(c.parents)
			index[coarse.number(f.Source)] = k
			c.parents = append(c.parents, parent{at: f.Source})
		}
		c.parents[k].children = append(c.parents[k].children, child{cell, f.Child})
	})
	h.Mirror(level-1, func(x [3]int) {
		m := family{cell: coarse.number(x)}
		for _, y := range h.Children(x) {
			m.children = append(m.children, fine.number(y))
		}
		c.mirror = append(c.mirror, m)
	})
	c.listFaces(h, coarse, fine)
}

// around returns the values of the 3x3x3 cells around a cell, those beyond walls and open faces extrapolated; index 13 is the cell
// itself, and steps along the axes are 1, 3 and 9.
func (s *Levels) around(g *Grid, at [3]int) (list [27]value) {
	var d [3]int
	for k := range list {
		d = [3]int{k%3 - 1, k/3%3 - 1, k/9 - 1}
		if g.Lattice.Dims == 3 || d[2] == 0 {
			list[k] = s.near(g, [3]int{at[0] + d[0], at[1] + d[1], at[2] + d[2]})
		}
	}
	return list
}

// near returns the value of a cell, extrapolated beyond the ends of the domain: velocity and scalar by a parabola, as in a
// channel, density, stress and the scalar's flux linearly.
func (s *Levels) near(g *Grid, x [3]int) value {
	at, inside := s.Hierarchy.Wrap(g.Level, x)
	if inside {
		return g.value(g.number(at))
	}
	var line, parabola value
	for k, in := range s.Hierarchy.Inwards(g.Level, x) {
		v := s.near(g, in)
		line.add([]float64{2, -1, 0}[k], &v)
		parabola.add([]float64{3, -3, 1}[k], &v)
	}
	line.u, line.theta = parabola.u, parabola.theta
	return line
}

// prolong fills the overlap of a level from the coarser one: each child is its parent plus 1/8 of the difference of the cells on
// either side, for each axis, and for velocities and a scalar 1/64 of the mixed differences: the mean over the child of the parabola
// that has the means of the cells around. The children's mean is the parent's value.
func (s *Levels) prolong(fine *Grid) {
	coarse := s.Grids[fine.Level-1]
	for _, p := range fine.coupling.parents {
		v := s.around(coarse, p.at)
		for _, c := range p.children {
			out := v[mid]
			for x := range coarse.Lattice.Dims {
				side := float64(c.side[x])
				out.add(side/8, &v[mid+stride[x]])
				out.add(-side/8, &v[mid-stride[x]])
			}
			var gradient [3][3]float64 // at the child, in its cells
			for a := range coarse.Lattice.Dims {
				out.u[a], gradient[a] = coarse.inChild(&v, c.side, func(v *value) float64 { return v.u[a] })
			}
			convert(&out, coarse.in(coarse.number(p.at)), fine.in(c.cell), gradient)
			if fine.G != nil {
				var slope [3]float64
				out.theta, slope = coarse.inChild(&v, c.side, func(v *value) float64 { return v.theta })
				convertFlux(&out, coarse, fine, slope, gradient)
			}
			fine.set(c.cell, out)
		}
	}
}

// mid is the index of the cell itself in around, and stride the distances to its neighbours.
const mid = 13

var stride = [3]int{1, 3, 9}

// inChild returns the mean of a number over a child, and its gradient at the child in cells of the finer level.
func (g *Grid) inChild(v *[27]value, side [3]int, of func(v *value) float64) (mean float64, gradient [3]float64) {
	at := func(k int) float64 { return of(&v[k]) }
	mean = at(mid)
	for x := range g.Lattice.Dims {
		s, hi, lo := float64(side[x]), at(mid+stride[x]), at(mid-stride[x])
		mean += s / 8 * (hi - lo)
		slope := (hi-lo)/2 + s/4*(hi-2*at(mid)+lo)
		for y := range g.Lattice.Dims {
			if y == x {
				continue
			}
			i, k := stride[x], stride[y]
			m := at(mid+i+k) - at(mid+i-k) - at(mid-i+k) + at(mid-i-k)
			slope += float64(side[y]) / 16 * m
			if y > x {
				mean += s * float64(side[y]) / 64 * m
			}
		}
		gradient[x] = slope / 2
	}
	return mean, gradient
}

// restrict gives mirror cells the means of their children: of mass, momentum, P, heat and its flux.
func (s *Levels) restrict(fine *Grid) {
	coarse := s.Grids[fine.Level-1]
	d := coarse.Lattice.Dims
	for _, m := range fine.coupling.mirror {
		var mean value
		var j [3]float64
		var gradient [3][3]float64 // in cells of the coarser level
		var heat float64
		var slope [3]float64
		share := 1 / float64(len(m.children))
		for k, cell := range m.children {
			v := fine.value(cell)
			mean.add(share, &v)
			heat += share * (1 + v.density) * v.theta
			for a := range d {
				slope[a] += 4 * share * float64(k>>a&1*2-1) * v.theta
				j[a] += share * (1 + v.density) * v.u[a]
				for x := range d {
					gradient[a][x] += 4 * share * float64(k>>x&1*2-1) * v.u[a]
				}
			}
		}
		for a := range d {
			mean.u[a] = j[a] / (1 + mean.density)
		}
		convert(&mean, fine.in(m.children[0]), coarse.in(m.cell), gradient)
		if mean.theta = heat / (1 + mean.density); fine.G != nil {
			convertFlux(&mean, fine, coarse, slope, gradient)
		}
		coarse.set(m.cell, mean)
	}
}

// crossing is a population that passes a face between a covered and an uncovered cell.
type crossing struct {
	from           [3]int // in the domain, or a ghost cell of an open face
	ghost          bool
	dir            int
	cell           int     // of coupling.cells
	mass, momentum float64 // share of the population, in populations of the coarser level, positive out of the covered cell
	returns        bool    // from a wall, which may move
	gained         float64 // the share of a moving wall's addition that passes
	carrier        int     // the cell whose value the mass carries: at a ghost cell its neighbour
}

// diffusion is the diffusive flux through a face along a direction: a share of the part of a cell's population that is not convected.
type diffusion struct {
	from, dir, cell int
	share           float64
	still           bool // reflected by a wall, with the value at rest: the convected part returns to its cell
}

// listFaces lists the crossings of the interface on both levels.
func (c *coupling) listFaces(h *decomp.Hierarchy, coarse, fine *Grid) {
	index := map[int]int{}
	area := math.Pow(0.5, float64(h.Dims())) // of a fine face in coarse ones, times the fine step in coarse ones
	h.Faces(coarse.Level, func(f decomp.Face) {
		cell := coarse.number(f.Cell)
		k, ok := index[cell]
		if !ok {
			k = len(c.cells)
			index[cell] = k
			c.cells = append(c.cells, cell)
		}
		c.coarse.list(coarse, f.Covered, f.Axis, f.Side, k, -1)
		for _, pair := range h.FineFaces(f) {
			c.fine.list(fine, pair[0], f.Axis, f.Side, k, area)
		}
	})
	c.excess = make([][5]float64, len(c.cells))
}

// passages are the fluxes through faces on one level.
type passages struct {
	flow []crossing
	heat []diffusion
}

func (p *passages) list(g *Grid, inside [3]int, axis, side, k int, share float64) {
	p.flow = append(p.flow, g.crossings(inside, axis, side, k, share)...)
	p.heat = append(p.heat, g.diffusions(inside, axis, side, k, share)...)
}

// diffusions lists the diffusive fluxes through the face of a cell, on the paths of the populations: from cell to cell, and along walls,
// which reflect it as mirrors do, by the order of the other axes. Nothing diffuses through a face with a given value, or from
// beyond an open face, since arrivals from there follow from the cell itself.
func (g *Grid) diffusions(inside [3]int, axis, side, k int, share float64) (list []diffusion) {
	outside := inside
	outside[axis] += side
	dims := g.Lattice.Dims
	for i, c := range g.Lattice.Velocities {
		up, sign := inside, 1.0
		if c[axis] != side {
			up, sign = outside, -1
		}
		for _, p := range decomp.Crossings(c, axis) {
			from := g.wrapped(minus(up, p.Before))
			to := g.wrapped([3]int{from[0] + c[0], from[1] + c[1], from[2] + c[2]})
			wall := g.Cells.ScalarAt(from, dims)
			if g.Cells.ScalarAt(to, dims) != 0 {
				continue
			}
			if wall == 0 {
				list = append(list, diffusion{from: g.number(from), dir: i, cell: k, share: share * sign * float64(p.Sixths) / 6})
				continue
			}
			law := g.Cells.ScalarLaw(wall).Law
			source, way, mirrors := g.mirrored(to, i, wall)
			if !mirrors || law != boundary.ScalarClosed && law != boundary.ScalarFlux && law != boundary.ScalarMirror {
				continue
			}
			var across [3]bool
			for a, v := range g.Lattice.Velocities[way] {
				across[a] = v != c[a]
			}
			along := share * sign * float64(p.Along(c, axis, across)) / 6
			list = append(list, diffusion{from: g.number(source), dir: way, cell: k, share: along, still: law != boundary.ScalarMirror})
		}
	}
	return list
}

// crossings lists the populations that pass the face of a cell in a direction along an axis, by decomp.Crossings. The ghost cells
// of open faces send and receive like others, also past an edge of the domain. But a ghost cell behind impermeable faces
// sends the populations that it has received from the cell before it: that mass moves along the faces. A reflected population passes
// the face a second time: its momentum counts twice, of its mass only the part that a moving wall adds. Past the edge of two walls,
// from behind one of them to behind the other, which occurs on D3Q27 only, no population exists: the upstream cell's stands for the pressure there.
func (g *Grid) crossings(inside [3]int, axis, side, k int, share float64) (list []crossing) {
	d := g.Lattice.Dims
	outside := inside
	outside[axis] += side
	for i, c := range g.Lattice.Velocities {
		up, sign := inside, 1.0
		if c[axis] != side {
			up, sign = outside, -1
		}
		for _, p := range decomp.Crossings(c, axis) {
			start := minus(up, p.Before)
			from, to := g.wrapped(start), g.wrapped([3]int{start[0] + c[0], start[1] + c[1], start[2] + c[2]})
			part := share * sign * float64(p.Sixths) / 6
			x := crossing{from: from, dir: i, cell: k, mass: part, momentum: part}
			fluid, ghost := g.sends(from)
			arrives, beyond := g.sends(to)
			if x.ghost = ghost; fluid {
				x.carrier = g.number(from)
			} else if before, _, ok := g.Cells.Ghost(from, d); ok {
				x.carrier = g.number(before.From)
			}
			reflects, across := g.Cells.Reflects(from, d)
			if reflects {
				x.mass = share * sign * float64(p.Along(c, axis, across)) / 6
			}
			if returns, _ := g.Cells.Reflects(to, d); returns && (fluid || reflects) {
				x.mass = 0
			}
			switch {
			case fluid && g.Cells.Meets(from, to, d) != 0:
				x.mass, x.momentum = 0, 2*part
				x.returns = true
				slips, _ := g.Cells.SlipsBehind(from, minus([3]int{}, c), d)
				x.gained = share * sign * float64(p.Along(c, axis, slips)) / 6
			case ghost && !arrives && !beyond:
				x.mass, x.momentum = 0, 2*part
			case fluid, ghost && beyond:
			case ghost && g.Cells.Meets(to, from, d) == 0:
			case !ghost && !arrives && !beyond:
				x.from, x.mass = g.wrapped(up), 0
				x.carrier = g.number(up)
			default:
				continue // counted twice in the opposite direction
			}
			list = append(list, x)
		}
	}
	return list
}

// wrapped returns the cell of the domain that x is a periodic image of; beyond other faces x itself.
func (g *Grid) wrapped(x [3]int) [3]int {
	for a, n := range g.Cells.N {
		if g.Periodic[a] {
			x[a] = (x[a] + n) % n
		}
	}
	return x
}

// sends reports whether x is a cell of the fluid, or a ghost cell behind an open face.
func (g *Grid) sends(x [3]int) (fluid, ghost bool) {
	_, wall, ghost := g.Cells.Ghost(x, g.Lattice.Dims)
	return !ghost && wall == 0, ghost
}

// count adds the fluxes through the faces in the coming step of a level to the excess. The mass that passes has the value of the scalar in
// the cell that it comes from.
func (c *coupling) count(g *Grid, of passages) {
	ghosts := map[[3]int][]float64{}
	for _, x := range of.flow {
		var f float64
		if x.ghost {
			pop, ok := ghosts[x.from]
			if !ok {
				ghost, _, _ := g.Cells.Ghost(x.from, g.Lattice.Dims)
				pop = g.behind(x.from, ghost)
				ghosts[x.from] = pop
			}
			f = pop[x.dir]
		} else {
			f = g.F[g.number(x.from)][x.dir]
		}
		r, gain := &c.excess[x.cell], 0.0 // addition of a moving wall
		if x.returns {
			gain = g.Cells.Gain(g.Lattice, x.from, x.dir, g.Time)
		}
		if g.G != nil {
			r[4] += g.G[x.carrier].Theta * (x.mass*f - x.gained*gain)
		}
		f -= g.Lattice.Weights[x.dir]
		r[0] += x.mass*f - x.gained*gain
		for a, v := range g.Lattice.Velocities[x.dir] {
			r[1+a] += x.momentum * (f + gain/2) * float64(v)
		}
	}
	if g.G == nil {
		return
	}
	for _, x := range of.heat {
		v := g.scalarOf(x.from, x.dir) - g.G[x.from].Theta*g.F[x.from][x.dir]
		if x.still {
			v = g.still(x.from, x.dir)
		}
		c.excess[x.cell][4] += x.share * v
	}
}

// correct gives the cells outside the faces the excess flux of the finer level. P, the scalar's flux and the force in the momentum
// stay.
func (s *Levels) correct(fine *Grid) {
	coarse, c := s.Grids[fine.Level-1], &fine.coupling
	for k, cell := range c.cells {
		v, r := coarse.value(cell), c.excess[k]
		rho, force := 1+v.density, coarse.force(v.theta)
		v.density += r[0]
		for a := range v.u {
			v.u[a] = (rho*v.u[a] + r[1+a]) / (1 + v.density)
		}
		v.theta += (r[4] - v.theta*r[0]) / (1 + v.density)
		coarse.setBy(force, cell, v)
		c.excess[k] = [5]float64{}
	}
}
