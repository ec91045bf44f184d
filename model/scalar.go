// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package model

// ScalarCS2 is the square of the speed of sound of the lattice, which gives a scalar's diffusivity
// ScalarCS2 (tau - 1/2).
const ScalarCS2 = CS2

// WithScalar adds a scalar of the given diffusivity; buoyancy is the force per volume and unit of
// the scalar.
func (p Params) WithScalar(diffusivity float64, buoyancy [3]float64) Params {
	p.ScalarTau = diffusivity/ScalarCS2 + 0.5
	p.ScalarKeep = ScalarKeep(diffusivity)
	p.Buoyancy = buoyancy
	return p
}

// ScalarKeep returns the share of the flux of a scalar with this diffusivity that remains after a collision.
func ScalarKeep(diffusivity float64) float64 { return 1 - 1/(diffusivity/ScalarCS2+0.5) }

// TurbulentPrandtl is the default turbulent Prandtl number.
const TurbulentPrandtl = 0.85

// MostEddies is the largest relaxation time with eddy diffusivity of a scalar: the eddy viscosity follows from
// the stress that remains after a collision, up to (1 - tau)/6.
const MostEddies = 0.9

// WithEddies adds the eddy diffusivity nu_t/prandtl (WithSmagorinsky, WithWale) to the scalar's diffusivity;
// Smagorinsky's for relaxation times below 1.
func (p Params) WithEddies(prandtl float64) Params {
	p.ScalarEddy = 1 / prandtl
	return p
}
