// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import "math"

// eddiesOf returns 3 nu_t of all cells, by velocity gradients (WALE: Nicoud & Ducros, Flow Turbul. Combust. 62 (1999)
// 183): central differences, one-sided where there is no fluid on one side, or at the end of a row that is not periodic.
func eddiesOf(f *Flow) []float64 {
	list := make([]float64, len(f.F))
	f.Each(func(cell int, x [3]int, solid bool) {
		if !solid {
			list[cell] = f.Params.Viscosity[1] * wale(gradients(f, x))
		}
	})
	return list
}

// gradients of the velocity, g[i][j] = du_i/dx_j.
func gradients(f *Flow, x [3]int) (g [3][3]float64) {
	here, _ := velocity(f, x)
	for axis := range f.Lattice.Dims {
		below, above := x, x
		below[axis]--
		above[axis]++
		low, hasLow := velocity(f, below)
		high, hasHigh := velocity(f, above)
		for i := range f.Lattice.Dims {
			switch {
			case hasLow && hasHigh:
				g[i][axis] = (high[i] - low[i]) / 2
			case hasHigh:
				g[i][axis] = high[i] - here[i]
			case hasLow:
				g[i][axis] = here[i] - low[i]
			}
		}
	}
	return g
}

// velocity returns the velocity of a cell, or of the ghost cell there, after the collision; false: it has no velocity.
func velocity(f *Flow, x [3]int) (u [3]float64, ok bool) {
	if n := f.Cells.N[0]; !f.Periodic[0] && (x[0] < 0 || x[0] >= n) {
		return u, false
	}
	var pop []float64
	switch ghost, k, ok := f.Cells.Ghost(x, f.Lattice.Dims); {
	case ok:
		pop = f.behind(x, ghost)
	case k != 0:
		return u, false
	default:
		pop = f.cell(x)
	}
	m := f.Moments(pop)
	for a := range f.Lattice.Dims {
		u[a] = m[1+a] / (1 + m[0])
	}
	return u, true
}

// wale returns nu_t/C^2, the paper's equation 13.
func wale(g [3][3]float64) float64 {
	var square [3][3]float64
	trace := 0.0
	for i := range g {
		for j := range g {
			for k := range g {
				square[i][j] += g[i][k] * g[k][j]
			}
		}
	}
	for i := range g {
		trace += square[i][i]
	}
	s, sd := 0.0, 0.0
	for i := range g {
		for j := range g {
			a, b := (g[i][j]+g[j][i])/2, (square[i][j]+square[j][i])/2
			if i == j {
				b -= trace / 3
			}
			s += a * a
			sd += b * b
		}
	}
	if sd == 0 {
		return 0
	}
	return math.Pow(sd, 1.5) / (math.Pow(s, 2.5) + math.Pow(sd, 1.25))
}
