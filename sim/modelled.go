package sim

import (
	"math"

	"lbmsim/comm"
	"lbmsim/device"
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

// plusUnits is the number of units of y+ times an area, in cells, in sums of integers: they hold 5e11.
const plusUnits = 1 << 24

// wallSums are the sums of one wall with a model over its ghost cells that have one, as integers: the same in any order. The least
// and the largest y+ are the bits of the number, which are in the order of positive numbers.
type wallSums struct {
	covered, plus, below, stuck int64 // area; y+ of half a cell by area; area where the law is read too low; without the model
	friction                    [3]int64
	least, most                 int64
}

// add adds the flow at a ghost cell with an area, whose law reads the velocity at a height.
func (s *wallSums) add(of, height float64, flow device.ModelledWall) {
	area := int64(math.Round(of * domain.AreaUnits))
	s.covered += area
	s.plus += int64(math.Round(flow.HalfPlus * of * plusUnits))
	if 2*flow.HalfPlus*height < leastPlus {
		s.below += area
	}
	if flow.NoSlip() {
		s.stuck += area
	}
	for a := range s.friction {
		s.friction[a] += int64(math.Round(flow.Traction[a] * of * device.ForceUnits))
	}
	bits := int64(math.Float64bits(flow.HalfPlus))
	s.least, s.most = min(s.least, bits), max(s.most, bits)
}

// togetherWalls makes the sums of all ranks of these. Collective.
func togetherWalls(r *run, walls []wallSums) error {
	var sums, ends []int64
	for _, s := range walls {
		sums = append(sums, s.covered, s.plus, s.below, s.stuck, s.friction[0], s.friction[1], s.friction[2])
		ends = append(ends, -s.least, s.most)
	}
	sums, err := r.level.Part.AddUp(r.Rank, sums)
	if err != nil {
		return err
	}
	if err := comm.Max(r.Rank.Comm, ends); err != nil {
		return err
	}
	for i := range walls {
		s := sums[7*i:]
		walls[i] = wallSums{s[0], s[1], s[2], s[3], [3]int64(s[4:7]), -ends[2*i], ends[2*i+1]}
	}
	return nil
}

// modelledWalls returns the flow at the walls with a model in the current state, and warns where the law was read too close to the
// wall. Collective.
func (r *run) modelledWalls() ([]status.ModelledWall, error) {
	found := r.level.Part.Cells.Modelled
	if found == nil {
		return nil, nil
	}
	flow, err := r.level.WallFlow()
	if err != nil {
		return nil, err
	}
	c, walls := r.Case, r.level.Part.Modelled
	sums, number := make([]wallSums, len(walls)), map[uint8]int{}
	for i, k := range walls {
		number[k.Type] = i
		sums[i].least = int64(math.Float64bits(math.Inf(1)))
	}
	for i, g := range found.Cells {
		if g.Own && g.Height > 0 {
			sums[number[g.Type]].add(g.Area, g.Height, flow[i])
		}
	}
	if err := togetherWalls(r, sums); err != nil {
		return nil, err
	}
	area, force := c.Units.Length*c.Units.Length, c.Units.Factor(model.Force)
	var list []status.ModelledWall
	for i, k := range walls {
		s := sums[i]
		w := status.ModelledWall{Name: c.WallName(k.Type), Cells: k.Cells, Area: k.Area * area, Without: k.Without()}
		if covered := float64(s.covered) / domain.AreaUnits; covered > 0 {
			w.HalfMin, w.HalfMax = math.Float64frombits(uint64(s.least)), math.Float64frombits(uint64(s.most))
			w.HalfMean = float64(s.plus) / plusUnits / covered
			w.NoSlip = float64(s.stuck) / float64(s.covered)
		}
		w.Share, w.Factor = r.friction.of(k.Type)
		for a := range w.Friction {
			w.Friction[a] = float64(s.friction[a]) / device.ForceUnits * force
		}
		if r.Rank.Root && s.covered > 0 && float64(s.below) > mostBelow*float64(s.covered) {
			r.Rank.Warn(finding.ModelledPlus.Says("%s: over %.0f %% of its area the law of the wall is read below y+ %d (mean y+ of half a cell: %.2g), where the profile is not logarithmic; a larger sample, or type wall on this grid, which resolves the layer from y+ 2 of the first cell on", w.Name, 100*float64(s.below)/float64(s.covered), leastPlus, w.HalfMean))
		}
		list = append(list, w)
	}
	return list, nil
}
