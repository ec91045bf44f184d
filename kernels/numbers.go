package kernels

import (
	"fmt"
	"slices"

	"lbmsim/model"
)

// Numbers is what the kernels of all devices are told of a step beside the state
// (lbm_numbers of numbers.h; a test holds the two equal).
type Numbers struct {
	Omega, OmegaMinus       float64
	Force                   [3]float64
	Lambda, OmegaBulk       float64
	Law                     [4]float64
	ScalarPlus, ScalarMinus float64
	Buoyancy                [3]float64
	Model, Kind             int32 // numbers in model.Collisions and model.ViscosityLaws
}

// NumbersOf fills them in for a spec that there is.
func NumbersOf(s model.Spec, p model.Params) Numbers {
	_, collision, err := place(s)
	if err != nil {
		panic(err) // the kernels of s were found before
	}
	return Numbers{
		Omega: p.Omega, OmegaMinus: p.OmegaMinus, Force: p.Force, Lambda: p.Lambda, OmegaBulk: p.OmegaBulk, Law: p.Viscosity,
		ScalarPlus: p.ScalarPlus, ScalarMinus: p.ScalarMinus, Buoyancy: p.Buoyancy,
		Model: int32(collision), Kind: int32(s.Viscosity),
	}
}

// place of a spec's lattice and collision in their catalogues, the order of all tables.
func place(s model.Spec) (lattice, collision int, err error) {
	lattice = slices.IndexFunc(model.Lattices, func(l model.Lattice) bool { return l.Name == s.Lattice.Name })
	collision = slices.IndexFunc(model.Collisions, func(c model.Collision) bool { return c.Name == s.Collision.Name })
	if lattice < 0 || collision < 0 {
		return 0, 0, fmt.Errorf("no kernels for %s", s)
	}
	return lattice, collision, s.Check()
}
