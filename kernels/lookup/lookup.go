// Package lookup finds the data of a model that kernels need: its places in the catalogues and the
// numbers of a step. Package kernels imports nothing of this module, because Go recompiles all of
// its C++ when a package changes that it imports.
package lookup

import (
	"fmt"
	"slices"

	"lbmsim/kernels"
	"lbmsim/model"
)

// Index returns the index of a spec. An error reports that there are no kernels for it.
func Index(s model.Spec) (kernels.Index, error) {
	x := kernels.Index{
		Lattice:   slices.IndexFunc(model.Lattices, func(l model.Lattice) bool { return l.Name == s.Lattice.Name }),
		Collision: slices.IndexFunc(model.Collisions, func(c model.Collision) bool { return c.Name == s.Collision.Name }),
		Precision: int(s.Precision), Local: s.Local(), Moments: s.Collision.Scheme == model.Moments,
	}
	if x.Lattice < 0 || x.Collision < 0 {
		return x, fmt.Errorf("no kernels for %s", s)
	}
	return x, nil
}

// Numbers returns the numbers of a step of a spec that has kernels.
func Numbers(s model.Spec, p model.Params) kernels.Numbers {
	x, err := Index(s)
	if err != nil {
		panic(err) // the kernels of s were found before
	}
	return kernels.Numbers{
		Omega: p.Omega, OmegaMinus: p.OmegaMinus, Force: p.Force, Lambda: p.Lambda, OmegaBulk: p.OmegaBulk, Law: p.Viscosity,
		ScalarKeep: p.ScalarKeep, ScalarTau: p.ScalarTau, ScalarEddy: p.ScalarEddy, Buoyancy: p.Buoyancy,
		Model: int32(x.Collision), Kind: int32(s.Viscosity),
	}
}
