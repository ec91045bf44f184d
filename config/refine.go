// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"strings"

	"lbmsim/config/language"
)

// A case on other grids: the same flow with cells that are smaller by a factor, for
// studies of convergence.

// Scaling determines the length of a step when cells shrink.
type Scaling int

const (
	// Diffusive: the step shrinks with the square of the spacing. tau stays, the
	// Mach number falls, and with it the compressibility error (Ma^2) as fast as
	// the grid error (dx^2): the limit is incompressible flow.
	Diffusive Scaling = iota
	// Acoustic: the step shrinks with the spacing. The Mach number stays, tau - 1/2
	// grows: the limit is the flow of a gas at this Mach number.
	Acoustic
)

// scalingWords in the order of the constants.
func scalingWords() []string { return []string{"diffusive", "acoustic"} }

func (s Scaling) String() string { return scalingWords()[s] }

// ParseScaling reads the word of a command line.
func ParseScaling(word string) (Scaling, error) {
	for i, w := range scalingWords() {
		if w == word {
			return Scaling(i), nil
		}
	}
	return 0, fmt.Errorf("scaling %s is unknown: give %s", word, strings.Join(scalingWords(), " or "))
}

// Refinement of a case. The zero value leaves it as it is.
type Refinement struct {
	Factor  float64 // spacings of the case in one of the refined; 0 counts as 1
	Scaling Scaling
	// Extents returns the box around the body in a file, in cells; nil: [refine.NAME] cannot be around such a body.
	Extents func(f SolidFile) (lo, hi [3]float64, err error)
}

func (f Refinement) factor() float64 {
	if f.Factor == 0 {
		return 1
	}
	return f.Factor
}

// steps returns the number of refined steps in the time of one step of the case.
func (f Refinement) steps() float64 {
	if f.Scaling == Acoustic {
		return f.factor()
	}
	return f.factor() * f.factor()
}

// refine divides the spacing and the step. Everything after it is converted with the new
// units; numbers of steps are multiplied where they are read.
func (r *scaling) refine(tau float64) (float64, bool) {
	f := r.refinement.factor()
	if f == 1 {
		return tau, true
	}
	head := r.Section("domain").At
	total := 1.0
	for a := 0; a < r.dims; a++ {
		n := float64(r.Cells[a]) * f
		k := math.Round(n)
		if math.Abs(n-k) > 1e-6 || k < 1 {
			r.Add(head, "every axis must have a whole number of cells", "a grid refined by %s would have %s cells along %s", language.Short(f), language.Short(n), axes()[a])
			return tau, false
		}
		if total *= k; k > MaxAxis || total > maxCells {
			r.Add(head, "", "a grid refined by %s has too many cells", language.Short(f))
			return tau, false
		}
		r.Cells[a] = int(k)
	}
	r.Units.Length /= f
	r.Units.Time /= r.refinement.steps()
	if r.dims == 2 {
		r.size[2] = r.Units.Length
	}
	return 0.5 + (tau-0.5)*f*f/r.refinement.steps(), true
}
