// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import (
	"lbmsim/decomp"
	"lbmsim/internal/render"
	"lbmsim/model"
)

// RayCaster is a Program in 3D that casts rays through fields of its state in the device's memory, as render.Caster does on the host. Found
// by type assertion.
type RayCaster interface {
	// NewVolume allocates the memory of two fields of cells of the program's box. An error means that it lacks memory: render.Caster
	// does the same work.
	NewVolume(at VolumeBox, fields [2]Shown) (Volume, error)
}

// VolumeBox is the cells of a volume.
type VolumeBox struct {
	Block  render.Block // without values
	Local  [3]int       // its first cell in the program's box
	Domain [3]int       // cells of the domain at the block's level
	Rays   int          // of a picture; 0: the volume is not the one whose Cast is called
}

// Shown is a field of the output: Offset + Factor times a quantity of a cell. Solid cells of a Blank type have no value.
type Shown struct {
	Factor, Offset float64
	Quantity       Quantity
	Blank          [256]bool
}

// Quantity of a cell in lattice units.
type Quantity int64

// The quantities. The last three are magnitudes or invariants of the gradient of the velocity.
const (
	Excess     Quantity = iota // rho - 1
	Speed                      // |u|
	Scalar                     // such as the temperature
	Vorticity                  // |curl u|
	StrainRate                 // sqrt(2 S:S)
	Invariant                  // the second one, the Q-criterion
)

// Volume is two fields of a block of cells, the shape and the colour, with render.Margin layers around them. Boxes are given in local cells
// and may extend into the margin. Calls return when their work is done, except Cast; the streams must be idle.
type Volume interface {
	// Evaluate computes both fields of the cells of a box of the program from a state.
	Evaluate(state Buffer, box decomp.Box, p model.Params) error
	// Sample computes one field, 0 or 1, of a box of the program's cells, which need not be in the volume, as [z][y][x].
	Sample(state Buffer, field int, box decomp.Box, values []float32, p model.Params) error
	// Put writes one field of cells that other ranks have.
	Put(field int, box decomp.Box, values []float32) error
	// Extend gives the stored cells around a box the values of the nearest cells inside.
	Extend(inside decomp.Box) error
	// Extremes returns the least and the largest finite value of the shape in the block's finest cells; false: all are solid or not finite.
	Extremes() (least, most float32, ok bool, err error)
	// Count adds these values to counts, in VolumeBins bins.
	Count(bins Bins, counts []int64) error
	// Cast queues the rays of a scene through this volume, and through others of the same device. Close waits for them.
	Cast(scene render.Scene, others ...Volume) (Seen, error)
	Close()
}

// VolumeBins is the number of bins of Volume.Count.
const VolumeBins = 1024

// Bins divides floats, as ordered integers, into bins of equal width from place Lo to place Hi. Integers of a magnitude up to Floor share
// place 0, the others are closer to it by Floor.
type Bins struct{ Floor, Lo, Hi int64 }

// Seen is the result of casting rays.
type Seen interface {
	// Hits waits for the rays, returns the hits in their order, and frees the memory. It is called once, from any goroutine.
	Hits() ([]render.Hit, error)
}
