// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package comm

import (
	"sync/atomic"
	"time"
)

// Heartbeat is a rank's signal of its work to its watchdog (package watchdog): its progress, its
// activity, and whether it waits for other ranks. The goroutine that makes the rank's calls writes;
// any goroutine may read. A write costs one or two stores, affordable in every step and call. A nil
// *Heartbeat belongs to a rank without a watchdog.
type Heartbeat struct {
	calls   atomic.Uint64 // into the message layer, and marks of the work
	done    atomic.Uint64 // of these, the completed ones
	waiting atomic.Int32  // inside a call that waits for other ranks
	own     atomic.Int32  // polled messages that also wait for this rank's own work
	step    atomic.Int64
	doing   atomic.Pointer[string]
	steps   atomic.Bool // computes steps: CPU time is not a sign of progress
	limit   atomic.Int64
}

// Watched is ranks that have a heartbeat.
type Watched interface{ Heartbeat() *Heartbeat }

// HeartbeatOf returns the heartbeat of a rank, nil if it has none.
func HeartbeatOf(c Comm) *Heartbeat {
	if w, ok := c.(Watched); ok {
		return w.Heartbeat()
	}
	return nil
}

// Guard sets how long the work may pause before the rank counts as dead; 0: indefinitely. Before
// this call only the process is watched, not its work.
func (p *Heartbeat) Guard(limit time.Duration) {
	if p != nil {
		if limit == 0 {
			limit = -1
		}
		p.limit.Store(int64(limit))
		p.mark()
	}
}

// computing is the default activity of a rank.
var computing = "computing"

// Computing records that the rank computes the steps after step n.
func (p *Heartbeat) Computing(n int) {
	if p != nil {
		p.step.Store(int64(n))
		p.doing.Store(&computing)
		p.steps.Store(true)
		p.mark()
	}
}

// Doing records the rank's current activity: "writing out/x". Such work makes progress as long as it uses CPU time.
func (p *Heartbeat) Doing(what string) {
	if p != nil {
		p.doing.Store(&what)
		p.steps.Store(false)
		p.mark()
	}
}

// Mark records that a piece of the work is done. Any goroutine may call it.
func (p *Heartbeat) Mark() {
	if p != nil {
		p.mark()
	}
}

func (p *Heartbeat) mark() {
	p.calls.Add(1)
	p.done.Add(1)
}

// Wait runs f, which waits for other ranks.
func (p *Heartbeat) Wait(f func() error) error {
	defer p.Enter()()
	return f()
}

// Enter records that a call begins that waits for other ranks; the returned function records its end.
func (p *Heartbeat) Enter() (leave func()) {
	if p == nil {
		return func() {}
	}
	p.calls.Add(1)
	p.waiting.Add(1)
	return p.leave
}

func (p *Heartbeat) leave() {
	p.waiting.Add(-1)
	p.mark()
}

// Look records that the rank has polled for a message. A rank that only polls waits for others.
func (p *Heartbeat) Look(there bool) {
	if p == nil {
		return
	}
	if there {
		p.mark()
	} else if p.own.Load() == 0 {
		p.calls.Add(1)
	}
}

// Own records that work of the rank itself begins between polls for messages; the returned function records its end, once. As long
// as some is under way, polls do not show that the rank waits for others.
func (p *Heartbeat) Own() (end func()) {
	if p == nil {
		return func() {}
	}
	p.own.Add(1)
	return func() { p.own.Add(-1) }
}

// State is a snapshot of a heartbeat.
type State struct {
	Calls, Done uint64
	Waiting     bool
	Step        int
	Doing       string
	Steps       bool          // computes steps
	Limit       time.Duration // 0: not yet set; below 0: no limit
}

// State returns the current state of the heartbeat.
func (p *Heartbeat) State() State {
	if p == nil {
		return State{}
	}
	s := State{Calls: p.calls.Load(), Done: p.done.Load(), Waiting: p.waiting.Load() > 0,
		Step: int(p.step.Load()), Steps: p.steps.Load(), Limit: time.Duration(p.limit.Load())}
	if what := p.doing.Load(); what != nil {
		s.Doing = *what
	}
	return s
}
