// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"

	"lbmsim/device"
	"lbmsim/model"
)

// moments are the scheduled steps (device.Timed). Tasks consume them in the order of their streams.
type moments struct {
	steps []device.Moment
	next  int
	now   device.Moment

	couplings []*coupling // whose walls change with time
}

var _ device.Timed = (*program)(nil)

// Schedule stores the moments of the coming steps.
func (p *program) Schedule(steps []device.Moment) error {
	if len(steps) > device.MaxScheduled {
		return fmt.Errorf("%d steps are scheduled at once, and %d are the most", len(steps), device.MaxScheduled)
	}
	p.moments.steps, p.moments.next = append(p.moments.steps[:0], steps...), 0
	return nil
}

// Advance queues the next of these moments.
func (p *program) Advance(s device.Stream) {
	own := p.device.own(s, "a moment")
	own.pool.push(own, &operation{tasks: []task{func(*worker) error {
		m := &p.moments
		if m.next == len(m.steps) {
			return fmt.Errorf("only %d steps were scheduled", m.next)
		}
		m.now = m.steps[m.next]
		m.next++
		p.advanceTo(m.now.Time)
		return nil
	}}})
}

// params returns the parameters of a step: with scheduled moments, it has the force of the current one.
func (m *moments) params(q model.Params) model.Params {
	if m.steps != nil {
		q.Force = m.now.Force
	}
	return q
}
