// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"lbmsim/internal/finding"
	"lbmsim/io/status"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// mostBelow is the share of the area above which reading the law below derive.LeastPlus is a warning.
const mostBelow = 0.5

// modelledWalls returns the flow at the modelled walls in the current state, and warns if the law was read too close to the wall.
// Collective.
func (r *run) modelledWalls() ([]status.ModelledWall, error) {
	if err := (state{r.stepper}).Fill(); err != nil {
		return nil, err
	}
	view := r.view()
	sums, err := view.WallSums()
	if err != nil {
		return nil, err
	}
	c := r.Case
	area, force := c.Units.Length*c.Units.Length, c.Units.Factor(model.Force)
	var list []status.ModelledWall
	walls := domain.Whole(view.Modelled())
	for i, s := range sums {
		k := walls[i]
		w := status.ModelledWall{Name: c.WallName(k.Type), Cells: k.Cells, Area: k.Area * area, Without: k.Without()}
		if s.Covered() > 0 {
			w.HalfMin, w.HalfMean, w.HalfMax = s.Plus()
			w.NoSlip = s.Stuck()
		}
		w.Share, w.Factor = r.friction.of(k.Type)
		for a, v := range s.Friction() {
			w.Friction[a] = v * force
		}
		if r.Rank.Root && s.Below() > mostBelow {
			r.Rank.Warn(finding.ModelledPlus.Says("%s: over %.0f %% of its area the law of the wall is read below y+ %d (mean y+ at half a cell: %.2g), where the profile is not logarithmic; a larger sample, or type wall on this grid, which resolves the layer from y+ 2 of the first cell on", w.Name, 100*s.Below(), derive.LeastPlus, w.HalfMean))
		}
		list = append(list, w)
	}
	return list, nil
}
