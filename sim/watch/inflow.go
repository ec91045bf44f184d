// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
)

// Fluid that enters through an outlet face has the values of the adjacent cell: the temperature of fluid that has just
// left, or the direction of a vortex. The watch reports it.

// cool reports whether a boundary prescribes no temperature for its inflow.
func (w *Watch) cool(b config.Boundary) bool {
	return w.view.Case.Spec.Scalar && open(b) && b.Temperature.Law == boundary.ScalarOpen
}

// aimless reports whether a boundary prescribes no direction for its inflow.
func aimless(b config.Boundary) bool {
	return b.Kind.Law == boundary.PressureFace && b.Direction == nil
}

// guards reports whether the watch monitors the inflow through a boundary.
func (w *Watch) guards(b config.Boundary) bool {
	return w.view.Case.Run.WarnInflow > 0 && (w.cool(b) || aimless(b))
}

// leastInflow returns the velocity above which fluid counts as entering a face: a hundredth of the largest speed, above
// the sound of a start at rest, and at least the speed from which the entering fluid has the temperature of the face
// (boundary.Entering).
func (w *Watch) leastInflow(fastest float64) float64 {
	return max(fastest/100, w.view.Case.Given*w.left(), 1./boundary.EnteringPer)
}

// lookAtFaces computes the flow through the faces, on rank 0. fastest is the largest speed of this rank's
// cells. Collective.
func (w *Watch) lookAtFaces(fastest float64) error {
	w.passages = nil
	if !slices.ContainsFunc(w.view.Case.Boundaries, w.guards) {
		return nil
	}
	most := []int64{int64(math.Float64bits(fastest))} // a non-negative float keeps its order as bits
	if err := comm.Max(w.view.Rank.Comm, most); err != nil {
		return err
	}
	list, err := w.view.Passages(w.guards, w.leastInflow(math.Float64frombits(uint64(most[0]))))
	w.passages = list
	return err
}

// judgeInflow warns of faces with inflow that prescribe no values for it.
func (w *Watch) judgeInflow() {
	var cool, aimlessly []string
	limit := w.view.Case.Run.WarnInflow
	for i, p := range w.passages {
		b := w.view.Case.Boundaries[i]
		if !(p.In > limit*(p.In+p.Out)) || !w.guards(b) {
			continue
		}
		text := fmt.Sprintf("[boundary.%s] in %d of %d cells, %.3g %% of the flow through it", b.Name, p.Entering, p.Cells, 100*p.In/(p.In+p.Out))
		if w.cool(b) {
			cool = append(cool, text)
		}
		if aimless(b) && p.Slant > p.In/2 {
			aimlessly = append(aimlessly, fmt.Sprintf("%s (%.3g %% of it at more than 45 degrees)", text, 100*p.Slant/p.In))
		}
	}
	if len(cool) > 0 {
		w.warn(finding.InflowTemperature, Untempered, "fluid enters through %s: [run] warn_inflow = %g; the face has no temperature, so the fluid enters with the temperature of the adjacent cells. A temperature of the face applies to inflow only", strings.Join(cool, "; "), limit)
	}
	if len(aimlessly) > 0 {
		w.warn(finding.InflowDirection, Slanting, "fluid enters obliquely through %s: [run] warn_inflow = %g; the face has no direction, so the tangential velocity is the value of the adjacent cells. A direction of the face applies to inflow only", strings.Join(aimlessly, "; "), limit)
	}
}
