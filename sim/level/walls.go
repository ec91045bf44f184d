// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import "lbmsim/device"

// WallFlow returns the flow of the current state at the walls with a model, in the order of boundary.Modelled.Cells.
func (l *Level) WallFlow() ([]device.ModelledWall, error) {
	if l.filled != l.n+1 {
		if err := l.Sync(); err != nil {
			return nil, err
		}
		if err := Present(l); err != nil {
			return nil, err
		}
		l.fillModelled(l.State[0])
		if err := l.Sync(); err != nil {
			return nil, err
		}
		l.filled = l.n + 1
	}
	return Walls(l).ModelledWalls()
}

// Refill fills the ghost cells of walls with a model from the current state, whose ghost planes and overlap are valid.
func Refill(l *Level) {
	if Walls(l) != nil {
		l.fillModelled(l.State[0])
	}
}

// fills reports whether the device fills the ghost cells of walls with a model for forces: it does so where a link leads from a
// measured wall to one of the rank's own cells.
func fills(l *Level) bool {
	cells := l.Part.Cells
	if cells.Modelled == nil {
		return false
	}
	for i := range cells.Modelled.Cells {
		if c := &cells.Modelled.Cells[i]; c.Own && cells.Wall(c.Type).Measured {
			return true
		}
	}
	return false
}

// Walls returns the device's walls with a model; nil: there are no such walls.
func Walls(l *Level) device.WallModeler {
	if l.Part.Cells.Modelled == nil {
		return nil
	}
	return l.Program.(device.WallModeler)
}
