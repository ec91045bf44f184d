// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import "lbmsim/device"

// PastForces returns the forces of the fluid on this rank's walls in the step that led to the current state. The state that it started
// from is still stored, with its ghost cells.
func (l *Level) PastForces() ([]device.Load, error) {
	l.filled = 0
	return l.forces(l.State[1])
}

// ComingForces returns the forces on them in the coming step.
func (l *Level) ComingForces() ([]device.Load, error) {
	if err := Present(l); err != nil {
		return nil, err
	}
	l.fillFaces(l.State[0])
	loads, err := l.forces(l.State[0])
	if err == nil && fills(l) {
		l.filled = l.n + 1
	}
	return loads, err
}

func (l *Level) forces(from device.Buffer) ([]device.Load, error) {
	if err := l.Sync(); err != nil {
		return nil, err
	}
	return l.Program.Forces(from, l.Params)
}
