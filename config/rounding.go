// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// lostDecay returns a decay of a standing wave per step of which float32 loses a hundredth, measured near tau = 1/2
// (docs/precision.md).
func lostDecay(c model.Collision) float64 {
	switch c.Name {
	case "bgk":
		return 5e-7
	case "trt":
		return 1e-8
	}
	return 2.5e-7
}

// weakViscosity warns where float32 rounds away what viscosity does to the longest wave of the domain. With a law the
// eddies damp it, and an inlet carries it along, which rounds differently in each step.
func (r *speeds) weakViscosity() {
	if slices.ContainsFunc(r.Boundaries, func(b Boundary) bool { return b.Kind.Law == boundary.VelocityFace }) {
		return
	}
	cells := max(r.Cells[0], r.Cells[1], r.Cells[2])
	k := 2 * math.Pi / float64(cells)
	decay, least := (r.Tau-0.5)/3*k*k, lostDecay(r.Spec.Collision)
	if r.Spec.Precision != model.Float32 || !r.plain() || r.Tau >= mostWeakTau || decay >= least {
		return
	}
	r.warn(finding.WeakViscosity, "viscosity removes a fraction of %s per step from a standing wave of %d cells: below %s, float32 rounding may lose more than 1 %% of it with %q; where such waves matter, use precision = \"float64\" (docs/precision.md)",
		language.Short(decay), cells, language.Short(least), r.Spec.Collision.Name)
}

// mostWeakTau is the largest tau for which the longest wave is asked: above, a domain has to be thousands of cells long, and
// what counts is its width.
const mostWeakTau = 0.51
