package sim

import (
	"lbmsim/decomp"
	"lbmsim/device"
)

// leaving is fields that a step leaves for a snapshot of the state that it leads to, so that the device need
// not read that once more (device.StepFielder).
type leaving struct {
	program device.StepSnapshots // nil: there are no such steps
	asked   bool                 // whether there are
	fields  device.Buffer
	frame   decomp.Box
	at      int          // the step that leaves them; 0: none does
	now     bool         // it is being queued
	sent    device.Event // they are on the host; nil: none were sent
}

// expect gets ready for the outputs of step n, to which the coming steps lead.
func (r *run) expect(n int) {
	r.leave.at = 0
	if box, ok := r.outputs.Snaps(n); ok && r.canLeave(box) {
		r.leave.at = n
	}
}

// canLeave reports whether steps leave the fields of box. Where something is missing for that, snapshots read the state.
func (s *stepper) canLeave(box decomp.Box) bool {
	l := &s.leave
	if l.asked {
		return l.program != nil && l.frame == box
	}
	l.asked = true
	program, ok := s.program.(device.StepSnapshots)
	for a := range box.Lo { // ghost rows within planes do not lie together
		ok = ok && (a == s.Layout.Axis() || box.Lo[a] == 0 && box.Hi[a] == s.Layout.N[a])
	}
	if !ok {
		return false
	}
	able, err := program.PrepareStepFields()
	if err != nil || !able {
		return false
	}
	spec := s.Case.Spec
	if l.fields, err = s.device.Alloc(box.Cells() * spec.FieldValues() * max(4, spec.Precision.Bytes())); err != nil {
		return false
	}
	l.program, l.frame = program, box
	return true
}

// step queues a part of a step.
func (s *stepper) step(to device.Stream, in, out device.Buffer, box decomp.Box) {
	if l := &s.leave; l.now {
		l.program.StepFields(to, in, out, box, l.fields, l.frame, s.params)
		return
	}
	s.program.Step(to, in, out, box, s.params)
}

// left reports whether the last step has left the fields of box.
func (s *stepper) left(box decomp.Box) bool {
	return s.leave.at > 0 && s.leave.at == s.n && s.leave.frame == box
}

// sendLeft makes a snapshot of them.
func (s *stepper) sendLeft() (device.Snapshot, error) {
	l := &s.leave
	shot, sent, err := l.program.SendFields(s.reader, s.state[0], l.fields, l.frame, s.params)
	if err == nil {
		l.sent = sent
	}
	return shot, err
}
