// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"lbmsim/device"
)

// step queues the step of a level after its own step n: above level 0, the first one within a step of the coarser level
// where n is even, the second one where it is odd.
//
//	walls, faces and the force get their values of the step, which is half a step of the level later
//	side: values for the overlap of the finer level leave
//	bulk: overlap cells that other patches own are copied
//	bulk: ghost planes leave; inner cells step
//	side: values arrive, and the overlap of the finer level is interpolated
//	edge: ghost planes arrive; the edges step. Where a pass over cells and ghost cells is due, inner cells come behind it
//	side: what passes the interfaces is counted, in the state that the step starts from
//	the finer level does two steps
//	bulk: means leave, arrive, and change cells on this side of the interface
//	side: the same of fluxes
//
// The side's work reads the state that the step starts from, as the inner cells' does: on a GPU its small kernels run beside the large
// one. The bulk's stream waits for the overlap before the finer level steps, and for all of it before the next step overwrites that
// state: what passes the interfaces may be counted beside the finer level's first step. Where the host exchanges, all ranks begin and end exchanges in this order, the first that began first.
//
// Where Fill has been called, overlap and ghost cells of the first step of each level have their values already. Overlap is
// interpolated before even steps, so it is valid in both layers where a pass reads it.
func (g *Grid) step(l, n int, filled bool) error {
	at := &g.levels[l]
	finer := g.refines(l)
	g.side.fork(g.Bulk)
	for _, p := range at.patches {
		p.ahead(n).Advance(filled)
	}
	if !filled {
		if finer {
			if err := g.sendValues(l + 1); err != nil {
				return err
			}
		}
		if err := g.copySiblings(at); err != nil {
			return err
		}
		for _, p := range at.patches {
			if err := p.ahead(n).Begin(); err != nil {
				return err
			}
		}
	}
	ready := g.Bulk.Record() // what inner cells read
	for _, p := range at.patches {
		if ahead := p.ahead(n); !ahead.Looks(n) {
			ahead.Inner()
		}
	}
	if finer && !filled {
		if err := g.prolong(l + 1); err != nil {
			return err
		}
	}
	for _, p := range at.patches {
		ahead := p.ahead(n)
		if !filled {
			if err := ahead.Arrive(); err != nil {
				return err
			}
		}
		if ahead.Looks(n) {
			ahead.Look()
			ready = g.Bulk.Record()
		}
		ahead.Arrived(g.side.Stream)
	}
	g.side.After(ready)
	g.count(l, n%2)
	g.side.last = g.side.Record()
	for _, p := range at.patches {
		ahead := p.ahead(n)
		if ahead.Looks(n) {
			ahead.Inner()
		}
		ahead.End()
	}
	setForce(g, l, n+1)
	if !finer {
		return nil
	}
	for which := range 2 {
		if err := g.step(l+1, 2*n+which, filled && which == 0); err != nil {
			return err
		}
	}
	return g.restrict(l + 1)
}

// sideline is the stream of the exchange between levels concurrent with a step.
type sideline struct {
	device.Stream
	// Where the bulk's stream has to wait: for the overlap of the level that steps next, and for the last work.
	overlap, last device.Event
}

// fork makes it follow the bulk's stream, which waits for the overlap of the level that steps next, or otherwise for all.
func (s *sideline) fork(bulk device.Stream) {
	if s.overlap != nil {
		bulk.After(s.overlap)
		s.overlap = nil
	} else {
		s.join(bulk)
	}
	s.After(bulk.Record())
}

// join makes the bulk's stream wait for it. A recording ends joined: it cannot wait for work outside it.
func (s *sideline) join(bulk device.Stream) {
	for _, e := range []*device.Event{&s.overlap, &s.last} {
		if *e != nil {
			bulk.After(*e)
			*e = nil
		}
	}
}

// sendValues begins the exchange of the values from which a level's overlap is interpolated.
func (g *Grid) sendValues(l int) error {
	t := g.levels[l].coarse.shells
	buffer := t.next()
	for _, p := range g.levels[l-1].patches {
		p.down.GatherValues(g.side.Stream, p.State[0], buffer, g.levels[l-1].params)
	}
	return t.begin(g.side.Stream)
}

// prolong interpolates them.
func (g *Grid) prolong(l int) error {
	t := g.levels[l].coarse.shells
	if err := t.finish(); err != nil {
		return err
	}
	for _, p := range g.levels[l].patches {
		p.prolong(g.side.Stream, t.buffers[t.now], g.levels[l-1].params, g.levels[l].params)
	}
	g.side.overlap = g.side.Record()
	return nil
}

// copySiblings copies overlap cells from the patches that own them.
func (g *Grid) copySiblings(at *levelOf) error {
	if at.siblings == nil {
		return nil
	}
	buffer := at.siblings.next()
	for _, p := range at.patches {
		p.beside.Gather(g.Bulk, p.State[0], buffer)
	}
	if err := at.siblings.begin(g.Bulk); err != nil {
		return err
	}
	if err := at.siblings.finish(); err != nil {
		return err
	}
	for _, p := range at.patches {
		p.beside.Scatter(g.Bulk, buffer, p.State[0])
	}
	return nil
}

// count queues the sums of what a step carries through interfaces: with the coarser level, over both steps, and with the finer one.
func (g *Grid) count(l, which int) {
	at := &g.levels[l]
	if l > 0 && which == 0 {
		at.coarse.fluxes.next()
	}
	for _, p := range at.patches {
		from := p.State[0]
		if l > 0 {
			t := at.coarse.fluxes
			p.up.Count(g.side.Stream, from, t.buffers[t.now], which > 0)
		}
		if g.refines(l) {
			p.down.Count(g.side.Stream, from, p.own, false)
		}
	}
}

// restrict gives the cells of the coarser level beside the interface the means of their children on the bulk's stream, and the cells
// outside of it what has passed on the side's.
func (g *Grid) restrict(l int) error {
	b := g.levels[l].coarse
	means, coarse := b.means.next(), g.levels[l-1].params
	for _, p := range g.levels[l].patches {
		p.restrict(g.Bulk, means, g.levels[l].params, coarse)
	}
	if err := b.means.begin(g.Bulk); err != nil {
		return err
	}
	if err := b.fluxes.begin(g.side.Stream); err != nil {
		return err
	}
	for _, t := range []*traffic{b.means, b.fluxes} {
		if err := t.finish(); err != nil {
			return err
		}
	}
	for _, p := range g.levels[l-1].patches {
		p.down.Scatter(g.Bulk, means, p.State[0])
		p.down.Correct(g.side.Stream, p.own, b.fluxes.buffers[b.fluxes.now], p.State[0], coarse)
	}
	g.side.last = g.side.Record()
	g.side.join(g.Bulk)
	return nil
}
