// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package device defines the interfaces between a run and its hardware. A run sees only these;
// device/cpu and device/cuda implement them.
package device

import (
	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Info describes a device for the table printed at start.
type Info struct {
	Name    string `json:"name"`    // "cpu", "cuda:0"
	Model   string `json:"model"`   // the product's name
	Detail  string `json:"detail"`  // threads and instruction set, or PCI id
	Threads int    `json:"threads"` // parallel workers of a CPU device
}

// Device is one rank's processor with its memory.
type Device interface {
	Info() Info
	// Alloc returns zeroed memory of the device.
	Alloc(bytes int) (Buffer, error)
	// NewStream returns an in-order queue; an urgent stream has priority over the others.
	NewStream(urgent bool) Stream
	// Load builds the kernels of spec for a box with the given layout and cells.
	Load(spec model.Spec, layout decomp.Layout, periodic [3]bool, cells boundary.Cells) (Program, error)
	Close() error
}

// Buffer is memory of a device.
type Buffer interface {
	Bytes() int
	// Read copies len(dst) bytes from offset to the host, Write from the host. Both are synchronous
	// with the host only: wait for the streams first.
	Read(dst []byte, offset int) error
	Write(src []byte, offset int) error
	Free()
}

// HostVisible is a buffer that the host can address: messages are then sent directly from the
// state.
type HostVisible interface{ Host() []byte }

// Stream is an in-order queue of work.
type Stream interface {
	// Copy moves bytes inside the device, in the order of the stream.
	Copy(dst Buffer, dstOffset int, src Buffer, srcOffset, bytes int)
	// Record marks this point of the queue.
	Record() Event
	// After makes later work of this stream wait for the event.
	After(Event)
	// Sync waits for the whole queue and returns the first error of its work.
	Sync() error
}

// Event is a point in a stream's queue.
type Event interface {
	Done() bool
	Wait() error
	// Seconds is the time at which the point was reached, on a clock shared by all events of the
	// device; it is valid once Done.
	Seconds() float64
}

// Program is the compiled kernels of one case on one box. Boxes are given in
// local cells (0 to N).
type Program interface {
	// Step computes out = collide(stream(in)) for the cells of box, reading one layer around it. It
	// is queued on s. Solid cells of out are at rest (zeros) afterwards if they were before: Step
	// need not write them, since Alloc's memory is at rest and no other call writes them.
	Step(s Stream, in, out Buffer, box decomp.Box, p model.Params)
	// FillFaces fills the ghost cells behind faces (boundary.Cells.Open) in state, which a step, or
	// Forces, reads: those beside the box's own cells or, with exchanged, those beside ghost cells,
	// once these have been exchanged. It is queued on s.
	FillFaces(s Stream, state Buffer, exchanged bool)
	// Init writes the state of the cells of box from physical fields in float64,
	// laid out [z][y][c][x] without padding or ghosts. Components c: rho-1, the
	// velocity (Dims values), and the strain rate (d_i u_j + d_j u_i)/2 in the
	// order xx, yy, (zz,) xy, (xz, yz), and the scalar, if any: Spec.InitValues() in total. Solid cells are set to
	// rest, with the given scalar: 0 if they do not conduct it. It returns when done.
	Init(state Buffer, box decomp.Box, fields []float64, p model.Params) error
	// Fields reads rho-1, the velocity and the scalar, if any (Spec.FieldValues()), of the
	// cells of box, in the same arrangement; solid cells give zeros, except the scalar of conducting ones. The box may
	// extend into the ghost layers, whose solid cells give meaningless values. It returns when done, and several goroutines
	// may call it at once, with the same p.
	Fields(state Buffer, box decomp.Box, fields []float64, p model.Params) error
	// Planes sums the interior cells plane by plane along layout.Axis(), in a fixed order that does
	// not depend on threads or on the decomposition.
	Planes(state Buffer, p model.Params) ([]Plane, error)
	// Rows returns the sums of each interior row, [z][y], from which Planes is computed: for ranks
	// that share planes.
	Rows(state Buffer, p model.Params) ([]Plane, error)
	// Forces returns the loads of the fluid in the coming step on the walls that are
	// Measured, for every cell type (0 for others): force and torque about the lower corner of the
	// domain, with the pressure at rest as zero.
	Forces(state Buffer, p model.Params) ([]Load, error)
	// BytesPerCell is the minimum memory traffic per step and cell for the layout: the numerator of
	// the roofline share.
	BytesPerCell() int
	// Bytes is the memory of the program in addition to the state: cell flags and boundary lists.
	Bytes() int
	Close()
}

// Wrapper is a Device whose programs read the other end of a periodic axis directly if a box spans
// it: no ghost cells have to be filled there. Found by type assertion.
type Wrapper interface{ Wraps() bool }

// Timed is a Program whose walls, faces and force may change with time. Found by type assertion.
type Timed interface {
	// Schedule uploads the moments of the coming steps, once all queued work is done. Each moment is consumed by one
	// Advance before any call needs the force: from here on steps use the force of their moment, not the force of
	// their Params. At most MaxScheduled moments.
	Schedule(steps []Moment) error
	// Advance sets walls, faces and force to the next of these moments, in the order of s: before FillFaces, Step and
	// Forces of that step. It may be recorded.
	Advance(s Stream)
}

// MaxScheduled is the largest number of steps that can be scheduled at once.
const MaxScheduled = 512

// Moment is the input of a step besides the state.
type Moment struct {
	Time  float64    // of walls and faces, in steps: half-way, t + 1/2 for the step from t to t + 1
	Force [3]float64 // at its end, as in Params
}

// Plane holds the sums of one plane, or one row, of cells for the stability watch and
// the norms.
type Plane struct {
	Cells    int        // fluid cells
	Mass     float64    // sum of rho-1
	Momentum [3]float64 // sum of rho u
	Energy   float64    // sum of rho u^2/2
	MaxSpeed float64    // the largest |u| ...
	MaxAt    [3]int     // ... and its cell (local)
	Bad      int        // cells with a non-finite value ...
	BadAt    [3]int     // ... and the first of them (local)
}

// Add adds the next row of the plane.
func (p *Plane) Add(row Plane) {
	if row.Cells > 0 && (p.Cells == 0 || row.MaxSpeed > p.MaxSpeed) {
		p.MaxSpeed, p.MaxAt = row.MaxSpeed, row.MaxAt
	}
	if row.Bad > 0 && p.Bad == 0 {
		p.BadAt = row.BadAt
	}
	p.Cells += row.Cells
	p.Mass += row.Mass
	for a := range p.Momentum {
		p.Momentum[a] += row.Momentum[a]
	}
	p.Energy += row.Energy
	p.Bad += row.Bad
}
