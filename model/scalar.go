package model

// ScalarCS2 is the square of the speed of sound of the lattice, which gives a scalar's diffusivity
// ScalarCS2 (tau - 1/2).
const ScalarCS2 = CS2

// WithScalar adds a scalar of the given diffusivity, whose every unit brings the force
// buoyancy per volume.
func (p Params) WithScalar(diffusivity float64, buoyancy [3]float64) Params {
	p.ScalarKeep = 1 - 1/(diffusivity/ScalarCS2+0.5)
	p.Buoyancy = buoyancy
	return p
}
