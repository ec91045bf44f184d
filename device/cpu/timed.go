package cpu

import (
	"fmt"

	"lbmsim/device"
	"lbmsim/model"
)

// moments is the steps that were foreseen (device.Timed). Tasks take one after the other, in the
// order of their streams.
type moments struct {
	steps []device.Moment
	next  int
	now   device.Moment
}

var _ device.Timed = (*program)(nil)

// Foresee keeps what the coming steps depend on.
func (p *program) Foresee(steps []device.Moment) error {
	if len(steps) > device.MaxForeseen {
		return fmt.Errorf("%d steps are foreseen at once, and %d are the most", len(steps), device.MaxForeseen)
	}
	p.moments.steps, p.moments.next = append(p.moments.steps[:0], steps...), 0
	return nil
}

// Retime queues the next of these moments.
func (p *program) Retime(s device.Stream) {
	own, ok := s.(*stream)
	if !ok || own.pool != p.device.pool {
		panic(fmt.Sprintf("a moment on a stream of another device (%T)", s))
	}
	own.pool.push(own, &operation{tasks: []task{func(*worker) error {
		m := &p.moments
		if m.next == len(m.steps) {
			return fmt.Errorf("only %d steps were foreseen", m.next)
		}
		m.now = m.steps[m.next]
		m.next++
		p.retime(m.now.Time)
		return nil
	}}})
}

// params are those of a step: where moments were foreseen, the force is that of the present one.
func (m *moments) params(q model.Params) model.Params {
	if m.steps != nil {
		q.Force = m.now.Force
	}
	return q
}
