// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import "math"

// A variable body force: time-dependent, or adjusted by the run. A cell's momentum after a collision has half of the force
// at the end of the step, so the exchange between levels uses the force with which the current state was computed. Steps get
// the coming one (level.Schedule).

// changes reports whether the force varies.
func changes(g *Grid) bool { return g.Case.Force.At != nil || g.Case.Force.Drive != nil }

// Adjust sets the force of the coming steps, in level 0 units.
func (g *Grid) Adjust(force [3]float64) {
	g.coming = force
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			p.Level.Params.Force = onLevel(force, l)
		}
	}
}

// Recall sets the force of level 0 that the current state was computed with, for the coming steps too.
func (g *Grid) Recall(force [3]float64) {
	g.Adjust(force)
	for l := range g.levels {
		g.levels[l].params.Force = onLevel(force, l)
	}
}

// setForce records the force with which step n of a level was computed.
func setForce(g *Grid, l, n int) {
	switch force := &g.levels[l].params.Force; {
	case g.Case.Force.At != nil:
		*force = forceAt(g.Case, l, float64(n))
	case g.Case.Force.Drive != nil:
		*force = onLevel(g.coming, l)
	}
}

// onLevel returns a force of level 0 in cells and steps of a level.
func onLevel(force [3]float64, l int) [3]float64 { return times(force, math.Pow(0.5, float64(l))) }
