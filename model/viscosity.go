// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package model

import (
	"fmt"
	"math"
)

// ViscosityLaw is the dependence of a cell's viscosity on the local shear rate. The rate comes from the non-equilibrium
// stress of the cell itself: with a = tau |shear rate|, which the stress gives, most laws solve tau(|shear rate|) |shear
// rate| = a in the cell, in the same step. Laws that read neighbours use the result of a pass over the velocities, which
// is repeated every EddySteps steps.
type ViscosityLaw int

const (
	Newtonian ViscosityLaw = iota
	Smagorinsky
	PowerLaw
	Carreau
	Wale
)

// EddySteps is the number of steps between updates of the eddy viscosity by laws that read neighbours: from the states at
// steps that are multiples of it. The smallest eddies of a grid pass by in a hundred steps, at a tenth of the speed of
// sound.
const EddySteps = 8

// LooksAround reports whether a law reads neighbours.
func (l ViscosityLaw) LooksAround() bool { return ViscosityLaws[l].Looks }

// OfFluid reports whether a law describes a non-Newtonian fluid, not an eddy viscosity.
func (l ViscosityLaw) OfFluid() bool { return l == PowerLaw || l == Carreau }

func (l ViscosityLaw) String() string { return ViscosityLaws[l].Name }

// ViscosityLawRow is one row of the catalogue of laws. Its name is the word of the case file,
// of the kernel header kernels/viscosity/NAME.h and of the docs.
type ViscosityLawRow struct {
	Name   string
	Params []Param // plain numbers; viscosities and times have their own keys in [fluid]
	Doc    string
	Paper  string
	Looks  bool // whether it reads neighbours: see EddySteps
}

// ViscosityLaws in the order of their numbers.
var ViscosityLaws = []ViscosityLawRow{
	{
		Name:  "newtonian",
		Doc:   "the same viscosity everywhere",
		Paper: "I. Newton, Principia (1687), book II, section IX",
	},
	{
		Name: "smagorinsky",
		Params: []Param{{
			Name: "constant", Default: 0.1, Min: 0, Max: 1,
			Doc: "C of nu_t = (C dx)^2 |shear rate|; 0.1 to 0.17 is usual, 0.1 near walls",
		}},
		Doc:   "large-eddy simulation: nu = nu0 + (C dx)^2 |shear rate|, tau = (tau0 + sqrt(tau0^2 + 18 sqrt(2) C^2 |Pi| / rho)) / 2, Pi the traceless non-equilibrium stress",
		Paper: "Smagorinsky, Mon. Weather Rev. 91 (1963) 99; from the stress at hand: Hou, Sterling, Chen & Doolen, Fields Inst. Commun. 6 (1996) 151",
	},
	{
		Name:  "power_law",
		Doc:   "nu = viscosity (|shear rate|/shear_rate)^(n-1), n the index, between viscosity_min and viscosity_max",
		Paper: "Ostwald, Kolloid-Z. 36 (1925) 99; de Waele, J. Oil Colour Chem. Assoc. 6 (1923) 33; in lattice Boltzmann: Boyd, Buick & Green, J. Phys. A 39 (2006) 14241",
	},
	{
		Name:  "carreau",
		Doc:   "nu = viscosity_infinite + (viscosity - viscosity_infinite) (1 + (time_constant |shear rate|)^2)^((n-1)/2), n the index",
		Paper: "Carreau, Trans. Soc. Rheol. 16 (1972) 99; in lattice Boltzmann: Boyd, Buick & Green, Phys. Fluids 19 (2007) 093103",
	},
	{
		Name: "wale",
		Params: []Param{{
			Name: "constant", Default: 0.325, Min: 0, Max: 1,
			Doc: "C of nu_t = (C dx)^2 times a rate that vanishes in plain shear; 0.325 to 0.5 is usual",
		}},
		Doc:   fmt.Sprintf("large-eddy simulation: nu = nu0 + (C dx)^2 (Sd:Sd)^(3/2) / ((S:S)^(5/2) + (Sd:Sd)^(5/4)), S the strain rate, Sd the traceless symmetric part of the squared velocity gradient: no eddy viscosity in pure shear, little at walls. From velocity gradients, recomputed every %d steps", EddySteps),
		Paper: "Nicoud & Ducros, Flow Turbul. Combust. 62 (1999) 183",
		Looks: true,
	},
}

// FindViscosityLaw looks up a law by its name.
func FindViscosityLaw(name string) (ViscosityLaw, bool) {
	for i, l := range ViscosityLaws {
		if l.Name == name {
			return ViscosityLaw(i), true
		}
	}
	return 0, false
}

// WithSmagorinsky returns the parameters of a flow with Smagorinsky's subgrid eddy viscosity.
func (p Params) WithSmagorinsky(constant float64) Params {
	p.Viscosity = [4]float64{1 / p.Omega / 2, 3 * constant * constant}
	return p
}

// WithWale returns the parameters of a flow with the WALE eddy viscosity, which vanishes beside walls.
func (p Params) WithWale(constant float64) Params {
	p.Viscosity = [4]float64{1 / p.Omega, 3 * constant * constant}
	return p
}

// WithPowerLaw returns the parameters of a fluid with the viscosity nu at a shear rate, and nu
// (|shear rate|/rate)^(n-1) elsewhere, between least and most, all in lattice units.
func (p Params) WithPowerLaw(nu, rate, n, least, most float64) Params {
	p.Viscosity = [4]float64{3 * nu * math.Pow(rate, 1-n), n - 1, 0.5 + 3*least, 0.5 + 3*most}
	return p
}

// WithCarreau returns the parameters of a fluid with nu = inf + (zero - inf) (1 + (lambda |shear
// rate|)^2)^((n-1)/2), all in lattice units.
func (p Params) WithCarreau(zero, inf, lambda, n float64) Params {
	p.Viscosity = [4]float64{3 * (zero - inf), 0.5 + 3*inf, lambda * lambda, (n - 1) / 2}
	return p
}

// finer returns the numbers of a law on cells of half the width; p has the finer cells' other numbers.
func finer(law ViscosityLaw, p Params) [4]float64 {
	n := p.Viscosity
	switch law {
	case Newtonian:
	case Smagorinsky:
		n[0] = 1 / p.Omega / 2
	case Wale:
		n[0] = 1 / p.Omega
	case PowerLaw: // 2 nu (rate/2)^(n-1)
		n[0], n[2], n[3] = n[0]*math.Exp2(1+n[1]), 2*n[2]-0.5, 2*n[3]-0.5
	case Carreau: // the time constant in steps doubles
		n[0], n[1], n[2] = 2*n[0], 2*n[1]-0.5, 4*n[2]
	default:
		panic("no numbers on finer cells of the law " + law.String())
	}
	return n
}

// WithBulk sets a separate relaxation time of the trace of the stress, for the
// kinematic bulk viscosity nu in lattice units: nu = 2/D cs^2 (1/omega - 1/2), D the
// dimensions (Dellar, Phys. Rev. E 64 (2001) 031203).
func (p Params) WithBulk(nu float64, dims int) Params {
	p.OmegaBulk = 1 / (nu*float64(dims)/2/CS2 + 0.5)
	return p
}

// Tau returns the relaxation time of a cell with the given shear rate; for a law that reads neighbours, without eddy
// viscosity.
func (p Params) Tau(l ViscosityLaw, rate float64) float64 {
	switch n := p.Viscosity; l {
	case Smagorinsky:
		return 2*n[0] + n[1]*rate
	case PowerLaw:
		return math.Min(math.Max(0.5+n[0]*math.Pow(rate, n[1]), n[2]), n[3])
	case Carreau:
		return n[1] + n[0]*math.Pow(1+n[2]*rate*rate, n[3])
	case Newtonian, Wale:
		return 1 / p.Omega
	}
	panic("no relaxation time of " + l.String())
}
