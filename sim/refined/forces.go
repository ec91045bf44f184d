package refined

import (
	"fmt"
	"math"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/geometry"
	"lbmsim/sim/level"
)

// PastForces returns what the fluid did to this rank's walls in the last step of each level, level by level in the order of the
// types of walls. Values are of the level's cells and steps: Loads adds them up.
func (g *Grid) PastForces() ([]device.Load, error) { return g.forces((*level.Level).PastForces) }

// ComingForces returns what the fluid will do to them in the coming step of each level. Collective.
func (g *Grid) ComingForces() ([]device.Load, error) {
	if err := g.Fill(); err != nil {
		return nil, err
	}
	return g.forces((*level.Level).ComingForces)
}

func (g *Grid) forces(of func(*level.Level) ([]device.Load, error)) ([]device.Load, error) {
	types := g.types()
	all := make([]device.Load, len(g.levels)*types)
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			loads, err := of(p.Level)
			if err != nil {
				return nil, err
			}
			for k := range types {
				all[l*types+k].Add(loads[k])
			}
		}
	}
	return all, nil
}

// types returns the number of types of walls that the case has: cells that are blocked have another.
func (g *Grid) types() int { return len(g.Case.Boundaries) + len(g.Case.Bodies) }

// Loads adds up the levels' loads of all ranks, as loads in cells and steps of level 0. In a step of a level a force of 1 changes the
// momentum of a cell of the level, which is 1/2^(dims+1) of the one of a cell twice as large, in half of the time.
func (g *Grid) Loads(all []device.Load) []device.Load {
	types := g.types()
	sum := make([]device.Load, types)
	for i, load := range all {
		level := i / types
		force := math.Pow(0.5, float64(level*(g.Case.Dims()-1)))
		torque := math.Pow(0.5, float64(level*g.Case.Dims()))
		for a := range load.Force {
			load.Force[a] = int64(math.RoundToEven(force * float64(load.Force[a])))
			load.Torque[a] = int64(math.RoundToEven(torque * float64(load.Torque[a])))
		}
		sum[i%types].Add(load)
	}
	return sum
}

// measurable returns an error if a force is of walls whose cells a level stores twice: the device's sums are over all that a patch
// stores, overlap included.
func measurable(c *config.Case, h *decomp.Hierarchy) error {
	for _, f := range c.Forces {
		for _, t := range f.Types {
			if t := int(t); t <= len(c.Boundaries) {
				if b := c.Boundaries[t-1]; anyAtFaces(b, h) {
					return fmt.Errorf("[output.force.%s] is of [boundary.%s], whose faces boxes of refinement touch: forces on refined grids are of bodies, or of faces that no box touches", f.Name, b.Name)
				}
				continue
			}
			b := c.Bodies[int(t)-1-len(c.Boundaries)]
			for l := range h.Levels {
				lo, hi := geometry.Finer(b.Shape(nil), l, h.Dims()).Bounds()
				if patches := meeting(h.Levels[l].Patches, lo, hi); l > 0 && patches > 1 {
					return fmt.Errorf("[output.force.%s] is of [body.%s], which lies in %d boxes of level %d: let one box of the level contain it", f.Name, b.Name, patches, l)
				}
			}
		}
	}
	return nil
}

// anyAtFaces reports whether a patch above level 0 touches a face that a boundary has a part of.
func anyAtFaces(b config.Boundary, h *decomp.Hierarchy) bool {
	for _, level := range h.Levels[1:] {
		for _, p := range level.Patches {
			for _, f := range b.Faces {
				if f.Side == 0 && p.Owned.Lo[f.Axis] == 0 || f.Side == 1 && p.Owned.Hi[f.Axis] == level.N[f.Axis] {
					return true
				}
			}
		}
	}
	return false
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
