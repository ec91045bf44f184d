// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"lbmsim/device"
	"lbmsim/model"
)

// pass is work on the state before a step: what the step reads and does not compute itself.
type pass struct {
	every int // steps from one to the next, the first before step 0
	queue func(in device.Buffer)
}

// passes in the order in which they are queued. Each may read what those before it have written.
type passes []pass

// queue queues the passes that are due before the step that leads on from step n.
func (l passes) queue(n int, in device.Buffer) {
	for _, p := range l {
		if n%p.every == 0 {
			p.queue(in)
		}
	}
}

// period returns the number of steps after which the same passes are due again.
func (l passes) period() int {
	period := 1
	for _, p := range l {
		period = lcm(period, p.every)
	}
	return period
}

// recordable reports whether a recording of k steps may begin at step n and be repeated: its passes are due at the same
// places each time.
func (l passes) recordable(k, n int) bool {
	period := l.period()
	return n%period == 0 && k%period == 0
}

func lcm(a, b int) int {
	gcd, rest := a, b
	for rest != 0 {
		gcd, rest = rest, gcd%rest
	}
	return a / gcd * b
}

// passesOf returns the passes that the case needs.
func (l *Level) passesOf() (list passes) {
	if l.timed != nil {
		list = append(list, pass{1, func(device.Buffer) { l.advance() }})
	}
	list = append(list, pass{1, l.fillFaces})
	if l.Part.Case.Spec.Viscosity.LooksAround() {
		list = append(list, pass{model.EddySteps, l.findEddies})
	}
	if l.Part.Cells.Modelled != nil { // whose layer replaces the eddy viscosity
		list = append(list, pass{1, l.fillModelled})
	}
	return list
}

// advance queues the next of the moments that were scheduled.
func (l *Level) advance() {
	if l.timed != nil {
		l.timed.Advance(l.Bulk)
	}
}

// Present sets the time-dependent values to the coming step; the force at this step, which outputs read, stays.
func Present(l *Level) error { return moment(l, float64(l.n)+0.5) }

// Past sets the time-dependent values to the step that led to the current state.
func Past(l *Level) error { return moment(l, float64(l.n)-0.5) }

func moment(l *Level, time float64) error {
	if l.timed == nil {
		return nil
	}
	err := l.timed.Schedule([]device.Moment{{Time: time, Force: l.Params.Force}})
	if err == nil {
		l.advance()
	}
	return err
}

// fillFaces queues the ghost cells behind faces: those beside cells of the rank before the
// bulk, those beside cells that have been exchanged before the edges, which alone read them.
func (l *Level) fillFaces(in device.Buffer) {
	l.Program.FillFaces(l.Bulk, in, false)
	if len(l.edges) > 0 {
		l.Edge.After(l.Bulk.Record())
		l.Program.FillFaces(l.Edge, in, true)
	}
}

// fillModelled queues the ghost cells of walls with a model: those that follow from cells of the rank before the bulk, those that
// follow from cells that have been exchanged before the edges, which alone read them.
func (l *Level) fillModelled(in device.Buffer) {
	p := l.Program.(device.WallModeler)
	p.FillModelled(l.Bulk, in, l.Params, false)
	if len(l.edges) > 0 {
		l.Edge.After(l.Bulk.Record())
		p.FillModelled(l.Edge, in, l.Params, true)
	}
}

// gather queues the copies of the edges' cells that other ranks' ghost cells read, for the exchange.
func gather(l *Level, state device.Buffer) {
	if len(l.Part.Listed) > 0 {
		l.Program.(device.Gatherer).Gather(l.Edge, state)
	}
}

// findEddies queues the eddy viscosity of a law that reads neighbours. It reads ghost cells, so where there are
// neighbours it follows the exchange, and the bulk follows it.
func (l *Level) findEddies(in device.Buffer) {
	on := l.Bulk
	if len(l.edges) > 0 {
		on = l.Edge
	}
	l.Program.(device.EddyKeeper).FindEddies(on, in, l.Params)
	if len(l.edges) > 0 {
		l.Bulk.After(l.Edge.Record())
	}
}

// eddiesOf returns the device's buffer of the eddy viscosity of a law that reads neighbours; nil: the law reads none.
func eddiesOf(p device.Program) device.Buffer {
	if k, ok := p.(device.EddyKeeper); ok {
		return k.Eddies()
	}
	return nil
}
