// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/sim/rank"
)

// FindModelled lists the ghost cells of walls with a model, and the cells that ranks need of each other for them: the part's
// layout reserves memory for these. Collective.
func (p *Part) FindModelled(on *rank.Rank, scene geometry.Scene) error {
	if boundary.ModelledMargin(scene.Walls) == 0 {
		return nil
	}
	cells := scene.Sample(around(p, scene))
	cells.Patch = p.roles
	var err error
	p.Cells.Modelled, err = boundary.FindModelled(p.Case.Spec.Lattice, p.Box.Lo, p.Layout.N, cells)
	if err = comm.Agree(on.Comm, err); err != nil {
		return err
	}
	if err = listCells(p, on); err != nil {
		return fmt.Errorf("rank %d: cells that ghost cells read: %w", on.ID, err)
	}
	return p.reportModelled(on, p.Cells.Modelled)
}

// FindNone takes part in FindModelled of a patch for a rank that has no cells of it: a part without a box. Collective.
func FindNone(p *Part, on *rank.Rank) error {
	if boundary.ModelledMargin(p.Geometry().Walls) == 0 {
		return nil
	}
	if err := comm.Agree(on.Comm, nil); err != nil {
		return err
	}
	if _, err := ask(on, nil); err != nil {
		return err
	}
	return p.reportModelled(on, &boundary.Modelled{})
}

// around returns the box of the cells that decide what the rank's cells are: its own and, where walls have a model, those near it.
func around(p *Part, scene geometry.Scene) decomp.Box {
	margin, box := boundary.ModelledMargin(scene.Walls), p.Box
	for a := range box.Lo {
		box.Lo[a] -= margin
		box.Hi[a] += margin
		if !scene.Periodic[a] {
			box.Lo[a] = max(box.Lo[a], 0)
			box.Hi[a] = min(box.Hi[a], scene.Cells[a])
		}
	}
	return box
}

// leastRadius is the radius of curvature, in cells, from which on a surface counts as plane, and mostCurved the share of a wall's
// area below it above which that is a warning.
const (
	leastRadius = 40
	mostCurved  = 0.2
)

// wallLaws returns the law of each type's wall.
func wallLaws(c *config.Case) (laws []boundary.Law) {
	for _, b := range c.Boundaries {
		laws = append(laws, b.Kind.Law)
	}
	for _, b := range c.Bodies {
		laws = append(laws, b.Kind.Law)
	}
	return laws
}

// Shares of a wall's area without a model above which that is a warning.
const (
	mostWithout = 0.05
	mostEdges   = 0.3 // at edges, where the flow separates and needs no model: rods and small bodies consist of edges
)

// reportModelled adds a row for each wall with a model to the table of the case, and warns where much of its area has none.
// Collective.
func (p *Part) reportModelled(on *rank.Rank, found *boundary.Modelled) error {
	list, err := coverages(p, on, found)
	if err != nil {
		return err
	}
	if p.Modelled = list; p.roles != nil { // the grid reports all levels together
		return nil
	}
	p.Case.Table = append(p.Case.Table, ModelledRows(p.Case, list)...)
	p.Doubts = append(p.Doubts, ModelledDoubts(p.Case, on, list)...)
	return nil
}

// ModelledDoubts warns, immediately and at the end of the run, of walls with a large area without a model, or with an
// uncertain one.
func ModelledDoubts(of *config.Case, on *rank.Rank, list []Coverage) (doubts finding.List) {
	doubt := func(w finding.Finding) {
		if doubts = append(doubts, w); on.Root {
			on.Warn(w)
		}
	}
	for _, c := range list {
		name := of.WallName(c.Type)
		if share := c.Curved / c.Area; c.Area > 0 && share > mostCurved {
			doubt(finding.CurvedModel.Says("%s: %.0f %% of its area has a radius of curvature below %d cells, where the wall model has been validated in pipes 10 and 20 cells in radius (friction within 6 %%), not on bodies; a finer grid makes it certain", name, 100*share, leastRadius))
		}
		if c.Edge > mostEdges*c.Area || c.Space+c.Image > mostWithout*c.Area {
			doubt(finding.UnmodelledWall.Says("%s: %.2g %% of its area has no wall model (%s): there the wall is a no-slip wall or, beside other faces and bodies one cell thick, a half-way wall, on a grid that does not resolve it; refine the grid, or widen the gaps", name, 100*c.Without(), c.reasons()))
		}
	}
	return doubts
}

// ModelledRows returns the rows of a case's table for its walls with a model.
func ModelledRows(c *config.Case, list []Coverage) (rows []config.Row) {
	for k, w := range wallLaws(c) {
		if w == boundary.ModelledWall && !slices.ContainsFunc(list, func(c Coverage) bool { return int(c.Type) == k+1 }) {
			rows = append(rows, config.Row{Name: "wall model of " + c.WallName(uint8(k+1)), Lattice: "no surface in the flow"})
		}
	}
	for _, w := range list {
		what := fmt.Sprintf("%d ghost cells, area %.6g", w.Cells, w.Area)
		if w.Level > 0 {
			what = fmt.Sprintf("%d ghost cells of level %d, area %.6g of them", w.Cells, w.Level, w.Area)
		}
		rows = append(rows, config.Row{Name: "wall model of " + c.WallName(w.Type), Lattice: what, SI: w.text()})
	}
	return rows
}

// WallGroups returns the group of each type of wall, and for each group whether it has bodies. A group has the faces or the bodies with one
// law, at rest or moving.
func WallGroups(p *Part) (group []int, bodies []bool) {
	type key struct {
		model       boundary.WallModel
		moves, body bool
	}
	number := map[key]int{}
	for i, w := range p.Cells.Walls {
		k := key{w.Model, !p.Cells.Rests(uint8(i + 1)), i >= p.Faces()}
		if _, known := number[k]; !known {
			number[k] = len(number)
			bodies = append(bodies, k.body)
		}
		group = append(group, number[k])
	}
	return group, bodies
}

// FollowsLaw reports whether walls of a type, from 0 on, are bodies whose friction follows from a law of the wall.
func FollowsLaw(p *Part, k int) bool {
	w := p.Cells.Walls[k]
	return k >= p.Faces() && w.Law == boundary.ModelledWall && !w.Model.Frictionless
}

// Coverage is the surface of one wall with a model, in cells, or the part of it that has the cells of a level.
type Coverage struct {
	Type   uint8
	Level  int // level of the cells
	Cells  int
	Area   float64 // by the links that cross it
	Curved float64 // of it with a radius below leastRadius; 0 of walls without friction
	// Of it without a model, by reason (boundary.Without).
	Edge, Space, Image float64
}

// add adds another part of the wall, with cells finer by a factor.
func (c *Coverage) add(o Coverage, levels int) {
	c.Cells += o.Cells
	for _, to := range []struct {
		sum *float64
		add float64
	}{{&c.Area, o.Area}, {&c.Curved, o.Curved}, {&c.Edge, o.Edge}, {&c.Space, o.Space}, {&c.Image, o.Image}} {
		*to.sum += math.Ldexp(to.add, -2*levels)
	}
}

// ByLevel returns the parts of walls on patches as one part per level, in the order of types and levels.
func ByLevel(parts []Coverage) (list []Coverage) {
	for _, p := range parts {
		k := slices.IndexFunc(list, func(c Coverage) bool { return c.Type == p.Type && c.Level == p.Level })
		if k < 0 {
			list = append(list, p)
		} else {
			list[k].add(p, 0)
		}
	}
	slices.SortStableFunc(list, func(a, b Coverage) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Level, b.Level))
	})
	return list
}

// Whole returns walls whose parts are in the order of their types, each in cells of level 0.
func Whole(parts []Coverage) (list []Coverage) {
	for _, p := range parts {
		if n := len(list); n == 0 || list[n-1].Type != p.Type {
			list = append(list, Coverage{Type: p.Type})
		}
		list[len(list)-1].add(p, p.Level)
	}
	return list
}

// Without returns the share of the area that has no model.
func (c Coverage) Without() float64 {
	if c.Area <= 0 {
		return 0
	}
	return (c.Edge + c.Space + c.Image) / c.Area
}

func (c Coverage) text() string {
	if c.Without() == 0 {
		return "all of it with a model"
	}
	return fmt.Sprintf("%.3g %% without a model: %s", 100*c.Without(), c.reasons())
}

// reasons describes why the model is not used.
func (c Coverage) reasons() string {
	var list []string
	for _, r := range []struct {
		area float64
		text string
	}{{c.Edge, "at edges"}, {c.Space, "in gaps and corners"}, {c.Image, "without fluid beside it to interpolate in"}} {
		if r.area > 0 {
			list = append(list, fmt.Sprintf("%.2g %% %s", 100*r.area/c.Area, r.text))
		}
	}
	return strings.Join(list, ", ")
}

// AreaUnits is the number of units of an area, in cells, in sums of integers, which do not depend on the order of cells and ranks.
const AreaUnits = 1 << 32

// coverages returns the surfaces of the walls with a model, of all ranks, in the order of their types. Collective.
func coverages(p *Part, on *rank.Rank, found *boundary.Modelled) (list []Coverage, err error) {
	const numbers = 6
	sums := make([]int64, numbers*(1+len(p.Case.Boundaries)+len(p.Case.Bodies)))
	for i := range found.Cells {
		g := &found.Cells[i]
		if !g.Own || g.Turned {
			continue
		}
		k, area := sums[numbers*int(g.Type):], int64(math.Round(g.Area*AreaUnits))
		k[0]++
		k[1] += area
		switch g.Without {
		case boundary.WithoutSpace:
			k[2] += area
		case boundary.WithoutImage:
			k[3] += area
		case boundary.AtEdge:
			k[5] += area
		case boundary.WithModel:
			k[5] += int64(math.Round(g.Sharp * AreaUnits))
		}
		if g.Curvature() > 1./leastRadius && !p.Cells.Wall(g.Type).Model.Frictionless {
			k[4] += area
		}
	}
	if sums, err = p.AddUp(on, sums); err != nil {
		return nil, err
	}
	for k := range len(sums) / numbers {
		s := sums[numbers*k:]
		area := func(i int) float64 { return float64(s[i]) / AreaUnits }
		if s[0] > 0 {
			list = append(list, Coverage{Type: uint8(k), Level: p.level, Cells: int(s[0]), Area: area(1), Space: area(2), Image: area(3), Curved: area(4), Edge: area(5)})
		}
	}
	return list, nil
}
