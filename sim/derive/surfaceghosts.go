// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/internal/vector"
)

// ghostFacets are the ghost cells of a wall with a model that the facets of its surface take the law's traction from.
type ghostFacets struct {
	kind uint8     // of the wall
	own  [][]int32 // the rank's, of each patch: numbers in boundary.Modelled.Cells
	of   []int32   // of each facet the number among all ranks' cells, one rank's after the other; -1: none is near. On rank 0
	bend []bend    // of each of these cells. On rank 0

	frictionless bool // the wall: its model always applies
}

// bend is the curvature dn/dx of a surface, per cell of its level, as boundary.Facet has it.
type bend [6]float64

// slope returns the slope of the pressure by the density at the surface, u.K u, by the velocity along it at a height. A flow without
// vorticity, du/dn = -K u, comes from there to a convex surface, and a rigid rotation, du/dn = K u, to a hollow one.
func (b bend) slope(u [3]float64, height float64) float64 {
	turned := b.times(u)
	if vector.Dot(turned, u) < 0 {
		height = -height
	}
	for a := range u {
		u[a] += height * turned[a]
	}
	return vector.Dot(u, b.times(u))
}

func (b bend) times(u [3]float64) [3]float64 {
	return [3]float64{b[0]*u[0] + b[3]*u[1] + b[4]*u[2], b[3]*u[0] + b[1]*u[1] + b[5]*u[2], b[4]*u[0] + b[5]*u[1] + b[2]*u[2]}
}

// Limits of a ghost cell for a facet: its distance, in cells of the level, and the cosine between the normals. A ghost cell behind an edge
// has a different flow.
const (
	ghostDistance = 2
	ghostCosine   = 0.5
)

// ghostFacet is the facet of a ghost cell: its place on the surface, in cells of its level from the domain's lower corner.
type ghostFacet struct {
	number, level int32
	cell          [3]int32
	place, normal [3]float64
}

// ghostNumbers is the size of a ghostFacet and its curvature in a message, in bytes.
const ghostNumbers = 4*4 + 12*8

// partsOf returns the boxes of cells of the rank.
func partsOf(v View) (list []View, levels []int) {
	if v.Refined == nil {
		return []View{v}, []int{0}
	}
	for _, p := range v.Refined.Patches {
		list, levels = append(list, p.View), append(levels, p.Level)
	}
	return list, levels
}

// findGhosts finds the ghost cell of each facet. Collective.
func (s *Surface) findGhosts(v View) error {
	g := &s.ghosts
	g.kind = uint8(len(v.Case.Boundaries) + s.body + 1)
	g.frictionless = v.Case.Bodies[s.body].Model.Frictionless
	var mine []byte
	parts, levels := partsOf(v)
	for k, p := range parts {
		var own []int32
		if found := p.Part.Cells.Modelled; found != nil {
			for i := range found.Cells {
				c := &found.Cells[i]
				if !c.Own || c.Type != g.kind || c.Without != boundary.WithModel || c.Mirrored != 0 {
					continue
				}
				own = append(own, int32(i))
				mine = appendGhost(mine, c, levels[k], p.Part.Global(c.At))
			}
		}
		g.own = append(g.own, own)
	}
	all, err := comm.Gather(v.Rank.Comm, mine)
	if err != nil || !v.Rank.Root {
		return err
	}
	near, bends := newGhostGrid(all)
	g.bend = bends
	for i := range s.Facets.Corners {
		centre, area := s.Facets.Middle(i)
		for a := range centre {
			centre[a] *= float64(int(1) << s.level[i])
		}
		n := near.nearest(int32(s.level[i]), centre, vector.Unit(area))
		if g.of = append(g.of, n); n < 0 {
			s.Bare++
		}
	}
	return nil
}

// appendGhost appends a ghost cell at a place of a level.
func appendGhost(b []byte, c *boundary.ModelledCell, level int, at [3]int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(level))
	for _, x := range at {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(x)))
	}
	for a, n := range c.Normal {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(at[a])+0.5+c.Behind*n))
	}
	for _, n := range c.Normal {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(n))
	}
	for _, k := range c.Bend {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k))
	}
	return b
}

// ghostGrid finds ghost cells by their places.
type ghostGrid map[[4]int32][]ghostFacet

// newGhostGrid takes the ghost cells of all ranks and returns their curvatures, too. Within a cell of the grid their order does not
// depend on the decomposition.
func newGhostGrid(all [][]byte) (ghostGrid, []bend) {
	grid, bends := ghostGrid{}, []bend(nil)
	number := int32(0)
	for _, b := range all {
		for ; len(b) > 0; b = b[ghostNumbers:] {
			f := ghostFacet{number: number, level: int32(binary.LittleEndian.Uint32(b))}
			for a := range 3 {
				f.cell[a] = int32(binary.LittleEndian.Uint32(b[4+4*a:]))
				f.place[a] = math.Float64frombits(binary.LittleEndian.Uint64(b[16+8*a:]))
				f.normal[a] = math.Float64frombits(binary.LittleEndian.Uint64(b[40+8*a:]))
			}
			var k bend
			for i := range k {
				k[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[64+8*i:]))
			}
			bends = append(bends, k)
			at := ghostCell(f.level, f.place)
			grid[at] = append(grid[at], f)
			number++
		}
	}
	for _, list := range grid {
		slices.SortFunc(list, func(a, b ghostFacet) int {
			return cmp.Or(slices.Compare(a.cell[:], b.cell[:]), slices.Compare(a.normal[:], b.normal[:]))
		})
	}
	return grid, bends
}

// ghostCell returns the cell of a level that a place is in.
func ghostCell(level int32, p [3]float64) (at [4]int32) {
	at[0] = level
	for a, x := range p {
		at[1+a] = int32(math.Floor(x))
	}
	return at
}

// nearest returns the number of the ghost cell nearest to a place of a surface with this normal; -1: none is near enough.
func (g ghostGrid) nearest(level int32, p, normal [3]float64) int32 {
	best, found := float64(ghostDistance*ghostDistance), int32(-1)
	const reach = ghostDistance
	middle := ghostCell(level, p)
	for dz := int32(-reach); dz <= reach; dz++ {
		for dy := int32(-reach); dy <= reach; dy++ {
			for dx := int32(-reach); dx <= reach; dx++ {
				for _, f := range g[[4]int32{level, middle[1] + dx, middle[2] + dy, middle[3] + dz}] {
					far, cosine := 0.0, 0.0
					for a := range p {
						d := f.place[a] - p[a]
						far += d * d
						cosine += f.normal[a] * normal[a]
					}
					if cosine >= ghostCosine && far < best {
						best, found = far, f.number
					}
				}
			}
		}
	}
	return found
}

// flowNumbers is the size of the flow at a ghost cell.
const flowNumbers = 5

// flow brings the traction, y+ and the share of the model at all these ghost cells to rank 0, flowNumbers each. Collective.
func (g *ghostFacets) flow(v View) ([]float64, error) {
	var mine []float64
	parts, _ := partsOf(v)
	for k, p := range parts {
		if len(g.own[k]) == 0 {
			continue
		}
		flow, err := p.State.WallFlow()
		if err != nil {
			return nil, fmt.Errorf("rank %d: flow at walls with a model at step %d: %w", v.Rank.ID, v.Step(), err)
		}
		for _, i := range g.own[k] {
			mine = append(mine, flow[i].Traction[0], flow[i].Traction[1], flow[i].Traction[2], flow[i].HalfPlus, flow[i].Share)
		}
	}
	all, err := comm.Gather(v.Rank.Comm, comm.Float64Bytes(mine))
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	values := []float64{}
	for _, b := range all {
		for i := range len(b) / 8 {
			values = append(values, comm.Float64At(b, i))
		}
	}
	return values, nil
}

// at returns the traction and y+ of a facet.
func (g *ghostFacets) at(facet int, flow []float64) (traction [3]float64, plus float64) {
	if g.of[facet] < 0 {
		nan := math.NaN()
		return [3]float64{nan, nan, nan}, nan
	}
	n := flow[flowNumbers*g.of[facet]:]
	return [3]float64(n[:3]), n[3]
}

// slope returns the slope of the pressure by the density at a facet, by the velocity along it at a height, as far as the model applies: at
// a no-slip wall it is zero.
func (g *ghostFacets) slope(facet int, flow []float64, u [3]float64, height float64) float64 {
	n := g.of[facet]
	if n < 0 {
		return 0
	}
	share := 1.0
	if !g.frictionless {
		share = flow[flowNumbers*n+flowNumbers-1]
	}
	return share * g.bend[n].slope(u, height)
}
