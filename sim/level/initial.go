// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"fmt"
	"sync"

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
type Formulas struct {
	Part *domain.Part
	free sync.Pool // of *initialRow
}

// Plane implements Initial.
func (f *Formulas) Plane(int) error { return nil }

// Row implements Initial.
func (f *Formulas) Row(j, k int, fields []float64) {
	part := f.Part
	y, z := j, k
	if part.Layout.Axis() == 1 {
		y, z = k, 0
	}
	row, ok := f.free.Get().(*initialRow)
	if !ok {
		row = newInitialRow(part)
	}
	defer f.free.Put(row)
	n, p := len(row.x), f.centre(0, y, z)
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
func (f *Formulas) centre(x, y, z int) [3]float64 {
	lo := f.Part.Box.Lo
	return [3]float64{float64(x+lo[0]) + 0.5, float64(y+lo[1]) + 0.5, float64(z+lo[2]) + 0.5}
}

// initialRow computes the initial values of rows of points.
type initialRow struct {
	in        config.Initial
	x         []float64
	below, up []float64       // beside x, for differences along x
	other     []float64       // values on the other side
	slope     [3][3][]float64 // d u_c / d x_axis
	dims      int
}

func newInitialRow(part *domain.Part) *initialRow {
	n, dims := part.Layout.N[0], part.Case.Dims()
	room := make([]float64, (4+dims*dims)*n)
	next := func() (values []float64) {
		values, room = room[:n], room[n:]
		return values
	}
	r := &initialRow{in: part.Case.Initial, x: next(), below: next(), up: next(), other: next(), dims: dims}
	for c := range dims {
		for axis := range dims {
			r.slope[c][axis] = next()
		}
	}
	for i := range r.x {
		x := float64(i+part.Box.Lo[0]) + 0.5
		r.x[i], r.below[i], r.up[i] = x, x-config.StrainStep, x+config.StrainStep
	}
	return r
}

// fill writes rho-1, the velocity and the strain rate, in the order of device.Program.Init, and returns the rest of fields.
func (r *initialRow) fill(fields []float64, y, z float64) (rest []float64) {
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
	for c := range r.dims {
		for axis := range r.dims {
			r.derive(r.slope[c][axis], r.in.Velocity[c], axis, y, z)
		}
	}
	for a := range r.dims {
		copy(next(), r.slope[a][a])
	}
	for a := range r.dims {
		for b := a + 1; b < r.dims; b++ {
			shear := next()
			for i := range shear {
				shear[i] = (r.slope[a][b][i] + r.slope[b][a][i]) / 2
			}
		}
	}
	return rest
}

// derive computes the derivative of a component of the velocity along an axis; in a uniform flow it stays 0.
func (r *initialRow) derive(slope []float64, u config.Function, axis int, y, z float64) {
	if r.in.Uniform {
		return
	}
	const h = config.StrainStep
	switch lo := r.other; axis {
	case 0:
		u(lo, r.below, y, z)
		u(slope, r.up, y, z)
	case 1:
		u(lo, r.x, y-h, z)
		u(slope, r.x, y+h, z)
	default:
		u(lo, r.x, y, z-h)
		u(slope, r.x, y, z+h)
	}
	for i := range slope {
		slope[i] = (slope[i] - r.other[i]) / (2 * h)
	}
}

// Initialize makes initial values the current state. Threads compute a plane while the device takes the previous one.
func (l *Level) Initialize(in Initial) error {
	p, c := l.Part, l.Part.Case
	rows, row := p.RowsOfPlane(), c.Spec.InitValues()*p.Layout.N[0]
	once := c.Initial.Uniform && !c.Spec.Scalar // solids have none
	fields := [2][]float64{make([]float64, rows*row)}
	if fields[1] = fields[0]; !once {
		fields[1] = make([]float64, rows*row)
	}
	failed := make(chan error, 1)
	compute := func(k int) error {
		if once && k > 0 || k == p.Planes() {
			failed <- nil
			return nil
		}
		if err := in.Plane(k); err != nil {
			return err
		}
		go func() {
			failed <- l.Rank.Share(rows, func(lo, hi int) error {
				for j := lo; j < hi; j++ {
					in.Row(j, k, fields[k%2][j*row:(j+1)*row])
				}
				return nil
			})
		}()
		return nil
	}
	if err := compute(0); err != nil {
		return err
	}
	for k := range p.Planes() {
		if err := <-failed; err != nil {
			return err
		}
		if err := compute(k + 1); err != nil {
			return err
		}
		if err := l.Program.Init(l.State[0], p.Plane(k), fields[k%2], l.Params); err != nil {
			<-failed
			return err
		}
	}
	return <-failed
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
