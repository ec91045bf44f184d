package refined

import (
	"math"

	"lbmsim/device"
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
// momentum of a cell of the level, which is 1/2^(dims+1) of the one of a cell twice as large, in half of the time. Heat is of a cell of
// the level, too.
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
		load.Scalar = int64(math.RoundToEven(force * float64(load.Scalar)))
		sum[i%types].Add(load)
	}
	return sum
}
