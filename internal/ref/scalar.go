// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/model"
)

// Scalar is a cell's scalar in a flow (kernels/scalar.h has the formulas): the value, the part that diffuses after the
// collision, and the velocity that convects it.
type Scalar struct {
	Theta float64
	Q, U  [3]float64
}

// NewScalar gives the flow a scalar of value 0.
func (f *Flow) NewScalar() {
	f.G = make([]Scalar, len(f.F))
	for i := range f.G {
		f.G[i].U = f.speed(f.F[i])
	}
}

// SetScalar sets the value theta of a cell whose flow is set, without a diffusive part.
func (f *Flow) SetScalar(cell int, theta float64) {
	f.G[cell] = Scalar{Theta: theta, U: f.speed(f.F[cell])}
}

// speed returns the momentum of populations divided by their mass: the velocity that a cell continues with after a step.
func (f *Flow) speed(pop []float64) (u [3]float64) {
	rho := sum(pop)
	for i, v := range pop {
		for a := range u {
			u[a] += v * float64(f.Lattice.Velocities[i][a]) / rho
		}
	}
	return u
}

// scalarOf returns population i of the scalar that a cell sends.
func (f *Flow) scalarOf(cell, i int) float64 {
	g, c := f.G[cell], f.Lattice.Velocities[i]
	u := g.U
	if f.closes() {
		u = f.speed(f.F[cell])
	}
	sum, axes := g.Theta*f.F[cell][i], 0
	along, all := 0.0, 0.0
	for a := range f.Lattice.Dims {
		q := g.Q[a]
		sum += f.Lattice.Weights[i] * 3 * float64(c[a]) * q
		all += 2 * u[a] * q
		if c[a] != 0 {
			axes, along = axes+1, u[a]*q
		}
	}
	switch axes {
	case 0:
		sum -= all
	case 1:
		sum += along
	}
	return sum
}

// still returns the part of its population that is not convected.
func (f *Flow) still(cell, i int) float64 {
	g, sum := f.G[cell], 0.0
	for a, c := range f.Lattice.Velocities[i] {
		sum += 3 * float64(c) * g.Q[a]
	}
	return f.Lattice.Weights[i] * (g.Theta + sum)
}

// arrival is the arrival at a cell along a direction: populations of the flow and of the scalar, their contributions to the
// sums of both, and the loss through a wall there.
type arrival struct{ flow, g, mass, heat, lost float64 }

// mirrored returns the source, and its direction, of the population that a mirror reflects along a direction into
// cell x; by a wall of type k. ok: it is a neighbour of x, and the wall reflects the populations of both.
func (f *Flow) mirrored(x [3]int, i int, k uint8) (from [3]int, way int, ok bool) {
	c := f.Lattice.Velocities[i]
	turned, across := c, false
	from = x
	wall := func(at [3]int) bool {
		k := f.Cells.ScalarAt(at, f.Lattice.Dims)
		return k != 0 && !f.Cells.Conducts(k)
	}
	mirror := func(k uint8) bool { return f.Cells.ScalarLaw(k).Law == boundary.ScalarMirror }
	for a := range f.Lattice.Dims {
		beside := x
		if beside[a] -= c[a]; c[a] == 0 {
			continue
		} else if wall(beside) && (!mirror(k) || mirror(f.Cells.ScalarAt(beside, f.Lattice.Dims))) {
			across, turned[a] = true, -c[a]
		} else {
			from[a] -= c[a]
		}
	}
	way = slices.Index(f.Lattice.Velocities, turned)
	ok = across && from != x && !wall(from)
	behind := x
	for a := range f.Lattice.Dims { // both cells see the same wall
		if turned[a] != c[a] {
			beside := from
			behind[a], beside[a] = x[a]-c[a], from[a]-c[a]
			ok = ok && wall(beside)
		}
	}
	if !ok || !wall(behind) {
		return from, way, false
	}
	switch other := f.Cells.ScalarAt(behind, f.Lattice.Dims); f.Cells.ScalarLaw(other).Law {
	case boundary.ScalarMirror:
		return from, way, mirror(k)
	case boundary.ScalarClosed, boundary.ScalarFlux, boundary.ScalarModelled:
		return from, way, !mirror(k)
	}
	return from, way, false
}

// fromWall returns the arrival along direction i from a wall of type k at cell x.
func (f *Flow) fromWall(cell int, x [3]int, i int, k uint8) arrival {
	law, own, w := f.Cells.ScalarLaw(k), f.G[cell], f.Lattice.Weights[i]
	opposite := f.Lattice.Opposite(i)
	out, back := f.F[cell][opposite], f.scalarOf(cell, opposite)
	from, way, mirror := f.mirrored(x, i, k)
	switch law.Law {
	case boundary.ScalarOpen, boundary.ScalarInlet, boundary.ScalarOutlet:
		flow, g := f.F[cell][i], f.scalarOf(cell, i)
		switch law.Law {
		case boundary.ScalarInlet:
			g += (law.Value - own.Theta) * flow
		case boundary.ScalarOutlet:
			g += boundary.Entering(inwards(f, cell, x, i)) * (law.Value - own.Theta) * flow
		}
		return arrival{flow, g, flow, g, back - g}
	case boundary.ScalarMirror:
		fluid := func(at [3]int) bool { return f.Cells.At(at[0], at[1], at[2]) == 0 }
		if !fluid(x) || mirror && !fluid(from) {
			break // the diffusive part is reflected
		}
		if !mirror {
			return arrival{out, back, out, back, 0}
		}
		flow, g := f.F[f.number(from)][way], f.scalarOf(f.number(from), way)
		return arrival{flow, g, flow, g, 0}
	}
	share, other, sent, sign := interpolated(f, cell, x, i, k)
	flow := share*out + (1-share)*other
	if v := law.Value; law.Law == boundary.ScalarFixed {
		g := v*flow - share*(back-v*out) + sign*(1-share)*(sent-v*other)
		lost := back - g - v*(out-flow)
		return arrival{flow, g, out, back - lost, lost}
	}
	diffuses := back - own.Theta*(out-w) // with the value at rest
	g, flux := diffuses, 0.0
	switch {
	case law.Law == boundary.ScalarConducts:
		c := f.Lattice.Velocities[i]
		g = f.still(f.number([3]int{x[0] - c[0], x[1] - c[1], x[2] - c[2]}), i) + diffuses - f.still(cell, opposite)
	case mirror:
		g = f.still(f.number(from), way)
	}
	if law.Law == boundary.ScalarModelled && f.Cells.At(x[0], x[1], x[2]) == 0 {
		return fromModelled(f, cell, x, i, g)
	}
	if law.Law == boundary.ScalarFlux {
		slope := 1.0
		if f.Cells.Slope != nil && f.Cells.At(x[0], x[1], x[2]) == 0 {
			if s := f.Cells.Slope(x, f.Lattice.Velocities[i]); s > 0 {
				slope = s
			}
		}
		g += 6 * w * slope * law.Value
		flux = 6 * w * slope * law.Value
	}
	lost := diffuses - g
	if law.Law != boundary.ScalarConducts && !(mirror && f.Cells.At(from[0], from[1], from[2]) != 0) {
		lost = -flux // a mirror's exchange between fluid cells passes no wall
	}
	return arrival{flow, g + own.Theta*(flow-w), out, g + own.Theta*(out-w), lost}
}

// inwards returns the velocity of the cell at x away from the faces that direction i comes through.
func inwards(f *Flow, cell int, x [3]int, i int) (inwards float64) {
	u := f.G[cell].U
	if f.closes() {
		u = f.speed(f.F[cell])
	}
	for a, c := range f.Lattice.Velocities[i] {
		beside := x
		beside[a] -= c
		if k := f.Cells.ScalarAt(beside, f.Lattice.Dims); c != 0 && k != 0 && !f.Cells.Conducts(k) {
			inwards += float64(c) * u[a]
		}
	}
	return inwards
}

// interpolated returns the share of the cell's own population that bounces back at once from a wall of type k, and the
// flow and scalar populations that supply the rest where the wall is interpolated: the cell's own along i (sign 1), or
// the opposite ones of the cell beyond (sign -1).
func interpolated(f *Flow, cell int, x [3]int, i int, k uint8) (share, other, sent, sign float64) {
	if f.Cells.At(x[0], x[1], x[2]) != 0 { // a solid that conducts
		return 1, 0, 0, 0
	}
	q, c := f.curve(x, i, k), f.Lattice.Velocities[i]
	beyond, opposite := [3]int{x[0] + c[0], x[1] + c[1], x[2] + c[2]}, f.Lattice.Opposite(i)
	switch {
	case q >= 0.5:
		return 1 / (2 * q), f.F[cell][i], f.scalarOf(cell, i), 1
	case q > 0 && f.Cells.At(beyond[0], beyond[1], beyond[2]) == 0:
		at := f.number(beyond)
		return 2 * q, f.F[at][opposite], f.scalarOf(at, opposite), -1
	}
	return 1, 0, 0, 0
}

// curve returns the distance of an interpolated wall along direction i out of it, 0 for other walls.
func (f *Flow) curve(x [3]int, i int, k uint8) float64 {
	if f.Cells.Wall(k).Law != boundary.Interpolated || f.Cells.Distance == nil {
		return 0
	}
	if q := f.Cells.Distance(x, f.Lattice.Velocities[i]); q > 0 && q <= 1 {
		return q
	}
	return 0.5
}

// carry returns the scalar after the step that computed next of the flow, to which it adds the
// force of the scalar before the step: F to the momentum, u F + F u to the stress.
func (f *Flow) carry(next [][]float64) []Scalar {
	after := make([]Scalar, len(f.G))
	f.Each(func(cell int, x [3]int, solid bool) {
		k := f.Cells.At(x[0], x[1], x[2])
		if solid {
			if f.Cells.Conducts(k) {
				after[cell] = f.conducted(cell, x, f.Cells.ScalarLaw(k))
			}
			return
		}
		after[cell] = carried(f, cell, x, next[cell])
	})
	return after
}

// carried returns a cell of the fluid after the step that computed its populations pop, to which it adds the force.
func carried(f *Flow, cell int, x [3]int, pop []float64) (now Scalar) {
	var rho, e float64
	var j, phi [3]float64
	for i, c := range f.Lattice.Velocities {
		up := minus(x, c)
		var a arrival
		if k := f.Cells.ScalarAt(up, f.Lattice.Dims); k != 0 {
			a = f.fromWall(cell, x, i, k)
		} else {
			a.flow, a.g = f.F[f.number(up)][i], f.scalarOf(f.number(up), i)
			a.mass, a.heat = a.flow, a.g
		}
		rho, e = rho+a.mass, e+a.heat
		for b := range j {
			j[b] += float64(c[b]) * a.flow
			phi[b] += float64(c[b]) * a.g
		}
	}
	now.Theta = e / rho
	var force, u [3]float64
	mass := sum(pop)
	for a, v := range f.speed(pop) {
		force[a] = f.Params.Buoyancy[a] * f.G[cell].Theta
		u[a] = v + (force[a]-f.Params.Force[a])/2/mass
	}
	if f.Params.Buoyancy != [3]float64{} {
		for i, c := range f.Lattice.Velocities {
			for a := range f.Lattice.Dims {
				pop[i] += f.Lattice.Weights[i] * 3 * float64(c[a]) * force[a]
				for b := range f.Lattice.Dims {
					pop[i] += f.Lattice.Weights[i] * 4.5 * hermite(c, a, b) * (u[a]*force[b] + u[b]*force[a])
				}
			}
		}
		if f.closes() { // the state is the moments, which now have the force
			copy(pop, f.Close(f.Populations(f.Moments(pop))))
		}
	}
	now.U = f.speed(pop)
	for a := range j {
		now.Q[a] = keeps(f, cell, pop) * (phi[a] - now.Theta*j[a])
	}
	return now
}

// conducted returns a solid cell after the step.
func (f *Flow) conducted(cell int, x [3]int, solid boundary.ScalarWall) (now Scalar) {
	own, keep := f.G[cell], model.ScalarKeep(solid.Conductivity)
	heat := solid.Capacity*own.Theta + solid.Value
	for i, c := range f.Lattice.Velocities {
		if c == [3]int{} {
			continue
		}
		up := minus(x, c)
		g := 0.0
		if k := f.Cells.ScalarAt(up, f.Lattice.Dims); k == 0 || f.Cells.Conducts(k) {
			g = f.still(f.number(up), i)
		} else {
			g = f.fromWall(cell, x, i, k).g
		}
		heat += g - f.Lattice.Weights[i]*own.Theta
		for a := range now.Q {
			now.Q[a] += keep * float64(c[a]) * g
		}
	}
	now.Theta = heat / solid.Capacity
	return now
}

// keeps returns 1 - 1/tau of a cell that has these populations after the collision. With Smagorinsky's eddy viscosity they
// determine the relaxation time of the flow: the collision has reduced the stress Pi to (1 - 1/tau) Pi, and
// tau (tau - tau0) = C^2 9/sqrt(2) |Pi|/rho (model.Smagorinsky), which bisection solves up to the largest possible remaining
// stress.
func keeps(f *Flow, cell int, pop []float64) float64 {
	p := f.Params
	if p.ScalarEddy == 0 {
		return p.ScalarKeep
	}
	if f.Law.LooksAround() {
		return 1 - 1/(p.ScalarTau+p.ScalarEddy*f.Eddies[cell])
	}
	least := 0.0
	if f.layer != nil {
		least = f.layer[cell]
	}
	var pi [3][3]float64
	rho, u, trace, square := sum(pop), f.speed(pop), 0.0, 0.0
	for a := range f.Lattice.Dims {
		for b := range f.Lattice.Dims {
			for i, c := range f.Lattice.Velocities {
				pi[a][b] += hermite(c, a, b) * pop[i]
			}
			pi[a][b] -= rho * u[a] * u[b]
		}
		trace += pi[a][a]
	}
	for a := range f.Lattice.Dims {
		pi[a][a] -= trace / float64(f.Lattice.Dims)
		for b := range f.Lattice.Dims {
			square += pi[a][b] * pi[a][b]
		}
	}
	tau0 := 2 * p.Viscosity[0]
	left := p.Viscosity[1] * 3 * math.Sqrt(square/2) / rho // 3 C^2 a
	lo, hi := tau0, (1+tau0)/2
	for range 200 {
		if mid := (lo + hi) / 2; (1-mid)*(mid-tau0) < left {
			lo = mid
		} else {
			hi = mid
		}
	}
	return 1 - 1/(p.ScalarTau+p.ScalarEddy*math.Max(hi-tau0, least))
}

// Lost returns the loss of the scalar through each type in the coming step, where it is
// measured.
func (f *Flow) Lost() []float64 {
	f.ghosts = ghostsOf(f)
	lost := make([]float64, len(f.Cells.Walls))
	f.Each(func(cell int, x [3]int, solid bool) {
		for i := range f.Lattice.Velocities {
			up := minus(x, f.Lattice.Velocities[i])
			own := f.Cells.At(x[0], x[1], x[2])
			if k := f.Cells.ScalarAt(up, f.Lattice.Dims); (!solid || f.Cells.Conducts(own)) && k != 0 && k != own && f.Cells.Wall(k).Measured {
				lost[k-1] += f.fromWall(cell, x, i, k).lost
			}
		}
	})
	return lost
}

// Fields returns density, velocity and scalar of a cell after a step: its populations have
// the whole force, of which the velocity has half.
func (f *Flow) Fields(cell int) (rho float64, u [3]float64, theta float64) {
	theta, rho = f.G[cell].Theta, sum(f.F[cell])
	for a, v := range f.speed(f.F[cell]) {
		u[a] = v - (f.Params.Force[a]+f.Params.Buoyancy[a]*theta)/2/rho
	}
	return rho, u, theta
}
