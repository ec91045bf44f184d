// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/sim/domain"
)

// Initial gives the initial values of a level's cells.
type Initial interface {
	// Plane is called once for each plane, in their order.
	Plane(k int) error
	// Row fills in row j of the plane as [component][x], in the order of device.Program.Init. Several threads call it.
	Row(j, k int, fields []float64)
}

// Formulas are the expressions of the case, as initial values. The strain rate, by central differences of the expressions
// themselves, gives the non-equilibrium part, so that the first steps carry no start-up error.
type Formulas struct{ Part *domain.Part }

// Plane implements Initial.
func (f Formulas) Plane(int) error { return nil }

// Row implements Initial.
func (f Formulas) Row(j, k int, fields []float64) {
	part := f.Part
	y, z := j, k
	if part.Layout.Axis() == 1 {
		y, z = k, 0
	}
	n := part.Layout.N[0]
	row := initialRow{in: part.Case.Initial, x: make([]float64, n), dims: part.Case.Dims()}
	for x := range row.x {
		row.x[x] = f.centre(x, y, z)[0]
	}
	p := f.centre(0, y, z)
	rest := row.fill(fields, p[1], p[2])
	if part.Case.Spec.Scalar {
		part.Case.Temperature.Initial(rest[:n], row.x, p[1], p[2])
		for x := range n {
			if !part.Warm(x, y, z) {
				rest[x] = 0
			}
		}
	}
}

// centre of a local cell, in cells of the domain.
func (f Formulas) centre(x, y, z int) [3]float64 {
	lo := f.Part.Box.Lo
	return [3]float64{float64(x+lo[0]) + 0.5, float64(y+lo[1]) + 0.5, float64(z+lo[2]) + 0.5}
}

// initialRow computes the initial values of a row of points.
type initialRow struct {
	in   config.Initial
	x    []float64
	dims int
}

// fill writes rho-1, the velocity and the strain rate, in the order of device.Program.Init, and returns the rest of fields.
func (r initialRow) fill(fields []float64, y, z float64) (rest []float64) {
	rest = fields
	next := func() (values []float64) {
		values, rest = rest[:len(r.x)], rest[len(r.x):]
		return values
	}
	density := next()
	r.in.Density(density, r.x, y, z)
	for i := range density {
		density[i]--
	}
	for _, u := range r.in.Velocity[:r.dims] {
		u(next(), r.x, y, z)
	}
	var slope [3][3][]float64 // d u_c / d x_axis
	for c := range r.dims {
		for axis := range r.dims {
			slope[c][axis] = r.slope(r.in.Velocity[c], axis, y, z)
		}
	}
	for a := range r.dims {
		copy(next(), slope[a][a])
	}
	for a := range r.dims {
		for b := a + 1; b < r.dims; b++ {
			shear := next()
			for i := range shear {
				shear[i] = (slope[a][b][i] + slope[b][a][i]) / 2
			}
		}
	}
	return rest
}

// slope returns the derivative of a component of the velocity along an axis.
func (r initialRow) slope(u config.Function, axis int, y, z float64) []float64 {
	hi := make([]float64, len(r.x))
	if r.in.Uniform {
		return hi
	}
	const h = config.StrainStep
	lo := make([]float64, len(r.x))
	switch axis {
	case 0:
		at := make([]float64, len(r.x))
		for i, x := range r.x {
			at[i] = x - h
		}
		u(lo, at, y, z)
		for i, x := range r.x {
			at[i] = x + h
		}
		u(hi, at, y, z)
	case 1:
		u(lo, r.x, y-h, z)
		u(hi, r.x, y+h, z)
	default:
		u(lo, r.x, y, z-h)
		u(hi, r.x, y, z+h)
	}
	for i := range hi {
		hi[i] = (hi[i] - lo[i]) / (2 * h)
	}
	return hi
}

// Initialize makes initial values the current state.
func (l *Level) Initialize(in Initial) error {
	p, c := l.Part, l.Part.Case
	rows, row := p.RowsOfPlane(), c.Spec.InitValues()*p.Layout.N[0]
	fields := make([]float64, rows*row)
	for k := range p.Planes() {
		if k == 0 || !c.Initial.Uniform || c.Spec.Scalar { // solids have none
			if err := in.Plane(k); err != nil {
				return err
			}
			err := l.Rank.Share(rows, func(lo, hi int) error {
				for j := lo; j < hi; j++ {
					in.Row(j, k, fields[j*row:(j+1)*row])
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if err := l.Program.Init(l.State[0], p.Plane(k), fields, l.Params); err != nil {
			return err
		}
	}
	return nil
}

// FillGhosts exchanges the ghost planes of a state that no step has computed. Collective.
func (l *Level) FillGhosts() error {
	gather(l, l.State[0])
	ready := l.Edge.Record()
	if err := ready.Wait(); err != nil {
		return err
	}
	if err := l.Exchange(ready); err != nil {
		return fmt.Errorf("rank %d: first exchange: %w", l.Rank.ID, err)
	}
	return nil
}
