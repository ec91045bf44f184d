// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package accuracy measures the accuracy of each precision: a flow is computed in float64 and in
// the others, by the kernels of any device, and the fields are compared. docs/precision.md has the
// results.
package accuracy

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/model"
)

// Flow is a flow in one box, in lattice units.
type Flow struct {
	Name     string
	Lattice  model.Lattice
	N        [3]int
	Periodic [3]bool
	Cells    boundary.Cells
	Tau      float64
	Force    [3]float64
	Fields   []float64 // the initial state, as for device.Program.Init
	// Unit is the time scale of the flow in steps: decay of the vortices to 1/e, one passage of the
	// lid, or approach of a channel to within 1/e of its final state.
	Unit float64
	// Exact returns the velocity at a cell after some steps; nil if unknown.
	Exact func(cell [3]int, step int) [3]float64
}

// Step returns the step nearest to a time in units of Flow.Unit.
func (f Flow) Step(units float64) int { return int(math.Round(units * f.Unit)) }

// TaylorGreen returns decaying vortices in a periodic square of n cells, at Reynolds number
// re on the square's edge and the largest velocity u at first (Taylor & Green, Proc. R.
// Soc. A 158 (1937) 499): a solution of the Navier-Stokes equations for all times.
func TaylorGreen(n int, re, u float64) Flow {
	nu, k := u*float64(n)/re, 2*math.Pi/float64(n)
	f := periodic("D2Q9", [3]int{n, n, 1}, nu)
	f.Name = fmt.Sprintf("Taylor-Green, %d^2, u = %g", n, u)
	f.Unit = 1 / (2 * nu * k * k)
	velocity := func(x [3]int) (sx, cx, sy, cy float64) {
		sx, cx = math.Sincos(k * (float64(x[0]) + 0.5))
		sy, cy = math.Sincos(k * (float64(x[1]) + 0.5))
		return sx, cx, sy, cy
	}
	f.fill(func(x [3]int, m []float64) {
		sx, cx, sy, cy := velocity(x)
		m[0] = -0.75 * u * u * (cx*cx - sx*sx + cy*cy - sy*sy)
		m[1], m[2] = u*cx*sy, -u*sx*cy
		m[3], m[4] = -u*k*sx*sy, u*k*sx*sy
	})
	f.Exact = func(x [3]int, step int) [3]float64 {
		sx, cx, sy, cy := velocity(x)
		v := u * math.Exp(-float64(step)/f.Unit)
		return [3]float64{v * cx * sy, -v * sx * cy}
	}
	return f
}

// TaylorGreen3D returns Taylor-Green vortices in a periodic cube of n cells, which stretch and
// break up: no solution is known (Brachet et al., J. Fluid Mech. 130 (1983) 411).
func TaylorGreen3D(n int, re, u float64) Flow {
	nu, k := u*float64(n)/re, 2*math.Pi/float64(n)
	f := periodic("D3Q19", [3]int{n, n, n}, nu)
	f.Name = fmt.Sprintf("Taylor-Green, %d^3, u = %g", n, u)
	f.Unit = 1 / (3 * nu * k * k)
	f.fill(func(x [3]int, m []float64) {
		sx, cx := math.Sincos(k * (float64(x[0]) + 0.5))
		sy, cy := math.Sincos(k * (float64(x[1]) + 0.5))
		sz, cz := math.Sincos(k * (float64(x[2]) + 0.5))
		m[0] = 3. / 16 * u * u * (cx*cx - sx*sx + cy*cy - sy*sy) * (cz*cz - sz*sz + 2)
		m[1], m[2] = u*sx*cy*cz, -u*cx*sy*cz
		m[4], m[5] = u*k*cx*cy*cz, -u*k*cx*cy*cz
		m[8], m[9] = -u*k/2*sx*cy*sz, u*k/2*cx*sy*sz
	})
	return f
}

// Cavity returns a closed square or cube of n cells, at rest at first, whose lid moves at velocity
// u along x.
func Cavity(lattice string, n int, re, u float64) Flow {
	l := find(lattice)
	f := Flow{Lattice: l, N: [3]int{n, n, n}, Tau: 3*u*float64(n)/re + 0.5, Unit: float64(n) / u}
	if l.Dims == 2 {
		f.N[2], f.Periodic[2] = 1, true
	}
	f.Name = fmt.Sprintf("cavity, %d^%d, u = %g", n, l.Dims, u)
	f.Cells = boundary.NewCells(f.N)
	f.Cells.Walls = boundary.BounceWalls([3]float64{}, [3]float64{u})
	var x [3]int
	for x[2] = -1; x[2] <= f.N[2]; x[2]++ {
		for x[1] = -1; x[1] <= f.N[1]; x[1]++ {
			for x[0] = -1; x[0] <= f.N[0]; x[0]++ {
				at := &f.Cells.Type[f.Cells.Index(x[0], x[1], x[2])]
				for a := range l.Dims {
					if x[a] < 0 || x[a] >= n {
						*at = max(*at, 1)
					}
				}
				if x[l.Dims-1] == n {
					*at = 2
				}
			}
		}
	}
	f.Fields = make([]float64, l.Moments()*f.N[0]*f.N[1]*f.N[2])
	return f
}

// Channel returns a plane channel of n rows and the kinematic viscosity nu that a body force
// drives from rest to the largest velocity u (Poiseuille's parabola). All cells of a row
// stay equal.
func Channel(n int, nu, u float64) Flow {
	f := periodic("D2Q9", [3]int{16, n, 1}, nu)
	f.Name = fmt.Sprintf("channel, %d rows, u = %g", n, u)
	f.Periodic[1] = false
	f.Force[0] = 8 * nu * u / float64(n*n)
	f.Unit = float64(n*n) / (math.Pi * math.Pi * nu)
	for x := -1; x <= f.N[0]; x++ {
		for z := -1; z <= 1; z++ {
			f.Cells.Type[f.Cells.Index(x, -1, z)], f.Cells.Type[f.Cells.Index(x, n, z)] = 1, 1
		}
	}
	f.Cells.Walls = boundary.BounceWalls([3]float64{})
	return f
}

// periodic returns a flow without walls, at rest.
func periodic(lattice string, n [3]int, nu float64) Flow {
	l := find(lattice)
	return Flow{
		Lattice: l, N: n, Periodic: [3]bool{true, true, true}, Cells: boundary.NewCells(n), Tau: 3*nu + 0.5,
		Fields: make([]float64, l.Moments()*n[0]*n[1]*n[2]),
	}
}

func find(lattice string) model.Lattice {
	l, ok := model.FindLattice(lattice)
	if !ok {
		panic("no lattice " + lattice)
	}
	return l
}

// fill sets the initial moments of each cell.
func (f Flow) fill(set func(x [3]int, m []float64)) {
	m := make([]float64, f.Lattice.Moments())
	f.each(func(x [3]int) {
		clear(m)
		set(x, m)
		for c, v := range m {
			f.Fields[f.at(x, c, len(m))] = v
		}
	})
}

// each visits the cells, x fastest.
func (f Flow) each(visit func(x [3]int)) {
	var x [3]int
	for x[2] = 0; x[2] < f.N[2]; x[2]++ {
		for x[1] = 0; x[1] < f.N[1]; x[1]++ {
			for x[0] = 0; x[0] < f.N[0]; x[0]++ {
				visit(x)
			}
		}
	}
}

// at returns the index of component c of a cell in values laid out [z][y][c][x].
func (f Flow) at(x [3]int, c, components int) int {
	return ((x[2]*f.N[1]+x[1])*components+c)*f.N[0] + x[0]
}
