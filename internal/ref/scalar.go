package ref

import "lbmsim/boundary"

// A scalar lives on the axes alone: direction 0 is rest, then +x, -x, +y, ...; with weight
// 1/8 of each direction but rest.
const axisWeight = 1. / 8

// NewScalar gives the flow a scalar of value 0.
func (f *Flow) NewScalar() {
	f.G = make([][]float64, len(f.F))
	for i := range f.G {
		f.G[i] = make([]float64, 1+2*f.Lattice.Dims)
	}
}

// axisDirection is velocity i of the scalar's lattice.
func axisDirection(i int) (c [3]int) {
	if i > 0 {
		c[(i-1)/2] = 1 - 2*((i-1)%2)
	}
	return c
}

// ScalarEquilibrium is that of value theta in a flow of velocity u.
func (f *Flow) ScalarEquilibrium(theta float64, u [3]float64) []float64 {
	g := make([]float64, 1+2*f.Lattice.Dims)
	g[0] = theta
	for i := 1; i < len(g); i++ {
		c := axisDirection(i)
		cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
		g[i] = theta * (axisWeight + cu*cu/2 + cu/2)
		g[0] -= g[i]
	}
	return g
}

// opposed is the opposite of direction i > 0.
func opposed(i int) int { return (i - 1) ^ 1 + 1 }

// scalarLaw is population i of a cell's scalar out of a wall of type k.
func (f *Flow) scalarLaw(cell, i int, k uint8) float64 {
	law, back := f.Cells.Wall(k).Scalar, f.G[cell][opposed(i)]
	value := law.Value
	switch law.Law {
	case boundary.ScalarClosed:
		return back
	case boundary.ScalarFlux:
		return back + value
	case boundary.ScalarOpen:
		value = sum(f.G[cell])
	}
	rho, c := sum(f.F[cell]), axisDirection(i)
	un := 0.0
	for n, v := range f.F[cell] {
		for a := range c {
			un += v * float64(f.Lattice.Velocities[n][a]*c[a]) / rho
		}
	}
	return 2*(axisWeight+un*un/2)*value - back
}

// carry is the scalar after the step that made next of the flow, to which it adds the
// scalar's force: to the momentum F, to the stress u F + F u.
func (f *Flow) carry(next [][]float64) [][]float64 {
	after := make([][]float64, len(f.G))
	f.Each(func(cell int, x [3]int, solid bool) {
		if after[cell] = f.G[cell]; solid {
			return
		}
		g := make([]float64, len(f.G[cell]))
		for i := range g {
			up := minus(x, axisDirection(i))
			if k := f.Cells.At(up[0], up[1], up[2]); k != 0 {
				g[i] = f.scalarLaw(cell, i, k)
			} else {
				g[i] = f.G[f.number(up)][i]
			}
		}
		theta := sum(g)
		var force, u [3]float64
		rho := sum(next[cell])
		for a := range u {
			force[a] = f.Params.Buoyancy[a] * theta
			for i, v := range next[cell] {
				u[a] += v * float64(f.Lattice.Velocities[i][a])
			}
			u[a] = (u[a] + (force[a]-f.Params.Force[a])/2) / rho
		}
		for i, c := range f.Lattice.Velocities {
			for a := range f.Lattice.Dims {
				next[cell][i] += f.Lattice.Weights[i] * 3 * float64(c[a]) * force[a]
				for b := range f.Lattice.Dims {
					next[cell][i] += f.Lattice.Weights[i] * 4.5 * hermite(c, a, b) * (u[a]*force[b] + u[b]*force[a])
				}
			}
		}
		if f.closes() { // the state is the moments, which now have the force
			next[cell] = f.Close(f.Populations(f.Moments(next[cell])))
		}
		eq := f.ScalarEquilibrium(theta, u)
		after[cell] = make([]float64, len(g))
		after[cell][0] = g[0] - f.Params.ScalarPlus*(g[0]-eq[0])
		for i := 1; i < len(g); i++ {
			o := opposed(i)
			even, odd := (g[i]+g[o]-eq[i]-eq[o])/2, (g[i]-g[o]-eq[i]+eq[o])/2
			after[cell][i] = g[i] - f.Params.ScalarPlus*even - f.Params.ScalarMinus*odd
		}
	})
	return after
}

// Lost is what of the scalar leaves through each type in the coming step, where that is
// measured.
func (f *Flow) Lost() []float64 {
	lost := make([]float64, len(f.Cells.Velocity))
	f.Each(func(cell int, x [3]int, solid bool) {
		for i := 1; i <= 2*f.Lattice.Dims && !solid; i++ {
			up := minus(x, axisDirection(i))
			if k := f.Cells.At(up[0], up[1], up[2]); k != 0 && f.Cells.Wall(k).Measured {
				lost[k-1] += f.G[cell][opposed(i)] - f.scalarLaw(cell, i, k)
			}
		}
	})
	return lost
}

// Fields is density, velocity and scalar of a cell after a step: its populations have
// the whole force, of which the velocity has half.
func (f *Flow) Fields(cell int) (rho float64, u [3]float64, theta float64) {
	theta, rho = sum(f.G[cell]), sum(f.F[cell])
	for a := range u {
		for i, v := range f.F[cell] {
			u[a] += v * float64(f.Lattice.Velocities[i][a])
		}
		u[a] = (u[a] - (f.Params.Force[a]+f.Params.Buoyancy[a]*theta)/2) / rho
	}
	return rho, u, theta
}
