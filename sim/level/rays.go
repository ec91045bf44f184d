// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"lbmsim/decomp"
	"lbmsim/device"
)

// Rays casts rays through the level's cells on the device.
type Rays struct{ level *Level }

// Rays through the current state.
func (l *Level) Rays() Rays { return Rays{l} }

// NewVolume allocates a volume; nil: the device casts no rays, or lacks memory.
func (r Rays) NewVolume(at device.VolumeBox, fields [2]device.Shown) device.Volume {
	c, ok := r.level.Program.(device.RayCaster)
	if !ok {
		return nil
	}
	v, err := c.NewVolume(at, fields)
	if err != nil { // not an error of the run: the host does the work
		return nil
	}
	return v
}

// Evaluate computes both fields of the cells of a local box.
func (r Rays) Evaluate(v device.Volume, box decomp.Box) error {
	return v.Evaluate(r.level.State[0], box, r.level.Params)
}

// Sample computes one field of the cells of a local box.
func (r Rays) Sample(v device.Volume, field int, box decomp.Box, values []float32) error {
	return v.Sample(r.level.State[0], field, box, values, r.level.Params)
}
