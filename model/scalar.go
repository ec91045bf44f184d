package model

// ScalarCS2 is the square of the speed of sound of the lattice, which gives a scalar's diffusivity
// ScalarCS2 (tau - 1/2).
const ScalarCS2 = CS2

// WithScalar adds a scalar of the given diffusivity, whose every unit brings the force
// buoyancy per volume.
func (p Params) WithScalar(diffusivity float64, buoyancy [3]float64) Params {
	p.ScalarTau = diffusivity/ScalarCS2 + 0.5
	p.ScalarKeep = ScalarKeep(diffusivity)
	p.Buoyancy = buoyancy
	return p
}

// ScalarKeep returns the share of the flux of a scalar with this diffusivity that a collision leaves.
func ScalarKeep(diffusivity float64) float64 { return 1 - 1/(diffusivity/ScalarCS2+0.5) }

// TurbulentPrandtl is the turbulent Prandtl number where a case gives no value.
const TurbulentPrandtl = 0.85

// MostEddies is up to which relaxation time eddies carry a scalar: their viscosity follows from what a collision
// leaves of the stress, up to (1 - tau)/6.
const MostEddies = 0.9

// WithEddies lets eddies (WithSmagorinsky, WithWale) carry the scalar, with nu_t/prandtl added to its diffusivity;
// Smagorinsky's for relaxation times below 1.
func (p Params) WithEddies(prandtl float64) Params {
	p.ScalarEddy = 1 / prandtl
	return p
}
