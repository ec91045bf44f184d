package cpu

import (
	"slices"

	"lbmsim/boundary"
	"lbmsim/kernels"
	"lbmsim/model"
)

// ghosts is what of boundary.Faces the steps leave to passes of their own.
type ghosts struct {
	cells      []boundary.FaceCell
	own        int // of them those whose source is the box's own
	outlets    []boundary.OutletCell
	outletRows []uint32
	rims       []kernels.Rim // of each end of all stored rows: what steps see to; nil: nothing
}

// parts shares the ghost cells and the outflows out. Steps of moments make up the ghost cells beyond the ends of
// their rows when they have a row at hand: a pass over all ends reads a line of memory for each of a
// cell's components. Steps of populations never have all of a row at hand. Both correct the cells
// beside outflows there before they store them.
func (p *program) parts(f *boundary.Faces) *ghosts {
	g := &ghosts{cells: f.Cells, own: f.Own, outlets: f.Outlets, outletRows: f.OutletRows}
	if p.box.Periodic[0] != 0 {
		return g
	}
	n, stored := p.layout.N, p.layout.Rows()
	g.rims = make([]kernels.Rim, 2*stored)
	for i := range g.rims {
		g.rims[i] = kernels.Rim{Rule: kernels.None, Outlet: kernels.None}
	}
	moments := p.spec.Collision.Scheme == model.Moments
	special, measured := (*boundary.Links)(nil), (*boundary.Links)(nil)
	if p.laws != nil {
		special = p.laws.left
	}
	if p.measures != nil {
		measured = p.measures.links
	}
	others := special.Touches(n[0]) || measured.Touches(n[0]) // look at the ghost cells beyond the ends, too
	g.cells, g.own = nil, 0
	for i, c := range f.Cells {
		if side, beyond := end(c.X, n[0]); beyond && moments {
			rim := &g.rims[side*stored+int(c.Row)]
			rim.From, rim.Rule = c.From, c.Rule
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
			// What changes a cell behind the step has to come first.
			behind := p.spec.Scalar || n[0] < 2
			for _, c := range special.Of(row) {
				behind = behind || int32(c.X) == o.X
			}
			if o.Axes&1 != 0 && !behind {
				rim := &g.rims[int(o.Axes>>1&1)*stored+int(o.Row)]
				if rim.Outlet = o.Rule; o.Axes&4 != 0 {
					rim.Outlet |= kernels.Inner
				}
				o.Axes &^= 1<<boundary.OutletBits - 1
			}
			if o.Axes != 0 {
				g.outlets = append(g.outlets, o)
			}
		}
	}
	g.outletRows = append(g.outletRows, uint32(len(g.outlets)))
	return g
}

// reach tells that some of the cells lie beyond the ends of rows.
func (g *ghosts) reach(n int) bool {
	return slices.ContainsFunc(g.cells, func(c boundary.FaceCell) bool { _, beyond := end(c.X, n); return beyond })
}

// end tells beyond which end of rows of n cells x lies, if any.
func end(x int32, n int) (side int, beyond bool) {
	if x > 0 {
		side = 1
	}
	return side, x < 0 || int(x) >= n
}
