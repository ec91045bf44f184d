// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"errors"
	"math"

	"lbmsim/device"
	"lbmsim/sim/level"
)

// PastForces returns the loads on this rank's walls in the last step of each level, level by level in the order of the types of
// walls: whole links, then links in sixths. Values are of the level's cells and steps: Loads adds them up. Overlap, ghost cells
// and walls may have the values of the coming step already (Fill).
func (g *Grid) PastForces() ([]device.Load, error) {
	return forces(g, func(l *level.Level) ([]device.Load, error) {
		if err := level.Past(l); err != nil {
			return nil, err
		}
		loads, err := l.PastForces()
		err = errors.Join(err, level.Present(l))
		if g.filled { // ghost cells of walls with a model follow from the earlier state now, and the step would not fill them
			level.Refill(l)
		}
		return loads, errors.Join(err, l.Sync()) // steps are scheduled next, and this moment is to be over by then
	})
}

// ComingForces returns the loads in the coming step of each level. Collective.
func (g *Grid) ComingForces() ([]device.Load, error) {
	if err := g.Fill(); err != nil {
		return nil, err
	}
	return forces(g, (*level.Level).ComingForces)
}

// forces returns loads of all patches, added up by level.
func forces(g *Grid, of func(*level.Level) ([]device.Load, error)) ([]device.Load, error) {
	types, more := types(g.Case), int(sixths(g.Case))
	all := make([]device.Load, 2*len(g.levels)*types)
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			loads, err := of(p.Level)
			if err != nil {
				return nil, err
			}
			for k := range types {
				all[2*l*types+k].Add(loads[k])
				if more > 0 {
					all[(2*l+1)*types+k].Add(loads[k+more])
				}
			}
		}
	}
	return all, nil
}

// Loads adds up the levels' loads of all ranks, as loads in cells and steps of level 0. In a step of a level a force of 1 changes the
// momentum of a cell of the level, which is 1/2^(dims+1) of the change in a cell twice as large, in half of the time. Heat is of a cell of
// the level, too.
func (g *Grid) Loads(all []device.Load) []device.Load {
	types := types(g.Case)
	sum := make([]device.Load, types)
	for i, load := range all {
		level, part := i/types/2, 1.0
		if i/types%2 > 0 {
			part = 1. / 6
		}
		force := part * math.Pow(0.5, float64(level*(g.Case.Dims()-1)))
		torque := part * math.Pow(0.5, float64(level*g.Case.Dims()))
		for a := range load.Force {
			load.Force[a] = int64(math.RoundToEven(force * float64(load.Force[a])))
			load.Torque[a] = int64(math.RoundToEven(torque * float64(load.Torque[a])))
		}
		load.Scalar = int64(math.RoundToEven(force * float64(load.Scalar)))
		sum[i%types].Add(load)
	}
	return sum
}
