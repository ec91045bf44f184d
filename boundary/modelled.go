// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"iter"
	"math"
	"sync"

	"lbmsim/model"
)

// WallModel holds the parameters of a Modelled wall, in cells.
type WallModel struct {
	Sample       float64 // height above the surface at which the law reads the velocity
	Layer        float64 // height of the layer with eddy viscosity; 0: none
	Roughness    float64 // z0 of the logarithmic law; 0: smooth
	Frictionless bool    // no sampling and no layer
	Prandtl      float64 // of the fluid, for the heat flux of walls with a temperature; 0: no scalar
}

// Modelled lists the ghost cells of Modelled walls: the solid cells from which populations stream into fluid cells. Before a step
// each gets moments from an image point on the surface normal (kernels/modelled.h), and its populations stream like a fluid
// cell's.
//
// Stencils may read cells of other ranks, by places beyond the box. The rank receives these cells one by one, in rows behind
// its state (Listed), and the entries that depend on them come last in both lists.
type Modelled struct {
	Cells []ModelledCell
	// Layer lists the box's own fluid cells above Modelled walls that have an eddy viscosity.
	Layer []LayerCell
	// Early and EarlyLayer are the numbers of ghost cells and of layer cells that depend on the box's own cells alone.
	Early, EarlyLayer int
	// Sent lists the cells that other ranks' ghost cells read.
	Sent []Sent

	at *placeRows // of the ghost cells, by their local places and of periodic images

	once   sync.Once
	counts []CountedCell
}

// CountedCell is what sums over walls need of a ghost cell.
type CountedCell struct {
	Number int32 // of the cell in Modelled.Cells
	Type   uint8
	Height float64
	Area   float64 // without links beside convex edges
}

// Counted lists the own ghost cells that have the model. ModelledCell is too large for a visit of all at each sample of a force.
func (m *Modelled) Counted() []CountedCell {
	m.once.Do(func() {
		for i := range m.Cells {
			// Of the others all links are bounced back, or the ghost cell of the surface counts.
			if c := &m.Cells[i]; c.Own && c.Height > 0 && c.Serves != 0 && !c.Turned {
				m.counts = append(m.counts, CountedCell{int32(i), c.Type, c.Height, c.Area - c.Sharp})
			}
		}
	})
	return m.counts
}

// Sent is an own cell and its place in the rows behind the state, both local, that travels to another rank.
type Sent struct{ From, To [3]int }

// ModelledCell is a ghost cell behind a Modelled wall. All ranks whose cells need it have an identical
// copy.
type ModelledCell struct {
	At   [3]int // local; periodic images are one cell
	Own  bool   // its first counted link leads into one of the box's own cells: sums over walls include it on this rank
	Type uint8
	Facet
	Before   float64    // distance of the image point before the surface
	Image    Stencil    // at the image point: moments of fluid cells
	Height   float64    // distance of the sampled point before the surface
	Sample   Stencil    // at the sampled point
	Velocity [3]float64 // of the wall
	Rough    float64    // friction velocity / sampled velocity of a rough wall; 0: smooth; NoFriction: no friction
	Area     float64    // of the surface crossed by links from this cell; on a refined grid, by links into finest cells
	Sharp    float64    // the part of it crossed by links beside convex edges
	Mirrored uint8      // axes across which the cells it reads are mirrored, a bit each: it lies behind slip faces
	Turned   bool       // it serves one link beside a convex edge, along the axis Normal: that fluid cell's moments, turned
	Without  Without    // why the wall is a no-slip wall here
	Around   uint32     // directions of its links into fluid cells, a bit each
	Serves   uint32     // directions along which it sends populations; the other links are bounced back half-way
	// Links along which it sends into own cells; on a refined grid, into finest cells.
	Links []ModelledStream
}

// Facet is the surface in front of a ghost cell.
type Facet struct {
	Normal [3]float64 // into the fluid
	Bend   [6]float64 // curvature, dn/dx in the order xx, yy, zz, xy, xz, yz: 1/R along a convex surface of radius R
	Behind float64    // distance of the cell's centre behind it
	Lee    [3]float64 // beside a convex edge: along the surface to that edge, from where it is in the lee
}

// ModelledStream is a link along which a ghost cell sends a population into one of the box's own cells.
type ModelledStream struct {
	To        Place // local
	Direction int32
	Area      float64 // of the surface that it crosses: all links around a closed surface add up to the surface's area
	Distance  float64 // of the surface from the fluid cell, in lengths of the link
}

// Place is a cell in the lists of ghost cells, of which there may be millions.
type Place [3]int32

// Cell returns the cell.
func (p Place) Cell() [3]int { return [3]int{int(p[0]), int(p[1]), int(p[2])} }

func placeOf(at [3]int) Place { return Place{int32(at[0]), int32(at[1]), int32(at[2])} }

// Curvature returns the magnitude of the curvature, in 1/cells.
func (c *ModelledCell) Curvature() float64 {
	b := c.Bend
	return math.Sqrt(b[0]*b[0] + b[1]*b[1] + b[2]*b[2] + 2*(b[3]*b[3]+b[4]*b[4]+b[5]*b[5]))
}

// Mirror returns the share of the image's velocity with which the fluid behind a no-slip wall moves in the opposite
// direction, so that it rests at the surface. The image of a plane along the grid is the first fluid cell, however near:
// there the wall is half-way at most.
func (c *ModelledCell) Mirror() float64 {
	if alongGrid(c.Normal, c.Bend) {
		return math.Min(1, c.Behind/c.Before)
	}
	return c.Behind / c.Before
}

// Across returns the same share for the velocity into the surface. At a plane along the grid it is zero half-way between
// ghost cell and fluid, since all links of the plane cross it at one distance from the surface. There the flow towards the
// plane would pass mass, which a body gives back at its edges, but its links do not: a cube 0.49 cells off the grid
// absorbed 13 % of the stream in front of it, and had a quarter more drag. The stairs of other planes cancel.
func (c *ModelledCell) Across() float64 {
	if reach := c.Behind + c.Before; alongGrid(c.Normal, c.Bend) && reach > 1-imageStep {
		return 0.5 / (reach - 0.5)
	}
	return c.Mirror()
}

// alongGrid reports whether a surface with a normal and a curvature is a plane along the grid.
func alongGrid(normal [3]float64, bend [6]float64) bool {
	axes := 0
	for _, v := range normal {
		if v != 0 {
			axes++
		}
	}
	return axes == 1 && bend == [6]float64{}
}

// LayerCell is a fluid cell of the layer above a Modelled wall. Its eddy viscosity follows from the friction at the nearest ghost cell.
// It is zero at edges and above a wall where the flow is laminar.
type LayerCell struct {
	At     [3]int  // local
	Ghost  uint32  // number of that ghost cell
	Length float32 // 3 nu_t / u_tau
}

// Stencil interpolates linearly between fluid cells; its weights add up to 1 and are not negative.
type Stencil struct {
	N      int
	Cells  [8]Place // local
	Weight [8]float64
}

// Places returns the places of the cells in the state, which place knows.
func (s *Stencil) Places(place func(cell [3]int) int) (list [8]int64) {
	for k, c := range s.Cells[:s.N] {
		list[k] = int64(place(c.Cell()))
	}
	return list
}

// NoFriction is the number of a ghost cell behind a Frictionless wall, instead of a roughness.
const NoFriction = -1

// Without is a reason for a ghost cell without a model.
type Without int

const (
	WithModel    Without = iota
	WithoutSpace         // no fluid at the sampled height, in a gap or beside another body: a no-slip wall at its position
	AtEdge               // at an edge, across which there is no slip
	WithoutImage         // no image point among fluid cells, or a body one cell thick: a half-way wall
)

// The numbers of a ghost cell for kernels/modelled.h.
const (
	ModelledNormal   = 0
	ModelledVelocity = 3
	ModelledMirror   = 6  // Mirror; -1: Turned
	ModelledReach    = 7  // Behind + Before
	ModelledHeight   = 8  // 0: no model
	ModelledRough    = 9  // least ratio of friction velocity to sampled velocity; NoFriction
	ModelledImage    = 10 // eight weights
	ModelledSample   = 18
	ModelledBend     = 26 // six components
	ModelledHeat     = 32 // the law of a scalar, and its value
	ModelledMirrored = 34
	ModelledLee      = 35
	ModelledAcross   = 38
	ModelledCount    = 39
)

// ModelledNumbersOf returns the numbers of the ghost cells of these walls, ModelledCount each.
func ModelledNumbersOf[T float32 | float64](m *Modelled, walls []Wall) []T {
	list := make([]T, ModelledCount*len(m.Cells))
	for i := range m.Cells {
		c, n := &m.Cells[i], list[i*ModelledCount:][:ModelledCount]
		for a := range 3 {
			n[ModelledNormal+a], n[ModelledVelocity+a] = T(c.Normal[a]), T(c.Velocity[a])
		}
		if n[ModelledMirror] = -1; !c.Turned {
			n[ModelledMirror], n[ModelledReach], n[ModelledAcross] = T(c.Mirror()), T(c.Behind+c.Before), T(c.Across())
		}
		n[ModelledMirrored] = T(c.Mirrored)
		for a := range 3 {
			n[ModelledLee+a] = T(c.Lee[a])
		}
		if c.Without == WithModel {
			n[ModelledHeight], n[ModelledRough] = T(c.Height), T(c.Rough)
		}
		if heat := walls[c.Type-1].Scalar; !c.Turned {
			n[ModelledHeat], n[ModelledHeat+1] = T(heat.Law), T(heat.Value)
		}
		for k, v := range c.Bend {
			n[ModelledBend+k] = T(v)
		}
		for k := range c.Image.N {
			n[ModelledImage+k] = T(c.Image.Weight[k])
		}
		for k := range c.Sample.N {
			n[ModelledSample+k] = T(c.Sample.Weight[k])
		}
	}
	return list
}

// slopeAlong returns the area that the link along a direction crosses, divided by 6 w. On a refined grid the list lacks
// links into cells that are not the finest: these lead out of faces of the domain, which are planes.
func (c *ModelledCell) slopeAlong(l model.Lattice, direction int) (slope float64) {
	for i := range c.Links {
		if int(c.Links[i].Direction) == direction {
			return c.Links[i].Area / (6 * l.Weights[direction])
		}
	}
	if c.Turned {
		return 0
	}
	for a, v := range l.Velocities[direction] {
		slope += float64(v) * c.Normal[a]
	}
	return slope
}

// distance returns the distance of the surface from the cell x along a link from the ghost cell that Ghost returns; false:
// no ghost cell sends along it.
func (m *Modelled) distance(x, c [3]int, direction int) (float64, bool) {
	n, ok := m.Ghost(x, c, direction)
	if !ok {
		return 0, false
	}
	for i := range m.Cells[n].Links {
		if l := &m.Cells[n].Links[i]; int(l.Direction) == direction {
			return l.Distance, true
		}
	}
	return 0, false
}

// Ghost returns the number of the ghost cell that sends a population along direction c, of that number, into the cell x, local or a
// periodic image; false: the link is bounced back half-way. A ghost cell in a body one cell thick serves one side.
func (m *Modelled) Ghost(x, c [3]int, direction int) (uint32, bool) {
	if m == nil || m.at == nil {
		return 0, false
	}
	for _, n := range m.at.all([3]int{x[0] - c[0], x[1] - c[1], x[2] - c[2]}) {
		if m.Cells[n].Serves>>direction&1 == 1 {
			return uint32(n), true
		}
	}
	return 0, false
}

// eachForeign calls f for each stencil of the ghost cells that read other ranks' cells.
func (m *Modelled) eachForeign(f func(s *Stencil)) {
	for i := range m.Cells[m.Early:] {
		c := &m.Cells[m.Early+i]
		f(&c.Image)
		f(&c.Sample)
	}
}

// Foreign returns the places beyond the box of n cells that stencils read, each once.
func (m *Modelled) Foreign(n [3]int) (list [][3]int) {
	seen := map[[3]int]bool{}
	m.eachForeign(func(s *Stencil) {
		for _, p := range s.Cells[:s.N] {
			if at := p.Cell(); !within(at, n) && !seen[at] {
				seen[at] = true
				list = append(list, at)
			}
		}
	})
	return list
}

// Replace replaces places that stencils read.
func (m *Modelled) Replace(by map[[3]int][3]int) {
	m.eachForeign(func(s *Stencil) {
		for k, at := range s.Cells[:s.N] {
			if to, ok := by[at.Cell()]; ok {
				s.Cells[k] = placeOf(to)
			}
		}
	})
}

// LateCells returns the places in a box of n cells that have links from ghost cells that depend on other ranks' cells.
func (m *Modelled) LateCells(l model.Lattice, n [3]int) iter.Seq[[3]int] {
	return func(yield func([3]int) bool) {
		m.at.each(func(at [3]int, i int) bool {
			for _, c := range l.Velocities {
				x := [3]int{at[0] + c[0], at[1] + c[1], at[2] + c[2]}
				if i >= m.Early && within(x, n) && !yield(x) {
					return false
				}
			}
			return true
		})
	}
}
