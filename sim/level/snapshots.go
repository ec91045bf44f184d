// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"lbmsim/decomp"
	"lbmsim/device"
)

// Snapshots reads fields of the current state on a separate stream, beside the steps.
type Snapshots struct {
	level *Level
	taker device.SnapshotTaker
}

// Snapshots returns false where the device makes none.
func (l *Level) Snapshots() (Snapshots, bool) {
	taker, ok := l.Program.(device.SnapshotTaker)
	return Snapshots{l, taker}, ok
}

// Prepare takes the memory for snapshots of a box, local.
func (s Snapshots) Prepare(box decomp.Box) error { return s.taker.Prepare(box) }

// Take begins one of the current state.
func (s Snapshots) Take(box decomp.Box) (device.Snapshot, error) {
	l := s.level
	if f := &l.fused; l.FusesFields(l.n) && f.frame == box { // the last step has written them
		shot, sent, err := f.program.SendFields(l.reader, l.State[0], f.fields, f.frame, l.Params)
		if err == nil {
			f.sent = sent
		}
		return shot, err
	}
	return s.taker.FieldsAsync(l.reader, l.State[0], box, l.Params)
}

// Await makes the coming steps wait for an event of the device.
func (s Snapshots) Await(e device.Event) {
	s.level.Edge.After(e)
	s.level.Bulk.After(e)
}
