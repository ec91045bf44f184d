package sim

import (
	"math"

	"lbmsim/internal/finding"
	"lbmsim/io/status"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// leastPlus is y+ of the sampled point below which the law is read in the buffer layer, and mostBelow the share of the area from
// which on that is a warning.
const (
	leastPlus = 30
	mostBelow = 0.5
)

// modelledWalls returns the flow at the walls with a model in the current state, and warns where the law was read too close to the
// wall. A run has such walls on a single rank.
func (r *run) modelledWalls() ([]status.ModelledWall, error) {
	found := r.level.Part.Cells.Modelled
	if found == nil {
		return nil, nil
	}
	flow, err := r.level.WallFlow()
	if err != nil {
		return nil, err
	}
	c := r.Case
	area, force := c.Units.Length*c.Units.Length, c.Units.Factor(model.Force)
	var list []status.ModelledWall
	for _, k := range domain.Coverages(c, found) {
		w := status.ModelledWall{Name: c.WallName(k.Type), Cells: k.Cells, Area: k.Area * area, Without: k.Without(), HalfMin: math.Inf(1)}
		covered, below, stuck := 0.0, 0.0, 0.0
		for i, g := range found.Cells {
			if g.Type != k.Type || g.Height == 0 {
				continue
			}
			plus := flow[i].HalfPlus
			w.HalfMin, w.HalfMax = math.Min(w.HalfMin, plus), math.Max(w.HalfMax, plus)
			w.HalfMean += plus * g.Area
			covered += g.Area
			if 2*plus*g.Height < leastPlus {
				below += g.Area
			}
			if flow[i].NoSlip() {
				stuck += g.Area
			}
			for a := range w.Friction {
				w.Friction[a] += flow[i].Traction[a] * g.Area * force
			}
		}
		if covered <= 0 {
			w.HalfMin = 0
		} else {
			w.HalfMean /= covered
			w.NoSlip = stuck / covered
		}
		if r.Rank.Root && covered > 0 && below > mostBelow*covered {
			r.Rank.Warn(finding.ModelledPlus.Says("%s: over %.0f %% of its area the law of the wall is read below y+ %d (mean y+ of half a cell: %.2g), where the profile is not logarithmic; a larger sample, or type wall on this grid, which resolves the layer from y+ 2 of the first cell on", w.Name, 100*below/covered, leastPlus, w.HalfMean))
		}
		list = append(list, w)
	}
	return list, nil
}
