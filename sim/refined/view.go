// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"lbmsim/decomp"
	"lbmsim/halo"
	"lbmsim/internal/finding"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/level"
)

// Patches returns the patches of a level that this rank has a part of, in the order of the hierarchy's.
func (g *Grid) Patches(level int) []*Patch { return g.levels[level].patches }

// Owned returns this rank's cells of the patch without the overlap, in cells of the level from the domain's lower corner.
func (p *Patch) Owned() decomp.Box {
	return domain.Intersect(p.Part.Box, p.cut.Hierarchy.Levels[p.cut.Level].Patches[p.cut.Patch].Owned)
}

// View returns the current state as its readers see it.
func (g *Grid) View() derive.View {
	r := &derive.Refined{Hierarchy: g.Hierarchy, Walls: g.walls, Fill: g.Fill}
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

// Doubts returns findings about the cells of finer levels that cast doubt on the results.
func (g *Grid) Doubts() finding.List { return g.doubts }

// Image returns a patch as an image, by its index in View's list.
func (g *Grid) Image(k int) level.Image {
	for l := range g.levels {
		if mine := g.levels[l].patches; k < len(mine) {
			return level.Image{Level: mine[k].Level}
		} else {
			k -= len(mine)
		}
	}
	panic("there is no such patch") // the caller's list is the grid's
}

// Levels returns the parts of this rank's patches, level by level.
func (g *Grid) Levels() (list []*level.Level) {
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			list = append(list, p.Level)
		}
	}
	return list
}

// SetStep makes n the step of level 0 that the current state belongs to, another one than before.
func (g *Grid) SetStep(n int) {
	g.steps, g.filled = n, false
	for l := range g.levels {
		setForce(g, l, n<<l)
		for _, p := range g.levels[l].patches {
			p.Level.SetStep(n << l)
			p.SetForce(n << l)
		}
	}
}

// Hash returns the sum of the hashes of all rows that the rank stores, which no cut changes. Collective.
func (g *Grid) Hash() (sum uint64, err error) {
	if err := g.Fill(); err != nil {
		return 0, err
	}
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			h, err := p.Level.Hash()
			if err != nil {
				return 0, err
			}
			sum += h
		}
	}
	return sum, nil
}

// Stats adds up the exchanges of ghost planes and of what passes between levels.
func (g *Grid) Stats() (sum halo.Stats) {
	add := func(e halo.Exchange) {
		s := e.Stats()
		sum.Messages += s.Messages
		sum.Bytes += s.Bytes
		sum.Copied += s.Copied
		sum.Seconds += s.Seconds
		sum.Last += s.Last
		sum.Longest = max(sum.Longest, s.Longest)
	}
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			add(p.Halo)
		}
		for _, t := range g.levels[l].all() {
			add(t.halo)
		}
	}
	sum.Exchanges = g.levels[0].patches[0].Halo.Stats().Exchanges // one per step of level 0
	return sum
}
