// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package derive reads the state of a run back as physical fields, and as sums over the
// whole domain that no cut changes, for outputs and for the watch.
package derive

import (
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// State is the reader's view of a rank's state, in lattice units.
type State interface {
	// Step is the number of the present step.
	Step() int
	// Fields of the cells of a box, local, as device.Program has them: [z][y][component][x].
	Fields(box decomp.Box, values []float64) error
	// SumPlanes and SumRows sum the rank's cells, as device.Program has them.
	SumPlanes() ([]device.Plane, error)
	SumRows() ([]device.Plane, error)
	// SumProfile sums the rank's planes across an axis, as device.Profiler does; false: the device does not.
	SumProfile(axis int, unit, warmth float64) (sums []int64, ok bool, err error)
	// WallFlow returns the flow at the ghost cells of walls with a model, in the order of boundary.Modelled.Cells.
	WallFlow() ([]device.ModelledWall, error)
}

// View is the present state of a box of cells: a rank's part of the domain, or of a patch of a refined one.
type View struct {
	Rank    *rank.Rank
	Case    *config.Case
	Part    *domain.Part
	State   State
	Refined *Refined // nil: the box is all. Otherwise it is the rank's part of level 0
}

// Step returns the number of the present step.
func (v View) Step() int { return v.State.Step() }

// Time returns the time of the present step, in the case's unit.
func (v View) Time() float64 { return float64(v.Step()) * v.Case.Units.Time }
