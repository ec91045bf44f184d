package model

// ScalarLambda is (tau+ - 1/2)(tau- - 1/2) of a scalar's two relaxation times.
const ScalarLambda = 1. / 8

// ScalarCS2 is the square of the speed of sound of a scalar's lattice, which gives the
// diffusivity ScalarCS2 (tau- - 1/2).
const ScalarCS2 = 1. / 4

// WithScalar adds a scalar of the given diffusivity, whose every unit brings the force
// buoyancy per volume.
func (p Params) WithScalar(diffusivity float64, buoyancy [3]float64) Params {
	minus := diffusivity / ScalarCS2
	p.ScalarMinus, p.ScalarPlus = 1/(minus+0.5), 1/(ScalarLambda/minus+0.5)
	p.Buoyancy = buoyancy
	return p
}
