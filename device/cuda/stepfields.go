// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// stepFields is a program's support of fields written by its steps (kernels/gpu/step_fields.h), once
// they are requested.
type stepFields struct {
	*core
	stepping   *stepping
	snapshots  *snapshots
	module     module
	stepKernel             // lbm_step_fields
	at         cu.Function // for cells of a list

	// Cells changed after the step: their fields are read from the state.
	changed *buffer
	rows    []uint32 // first of each interior row; one more at the end
}

// changedCell is a cell of that list; row is z*ny + y.
type changedCell struct{ x, row uint32 }

// PrepareStepFields compiles the step that leaves fields. With moments the fields are in the state: a
// second pass reads little more than it writes.
func (f *stepFields) PrepareStepFields() (bool, error) {
	if f.spec.Collision.Scheme == model.Moments {
		return false, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.module.loaded {
		return true, nil
	}
	if err := f.prepare(); err != nil {
		return false, fmt.Errorf("steps of %s that leave fields: %w", f.spec, err)
	}
	return true, nil
}

// prepare lists the cells and loads the kernels.
func (f *stepFields) prepare() (err error) {
	cells := f.changedCells()
	if f.changed == nil {
		if f.changed, err = f.putList(raw.Bytes(cells)); err != nil {
			return err
		}
	}
	f.rows = make([]uint32, f.layout.N[1]*f.layout.N[2]+1)
	for _, c := range cells {
		f.rows[c.row+1]++
	}
	for i := range f.rows[1:] {
		f.rows[i+1] += f.rows[i]
	}
	return f.load(&f.module, "loading the kernels", stepFieldsFile, functions{"lbm_step_fields": &f.step, "lbm_fields_at": &f.at}, func() error {
		var shape stepShape
		if err := f.module.numbers("lbm_step_fields_shape", shape[:]); err != nil {
			return err
		}
		f.shaped(shape)
		f.slots = f.kernels.slots
		return nil
	})
}

func (f *stepFields) free() { f.module.unload(f.d) }

// changedCells returns the cells that parts change behind the step, row after row.
func (f *stepFields) changedCells() (list []changedCell) {
	for _, b := range f.stepping.behind {
		list = append(list, b.changed()...)
	}
	slices.SortFunc(list, func(a, b changedCell) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.x, b.x)) })
	return slices.Compact(list)
}

// StepFields queues Step and leaves the fields of box in the buffer.
func (f *stepFields) StepFields(s device.Stream, in, out device.Buffer, box decomp.Box, fields device.Buffer, frame decomp.Box, q model.Params) {
	own := f.stream(s)
	to, err := f.rowsIn(fields, frame, box)
	if err == nil && !f.module.loaded {
		err = fmt.Errorf("PrepareStepFields comes first")
	}
	if err != nil {
		own.fail(fmt.Errorf("step with fields of %s: %w", f.spec, err))
		return
	}
	more := []uint64{uint64(to), uint64(frame.Size()[1])}
	f.stepping.stepBy(&f.stepKernel, s, in, out, box, q, more...)
	first, last := f.cellsOf(f.rows, box)
	state, err := f.state(out)
	if err != nil || first == last { // stepBy reports an error
		return
	}
	own.queue("fields of changed cells", func() error {
		args := []uint64{uint64(f.box.at), uint64(state.at), uint64(f.changed.at), uint64(box.Lo[1]), uint64(box.Hi[1]), first, last}
		return launch(f.at, [3]int{raw.Ceil(int(last-first), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s, append(args, more...)...)
	})
}

// rowsIn returns the address of the fields of the interior's first cell in a buffer with the fields of frame,
// which holds box.
func (f *stepFields) rowsIn(fields device.Buffer, frame, box decomp.Box) (cu.DevicePtr, error) {
	if err := f.inside(frame, f.layout.Ghost, true); err != nil {
		return 0, err
	}
	row := f.spec.FieldValues() * f.layout.N[0] * f.valueBytes()
	rows := frame.Size()
	for a := range box.Lo {
		if box.Cells() > 0 && (box.Lo[a] < frame.Lo[a] || box.Hi[a] > frame.Hi[a]) {
			return 0, fmt.Errorf("box %v reaches out of the frame %v of the fields", box, frame)
		}
	}
	at, err := f.d.part(fields, 0, rows[1]*rows[2]*row)
	return at - cu.DevicePtr(int64((frame.Lo[2]*rows[1]+frame.Lo[1])*row)), err
}

// SendFields sends the fields written by steps, with the ghost planes of the state.
func (f *stepFields) SendFields(s device.Stream, state, fields device.Buffer, frame decomp.Box, q model.Params) (device.Snapshot, device.Event, error) {
	own, axis := f.stream(s), f.layout.Axis()
	from, err := f.state(state)
	if err == nil {
		_, err = f.rowsIn(fields, frame, frame)
	}
	var at cu.DevicePtr
	if err == nil {
		at, err = f.d.part(fields, 0, f.snapshots.bytes(frame))
	}
	if err == nil {
		err = f.upload(q)
	}
	var m *snapshotMemory
	if err == nil {
		m, err = f.snapshots.take(f.snapshots.bytes(frame))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("snapshot of %s: %w", f.spec, err)
	}
	below, above := frame, frame
	below.Hi[axis], above.Lo[axis] = 0, f.layout.N[axis]
	f.snapshots.fieldsOn(own, from.at, below, at)
	before := frame
	before.Hi[axis] = above.Lo[axis]
	f.snapshots.fieldsOn(own, from.at, above, at+cu.DevicePtr(f.snapshots.bytes(before)))
	shot := f.snapshots.send(own, m, at)
	return shot, shot.arrived, nil
}
