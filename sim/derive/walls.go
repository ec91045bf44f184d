// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// Walls with a model: sums over their ghost cells, and fields in the cells beside them.

// LeastPlus is y+ of the sampled point below which the law is read in the buffer layer.
const LeastPlus = 30

// plusUnits is the number of units of y+ times an area, in cells, in sums of integers: they hold 5e11.
const plusUnits = 1 << 24

// WallSum is the flow at a wall with a model: sums over its ghost cells that have the model, as integers, which are the same in any
// order. The least and the largest y+ are the bits of the number, which are in the order of positive numbers.
type WallSum struct {
	Type                        uint8
	covered, plus, below, stuck int64 // area; y+ at half a cell by area; area where the law is read too low; without the model
	friction                    [3]int64
	least, most                 int64
}

// emptyWall returns the sums over no ghost cells.
func emptyWall(k uint8) WallSum {
	return WallSum{Type: k, least: int64(math.Float64bits(math.Inf(1)))}
}

// add adds the flow at a ghost cell.
func (s *WallSum) add(c boundary.CountedCell, flow device.ModelledWall) {
	area := int64(math.Round(c.Area * domain.AreaUnits))
	s.covered += area
	s.plus += int64(math.Round(flow.HalfPlus * c.Area * plusUnits))
	if 2*flow.HalfPlus*c.Height < LeastPlus {
		s.below += area
	}
	if flow.NoSlip() {
		s.stuck += area
	}
	for a := range s.friction {
		s.friction[a] += int64(math.Round(flow.Traction[a] * c.Area * device.ForceUnits))
	}
	bits := int64(math.Float64bits(flow.HalfPlus))
	s.least, s.most = min(s.least, bits), max(s.most, bits)
}

// Covered returns the area with a model, in cells.
func (s WallSum) Covered() float64 { return float64(s.covered) / domain.AreaUnits }

// Plus returns the least y+ at half a cell, its mean over the area with a model, and the largest; NaN where no area has one.
func (s WallSum) Plus() (least, mean, most float64) {
	if s.covered == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return math.Float64frombits(uint64(s.least)), float64(s.plus) / plusUnits / s.Covered(), math.Float64frombits(uint64(s.most))
}

// Stuck and Below return the shares of the area with a model where the flow is laminar, so that the wall is the no-slip wall, and
// where the law is read below LeastPlus; 0 where no area has a model.
func (s WallSum) Stuck() float64 { return float64(s.stuck) / math.Max(1, float64(s.covered)) }
func (s WallSum) Below() float64 { return float64(s.below) / math.Max(1, float64(s.covered)) }

// Friction returns the force of the fluid on the wall by the law of the wall, in lattice units: traction times area.
func (s WallSum) Friction() (force [3]float64) {
	for a, v := range s.friction {
		force[a] = float64(v) / device.ForceUnits
	}
	return force
}

// Together returns the sums over several walls.
func Together(walls []WallSum) WallSum {
	all := emptyWall(0)
	for _, s := range walls {
		all.join(s)
	}
	return all
}

// join adds other sums.
func (s *WallSum) join(o WallSum) {
	s.covered, s.plus, s.below, s.stuck = s.covered+o.covered, s.plus+o.plus, s.below+o.below, s.stuck+o.stuck
	for a, v := range o.friction {
		s.friction[a] += v
	}
	s.least, s.most = min(s.least, o.least), max(s.most, o.most)
}

// WallSums returns the flow of the present state at each wall with a model, in the order of their types, on all ranks, in
// cells and steps of level 0; nil: there are no such walls. Collective.
func (v View) WallSums() ([]WallSum, error) {
	list := v.Modelled()
	if len(list) == 0 && v.Part.Cells.Modelled == nil {
		return nil, nil
	}
	var walls []WallSum
	for _, k := range list {
		walls = append(walls, emptyWall(k.Type))
	}
	empty := slices.Clone(walls)
	parts := []Patch{{View: v}}
	if v.Refined != nil {
		parts = v.Refined.Patches
	}
	for _, p := range parts {
		found := p.Part.Cells.Modelled
		if found == nil {
			continue
		}
		flow, err := p.State.WallFlow()
		if err != nil {
			return nil, fmt.Errorf("rank %d: flow at walls with a model at step %d: %w", v.Rank.ID, v.Step(), err)
		}
		var number [256]int // of a type's part on the level
		for i, k := range list {
			if k.Level == p.Level {
				number[k.Type] = i
			}
		}
		counted := found.Counted()
		var mu sync.Mutex
		err = v.Rank.Share(len(counted), func(lo, hi int) error {
			own := slices.Clone(empty)
			for _, c := range counted[lo:hi] {
				own[number[c.Type]].add(c, flow[c.Number])
			}
			mu.Lock()
			defer mu.Unlock()
			for i := range walls {
				walls[i].join(own[i])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	err := v.addWalls(walls)
	var whole []WallSum
	for i, k := range list {
		walls[i].coarsen(k.Level)
		if n := len(whole); n == 0 || whole[n-1].Type != k.Type {
			whole = append(whole, walls[i])
		} else {
			whole[n-1] = Together([]WallSum{whole[n-1], walls[i]})
			whole[n-1].Type = k.Type
		}
	}
	return whole, err
}

// Modelled returns the walls with a model, or their parts on levels, each in cells of its level, in the order of types and levels.
func (v View) Modelled() []domain.Coverage {
	if v.Refined != nil {
		return v.Refined.Walls
	}
	return v.Part.Modelled
}

// coarsen converts sums in cells of a level to cells of level 0. A force in lattice units of a level is four times as large as
// in units of the level before (3D).
func (s *WallSum) coarsen(level int) {
	for _, n := range []*int64{&s.covered, &s.plus, &s.below, &s.stuck, &s.friction[0], &s.friction[1], &s.friction[2]} {
		*n = int64(math.RoundToEven(math.Ldexp(float64(*n), -2*level)))
	}
}

// addWalls sums these over all ranks. Collective.
func (v View) addWalls(walls []WallSum) error {
	const numbers = 7
	var sums, ends []int64
	for _, s := range walls {
		sums = append(sums, s.covered, s.plus, s.below, s.stuck, s.friction[0], s.friction[1], s.friction[2])
		ends = append(ends, -s.least, s.most)
	}
	sums, err := v.Part.AddUp(v.Rank, sums)
	if err != nil {
		return err
	}
	if err := comm.Max(v.Rank.Comm, ends); err != nil {
		return err
	}
	for i := range walls {
		n := sums[numbers*i:]
		walls[i] = WallSum{walls[i].Type, n[0], n[1], n[2], n[3], [3]int64(n[4:numbers]), -ends[2*i], ends[2*i+1]}
	}
	return nil
}

// WallFields are fields of the rank's own cells beside walls with a model, in lattice units, by name, [z][y][x][component].
type WallFields map[string][]float32

// BesideModels returns the values at walls with a model that samplers of some fields need; nil: none of the fields depends on them. It
// waits for the steps.
func (v View) BesideModels(list ...model.Field) (WallFields, error) {
	var of WallFields
	for _, f := range list {
		if !f.OfModel() {
			continue
		}
		if of == nil {
			of = WallFields{}
		}
		of[f.Name] = make([]float32, v.Part.Box.Cells()*f.Components)
	}
	if of == nil || v.Part.Cells.Modelled == nil {
		return of, nil
	}
	flow, err := v.State.WallFlow()
	if err != nil {
		return nil, err
	}
	if values := of["wall_model"]; values != nil {
		v.eachBeside(func(c *boundary.ModelledCell) uint32 { return c.Around &^ c.Serves }, func(cell int) { values[cell] = -1 })
	}
	cells := v.WallCells()
	for i, at := range cells.At {
		if values := of["y_plus"]; values != nil {
			values[at] = float32(cells.Plus(i, flow))
		}
		if values := of["wall_model"]; values != nil {
			values[at] = float32(cells.share(i, flow))
		}
		if values := of["wall_shear"]; values != nil {
			for a, t := range cells.Traction(i, flow) {
				values[3*int(at)+a] = float32(t)
			}
		}
	}
	if values := of["wall_model"]; values != nil {
		v.eachBeside(func(c *boundary.ModelledCell) uint32 {
			if c.Without == boundary.WithModel {
				return 0
			}
			return c.Around
		}, func(cell int) { values[cell] = -1 })
	}
	return of, nil
}

// eachBeside calls use for each own fluid cell into which links of ghost cells lead along these directions, a bit each.
func (v View) eachBeside(directions func(c *boundary.ModelledCell) uint32, use func(cell int)) {
	n, whole := v.Part.Layout.N, v.Case.Cells
	for i := range v.Part.Cells.Modelled.Cells {
		c := &v.Part.Cells.Modelled.Cells[i]
		along := directions(c)
	links:
		for i, by := range v.Case.Spec.Lattice.Velocities {
			if along>>i&1 == 0 {
				continue
			}
			var x [3]int
			for a := range x {
				x[a] = c.At[a] + by[a]
				if v.Case.Periodic[a] {
					lo := v.Part.Box.Lo[a]
					x[a] = (x[a]+lo+whole[a])%whole[a] - lo
				}
				if x[a] < 0 || x[a] >= n[a] {
					continue links
				}
			}
			if v.Part.Cells.At(x[0], x[1], x[2]) == 0 {
				use((x[2]*n[1]+x[1])*n[0] + x[0])
			}
		}
	}
}

// Beside passes the result of View.BesideModels to the sampler.
func (s *Sampler[In, Out]) Beside(walls WallFields) *Sampler[In, Out] {
	s.walls = walls
	return s
}
