// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"
	"slices"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/sim/domain"
)

// Walls with a model: a body's surface has it on the finest level around it, and lies in one box there with all that its ghost cells
// read (containsModels). On coarser levels, where the body's surroundings are covered, it is a plain wall.

// finestAt returns the level that has the surface of a body; solids are the bodies from files in cells of level 0.
func finestAt(b config.Body, solids []geometry.Shape, h *decomp.Hierarchy) int {
	lo, hi := b.Shape(solids).Bounds()
	return config.FinestAt(lo, hi, h)
}

// withSurfacesOf turns bodies with their surface on a finer level into plain walls of this one, which are not thickened:
// thick cells of this level would reach the end of the finer one.
func withSurfacesOf(c *config.Case, solids []geometry.Shape, h *decomp.Hierarchy, level int) {
	for i := range c.Bodies { // a copy of this level's
		b := &c.Bodies[i]
		if modelled := b.Kind.Law == boundary.ModelledWall; (modelled || b.Thicken) && finestAt(*b, solids, h) != level {
			b.Thicken = false
			if modelled {
				b.Kind.Law = boundary.Bounce
			}
		}
	}
}

// margin returns the reach of the ghost cells of modelled walls; 0: there are no such walls.
func margin(c *config.Case) int { return boundary.ModelledMargin(wallsOf(c)) }

// wallsOf returns the walls of a case with what kernels and reach depend on.
func wallsOf(c *config.Case) (walls []boundary.Wall) {
	for _, b := range c.Boundaries {
		walls = append(walls, boundary.Wall{Law: b.Kind.Law, Model: b.Model, Direction: b.Direction})
	}
	for _, b := range c.Bodies {
		walls = append(walls, boundary.Wall{Law: b.Kind.Law, Model: b.Model})
	}
	return walls
}

// containsModels returns an error if a modelled wall reads cells beyond an interface.
func containsModels(c *config.Case, solids []geometry.Shape, h *decomp.Hierarchy) error {
	for _, b := range c.Bodies {
		if b.Kind.Law != boundary.ModelledWall {
			continue
		}
		level := finestAt(b, solids, h)
		margin := float64(boundary.ModelledNear([]boundary.Wall{{Law: b.Kind.Law, Model: b.Model}}))
		lo, hi := geometry.Finer(b.Shape(solids), level, h.Dims()).Bounds()
		for a := range lo { // faces of the domain are not interfaces
			lo[a], hi[a] = max(lo[a]-margin, 0), min(hi[a]+margin, float64(h.Levels[level].N[a]))
		}
		within := func(p decomp.Patch) bool {
			for a := range lo {
				if lo[a] < float64(p.Owned.Lo[a]) || hi[a] > float64(p.Owned.Hi[a]) {
					return false
				}
			}
			return true
		}
		finer := 0
		if level+1 < len(h.Levels) {
			for a := range lo {
				lo[a], hi[a] = 2*lo[a], 2*hi[a]
			}
			finer = meeting(h.Levels[level+1].Patches, lo, hi)
			for a := range lo {
				lo[a], hi[a] = lo[a]/2, hi[a]/2
			}
		}
		if finer > 0 || !slices.ContainsFunc(h.Levels[level].Patches, within) {
			return fmt.Errorf("[body.%s] has a wall model, which reads %g cells of level %d around it: let one box of the level contain the body with that many to spare, and boxes of finer levels contain all of it, or none", b.Name, margin, level)
		}
	}
	return nil
}

// found completes the construction of a patch on all ranks, which walls with a model make collective, and stores the
// findings about these walls.
func (g *Grid) found(p *domain.Part, err error) error {
	if err := agreed(g, err); err != nil || !g.Case.Modelled() {
		return err
	}
	g.walls = append(g.walls, p.Modelled...)
	return nil
}

// agreed turns a construction error into an error of all ranks, if walls with a model make construction collective.
func agreed(g *Grid, err error) error {
	if !g.Case.Modelled() {
		return err
	}
	return comm.Agree(g.Rank.Comm, err)
}

// Near returns boxes of cells of level 0 that contain a rank's cells of all levels, and what their bodies' ghost cells need around
// them.
func Near(c *config.Case, h *decomp.Hierarchy, rank int) (boxes []decomp.Box) {
	margin := margin(c)
	for l := range h.Levels {
		for _, p := range h.Levels[l].Patches {
			box := p.Part(rank)
			if box.Cells() == 0 {
				continue
			}
			for a := range h.Dims() {
				box.Lo[a], box.Hi[a] = (box.Lo[a]-margin)>>l-1, (box.Hi[a]+margin)>>l+2
			}
			boxes = append(boxes, box)
		}
	}
	return boxes
}

// meeting counts the patches that store cells between corners, and those beside them.
func meeting(patches []decomp.Patch, lo, hi [3]float64) (n int) {
	for _, p := range patches {
		meets := true
		for a := range lo {
			meets = meets && lo[a]-2 < float64(p.Stored.Hi[a]) && hi[a]+2 > float64(p.Stored.Lo[a])
		}
		if meets {
			n++
		}
	}
	return n
}
