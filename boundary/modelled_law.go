// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import "math"

// Model constants. Reichardt's profile, Z. Angew. Math. Mech. 31 (1951) 208, with the constants of Lee & Moser, J. Fluid
// Mech. 774 (2015) 395: u+ = ln(1 + kappa y+)/kappa + c (1 - exp(-y+/b) - y+/b exp(-0.33 y+)), c = B - ln(kappa)/kappa.
const (
	Kappa     = 0.384
	intercept = 4.27 // B
	buffer    = 9.5  // b
	// LeastMixing is the height below which the mixing length is constant, and the height whose logarithmic slope a ghost
	// cell continues: a logarithm jumps by 2.7 u_tau between the first two cells, and a constant eddy viscosity makes the
	// profile straight.
	LeastMixing = 1.5
	// LaminarPlus and TurbulentPlus are y+ at half a cell below which a Modelled wall is the no-slip wall, and above which
	// the law holds in full.
	LaminarPlus, TurbulentPlus = 4, 5
	// MostFilled is the relative density by which the correction of a body's mass may fill or empty a cavity in it.
	MostFilled = 0.1
)

// PlusOf returns y+ of a smooth wall for the Reynolds number u y/nu of a point above it, where u is the velocity along the
// wall.
func PlusOf(reynolds float64) float64 {
	c := intercept - math.Log(Kappa)/Kappa
	re := func(plus float64) float64 {
		return plus * (math.Log1p(Kappa*plus)/Kappa + c*(1-math.Exp(-plus/buffer)-plus/buffer*math.Exp(-0.33*plus)))
	}
	lo, hi := 0.0, math.Max(1, reynolds)
	for range 200 { // bisection: exact, and run once for each entry of a table
		if mid := (lo + hi) / 2; re(mid) < reynolds {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// HeatPlusOf returns T+ = u_tau (T_w - T)/q, with q by density and heat capacity, at y+ of a smooth wall: Kader, Int. J. Heat Mass
// Transfer 24 (1981) 1541, eq. 9, near the wall, where the distance is small compared with the layer's thickness.
func HeatPlusOf(plus, prandtl float64) float64 {
	root := 3.85*math.Cbrt(prandtl) - 1.3
	beta := root*root + kader*math.Log(prandtl)
	gamma := 0.01 * math.Pow(prandtl*plus, 4) / (1 + 5*math.Pow(prandtl, 3)*plus)
	return prandtl*plus*math.Exp(-gamma) + (kader*math.Log1p(plus)+beta)*math.Exp(-1/gamma)
}

// kader is the slope of that logarithm.
const kader = 2.12

// The table of PlusOf: PlusParts entries for each power of two of the Reynolds number from 2^PlusFirst on. A step finds the entry by
// the bits of a double: the same numbers on every processor, without a logarithm.
const (
	PlusFirst = -6
	PlusParts = 16
	PlusCount = 44*PlusParts + 1
)

// PlusTable returns the table, followed by a table of HeatPlusOf at the same arguments for that Prandtl number; 0: without
// it.
func PlusTable(prandtl float64) []float64 {
	table := make([]float64, 2*PlusCount)
	for i := range PlusCount {
		at := math.Ldexp(1+float64(i%PlusParts)/PlusParts, PlusFirst+i/PlusParts)
		table[i] = PlusOf(at)
		if prandtl > 0 {
			table[PlusCount+i] = HeatPlusOf(at, prandtl)
		}
	}
	return table
}

// PrandtlOf returns the Prandtl number of walls with a model.
func PrandtlOf(walls []Wall) (prandtl float64) {
	for _, w := range walls {
		prandtl = math.Max(prandtl, w.Model.Prandtl)
	}
	return prandtl
}
