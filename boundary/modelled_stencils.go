// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"

	"lbmsim/internal/vector"
)

// Image points are searched from leastImage to mostImage cells in front of the surface, in steps of imageStep.
const (
	leastImage, mostImage, imageStep = 0.5, 2.5, 0.02
	leastSample                      = 1.5 // height
	leastOther                       = 1   // height from which a solid cell on the normal is not one of the wall's own stairs
	leastShare                       = 0.5 // of a stencil's weights that fluid cells must have where others are excluded
)

// turn makes a ghost cell read the fluid cell that its link leads into.
func (f *modelledSearch) turn(g *foundGhost, c *ModelledCell) {
	x := g.at
	for a, v := range f.lattice.Velocities[g.links[0].direction] {
		x[a] += v
	}
	c.Image = Stencil{N: 1, Cells: [8]Place{placeOf(f.local(x))}, Weight: [8]float64{1}}
	c.Without = AtEdge
	if motion := f.Motion(g.k); motion != nil {
		c.Velocity = f.wallVelocity(g, f.foot(g))
	}
}

// stencils finds what a ghost cell reads.
func (f *modelledSearch) stencils(g *foundGhost, c *ModelledCell) {
	if g.normal == [3]float64{} {
		c.Without = WithoutImage
		return
	}
	model := f.Wall(g.k).Model
	foot := f.foot(g)
	above := func(height float64) (Stencil, float64) {
		return f.stencil(g.at, [3]float64{foot[0] + height*g.normal[0], foot[1] + height*g.normal[1], foot[2] + height*g.normal[2]})
	}
	free := f.free(g, foot, math.Max(mostImage, model.Sample))
	best := -1.0
	first := math.Max(g.behind, leastImage)
	// For planes along the grid it is the first fluid cell, so that faces act alike wherever they are between cells.
	if direct := 1 - g.behind; alongGrid(g.normal, g.bend) && direct > 0 {
		if _, share := above(direct); share == 1 {
			first = direct
		}
	}
	for k := 0; first+float64(k)*imageStep <= math.Min(mostImage, free); k++ {
		height := first + float64(k)*imageStep
		s, share := above(height)
		if share > best {
			best, c.Image, c.Before = share, s, height
		}
		if share == 1 {
			break
		}
	}
	if best < leastShare {
		c.Without = WithoutImage
	}
	if motion := f.Motion(g.k); motion != nil {
		c.Velocity = f.wallVelocity(g, foot)
	}
	if model.Frictionless {
		c.Rough = NoFriction
	}
	if c.Without != WithModel || model.Frictionless {
		return
	}
	if g.edge {
		c.Without = AtEdge
		return
	}
	for c.Height = model.Sample; ; c.Height -= 0.5 { // in a corner or a gap the law is read lower
		if c.Height < math.Min(leastSample, model.Sample) {
			c.Without, c.Height = WithoutSpace, 0
			return
		}
		s, share := above(c.Height)
		_, beyond := above(c.Height + 1)
		if c.Height <= free && share >= leastShare && beyond >= leastShare {
			c.Sample = s
			break
		}
	}
	if z0 := model.Roughness; z0 > 0 {
		c.Rough = Kappa / math.Log((c.Height+z0)/z0)
	}
}

// free returns the height up to which the normal from the foot of a ghost cell is free: the middle of the first solid cell
// that it crosses, such as a plate in front of the wall; otherwise at least the height most. Its own stairs are below
// leastOther: the centre of a solid cell is behind the surface, and no point of a cell is farther than 0.87 from its centre.
func (f *modelledSearch) free(g *foundGhost, foot [3]float64, most float64) float64 {
	at := g.at
	var next, each [3]float64 // heights at which the normal leaves the cell along each axis, and their spacing
	var step [3]int
	for a, n := range g.normal {
		p := foot[a] + leastOther*n
		cell := math.Floor(p + 0.5)
		at[a] += int(cell)
		switch {
		case n > 0:
			step[a], each[a], next[a] = 1, 1/n, leastOther+(cell+0.5-p)/n
		case n < 0:
			step[a], each[a], next[a] = -1, -1/n, leastOther+(cell-0.5-p)/n
		default:
			next[a] = math.Inf(1)
		}
	}
	for height := float64(leastOther); height < most; {
		a := 0
		for b := range next {
			if next[b] < next[a] {
				a = b
			}
		}
		if f.typeAt(at) != 0 {
			return (height + next[a]) / 2
		}
		height = next[a]
		next[a] += each[a]
		at[a] += step[a]
	}
	return math.Inf(1)
}

// foot returns the point of the surface before a ghost cell, from the cell's centre. For a cell behind the edge of two faces
// it lies in front of the domain's last cells: there are no cells beyond to read.
func (f *modelledSearch) foot(g *foundGhost) (p [3]float64) {
	for a := range p {
		p[a] = g.behind * g.normal[a]
		if at := g.at[a] + f.Origin[a]; !f.Periodic[a] && g.normal[a] == 0 {
			p[a] = math.Min(math.Max(p[a], float64(-at)), float64(f.Global[a]-1-at))
		}
	}
	return p
}

// wallVelocity returns the velocity of the surface at a point, given from the centre of a ghost cell.
func (f *modelledSearch) wallVelocity(g *foundGhost, foot [3]float64) [3]float64 {
	at := f.local(g.at)
	var p [3]float64
	for a := range p { // images move like the cell in the domain
		p[a] = foot[a] + (float64(at[a]+f.lo[a]) + 0.5)
	}
	u := f.Motion(g.k).At(p, 0)
	across := vector.Dot(u, g.normal)
	for a := range u {
		u[a] -= across * g.normal[a]
	}
	return u
}

// stencil returns the linear interpolation at a point, given from the centre of a cell, and the share of its weights that belongs
// to fluid cells. The others are excluded.
func (f *modelledSearch) stencil(cell [3]int, p [3]float64) (s Stencil, share float64) {
	var first [3]int
	var part [3]float64
	for a := range p {
		floor := math.Floor(p[a] + 1e-6)
		first[a] = cell[a] + int(floor)
		part[a] = math.Max(0, p[a]-floor)
	}
	total := 0.0
	for k := range 8 {
		w, at := 1.0, first
		for a := range at {
			if k>>a&1 == 1 {
				w *= part[a]
				at[a]++
			} else {
				w *= 1 - part[a]
			}
		}
		if w < 1e-4 {
			continue
		}
		total += w
		if k := f.typeAt(at); k != 0 {
			if k == 255 && f.inside(at) {
				f.outside.Store(true)
			}
			continue
		}
		share += w
		s.Cells[s.N], s.Weight[s.N] = placeOf(f.local(at)), w
		s.N++
	}
	for k := range s.N {
		s.Weight[k] /= share
	}
	if share >= total*(1-1e-12) {
		share = 1
	}
	return s, share
}
