// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package model

import "strings"

// Scheme is the kind of state of a cell.
type Scheme int

const (
	// Populations stores one value per lattice direction (9, 19 or 27).
	Populations Scheme = iota
	// Moments stores density, momentum and second-order moments (6 or 10).
	Moments
)

func (s Scheme) String() string { return [...]string{"populations", "moments"}[s] }

// Param is one number that a collision model takes from the case file.
type Param struct {
	Name     string
	Default  float64
	Min, Max float64 // allowed range, both ends excluded
	Doc      string
}

// Collision is one row of the collision catalogue. Its name is the word of the
// case file, of the kernel header kernels/collision/NAME.h and of the docs.
type Collision struct {
	Name   string
	Scheme Scheme
	Params []Param
	Doc    string
	Paper  string
	// WallLambda is the parameter of the exact half-way bounce-back law,
	// Lambda(tau): a channel of width H between such walls has the profile
	// u = F/(2 nu) (y (H-y) + 4/3 (Lambda - 3/16)). Nil if it is a parameter.
	WallLambda func(tau float64) float64
	// OpenTau is the least tau at which a parabolic profile is preserved between an inlet and an outflow; 0: 1/2.
	OpenTau float64
	// StreakTau is the tau below which streaks grow behind a velocity inlet, unless the trace of the stress relaxes
	// with a separate time (docs/models.md); 0: streaks do not grow.
	StreakTau float64
}

// Collisions in the order of the documentation.
var Collisions = []Collision{
	{
		Name: "regularized", Scheme: Moments,
		Doc:        "non-equilibrium projected on second-order moments; higher ones vanish. For resolved flows: close to tau = 1/2 it amplifies noise even in a uniform flow",
		Paper:      "Latt & Chopard, Math. Comput. Simul. 72 (2006) 165; moment storage: Gounley, Vardhan, Draeger et al., IEEE TPDS 33 (2022) 2799",
		WallLambda: func(tau float64) float64 { return (tau - 0.5) / 2 },
	},
	{
		Name: "bgk", Scheme: Populations,
		Doc:        "one relaxation time for all populations",
		Paper:      "Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479",
		WallLambda: func(tau float64) float64 { return (tau - 0.5) * (tau - 0.5) },
		OpenTau:    0.505,
	},
	{
		Name: "trt", Scheme: Populations,
		Params: []Param{{
			Name: "lambda", Default: 3. / 16, Min: 0, Max: 10,
			Doc: "magic parameter (tau+ - 1/2)(tau- - 1/2); 3/16 places a straight half-way wall exactly",
		}},
		Doc:     "two relaxation times, for the even and the odd part of the populations",
		Paper:   "Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008) 427",
		OpenTau: 0.52,
	},
	{
		Name: "recursive_regularized", Scheme: Moments,
		Doc:        "regularized with the third-order moments that second-order ones imply, a*_abc = u_a S*_bc + u_b S*_ac + u_c S*_ab - 2 rho u_a u_b u_c: no error of order u^3 in sheared flow. For high Reynolds numbers. D2Q9 carries xxy and xyy, D3Q27 all but aaa, D3Q19 all but aaa and xyz",
		Paper:      "Malaspinas, arXiv:1505.06900 (2015); Coreixas, Wissocq, Puigt, Boussuge & Sagaut, Phys. Rev. E 96 (2017) 033306; D3Q19: Jacob, Malaspinas & Sagaut, J. Turbul. 19 (2018) 1051",
		WallLambda: func(tau float64) float64 { return (tau - 0.5) / 2 },
		StreakTau:  0.51,
	},
	{
		Name: "cumulant", Scheme: Moments,
		Doc:        "the default. Cumulants of third and higher order vanish: the populations have the moments of a normal distribution with the mean u and the post-collision covariance. For high Reynolds numbers, in 3D best on D3Q27, which has velocities for all moments; the bulk viscosity is 1/(3D) cells^2/step unless [fluid] has one",
		Paper:      "Geier, Schoenherr, Pasquali & Krafczyk, Comput. Math. Appl. 70 (2015) 507, with the rate 1 for all cumulants above the second order",
		WallLambda: func(tau float64) float64 { return (tau - 0.5) / 2 },
	},
}

// DefaultCollision is the model of a case that names none.
const DefaultCollision = "cumulant"

// DefaultLattice returns the lattice of a case of 2 or 3 dimensions that names none. In 3D it is
// D3Q27, whose errors are almost isotropic, but D3Q19 if a cell stores every population. In the
// moments scheme D3Q27 stores no more than D3Q19.
func (c Collision) DefaultLattice(dims int) Lattice {
	name := "D2Q9"
	switch {
	case dims == 3 && c.Scheme == Populations:
		name = "D3Q19"
	case dims == 3:
		name = "D3Q27"
	}
	l, _ := FindLattice(name)
	return l
}

// TypeName returns the C++ type of a row of a catalogue: PowerLaw for power_law.
func TypeName(row string) (s string) {
	for _, word := range strings.Split(row, "_") {
		s += strings.ToUpper(word[:1]) + word[1:]
	}
	return s
}

// FindCollision looks up a collision model by its name.
func FindCollision(name string) (Collision, bool) {
	for _, c := range Collisions {
		if c.Name == name {
			return c, true
		}
	}
	return Collision{}, false
}
