package refined

import (
	"math"

	"lbmsim/device"
	"lbmsim/sim/domain"
)

// Totals of the finest cells everywhere, in lattice units: sums over cells, times their volume in cells of level 0.
type Totals struct {
	Cells    int     // fluid cells
	Volume   float64 // of them
	Mass     float64 // sum of rho-1
	Momentum [3]float64
	Energy   float64
	MaxSpeed float64
	Bad      int // cells with a value that is not finite
}

// Seen is what a rank has seen of its own cells.
type Seen struct {
	MaxSpeed float64
	Fastest  Place
	Bad      int
	FirstBad Place
}

// Place is a cell of a level.
type Place struct {
	Level int
	Cell  [3]int // from the domain's lower corner
}

// Census sums the current state: the totals are rank 0's. The sums have one order, which no cut changes: cells of a row, rows of a
// plane, planes of a patch, patches and levels in theirs. The host adds what the device reads, because the device's own sums know all
// cells of a box. Collective.
func (g *Grid) Census() (t Totals, seen Seen, err error) {
	if err := g.Sync(); err != nil {
		return t, seen, err
	}
	of := domain.Columns{Added: 7, All: 8}
	for l := range g.levels {
		volume := math.Pow(0.5, float64(l*g.Case.Dims()))
		mine := g.levels[l].patches
		for k := range g.Hierarchy.Levels[l].Patches {
			planes, line, rows := 0, []int(nil), []float64(nil)
			if len(mine) > 0 && mine[0].cut.Patch == k {
				p := mine[0]
				mine = mine[1:]
				sums, err := p.rows()
				if err != nil {
					return t, seen, err
				}
				seen.add(l, sums)
				planes, line = p.planes(), p.line()
				for _, s := range sums {
					rows = append(rows, float64(s.Cells), s.Mass, s.Momentum[0], s.Momentum[1], s.Momentum[2], s.Energy, float64(s.Bad), s.MaxSpeed)
				}
			}
			all, err := domain.PlaneSums(g.Rank, line, planes, rows, of)
			if err != nil {
				return t, seen, err
			}
			for ; len(all) > 0; all = all[of.All:] {
				t.Cells += int(all[0])
				t.Volume += volume * all[0]
				t.Mass += volume * all[1]
				for a := range t.Momentum {
					t.Momentum[a] += volume * all[2+a]
				}
				t.Energy += volume * all[5]
				t.Bad += int(all[6])
				t.MaxSpeed = math.Max(t.MaxSpeed, all[7])
			}
		}
	}
	return t, seen, nil
}

// add notes rows of a level.
func (s *Seen) add(level int, rows []device.Plane) {
	for _, r := range rows {
		if r.Cells > 0 && r.MaxSpeed > s.MaxSpeed {
			s.MaxSpeed, s.Fastest = r.MaxSpeed, Place{level, r.MaxAt}
		}
		if r.Bad > 0 && s.Bad == 0 {
			s.FirstBad = Place{level, r.BadAt}
		}
		s.Bad += r.Bad
	}
}

// planes returns the number of planes that the rank owns of the patch, line the ranks that share them.
func (p *Patch) planes() int { return p.Owned().Size()[p.Part.Layout.Axis()] }

func (p *Patch) line() []int {
	if !p.Part.Shared() {
		return []int{p.cut.Rank}
	}
	return p.Part.Plan.Line(p.Part.Plan.Box(p.cut.Rank).Lo, 1)
}

// rows sums the rows that the rank owns, [z][y].
func (p *Patch) rows() ([]device.Plane, error) {
	own, axis := p.Owned(), p.Part.Layout.Axis()
	n := own.Size()
	row := n[0] * p.Part.Case.Spec.FieldValues()
	sums := make([]device.Plane, n[1]*n[2])
	each := len(sums) / n[axis] // rows of a plane
	return sums, p.Rank.Share(n[axis], func(from, to int) error {
		values := make([]float64, each*row)
		for k := from; k < to; k++ {
			plane := own
			plane.Lo[axis], plane.Hi[axis] = own.Lo[axis]+k, own.Lo[axis]+k+1
			if err := p.Values(plane, values); err != nil {
				return err
			}
			for j := range each {
				i := k*each + j
				sums[i] = p.row(own.Lo[1]+i%n[1], own.Lo[2]+i/n[1], own.Lo[0], values[j*row:][:row])
			}
		}
		return nil
	})
}
