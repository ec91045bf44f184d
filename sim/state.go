// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"lbmsim/sim/level"
	"lbmsim/sim/output"
)

// state is the cells of a run as outputs see them.
type state struct{ *stepper }

// Force returns the body force at the current step.
func (s state) Force() [3]float64 { return s.level.Params.Force }

// ReadImage copies the current state into an image.
func (s state) ReadImage(image []byte) error { return level.Image{Level: s.level}.Read(image) }

// ReadPatch does the same for a patch of a refined grid.
func (s state) ReadPatch(k int, image []byte) error { return s.grid.Image(k).Read(image) }

// Fill updates the cells around the rank's own to their current values.
func (s state) Fill() error {
	if s.grid == nil {
		return nil // an exchange follows each step
	}
	return s.grid.Fill()
}

// Snapshots of the current state concurrent with the steps; nil: not supported by the device.
func (s state) Snapshots() output.Snapshotter {
	if shots, ok := s.level.Snapshots(); ok && s.grid == nil {
		return shots
	}
	return nil
}

// Statistics of the state that stay with the device: of the rank's part of the domain, or of a patch of a refined grid.
func (s state) Statistics(k int) output.Statistics { return s.parts()[k].Statistics() }

// Rays through the same cells, on the device.
func (s state) Rays(k int) output.Rays { return s.parts()[k].Rays() }
