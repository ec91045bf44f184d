// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"

	"lbmsim/model"
)

// arithmetic computes the steps of Flow.Collide and Flow.Close, which are defined by populations, from moments: for flows of many
// cells and steps. Sums use differences of populations from rest, so that mass is conserved to 1e-17 of a cell.
// TestArithmetic compares both.
type arithmetic struct {
	lattice model.Lattice
	model   string
	pairs   [][2]int
	linear  [][]float64 // [direction][moment]: Flow.Populations
	third   [][]float64 // [direction][k]: contribution of the third-order moment thirds[k] (recursive_regularized)
	thirds  [][3]int    // axes of these moments
	inverse [][]float64 // [direction][power] (cumulant)
	powers  [][3]int
}

func newArithmetic(f *Flow) *arithmetic {
	a := &arithmetic{lattice: f.Lattice, model: f.Model, pairs: Pairs(f.Lattice.Dims)}
	q, moments := f.Lattice.Q(), f.Lattice.Moments()
	a.linear = make([][]float64, q)
	for i := range a.linear {
		a.linear[i] = make([]float64, moments)
	}
	for k := range moments {
		m := make([]float64, moments)
		rest := f.Populations(m)
		m[k] = 1
		for i, v := range f.Populations(m) {
			a.linear[i][k] = v - rest[i]
		}
	}
	switch f.Model {
	case "recursive_regularized":
		a.thirds, a.third = thirdOrderBasis(f.Lattice)
	case "cumulant":
		a.powers = f.powers()
		a.inverse = invert(f.Lattice.Velocities, a.powers)
	}
	return a
}

// thirdOrderBasis returns the third-order moments that a lattice carries, by their axes, and their contributions to the populations:
// Flow.thirdOrder has the sources.
func thirdOrderBasis(l model.Lattice) (axes [][3]int, basis [][]float64) {
	for a := range l.Dims {
		for b := range l.Dims {
			if a != b {
				axes = append(axes, [3]int{a, a, b})
			}
		}
	}
	if l.Q() == 27 {
		axes = append(axes, [3]int{0, 1, 2})
	}
	for i, c := range l.Velocities {
		row := make([]float64, len(axes))
		for k, t := range axes {
			a, b := t[0], t[2]
			h := func(a int) float64 { return hermite(c, a, a) * float64(c[b]) }
			switch o := 3 - a - b; {
			case a != t[1]:
				row[k] = 27 * float64(c[0]*c[1]*c[2])
			case l.Q() == 19:
				row[k] = 13.5*(h(a)+h(o)) + 4.5*(h(a)-h(o))
			default:
				row[k] = 13.5 * h(a)
			}
			row[k] *= l.Weights[i]
		}
		basis = append(basis, row)
	}
	return axes, basis
}

// sums returns the moments of populations, by sums of the differences from rest.
func (a *arithmetic) sums(pop []float64, m *[10]float64) {
	d := a.lattice.Dims
	*m = [10]float64{}
	for i, c := range a.lattice.Velocities {
		v := pop[i] - a.lattice.Weights[i]
		m[0] += v
		for x := range d {
			m[1+x] += float64(c[x]) * v
		}
		for k, ab := range a.pairs {
			m[1+d+k] += float64(c[ab[0]]*c[ab[1]]) * v
		}
	}
	for x := range d {
		m[1+d+x] -= m[0] / 3
	}
}

// collide turns the sums of populations into the moments after the collision, with Guo's force: the stress relaxes with the rate
// p.Omega, or omega of the product of relaxation time and shear rate, its trace with p.OmegaBulk.
func (a *arithmetic) collide(m *[10]float64, p *model.Params, omega func(product float64) float64) {
	d := a.lattice.Dims
	var u, before [3]float64
	for x := range d {
		u[x] = (m[1+x] + p.Force[x]/2) / (1 + m[0])
		before[x] = m[1+x] - p.Force[x]/2
	}
	var neq [6]float64
	trace := 0.0
	for k, ab := range a.pairs {
		x, y := ab[0], ab[1]
		neq[k] = m[1+d+k] - (u[x]*before[y]+u[y]*before[x])/2
		if x == y {
			trace += neq[k] / float64(d)
		}
	}
	rate := p.Omega
	if omega != nil {
		rate = omega(3 * math.Sqrt(a.square(&neq, trace)/2) / (1 + m[0]))
	}
	bulk := p.OmegaBulk
	if bulk == 0 {
		bulk = rate
	}
	for k, ab := range a.pairs {
		x, y := ab[0], ab[1]
		m[1+d+k] += u[x]*p.Force[y] + u[y]*p.Force[x] - rate*neq[k]
		if x == y {
			m[1+d+k] += (rate - bulk) * trace
		}
	}
	for x := range d {
		m[1+x] += p.Force[x]
	}
}

// square returns the sum of the squares of a stress without its trace.
func (a *arithmetic) square(stress *[6]float64, part float64) (sum float64) {
	for k, ab := range a.pairs {
		if ab[0] == ab[1] {
			sum += (stress[k] - part) * (stress[k] - part)
		} else {
			sum += 2 * stress[k] * stress[k]
		}
	}
	return sum
}

// populations writes the populations of given moments.
func (a *arithmetic) populations(m *[10]float64, pop []float64) {
	if a.model == "cumulant" {
		a.normal(m, pop)
		return
	}
	for i, row := range a.linear {
		v := 0.0
		for k, b := range row {
			v += b * m[k]
		}
		pop[i] = v
	}
	if a.third != nil {
		var u [3]float64
		var s [3][3]float64
		d := a.lattice.Dims
		for x := range d {
			u[x] = m[1+x] / (1 + m[0])
		}
		for k, ab := range a.pairs {
			s[ab[0]][ab[1]], s[ab[1]][ab[0]] = m[1+d+k], m[1+d+k]
		}
		for k, t := range a.thirds {
			x, y, z := t[0], t[1], t[2]
			moment := u[x]*s[y][z] + u[y]*s[x][z] + u[z]*s[x][y] - 2*(1+m[0])*u[x]*u[y]*u[z]
			for i, row := range a.third {
				pop[i] += row[k] * moment
			}
		}
	}
	for i, w := range a.lattice.Weights {
		pop[i] += w
	}
}

// normal writes the populations with the moments of a normal distribution: Flow.normal. The moment of powers e of the velocity is at
// e[0] + 3 e[1] + 9 e[2].
func (a *arithmetic) normal(m *[10]float64, pop []float64) {
	d := a.lattice.Dims
	var mean [3]float64
	var cov [3][3]float64
	for x := range d {
		mean[x] = m[1+x] / (1 + m[0])
	}
	for k, ab := range a.pairs {
		x, y := ab[0], ab[1]
		c := m[1+d+k]/(1+m[0]) - mean[x]*mean[y]
		if x == y {
			c += model.CS2
		}
		cov[x][y], cov[y][x] = c, c
	}
	stride := [3]int{1, 3, 9}
	var moment, dev [27]float64
	moment[0] = 1
	size := 9
	if d == 3 {
		size = 27
	}
	for at := 1; at < size; at++ {
		e := [3]int{at % 3, at / 3 % 3, at / 9}
		x := 0
		for e[x] == 0 {
			x++
		}
		e[x]--
		lower := at - stride[x]
		v := mean[x] * moment[lower]
		for y := range d {
			if e[y] > 0 {
				v += cov[x][y] * float64(e[y]) * moment[lower-stride[y]]
			}
		}
		moment[at] = v
	}
	for at := range size {
		rest := [3]float64{1, 0, model.CS2}
		moment[at] = (1+m[0])*moment[at] - rest[at%3]*rest[at/3%3]*rest[at/9]
	}
	moment[0] = m[0] // exactly, for conserved quantities
	for x := range d {
		moment[stride[x]] = m[1+x]
	}
	for k, e := range a.powers {
		dev[k] = moment[e[0]+3*e[1]+9*e[2]]
	}
	for i, row := range a.inverse {
		v := 0.0
		for k, share := range row {
			v += share * dev[k]
		}
		pop[i] = a.lattice.Weights[i] + v
	}
}
