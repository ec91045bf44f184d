package refined

import (
	"lbmsim/decomp"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// Patches returns the patches of a level that this rank has a part of, in the order of the hierarchy's.
func (g *Grid) Patches(level int) []*Patch { return g.levels[level].patches }

// Owned returns this rank's cells of the patch without the overlap, in cells of the level from the domain's lower corner.
func (p *Patch) Owned() decomp.Box {
	return domain.Intersect(p.Part.Box, p.cut.Hierarchy.Levels[p.cut.Level].Patches[p.cut.Patch].Owned)
}

// View returns the current state as its readers see it.
func (g *Grid) View() derive.View {
	r := &derive.Refined{Hierarchy: g.Hierarchy}
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			r.Patches = append(r.Patches, derive.Patch{
				View:  derive.View{Rank: g.Rank, Case: p.Part.Case, Part: p.Part, State: p.Level},
				Level: l, Number: p.cut.Patch, Owned: p.Owned(), Counted: p.cut.Counted,
			})
		}
	}
	whole := r.Patches[0].View // each rank has cells of level 0
	whole.Case, whole.Refined = g.Case, r
	return whole
}
