package model

// ScalarLambda is (tau+ - 1/2)(tau- - 1/2) of a scalar's two relaxation times. With 1/8 a
// half-way wall of given value stands where it should. With 1/4 no wave of any length grows,
// however small the diffusivity (Ginzburg, d'Humieres & Kuzmin, J. Stat. Phys. 139 (2010) 1090);
// with 1/8 some do below a diffusivity of 0.01 at Mach 0.3 (TestScalarWaves). So the smaller one
// stands where that is safe, and the other one where it is not; between them there is no jump.
func ScalarLambda(diffusivity float64) float64 {
	const exact, stable, unsafe, safe = 1. / 8, 1. / 4, 0.01, 0.02
	share := (safe - diffusivity) / (safe - unsafe)
	return exact + (stable-exact)*max(0, min(1, share))
}

// ScalarCS2 is the square of the speed of sound of a scalar's lattice, which gives the
// diffusivity ScalarCS2 (tau- - 1/2).
const ScalarCS2 = 1. / 4

// WithScalar adds a scalar of the given diffusivity, whose every unit brings the force
// buoyancy per volume.
func (p Params) WithScalar(diffusivity float64, buoyancy [3]float64) Params {
	minus := diffusivity / ScalarCS2
	p.ScalarMinus, p.ScalarPlus = 1/(minus+0.5), 1/(ScalarLambda(diffusivity)/minus+0.5)
	p.Buoyancy = buoyancy
	return p
}
