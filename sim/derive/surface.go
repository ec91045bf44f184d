// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"encoding/binary"
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/vector"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// Values on the surface of a body: of the fluid at two points before each facet, on its normal. A grid stores nothing at the surface.

// Heights of these points, in cells of the level there.
var surfaceHeights = [2]float64{1.5, 2.5}

// leastApart is the least distance between the heights of the two points of a facet, in cells: where another wall keeps them closer,
// the farther one is left out.
const leastApart = 0.5

// leastFluid is the least share of the cells around a point, by their weights in the interpolation, that must be fluid.
const leastFluid = 0.5

// Surface is the surface of a body. Rank 0 has its facets and the data that their values follow from; all ranks have the cells to be read.
type Surface struct {
	Facets *domain.Facets // on rank 0
	Dry    int            // facets without fluid before them, on rank 0
	Bare   int            // facets of a wall with a model that have none, on rank 0

	body   int // of the case
	cells  []decomp.Place
	list   *CellList      // of these
	points []surfacePoint // two of each facet, on rank 0
	ghosts ghostFacets
	level  []uint8 // of each facet
}

// surfacePoint is a sum over fluid cells; no terms: there is no fluid. Where solid cells are left out, it is the value at another
// point, off the facet by the mean of its cells: a field that is linear between them is still exact there.
type surfacePoint struct {
	cell   []int32 // numbers of Surface.cells
	weight []float64
	off    [3]float64 // from the middle of the facet, in cells of its level
}

// SurfaceValues are the values on facets, in lattice units; NaN where unknown. Pressure is the density less the reference's,
// divided by 3.
type SurfaceValues struct {
	Pressure []float64
	Shear    [][3]float64 // traction of the fluid on the wall
	Plus     []float64    // y+ at half a cell, of walls with a model; nil for others
}

// NewSurface finds the cells beside the surface of a body of the case; facets are on rank 0. Collective.
func NewSurface(v View, body int, facets *domain.Facets) (*Surface, error) {
	s := &Surface{Facets: facets, body: body}
	if v.Rank.Root {
		s.placePoints(v)
	}
	if err := s.shareCells(v); err != nil {
		return nil, err
	}
	s.list = v.List(s.cells)
	all, err := s.list.Collect(v, named("solid"))
	if err != nil {
		return nil, err
	}
	var types []float64
	if v.Rank.Root {
		types = all[0]
	}
	for i := range s.points {
		p := &s.points[i]
		p.keepFluid(types)
		s.place(v, p, i/2)
	}
	for i := range len(s.points) / 2 {
		if len(s.points[2*i].cell) == 0 {
			s.Dry++
		}
	}
	if Modelled(v, body) {
		err = s.findGhosts(v)
	}
	return s, err
}

// Modelled reports whether the wall of a body has a model.
func Modelled(v View, body int) bool { return v.Case.Bodies[body].Kind.Law == boundary.ModelledWall }

// LevelAt returns the level of the cells at a place, in cells of level 0.
func LevelAt(v View, p [3]float64) int {
	if v.Refined == nil {
		return 0
	}
	return decomp.Finest(v.Refined.Hierarchy, p).Level
}

// placePoints puts two points before each facet and lists the cells around them, each once, in the order in which they are met.
func (s *Surface) placePoints(v View) {
	number := map[decomp.Place]int32{}
	var terms []decomp.Term
	for i := range s.Facets.Corners {
		centre, area := s.Facets.Middle(i)
		normal := vector.Unit(area)
		level := LevelAt(v, centre)
		s.level = append(s.level, uint8(level))
		for _, height := range surfaceHeights {
			at := centre
			for a := range at {
				at[a] += height / float64(int(1)<<level) * normal[a]
			}
			var p surfacePoint
			if at, inside := inDomain(v, at); inside && normal != [3]float64{} {
				terms = cellsAround(v, at, terms[:0])
				for _, t := range terms {
					k, known := number[t.Place]
					if !known {
						k = int32(len(s.cells))
						number[t.Place] = k
						s.cells = append(s.cells, t.Place)
					}
					p.cell, p.weight = append(p.cell, k), append(p.weight, t.Weight)
				}
			}
			s.points = append(s.points, p)
		}
	}
}

// inDomain reports whether a point, in cells of level 0, is in the domain, and returns its image there along periodic axes.
func inDomain(v View, p [3]float64) ([3]float64, bool) {
	for a, n := range v.Case.Cells {
		if v.Case.Periodic[a] {
			if p[a] = math.Mod(p[a], float64(n)); p[a] < 0 {
				p[a] += float64(n)
			}
		} else if p[a] < 0 || p[a] > float64(n) {
			return p, false
		}
	}
	return p, true
}

// cellsAround appends the cells around a point with their weights.
func cellsAround(v View, p [3]float64, terms []decomp.Term) []decomp.Term {
	if v.Refined != nil {
		return decomp.Terms(v.Refined.Hierarchy, p, terms)
	}
	decomp.Corners(p, v.Case.Cells, v.Case.Periodic, func(cell [3]int, weight float64) {
		terms = append(terms, decomp.Term{Place: decomp.Place{Cell: cell}, Weight: weight})
	})
	return terms
}

// shareCells gives all ranks the list of cells. Collective.
func (s *Surface) shareCells(v View) error {
	const numbers = 4
	var b []byte
	for _, c := range s.cells {
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Level))
		for _, x := range c.Cell {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
	}
	b, err := comm.Broadcast(v.Rank.Comm, b)
	if err != nil || v.Rank.Root {
		return err
	}
	for ; len(b) > 0; b = b[4*numbers:] {
		var c decomp.Place
		c.Level = int(binary.LittleEndian.Uint32(b))
		for a := range c.Cell {
			c.Cell[a] = int(binary.LittleEndian.Uint32(b[4*(a+1):]))
		}
		s.cells = append(s.cells, c)
	}
	return nil
}

// keepFluid drops the solid cells of a point, by the body of each cell, 0 of fluid, and spreads their weight over the others.
func (p *surfacePoint) keepFluid(types []float64) {
	n, sum, all := 0, 0.0, 0.0
	for i, k := range p.cell {
		all += p.weight[i]
		if types[k] == 0 {
			p.cell[n], p.weight[n] = k, p.weight[i]
			sum += p.weight[i]
			n++
		}
	}
	if n == len(p.cell) {
		return
	}
	if p.cell, p.weight = p.cell[:n], p.weight[:n]; sum < leastFluid*all {
		p.cell, p.weight = nil, nil
	}
	for i := range p.weight {
		p.weight[i] *= all / sum
	}
}

// place finds the point that the cells of a point of a facet have in the middle.
func (s *Surface) place(v View, p *surfacePoint, facet int) {
	centre, _ := s.Facets.Middle(facet)
	for i, k := range p.cell {
		cell := s.cells[k]
		for a, x := range cell.Cell {
			d := (float64(x)+0.5)/float64(int(1)<<cell.Level) - centre[a]
			if n := float64(v.Case.Cells[a]); v.Case.Periodic[a] {
				d -= n * math.Round(d/n)
			}
			p.off[a] += p.weight[i] * d * float64(int(1)<<s.level[facet])
		}
	}
}

// height returns the distance of the point from the facet.
func (p *surfacePoint) height(normal [3]float64) float64 {
	return p.off[0]*normal[0] + p.off[1]*normal[1] + p.off[2]*normal[2]
}

// value interpolates component c of values with so many each.
func (p *surfacePoint) value(values []float64, components, c int) (sum float64) {
	if len(p.cell) == 0 {
		return math.NaN()
	}
	for i, k := range p.cell {
		sum += p.weight[i] * values[int(k)*components+c]
	}
	return sum
}

// vector interpolates a vector.
func (p *surfacePoint) vector(values []float64) (u [3]float64) {
	for a := range u {
		u[a] = p.value(values, 3, a)
	}
	return u
}

// Values returns the values of the present state on rank 0. Force is the body force per volume at the present step, in lattice units
// of level 0. Collective.
func (s *Surface) Values(v View, force [3]float64) (*SurfaceValues, error) {
	list := [...]model.Field{named("pressure"), named("velocity")}
	all, err := s.list.Collect(v, list[:]...)
	if err != nil {
		return nil, fmt.Errorf("rank %d: flow beside a surface at step %d: %w", v.Rank.ID, v.Step(), err)
	}
	var flow []float64
	if Modelled(v, s.body) {
		flow, err = s.ghosts.flow(v)
	}
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	for k, f := range list {
		for i := range all[k] {
			all[k][i] /= v.Case.Units.Factor(f.Dim)
		}
	}
	pressure, velocity := all[0], all[1]
	n := len(s.Facets.Corners)
	values := &SurfaceValues{Pressure: make([]float64, n), Shear: make([][3]float64, n)}
	if flow != nil {
		values.Plus = make([]float64, n)
	}
	err = v.Rank.Share(n, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			centre, area := s.Facets.Middle(i)
			normal := vector.Unit(area)
			slope := 0.0
			if flow != nil {
				near := &s.points[2*i]
				slope = s.ghosts.slope(i, flow, along(normal, near.vector(velocity)), near.height(normal))
			}
			values.Pressure[i] = s.wallPressure(i, normal, pressure, force, slope)
			if flow != nil {
				values.Shear[i], values.Plus[i] = s.ghosts.at(i, flow)
			} else {
				values.Shear[i] = s.resolvedShear(v, i, centre, normal, velocity, values.Pressure[i])
			}
		}
		return nil
	})
	return values, err
}

// named returns a field of the output.
func named(name string) model.Field {
	f, found := model.FindField(name)
	if !found {
		panic("there is no field " + name)
	}
	return f
}

// wallPressure returns the pressure on a facet: by the parabola through the fluid's at two points with a slope at the wall, or from the
// nearer along that slope where the other is in no fluid. At a wall at rest the momentum equation leaves of the slope only the body
// force, which is taken out on the way, and viscous terms. Where a wall with a model is curved, what flows along it adds
// rho u.K u, which is as large as the dynamic pressure a radius away.
func (s *Surface) wallPressure(facet int, normal [3]float64, pressure []float64, force [3]float64, slope float64) float64 {
	var p [2]float64
	for k := range p {
		point := &s.points[2*facet+k]
		p[k] = point.value(pressure, 1, 0)
		for a, f := range force {
			p[k] -= point.off[a] / float64(int(1)<<s.level[facet]) * f
		}
	}
	near, far, both := s.heights(facet, normal)
	p[0] -= slope * near
	if p[1] -= slope * far; !both {
		return p[0]
	}
	return p[0] + (p[0]-p[1])*near*near/(far*far-near*near)
}

// heights returns the distances of the two points from a facet, and reports whether both can be used.
func (s *Surface) heights(facet int, normal [3]float64) (near, far float64, both bool) {
	near, far = s.points[2*facet].height(normal), s.points[2*facet+1].height(normal)
	return near, far, len(s.points[2*facet+1].cell) > 0 && far-near >= leastApart
}

// resolvedShear returns the traction on a facet of a wall without a model: rho nu du/dn by the parabola through the wall's velocity and
// the fluid's at two points, or by the line to the nearer where the other is in no fluid.
func (s *Surface) resolvedShear(v View, facet int, centre, normal [3]float64, velocity []float64, pressure float64) [3]float64 {
	var wall [3]float64
	if m := v.Case.Bodies[s.body].Motion; m != nil {
		wall = m.At(centre, 0)
	}
	var u [2][3]float64
	for k := range u {
		for a := range u[k] {
			u[k][a] = s.points[2*facet+k].value(velocity, 3, a) - wall[a]
		}
		u[k] = along(normal, u[k])
	}
	near, far, both := s.heights(facet, normal)
	var slope [3]float64
	for a := range slope {
		if slope[a] = u[0][a] / near; both {
			slope[a] = (u[0][a]*far/near - u[1][a]*near/far) / (far - near)
		}
	}
	numbers := v.Part.Params
	for range s.level[facet] {
		numbers = numbers.Finer(v.Case.Spec.Viscosity)
	}
	viscosity := model.CS2 * (numbers.Tau(v.Case.Spec.Viscosity, vector.Length(slope)) - 0.5)
	for a := range slope {
		slope[a] *= (1 + pressure/model.CS2) * viscosity
	}
	return slope
}

// Without returns the area of a facet, and how much of it has no pressure and no friction: all of it or none.
func (s *Surface) Without(values *SurfaceValues, facet int) (whole, pressure, friction float64) {
	_, area := s.Facets.Middle(facet)
	whole = vector.Length(area)
	if math.IsNaN(values.Pressure[facet]) {
		pressure = whole
	}
	if math.IsNaN(values.Shear[facet][0]) {
		friction = whole
	}
	return whole, pressure, friction
}

// Force returns the forces of pressure and of friction on a facet, in lattice units of level 0; 0 where it has no value.
func (s *Surface) Force(values *SurfaceValues, facet int) (pressure, friction [3]float64) {
	_, area := s.Facets.Middle(facet)
	whole := vector.Length(area)
	for a := range area {
		if p := values.Pressure[facet]; !math.IsNaN(p) {
			pressure[a] = -p * area[a]
		}
		if t := values.Shear[facet][a]; !math.IsNaN(t) {
			friction[a] = t * whole
		}
	}
	return pressure, friction
}
