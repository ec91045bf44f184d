// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"

	"lbmsim/model"
)

// rates returns the relaxation rates of a cell, and the addition of a separate relaxation rate for
// the trace of the stress to the populations.
func (f *Flow) rates(in []float64, rho float64, u [3]float64) (plus, minus float64, bulk []float64) {
	p, d := f.Params, f.Lattice.Dims
	if bulk = make([]float64, len(in)); f.Law == model.Newtonian && p.OmegaBulk == 0 {
		return p.Omega, p.OmegaMinus, bulk
	}
	// The non-equilibrium stress, -2/3 rho tau e: Guo's force has moved it by
	// -(u F + F u)/2 (Krueger et al., The Lattice Boltzmann Method, eqs. 4.14 and 6.28).
	var pi [3][3]float64
	trace := 0.0
	for a := range d {
		for b := range d {
			for i, c := range f.Lattice.Velocities {
				pi[a][b] += hermite(c, a, b) * in[i]
			}
			pi[a][b] += (u[a]*p.Force[b]+u[b]*p.Force[a])/2 - rho*u[a]*u[b]
		}
		trace += pi[a][a]
	}
	square := 0.0
	for a := range d {
		for b := range d {
			t := pi[a][b]
			if a == b {
				t -= trace / float64(d)
			}
			square += t * t
		}
	}
	plus, minus = p.Omega, p.OmegaMinus
	if f.Law != model.Newtonian {
		tau := p.Viscosity[0] + f.eddies
		if !f.Law.LooksAround() {
			if tau = f.tau(3 * math.Sqrt(square/2) / rho); f.eddies > 0 { // in the layer above a wall with a model
				tau = max(tau, 2*p.Viscosity[0]+f.eddies)
			}
		}
		plus = 1 / tau
		minus = 1 / (p.Lambda/(1/plus-0.5) + 0.5)
	}
	if p.OmegaBulk != 0 {
		for i, c := range f.Lattice.Velocities {
			for a := range d {
				bulk[i] += f.Lattice.Weights[i] * 4.5 * hermite(c, a, a) * (plus - p.OmegaBulk) * trace / float64(d)
			}
		}
	}
	return plus, minus, bulk
}

// tau solves tau(rate) rate = product by bisection.
func (f *Flow) tau(product float64) float64 {
	lo, hi := 0.0, 2*product // tau is above 1/2
	for range 200 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if mid*f.Params.Tau(f.Law, mid) < product {
			lo = mid
		} else {
			hi = mid
		}
	}
	return f.Params.Tau(f.Law, (lo+hi)/2)
}

// thirdOrder adds the third-order moments that the moments of populations up to second
// order imply (Malaspinas, arXiv:1505.06900, eq. 22, with u of these populations), by
// the polynomials that the lattice carries: Hermite's are orthogonal on D2Q9 and
// D3Q27. On D3Q19 their sums and differences are (Jacob, Malaspinas & Sagaut, J.
// Turbul. 19 (2018) 1051, appendix), and H_xyz vanishes.
func (f *Flow) thirdOrder(pop []float64) {
	rho := 0.0
	var u [3]float64
	var s [3][3]float64
	for i, c := range f.Lattice.Velocities {
		rho += pop[i]
		for a := range u {
			u[a] += pop[i] * float64(c[a])
			for b := range u {
				s[a][b] += pop[i] * hermite(c, a, b)
			}
		}
	}
	for a := range u {
		u[a] /= rho
	}
	third := func(a, b, c int) float64 {
		return u[a]*s[b][c] + u[b]*s[a][c] + u[c]*s[a][b] - 2*rho*u[a]*u[b]*u[c]
	}
	d := f.Lattice.Dims
	for i, c := range f.Lattice.Velocities {
		h := func(a, b int) float64 { return hermite(c, a, a) * float64(c[b]) } // H_aab
		sum := 0.0
		for b := range d {
			for a := range d {
				if a == b {
					continue
				}
				if f.Lattice.Q() != 19 {
					sum += 13.5 * h(a, b) * third(a, a, b)
					continue
				}
				if o := 3 - a - b; a < o { // a and o are the axes across b
					sum += 13.5 * (h(a, b) + h(o, b)) * (third(a, a, b) + third(o, o, b))
					sum += 4.5 * (h(a, b) - h(o, b)) * (third(a, a, b) - third(o, o, b))
				}
			}
		}
		if f.Lattice.Q() == 27 {
			sum += 27 * float64(c[0]*c[1]*c[2]) * third(0, 1, 2)
		}
		pop[i] += f.Lattice.Weights[i] * sum
	}
}

// normal returns the populations whose moments sum c_x^p c_y^q c_z^r f, as many as the
// lattice carries, are the moments of a normal distribution with the mean and the covariance
// of pop: cumulants above second order vanish (Geier et al., Comput. Math. Appl. 70
// (2015) 507). The moments come by E[x g] = mean E[g] + sum cov E[dg/dx_a] (Isserlis), the
// populations by solving for them.
func (f *Flow) normal(pop []float64) []float64 {
	rho := 0.0
	var mean [3]float64
	for i, c := range f.Lattice.Velocities {
		rho += pop[i]
		for a := range mean {
			mean[a] += pop[i] * float64(c[a])
		}
	}
	var cov [3][3]float64
	for a := range mean {
		mean[a] /= rho
	}
	for a := range f.Lattice.Dims {
		for b := range f.Lattice.Dims {
			for i, c := range f.Lattice.Velocities {
				cov[a][b] += pop[i] / rho * (float64(c[a]) - mean[a]) * (float64(c[b]) - mean[b])
			}
		}
	}
	var known [27]bool
	var value [27]float64
	var moment func(e [3]int) float64
	moment = func(e [3]int) float64 {
		at := e[0] + 3*e[1] + 9*e[2]
		if known[at] {
			return value[at]
		}
		for a := range e {
			if e[a] == 0 {
				continue
			}
			e[a]--
			sum := mean[a] * moment(e)
			for b := range e {
				if e[b] > 0 {
					g := e
					g[b]--
					sum += cov[a][b] * float64(e[b]) * moment(g)
				}
			}
			known[at], value[at] = true, sum
			return sum
		}
		return 1
	}
	powers := f.powers()
	if f.inverse == nil {
		f.inverse = invert(f.Lattice.Velocities, powers)
	}
	out := make([]float64, len(pop))
	for k, e := range powers {
		m := rho * moment(e)
		for i := range out {
			out[i] += f.inverse[i][k] * m
		}
	}
	return out
}

// powers returns the exponents of the moments that the lattice carries, as many as it has
// velocities: with -1 turned into 2, the components of the velocities are a list of them.
func (f *Flow) powers() [][3]int {
	var list [][3]int
	for _, c := range f.Lattice.Velocities {
		list = append(list, [3]int{(c[0] + 3) % 3, (c[1] + 3) % 3, (c[2] + 3) % 3})
	}
	return list
}

// invert solves for the populations by elimination: row i of the result are the shares
// of the moments in population i.
func invert(velocities [][3]int, powers [][3]int) [][]float64 {
	q := len(velocities)
	m := make([][]float64, q)
	for k, e := range powers {
		m[k] = make([]float64, 2*q)
		for i, c := range velocities {
			m[k][i] = 1
			for a := range c {
				m[k][i] *= math.Pow(float64(c[a]), float64(e[a]))
			}
		}
		m[k][q+k] = 1
	}
	for c := range q {
		best := c
		for r := c; r < q; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[best][c]) {
				best = r
			}
		}
		m[c], m[best] = m[best], m[c]
		for r := range q {
			if factor := m[r][c] / m[c][c]; r != c && factor != 0 {
				for k := range m[r] {
					m[r][k] -= factor * m[c][k]
				}
			}
		}
		for k, scale := 0, m[c][c]; k < 2*q; k++ {
			m[c][k] /= scale
		}
	}
	for r := range m {
		m[r] = m[r][q:]
	}
	return m
}
