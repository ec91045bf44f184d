package sim

import (
	"lbmsim/device"
	"lbmsim/model"
)

// eddiesOf is where the device keeps those of a law of the viscosity that looks at neighbours; nil: it looks at none.
func eddiesOf(p device.Program) device.Buffer {
	if k, ok := p.(device.EddyKeeper); ok {
		return k.Eddies()
	}
	return nil
}

// findEddies queues the pass that finds them anew before the step that leads on from step n, when it is time. It reads
// ghost cells, so where there are neighbours it comes behind the exchange, and the bulk behind it.
func (s *stepper) findEddies(n int) {
	if n%model.EddySteps != 0 || !s.Case.Spec.Viscosity.LooksAround() {
		return
	}
	on := s.bulk
	if len(s.edges) > 0 {
		on = s.edge
	}
	s.program.(device.EddyKeeper).FindEddies(on, s.state[0], s.params)
	if len(s.edges) > 0 {
		s.bulk.After(s.edge.Record())
	}
}

// recordable tells whether a recording of k steps of a case may begin at step n: it finds eddies at the same places each time.
func recordable(spec model.Spec, k, n int) bool {
	return !spec.Viscosity.LooksAround() || n%model.EddySteps == 0 && k%model.EddySteps == 0
}
