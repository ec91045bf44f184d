// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"lbmsim/decomp"
	"lbmsim/device"
)

// fusedFields are fields that a step writes together with its new state, for a snapshot, so that the device need not read
// that state again (device.StepFielder).
type fusedFields struct {
	program device.StepSnapshots // nil: there are no such steps
	asked   bool                 // whether there are
	fields  device.Buffer
	frame   decomp.Box
	at      int          // the step that writes them; 0: none
	now     bool         // it is being queued
	sent    device.Event // they are on the host; nil: none were sent
}

// FuseFields makes the step that leads to step n write the fields of a box, local, for a snapshot, where the device has such
// steps. n = 0: no step does.
func (l *Level) FuseFields(n int, box decomp.Box) {
	if l.fused.at = 0; n > 0 && l.canFuse(box) {
		l.fused.at = n
	}
}

// FusesFields reports whether the step that leads to step n does.
func (l *Level) FusesFields(n int) bool { return n > 0 && l.fused.at == n }

// canFuse reports whether steps can write the fields of box. Otherwise snapshots read the state.
func (l *Level) canFuse(box decomp.Box) bool {
	f, layout, spec := &l.fused, l.Part.Layout, l.Part.Case.Spec
	if f.asked {
		return f.program != nil && f.frame == box
	}
	f.asked = true
	program, ok := l.Program.(device.StepSnapshots)
	for a := range box.Lo { // ghost rows within planes do not lie together
		ok = ok && (a == layout.Axis() || box.Lo[a] == 0 && box.Hi[a] == layout.N[a])
	}
	if !ok {
		return false
	}
	able, err := program.PrepareStepFields()
	if err != nil || !able {
		return false
	}
	if f.fields, err = l.Device.Alloc(box.Cells() * spec.FieldValues() * max(4, spec.Precision.Bytes())); err != nil {
		return false
	}
	f.program, f.frame = program, box
	return true
}

// awaitSent makes a step that writes fields wait until the previous ones are on the host.
func (l *Level) awaitSent() {
	if sent := l.fused.sent; sent != nil {
		l.Edge.After(sent)
		l.Bulk.After(sent)
	}
}

// step queues a part of a step.
func (l *Level) step(to device.Stream, in, out device.Buffer, box decomp.Box) {
	if f := &l.fused; f.now {
		f.program.StepFields(to, in, out, box, f.fields, f.frame, l.Params)
		return
	}
	l.Program.Step(to, in, out, box, l.Params)
}
