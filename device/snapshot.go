// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import (
	"lbmsim/decomp"
	"lbmsim/model"
)

// SnapshotTaker is a Program that reads fields while later steps continue. Found by
// type assertion.
type SnapshotTaker interface {
	// Prepare allocates the memory of one snapshot of box in advance: page-locking takes as long as
	// filling the memory, and would delay the steps.
	Prepare(box decomp.Box) error
	// FieldsAsync queues the work of Program.Fields on s, for the cells of box: the fields are
	// computed on the device into separate memory and copied to page-locked host memory. It does
	// not wait. An error means insufficient memory: Program.Fields does the same work in pieces.
	FieldsAsync(s Stream, state Buffer, box decomp.Box, p model.Params) (Snapshot, error)
}

// Snapshot is a set of fields in transfer to the host.
type Snapshot interface {
	// Taken fires when the state has been read. Work that overwrites the state waits for it; the
	// transfer to the host continues.
	Taken() Event
	// Wait returns when the values are on the host, in the arrangement of
	// Program.Fields: as float64 when the state is of float64, else as float32; the
	// other slice is nil. They stay until Close. Unlike everything else of a device,
	// Wait and Close may be called from any goroutine, one at a time.
	Wait() (single []float32, double []float64, err error)
	Close()
}

// FieldsWriter is a Program that writes fields to the device's memory, for readers on the device.
// Found by type assertion.
type FieldsWriter interface {
	// FieldsTo queues on s the fields of box, in the arrangement of Program.Fields, into out: 8
	// bytes per value for a float64 state, otherwise 4.
	FieldsTo(s Stream, state Buffer, box decomp.Box, out Buffer, p model.Params)
}

// StepFielder is a Program whose steps can store the fields of the resulting state: the values of
// FieldsTo without a second pass over the state. Found by type assertion.
type StepFielder interface {
	// PrepareStepFields prepares for StepFields. False: steps of this program cannot store fields,
	// or a second pass is not more expensive.
	PrepareStepFields() (bool, error)
	// StepFields is Step, and writes the fields of box to fields, a buffer for frame in the
	// arrangement of FieldsTo. A frame contains the box and whole rows, and may extend into ghost
	// layers, whose fields are not written.
	StepFields(s Stream, in, out Buffer, box decomp.Box, fields Buffer, frame decomp.Box, p model.Params)
}

// StepSnapshots is a StepFielder whose fields are copied to the host like snapshots. Found by type
// assertion.
type StepSnapshots interface {
	StepFielder
	// SendFields is FieldsAsync of the cells of frame, whose fields steps have written to a buffer. Fields
	// of ghost planes of the slowest axis, if the frame has any, are read from the state. Once sent fires,
	// the buffer may be written again.
	SendFields(s Stream, state, fields Buffer, frame decomp.Box, p model.Params) (shot Snapshot, sent Event, err error)
}
