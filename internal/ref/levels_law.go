// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"

	"lbmsim/model"
)

// Viscosity laws of refined flows. Laws that read neighbours are found for the cells that a level computes, before every
// model.EddySteps-th of its own steps: the first of two, when both layers of the overlap are interpolated.

// finer returns the numbers of the next level. Cells half as wide have half the shear rate per step, and twice the viscosity. The filter width
// is the cells' width, so that C is the same.
func finer(p model.Params, law model.ViscosityLaw) model.Params {
	double := func(omega float64) float64 { return 1 / (2/omega - 0.5) } // tau - 1/2 doubles
	p.Omega = double(p.Omega)
	if p.OmegaBulk != 0 {
		p.OmegaBulk = double(p.OmegaBulk)
	}
	for a := range p.Force {
		p.Force[a] /= 2
		p.Buoyancy[a] /= 2
	}
	if p.ScalarTau != 0 {
		p.ScalarTau = 2*p.ScalarTau - 0.5
		p.ScalarKeep = 1 - 1/p.ScalarTau
	}
	if law != model.Wale && 1/p.Omega > model.MostEddies { // the stress no longer determines the eddy viscosity
		p.ScalarEddy = 0
	}
	n := &p.Viscosity
	switch law {
	case model.Newtonian:
	case model.Smagorinsky:
		n[0] = 1 / p.Omega / 2
	case model.Wale:
		n[0] = 1 / p.Omega
	case model.PowerLaw: // tau = 1/2 + n0 rate^n1, from n2 to n3
		n[0] *= 2 * math.Pow(2, n[1])
		n[2], n[3] = 2*n[2]-0.5, 2*n[3]-0.5
	case model.Carreau: // tau = n1 + n0 (1 + n2 rate^2)^n3
		n[0], n[1], n[2] = 2*n[0], 2*n[1]-0.5, 4*n[2]
	default:
		panic("no finer cells of " + law.String())
	}
	return p
}

// omega returns the relaxation rate of a cell before the collision, by the product of relaxation time and shear rate.
func (g *Grid) omega(cell int) func(product float64) float64 {
	switch {
	case g.Law == model.Newtonian:
		return nil
	case g.Law.LooksAround():
		return func(float64) float64 { return 1 / (g.Params.Viscosity[0] + g.Eddies[cell]) }
	default:
		return func(product float64) float64 { return 1 / g.Flow.tau(product) }
	}
}

// findEddies computes 3 nu_t of the cells of the coming step.
func (g *Grid) findEddies() {
	g.Eddies = make([]float64, len(g.F))
	for _, cell := range g.runs[min(g.Level, 1)] {
		g.Eddies[cell] = g.Params.Viscosity[1] * wale(gradients(g.Flow, g.position(cell)))
	}
}

// tau returns the relaxation times of the stress's deviator and trace where the velocity has a gradient, in cells of the level.
func (g *Grid) tau(gradient [3][3]float64) (shear, bulk float64) {
	switch p := g.Params; {
	case g.Law.LooksAround():
		shear = p.Viscosity[0] + p.Viscosity[1]*wale(gradient)
	default:
		shear = p.Tau(g.Law, shearRate(gradient, g.Lattice.Dims))
	}
	bulk = shear
	if g.Params.OmegaBulk != 0 {
		bulk = 1 / g.Params.OmegaBulk
	}
	return shear, bulk
}

// scalarTau returns the relaxation time of the scalar where the velocity has a gradient, in cells of the level.
func (g *Grid) scalarTau(gradient [3][3]float64) float64 {
	p := g.Params
	if p.ScalarEddy == 0 {
		return p.ScalarTau
	}
	tau, _ := g.tau(gradient)
	if g.Law == model.Smagorinsky { // as keepOf
		tau = min(tau, (1+1/p.Omega)/2)
	}
	return p.ScalarTau + p.ScalarEddy*(tau-1/p.Omega)
}

// shearRate returns sqrt(2 e:e), e the traceless strain rate.
func shearRate(gradient [3][3]float64, dims int) float64 {
	divergence, square := 0.0, 0.0
	for a := range dims {
		divergence += gradient[a][a] / float64(dims)
	}
	for a := range dims {
		for b := range dims {
			e := (gradient[a][b] + gradient[b][a]) / 2
			if a == b {
				e -= divergence
			}
			square += e * e
		}
	}
	return math.Sqrt(2 * square)
}
