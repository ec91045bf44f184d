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
	y, z := j, k
	if f.Part.Layout.Axis() == 1 {
		y, z = k, 0
	}
	n := f.Part.Layout.N[0]
	for x := range n {
		cell, count := f.Cell(x, y, z)
		for c, v := range cell[:count] {
			fields[c*n+x] = v
		}
		if f.Part.Case.Spec.Scalar {
			fields[count*n+x] = f.Temperature(x, y, z)
		}
	}
}

// centre of a local cell, in cells of the domain.
func (f Formulas) centre(x, y, z int) [3]float64 {
	lo := f.Part.Box.Lo
	return [3]float64{float64(x+lo[0]) + 0.5, float64(y+lo[1]) + 0.5, float64(z+lo[2]) + 0.5}
}

// Cell returns rho-1, the velocity and the strain rate of a local cell, in the order of device.Program.Init, and their number.
func (f Formulas) Cell(x, y, z int) (values [10]float64, n int) {
	return initialCell(f.Part.Case.Initial, f.centre(x, y, z), f.Part.Case.Dims())
}

// Temperature returns the temperature of a local cell, against the reference; 0 where a solid has none.
func (f Formulas) Temperature(x, y, z int) float64 {
	if !f.Part.Warm(x, y, z) {
		return 0
	}
	p := f.centre(x, y, z)
	return f.Part.Case.Temperature.Initial(p[0], p[1], p[2])
}

// initialCell returns rho-1, the velocity and the strain rate at a point, in the order
// of device.Program.Init, and their number.
func initialCell(in config.Initial, p [3]float64, dims int) (values [10]float64, n int) {
	put := func(v float64) {
		values[n] = v
		n++
	}
	put(in.Density(p[0], p[1], p[2]) - 1)
	for c := range dims {
		put(in.Velocity[c](p[0], p[1], p[2]))
	}
	var slope [3][3]float64 // d u_c / d x_axis
	if !in.Uniform {
		const h = config.StrainStep
		for axis := range dims {
			lo, hi := p, p
			lo[axis] -= h
			hi[axis] += h
			for c := range dims {
				u := in.Velocity[c]
				slope[c][axis] = (u(hi[0], hi[1], hi[2]) - u(lo[0], lo[1], lo[2])) / (2 * h)
			}
		}
	}
	for a := range dims {
		put(slope[a][a])
	}
	for a := range dims {
		for b := a + 1; b < dims; b++ {
			put((slope[a][b] + slope[b][a]) / 2)
		}
	}
	return values, n
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
