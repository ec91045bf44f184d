package ref

import "lbmsim/boundary"

// Scalar is what a flow carries (kernels/scalar.h has the formulas): of each cell the value, what it
// diffuses before the collision, and the velocity that goes with it.
type Scalar struct {
	Theta float64
	S, U  [3]float64
}

// NewScalar gives the flow a scalar of value 0.
func (f *Flow) NewScalar() {
	f.G = make([]Scalar, len(f.F))
	for i := range f.G {
		f.G[i].U = f.speed(f.F[i])
	}
}

// SetScalar gives a cell, whose flow is there, the value theta, which does not diffuse yet.
func (f *Flow) SetScalar(cell int, theta float64) {
	f.G[cell] = Scalar{Theta: theta, U: f.speed(f.F[cell])}
}

// speed is the momentum of populations by their mass: what a cell goes on with after a step.
func (f *Flow) speed(pop []float64) (u [3]float64) {
	rho := sum(pop)
	for i, v := range pop {
		for a := range u {
			u[a] += v * float64(f.Lattice.Velocities[i][a]) / rho
		}
	}
	return u
}

// scalarOf is population i of the scalar that a cell sends.
func (f *Flow) scalarOf(cell, i int) float64 {
	g, c := f.G[cell], f.Lattice.Velocities[i]
	u := g.U
	if f.closes() {
		u = f.speed(f.F[cell])
	}
	sum, axes := g.Theta*f.F[cell][i], 0
	along, all := 0.0, 0.0
	for a := range f.Lattice.Dims {
		q := f.Params.ScalarKeep * g.S[a]
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

// fromWall is population i of the flow and of the scalar out of a wall of type k into a cell at x.
func (f *Flow) fromWall(cell int, x [3]int, i int, k uint8) (flow, g float64) {
	law, own, w := f.Cells.ScalarLaw(k), f.G[cell], f.Lattice.Weights[i]
	opposite := f.Lattice.Opposite(i)
	switch law.Law {
	case boundary.ScalarOpen:
		return f.F[cell][i], f.scalarOf(cell, i)
	case boundary.ScalarInlet:
		return f.F[cell][i], f.scalarOf(cell, i) + (law.Value-own.Theta)*f.F[cell][i]
	}
	g = f.scalarOf(cell, opposite)
	// A share of what goes the same way, or of what comes from the cell beyond, where the wall is interpolated.
	share, q, c := 1.0, f.curve(x, i, k), f.Lattice.Velocities[i]
	var other, sent, sign float64
	beyond := [3]int{x[0] + c[0], x[1] + c[1], x[2] + c[2]}
	if q >= 0.5 {
		share, other, sent, sign = 1/(2*q), f.F[cell][i], f.scalarOf(cell, i), 1
	} else if q > 0 && f.Cells.At(beyond[0], beyond[1], beyond[2]) == 0 {
		at := f.number(beyond)
		share, other, sent, sign = 2*q, f.F[at][opposite], f.scalarOf(at, opposite), -1
	}
	flow = share*f.F[cell][opposite] + (1-share)*other
	if v := law.Value; law.Law == boundary.ScalarFixed {
		g = v*flow - share*(g-v*f.F[cell][opposite]) + sign*(1-share)*(sent-v*other)
		return flow, g
	}
	g -= own.Theta * (f.F[cell][opposite] - w) // what diffuses, with the value at rest
	from, across := x, false
	for a := range f.Lattice.Dims {
		beside := x
		if beside[a] -= c[a]; c[a] == 0 {
			continue
		} else if f.Cells.ScalarAt(beside, f.Lattice.Dims) != 0 {
			across = true
		} else {
			from[a] -= c[a]
		}
	}
	if across && from != x && f.Cells.ScalarAt(from, f.Lattice.Dims) == 0 {
		sends := f.G[f.number(from)]
		g = w * sends.Theta
		for a := range f.Lattice.Dims {
			sign := 1.0
			if from[a] == x[a] {
				sign = -1
			}
			g += 3 * w * sign * float64(c[a]) * f.Params.ScalarKeep * sends.S[a]
		}
	}
	g += own.Theta * (flow - w)
	if law.Law == boundary.ScalarFlux {
		g += 6 * w * law.Value
	}
	return flow, g
}

// curve is the distance of an interpolated wall along direction i out of it, 0 for others.
func (f *Flow) curve(x [3]int, i int, k uint8) float64 {
	if f.Cells.Wall(k).Law != boundary.Interpolated || f.Cells.Distance == nil {
		return 0
	}
	if q := f.Cells.Distance(x, f.Lattice.Velocities[i]); q > 0 && q <= 1 {
		return q
	}
	return 0.5
}

// carry is the scalar after the step that made next of the flow, to which it adds the
// force of the scalar before: to the momentum F, to the stress u F + F u.
func (f *Flow) carry(next [][]float64) []Scalar {
	after := make([]Scalar, len(f.G))
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			return
		}
		var rho, e float64
		var j, phi [3]float64
		for i, c := range f.Lattice.Velocities {
			up := minus(x, c)
			var flow, g float64
			if k := f.Cells.ScalarAt(up, f.Lattice.Dims); k != 0 {
				flow, g = f.fromWall(cell, x, i, k)
			} else {
				flow, g = f.F[f.number(up)][i], f.scalarOf(f.number(up), i)
			}
			rho, e = rho+flow, e+g
			for a := range j {
				j[a] += float64(c[a]) * flow
				phi[a] += float64(c[a]) * g
			}
		}
		now := Scalar{Theta: e / rho}
		for a := range j {
			now.S[a] = phi[a] - now.Theta*j[a]
		}
		var force, u [3]float64
		mass := sum(next[cell])
		for a, v := range f.speed(next[cell]) {
			force[a] = f.Params.Buoyancy[a] * f.G[cell].Theta
			u[a] = v + (force[a]-f.Params.Force[a])/2/mass
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
		now.U = f.speed(next[cell])
		after[cell] = now
	})
	return after
}

// Lost is what of the scalar leaves through each type in the coming step, where that is
// measured.
func (f *Flow) Lost() []float64 {
	lost := make([]float64, len(f.Cells.Velocity))
	f.Each(func(cell int, x [3]int, solid bool) {
		for i := range f.Lattice.Velocities {
			up := minus(x, f.Lattice.Velocities[i])
			if k := f.Cells.ScalarAt(up, f.Lattice.Dims); !solid && k != 0 && f.Cells.Wall(k).Measured {
				flow, g := f.fromWall(cell, x, i, k)
				out := f.F[cell][f.Lattice.Opposite(i)]
				lost[k-1] += f.scalarOf(cell, f.Lattice.Opposite(i)) - g
				switch law := f.Cells.ScalarLaw(k); law.Law { // no mass passes a wall
				case boundary.ScalarFixed:
					lost[k-1] -= law.Value * (out - flow)
				case boundary.ScalarClosed, boundary.ScalarFlux:
					lost[k-1] -= f.G[cell].Theta * (out - flow)
				}
			}
		}
	})
	return lost
}

// Fields is density, velocity and scalar of a cell after a step: its populations have
// the whole force, of which the velocity has half.
func (f *Flow) Fields(cell int) (rho float64, u [3]float64, theta float64) {
	theta, rho = f.G[cell].Theta, sum(f.F[cell])
	for a, v := range f.speed(f.F[cell]) {
		u[a] = v - (f.Params.Force[a]+f.Params.Buoyancy[a]*theta)/2/rho
	}
	return rho, u, theta
}
