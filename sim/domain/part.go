// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package domain is one rank's part of a run's domain: its cells, the boundaries and bodies in the
// case's files, and collective results that are independent of the decomposition. The package has
// no state that changes with the steps.
package domain

import (
	"slices"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/io/curve"
	"lbmsim/model"
	"lbmsim/sim/rank"
)

// Part is one rank's part of the domain. Boxes and cells are in cells of the whole
// domain (global) or from the part's lower corner on (local).
type Part struct {
	Doubts finding.List // about unreliable results, found with the cells
	Case   *config.Case

	Plan     decomp.Plan
	Box      decomp.Box // this rank's cells, global
	Layout   decomp.Layout
	Cells    boundary.Cells
	Listed   []decomp.Link    // of cells that travel one by one, to and from other ranks' ghost cells
	Modelled []Coverage       // the walls with a model, of all ranks
	Solids   []geometry.Shape // the bodies from files
	Inputs   []Input          // all files that the case names
	Distance []float32        // of this rank's cells to the walls (WallDistance), where an output shows it

	Params model.Params // numbers of a step, of cells outside sponges

	tables  tables
	whole   *Part                                  // of a refined grid: what the patch is one of; otherwise nil
	level   int                                    // of a refined grid (Patch)
	origin  [3]int                                 // of Plan, global: not the domain's corner where the part is one of a patch
	blocked func(visit func(cell [3]int, run int)) // of a refined grid; otherwise nil
	roles   *boundary.Patch                        // likewise
}

// tables holds the tables of boundaries.
type tables struct {
	sums   []string // SHA-256 of their files
	curves map[string]curve.Curve
	// inflows are the turbulence of boundaries, once requested.
	inflows map[int]*boundary.Turbulence
}

// Input is a file that the case names.
type Input struct {
	Path, Shown, SHA256 string
	// Beside are files that hold a part of it, as seen from its folder.
	Beside []string
	Flow   bool     // it is a flow to start from, which may be large
	Solids []string // names in a surface
}

// New decomposes the domain of a case, identically on every rank. The part's copy of the case gets data from files.
func New(on *rank.Rank, c *config.Case) (*Part, error) {
	own := *c // ranks of one process share theirs
	own.Table, own.Warnings = slices.Clone(c.Table), slices.Clone(c.Warnings)
	p := &Part{Case: &own, Params: c.Params()}
	var err error
	if p.Plan, err = c.Cut(on.Size); err == nil {
		p.Box = p.Plan.Box(on.ID)
	}
	return p, err
}

// Patch is one rank's part of a patch of a refined domain.
type Patch struct {
	Whole   *Part // the domain on level 0, with the files that the case names
	Level   int
	Params  model.Params                           // numbers of a step of the level
	Plan    decomp.Plan                            // of the cells that the patch stores
	Origin  [3]int                                 // its lower corner, in cells of the level from the domain's
	Box     decomp.Box                             // this rank's part of them
	Blocked func(visit func(cell [3]int, run int)) // visits runs of cells of the domain along x that are solid where the geometry has fluid
	Roles   *boundary.Patch
}

// NewPatch returns a part of a case at the spacing of the patch's level, whose bodies alone are in cells of level 0.
func NewPatch(c *config.Case, of Patch) *Part {
	return &Part{Case: c, Params: of.Params, Plan: of.Plan, Box: of.Box, whole: of.Whole, level: of.Level, origin: of.Origin, Solids: of.Whole.Solids, tables: tables{curves: of.Whole.tables.curves}, blocked: of.Blocked, roles: of.Roles}
}

// Sample returns the cells of a part and the layer around them.
func Sample(p *Part, scene geometry.Scene) boundary.Cells {
	cells := scene.Sample(p.Box)
	cells.Patch = p.roles
	if cells.Rates != nil && p.whole != nil {
		own := NewSponges(p)
		cells.Rates = func(x [3]int) *model.Params { return own.At(p.Global(x), p.level) }
	}
	if p.blocked == nil {
		return cells
	}
	cells.Walls = append(slices.Clone(cells.Walls), boundary.Wall{})
	blocked := uint8(len(cells.Walls))
	if p.roles.Sixths > 0 {
		cells.Walls = append(cells.Walls, make([]boundary.Wall, p.roles.Sixths-1)...)
	}
	if p.level > 0 {
		cells.Rest = [2]bool{} // a result of the geometry, without cells beyond an interface
	}
	roles := *p.roles
	roles.Blocked, cells.Patch = blocked, &roles
	lo := p.Box.Lo
	p.blocked(func(cell [3]int, run int) {
		row := cells.Type[cells.Index(cell[0]-lo[0], cell[1]-lo[1], cell[2]-lo[2]):][:run]
		for k, t := range row {
			if t == 0 {
				row[k] = blocked
			}
		}
	})
	return cells
}

// LevelOf returns the level of a part of a refined grid; 0 also without refinement.
func LevelOf(p *Part) int { return p.level }

// Faces returns the number of boundaries, which are on faces; boundaries of bodies follow them
// among the types of cells.
func (p *Part) Faces() int { return len(p.Case.Boundaries) }

// Planes of this part along the slowest axis.
func (p *Part) Planes() int { return p.Layout.N[p.Layout.Axis()] }

// Plane returns the cells of plane k, local.
func (p *Part) Plane(k int) decomp.Box {
	box := decomp.Box{Hi: p.Layout.N}
	box.Lo[p.Layout.Axis()], box.Hi[p.Layout.Axis()] = k, k+1
	return box
}

// RowsOfPlane returns the number of rows along x of a plane.
func (p *Part) RowsOfPlane() int {
	if p.Layout.Axis() == 2 {
		return p.Layout.N[1]
	}
	return 1
}

// Local converts a box from global to this rank's cells.
func (p *Part) Local(box decomp.Box) decomp.Box {
	for a := range box.Lo {
		box.Lo[a], box.Hi[a] = box.Lo[a]-p.Box.Lo[a], box.Hi[a]-p.Box.Lo[a]
	}
	return box
}

// Global converts a cell of this rank to the domain's cells.
func (p *Part) Global(at [3]int) [3]int {
	for a := range at {
		at[a] += p.Box.Lo[a]
	}
	return at
}

// Extent returns this rank's part of a checkpoint.
func (p *Part) Extent() checkpoint.Extent {
	lo, hi := p.Box.Lo, p.Box.Hi
	for a, o := range p.origin {
		lo[a], hi[a] = lo[a]-o, hi[a]-o
	}
	if p.Layout.Axis() == 1 {
		return checkpoint.Extent{Planes: [2]int{lo[1], hi[1]}, Rows: [2]int{0, 1}}
	}
	return checkpoint.Extent{Planes: [2]int{lo[2], hi[2]}, Rows: [2]int{lo[1], hi[1]}}
}

// Interior returns the runs of bytes of the rank's own cells in a state, planes first to
// first+n: one run, or one for each plane that the rank shares with others.
func (p *Part) Interior(first, n int) []decomp.Range {
	box := decomp.Box{Hi: p.Layout.N}
	box.Lo[p.Layout.Axis()], box.Hi[p.Layout.Axis()] = first, first+n
	runs := p.Layout.Ranges(box)
	for i := range runs {
		runs[i].Lo *= p.Case.Spec.Precision.Bytes()
		runs[i].Hi *= p.Case.Spec.Precision.Bytes()
	}
	return runs
}

// Bytes returns the size of the image of this rank's own cells: their values in the state, and eddies where the law of
// the viscosity reads neighbours.
func (p *Part) Bytes() int {
	n, s := p.Layout.N, p.Case.Spec
	return n[1] * n[2] * (p.Layout.Components + s.EddyComponents()) * p.Layout.Pitch * s.Precision.Bytes()
}

// Intersect returns the intersection of two boxes.
func Intersect(a, b decomp.Box) decomp.Box {
	for i := range a.Lo {
		a.Lo[i], a.Hi[i] = max(a.Lo[i], b.Lo[i]), min(a.Hi[i], b.Hi[i])
	}
	return a
}
