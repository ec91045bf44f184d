// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package lookup finds the data of a model that kernels need: its places in the catalogues and the
// numbers of a step. Package kernels imports nothing of this module, because Go recompiles all of
// its C++ when a package changes that it imports.
package lookup

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/kernels"
	"lbmsim/model"
)

// Index returns the index of a spec, or an error if there are no kernels for it.
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

// nearOne is the distance of a relaxation time from 1 below which P, (tau - 1) e, is too small to be
// rescaled to the other level.
const nearOne = 0.05

// Conversion returns the conversion of P from one level of a refined grid to another, whose cells are width times as wide
// (docs/refinement-numerics.md): deviator and trace each by a factor, or from velocity differences where the relaxation time of
// either level is near 1. At large relaxation times of the trace, velocity differences are unstable. The flux of a scalar
// likewise.
func Conversion(s model.Spec, from, to model.Params, width float64) kernels.Conversion {
	law := s.Viscosity
	c := kernels.Conversion{From: from.Force, To: to.Force, Width: width, BuoyancyFrom: from.Buoyancy, BuoyancyTo: to.Buoyancy}
	part := func(omega, other float64) (scale, strain float64) {
		a, b := 1/omega-1, 1/other-1
		if math.Abs(a) < nearOne || math.Abs(b) < nearOne {
			return 0, -2. / 3 * b
		}
		return b / a * width, 0
	}
	c.Shear, c.ShearStrain = part(from.Omega, to.Omega)
	if c.Trace, c.TraceStrain = c.Shear, c.ShearStrain; from.OmegaBulk != 0 {
		c.Trace, c.TraceStrain = part(from.OmegaBulk, to.OmegaBulk)
	}
	if s.Scalar {
		if a, b := from.ScalarTau-1, to.ScalarTau-1; math.Abs(a) < nearOne || math.Abs(b) < nearOne {
			c.FluxGradient = -1. / 3 * b
		} else {
			c.Flux = b / a * width
		}
	}
	if varies(law, to) {
		c.Kind, c.LawFrom, c.LawTo = int32(law), from.Viscosity, to.Viscosity
		if from.OmegaBulk == 0 {
			c.Tied = 1
		}
		if s.Scalar && (from.ScalarEddy != 0 || to.ScalarEddy != 0) {
			c.ScalarFrom, c.ScalarTo = scalarTimes(from), scalarTimes(to)
		}
	}
	return c
}

// scalarTimes returns a and b of the relaxation time a + b tau of a scalar with eddy diffusivity; tau is the
// flow's.
func scalarTimes(p model.Params) [2]float64 {
	return [2]float64{p.ScalarTau - p.ScalarEddy/p.Omega, p.ScalarEddy}
}

// varies reports whether a law gives cells individual relaxation times: with C = 0 it does not.
func varies(law model.ViscosityLaw, p model.Params) bool {
	return law != model.Newtonian && (law.OfFluid() || p.Viscosity[1] != 0)
}
