// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/model"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// Ahead is the step of a level whose cells other levels of a refined grid change between two steps. Ghost planes are
// exchanged ahead of the step that reads them, and the inner cells are computed meanwhile:
//
//	bulk: ghost cells behind faces, and of walls with a model
//	edge: exchange                  Begin, once what the bulk's stream has is done
//	bulk: step the inner cells      Inner
//	edge: the same ghost cells, of exchanged ones     Arrive, which ends the exchange
//	edge: step the edges                                                  End
//	bulk: wait for the edges, swap the states
//
// Where a pass is due that reads ghost cells (Looks), Look queues it behind Arrive, and Inner comes behind Look:
//
//	edge: eddies of all cells                                             Look
//	bulk: wait for them; eddies of the layers at walls with a model
//
// Work queued on the bulk's stream earlier sees and changes the state that the step starts from; work queued after it, the new
// one. Levels that share streams may call these one after the other. Begin and Arrive may be repeated, or called ahead for a
// reader of ghost cells, with the same bits; Look belongs to the step alone, as a run restarts with the eddies of the last pass.
type Ahead struct {
	*Level
	// Needed is the cells, local, whose values after the step are read, in whole rows; the zero Box: all.
	Needed decomp.Box
}

// step queues the step of the needed cells of a box.
func (l Ahead) step(on device.Stream, in, out device.Buffer, box decomp.Box) {
	if l.Needed != (decomp.Box{}) {
		box = domain.Intersect(box, l.Needed)
	}
	if box.Cells() > 0 {
		l.Program.Step(on, in, out, box, l.Params)
	}
}

// Advance queues the time-dependent values of the step: the next scheduled moment. It precedes Begin, or the
// step where Begin and Arrive are done.
func (l Ahead) Advance(begun bool) {
	if l.timed == nil {
		return
	}
	l.advance()
	if begun && len(l.edges) > 0 {
		l.Edge.After(l.Bulk.Record())
	}
}

// Begin begins the exchange of the current state's ghost planes.
func (l Ahead) Begin() error {
	in := l.State[0]
	l.Program.FillFaces(l.Bulk, in, false)
	if walls := Walls(l.Level); walls != nil {
		walls.FillModelled(l.Bulk, in, l.Params, false)
	}
	if len(l.edges) == 0 {
		return nil
	}
	l.Edge.After(l.Bulk.Record())
	gather(l.Level, in)
	if l.Queued != nil {
		l.Queued.Queue(l.Edge, in)
		return nil
	}
	return l.Halo.Start(in, l.Edge.Record())
}

// Inner queues the step of the inner cells.
func (l Ahead) Inner() { l.step(l.Bulk, l.State[0], l.State[1], l.inner) }

// Looks reports whether a pass that reads ghost cells is due before the step that leads on from the level's step n.
func (l Ahead) Looks(n int) bool {
	return l.Part.Case.Spec.Viscosity.LooksAround() && n%model.EddySteps == 0
}

// Look queues that pass.
func (l Ahead) Look() {
	l.findEddies(l.State[0])
	if Walls(l.Level) != nil { // their layers replace eddies
		l.fillModelled(l.State[0])
	}
}

// Arrive ends the exchange.
func (l Ahead) Arrive() error {
	if len(l.edges) == 0 {
		return nil
	}
	if l.Queued == nil {
		if err := l.Halo.Finish(); err != nil {
			return err
		}
	}
	l.Program.FillFaces(l.Edge, l.State[0], true)
	if walls := Walls(l.Level); walls != nil {
		walls.FillModelled(l.Edge, l.State[0], l.Params, true)
	}
	return nil
}

// Arrived makes a stream wait for what Arrive brings.
func (l Ahead) Arrived(s device.Stream) {
	if len(l.edges) > 0 {
		s.After(l.Edge.Record())
	}
}

// End queues the step of the edges and makes what the step computes the current state. Until the next step State[1] is the one that
// it started from, with its ghost cells.
func (l Ahead) End() {
	in, out := l.State[0], l.State[1]
	l.State[0], l.State[1] = out, in
	if len(l.edges) == 0 {
		return
	}
	for _, box := range l.edges {
		l.step(l.Edge, in, out, box)
	}
	l.Bulk.After(l.Edge.Record())
}

// Absent is the part that a rank without cells of a level has in its exchange.
type Absent struct {
	halo   halo.Exchange
	layout decomp.Layout
	device device.Device
	states [2]device.Buffer
}

// NewAbsent allocates what Connect needs.
func NewAbsent(c *config.Case, dev device.Device) (a *Absent, err error) {
	a = &Absent{layout: decomp.NewLayout([3]int{1, 1, 1}, [3]int{}, 1), device: dev}
	for i := range a.states {
		if a.states[i], err = halo.AllocState(dev, a.layout.Len()*c.Spec.Precision.Bytes()); err != nil {
			break
		}
	}
	return a, err
}

// Connect takes part in Level.Connect. Collective.
func (a *Absent) Connect(on *rank.Rank, c *config.Case) (err error) {
	a.halo, err = connect(on, c, halo.Setup{Layout: a.layout, Device: a.device, States: a.states})
	return err
}

// Close is collective where there is an exchange.
func (a *Absent) Close() {
	if a.halo != nil {
		a.halo.Close()
	}
	for _, b := range a.states {
		if b != nil {
			b.Free()
		}
	}
}
