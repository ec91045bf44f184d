// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"cmp"
	"slices"

	"lbmsim/boundary"
	"lbmsim/kernels"
	"lbmsim/model"
)

// ghosts has the cells of boundary.Faces that separate passes fill, and the row ends that steps fill.
type ghosts struct {
	cells      []boundary.FaceCell
	own        int // those with a source in the box
	kept       int // of these, those whose sources steps keep: they come first
	outlets    []boundary.OutletCell
	outletRows []uint32
	rowEnds    []kernels.RowEnd // for each end of all stored rows, the work of steps; nil: no work
}

// parts distributes the ghost cells and the outflows. Steps of moments compute the ghost cells beyond the ends
// of a row while the row is in cache: a pass over all ends reads a cache line for each of a cell's components.
// Steps of populations have the whole row when they store it, and keep the cells at its ends for the pass before
// the next step. Both correct the cells beside outflows before they store them.
func (p *program) parts(f *boundary.Faces) *ghosts {
	g := &ghosts{cells: f.Cells, own: f.Own, outlets: f.Outlets, outletRows: f.OutletRows}
	if p.box.Periodic[0] != 0 {
		return g
	}
	n, stored := p.layout.N, p.layout.Rows()
	g.rowEnds = make([]kernels.RowEnd, 2*stored)
	for i := range g.rowEnds {
		g.rowEnds[i] = kernels.RowEnd{Rule: kernels.None, Outlet: kernels.None}
	}
	moments := p.spec.Collision.Scheme == model.Moments
	special, measured := (*boundary.Links)(nil), (*boundary.Links)(nil)
	if p.laws != nil {
		special = p.laws.left
	}
	if p.measures != nil {
		measured = p.measures.links
	}
	others := special.Touches(n[0]) || measured.Touches(n[0]) // these read the ghost cells beyond the ends, too
	g.cells, g.own = nil, 0
	for i, c := range f.Cells {
		if side, beyond := end(c.X, n[0]); beyond && moments {
			rowEnd := &g.rowEnds[side*stored+int(c.Row)]
			rowEnd.From, rowEnd.Rule = c.From, c.Rule
			if !others {
				continue
			}
		}
		g.cells = append(g.cells, c)
		if i < f.Own {
			g.own++
		}
	}
	g.outlets, g.outletRows = nil, nil
	for row := range len(f.OutletRows) - 1 {
		g.outletRows = append(g.outletRows, uint32(len(g.outlets)))
		for _, o := range f.Outlets[f.OutletRows[row]:f.OutletRows[row+1]] {
			// Cells changed after the step have to come first.
			behind := p.spec.Scalar || n[0] < 2
			for _, c := range special.Of(row) {
				behind = behind || int32(c.X) == o.X
			}
			if o.Axes&1 != 0 && !behind {
				rowEnd := &g.rowEnds[int(o.Axes>>1&1)*stored+int(o.Row)]
				if rowEnd.Outlet = o.Rule; o.Axes&4 != 0 {
					rowEnd.Outlet |= kernels.Inner
				}
				o.Axes &^= 1<<boundary.OutletBits - 1
			}
			if o.Axes != 0 {
				g.outlets = append(g.outlets, o)
			}
		}
	}
	g.outletRows = append(g.outletRows, uint32(len(g.outlets)))
	if !moments && !p.spec.Scalar && n[0] > 1 {
		p.keep(g, special)
	}
	return g
}

// keep makes steps keep the sources of ghost cells beyond the ends of rows, and the next cells inwards for
// outflows, except where a later operation changes the sources after the step.
func (p *program) keep(g *ghosts, special *boundary.Links) {
	n, stored := p.layout.N, p.layout.Rows()
	late := make([]bool, len(g.rowEnds))
	change := func(x, row int) {
		late[row] = late[row] || x < 2
		late[stored+row] = late[stored+row] || x >= n[0]-2
	}
	for row := range n[1] * n[2] {
		for _, c := range special.Of(row) {
			change(int(c.X), p.layout.Row(row%n[1], row/n[1]))
		}
	}
	for _, o := range g.outlets {
		change(int(o.X), int(o.Row))
	}
	var kept, others []boundary.FaceCell
	for _, c := range g.cells[:g.own] {
		side, beyond := end(c.X, n[0])
		rowEnd := &g.rowEnds[side*stored+int(c.From)]
		if !beyond || late[side*stored+int(c.From)] {
			others = append(others, c)
			continue
		}
		kept = append(kept, c)
		if rowEnd.Keep = 1; rowEnd.Outlet != kernels.None && rowEnd.Outlet&kernels.Inner != 0 {
			rowEnd.Keep = 2
		}
	}
	slices.SortFunc(kept, func(a, b boundary.FaceCell) int { // adjacent rows form vectors
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Row, b.Row))
	})
	g.kept, g.cells = len(kept), slices.Concat(kept, others, g.cells[g.own:])
}

// reach reports whether some of the cells lie beyond the ends of rows.
func (g *ghosts) reach(n int) bool {
	return slices.ContainsFunc(g.cells, func(c boundary.FaceCell) bool { _, beyond := end(c.X, n); return beyond })
}

// end returns the end of rows of n cells beyond which x lies, if any.
func end(x int32, n int) (side int, beyond bool) {
	if x > 0 {
		side = 1
	}
	return side, x < 0 || int(x) >= n
}
