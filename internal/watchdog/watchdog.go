// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package watchdog finds ranks that have stopped: processes that were killed or stopped,
// machines that are down, work that waits for a disk or a GPU that does not answer. MPI
// reports none of these: a blocked receive waits indefinitely. So ranks report to each
// other every second by TCP, beside MPI, that they are alive, and their progress.
//
// The ranks form a tree: the ranks of a machine below its lowest rank, and the machines' lowest
// ranks below rank 0. The ends of each connection watch each other; no rank has more than
// some connections, however many ranks there are. A rank whose own work has stalled
// accuses itself, and rank 0, which knows the progress of all, finds them all waiting for
// each other. A rank that finds a failure reports it to rank 0, which prints it once and ends all ranks.
// Where rank 0 itself has failed, its neighbours in the tree report, one after the
// other: the first ends all others before their turn comes.
//
// A rank that was stopped itself, with all others maybe (a batch system that suspends a
// job, a laptop that is closed), sees that its own clock has jumped and accuses no other.
package watchdog

import (
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"lbmsim/comm"
)

const (
	// Default is the limit if no other is set.
	Default = 5 * time.Minute

	tick = time.Second     // between two heartbeats
	late = 3 * tick        // a tick that comes so late comes after a stop
	turn = 3 * time.Second // between two ranks that speak for the one above them
)

// Options are a program's actions when a rank has stopped.
type Options struct {
	Speak func(text string) // reports why all ranks end; called on one of them
	End   func()            // ends all ranks, and does not return
}

// Dog is one rank's watch.
type Dog struct {
	Options
	c         comm.Comm
	heartbeat *comm.Heartbeat
	self      place
	root      bool
	up        *peer // the rank above in the tree; nil: for rank 0, or without a path to it
	turn      int   // of this rank to speak for the one above
	stop      chan struct{}

	mu      sync.Mutex
	down    []*peer // the ranks below
	own     health
	accused bool
	ending  bool  // all is well, or a rank has spoken
	suspect *peer // the one that is accused
}

// health is the history of a rank's heartbeat.
type health struct {
	last  comm.State
	alive time.Time // the work moved, or waited for others
	moved time.Time // the work moved
	cpu   time.Duration
}

// Start connects the ranks; collective. The warning, on rank 0, names what cannot be
// watched.
func Start(c comm.Comm, o Options) (d *Dog, warning string, err error) {
	d = &Dog{Options: o, c: c, heartbeat: comm.HeartbeatOf(c), self: here(), root: c.Rank() == 0, stop: make(chan struct{})}
	if c.Size() > 1 {
		if warning, err = d.connect(); err != nil {
			d.close()
			return nil, "", err
		}
	}
	now := time.Now()
	d.own = health{alive: now, moved: now}
	for _, p := range d.peers() {
		p.heard = now
		go d.listen(p)
	}
	go d.watch()
	return d, warning, nil
}

// watch checks everything once per tick.
func (d *Dog) watch() {
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for last := time.Now(); ; {
		select {
		case <-d.stop:
			return
		case <-clock.C:
		}
		now := time.Now()
		d.look(now, now.Sub(last) > late)
		last = now
	}
}

// look sends this rank's state to its peers and checks the state of all known ranks.
func (d *Dog) look(now time.Time, slept bool) {
	state := d.heartbeat.State()
	limit := state.Limit
	if limit == 0 {
		limit = Default
	}
	d.mu.Lock()
	if slept {
		d.own.alive, d.own.moved = now, now
		for _, p := range d.peers() {
			p.heard = now
		}
	}
	d.own.see(state, now, processorTime())
	mine, silent := d.sum(now), d.silent(now, limit)
	var who *peer
	var why string
	switch {
	case d.ending || limit < 0:
	case silent != nil:
		who = silent
		why = fmt.Sprintf("%s has not answered for %v; last heard of %s: the process is stopped, or its node or network is down",
			who.name, now.Sub(who.heard).Round(time.Second), who.last.Self.text())
	case state.Limit > 0 && now.Sub(d.own.alive) > limit:
		why = fmt.Sprintf("%s is stuck %s: no progress for %v, a disk, a device or a file system does not respond",
			d.self.name(d.c.Rank()), d.report().text(), now.Sub(d.own.alive).Round(time.Second))
	case d.root && state.Limit > 0 && mine.Ranks == d.c.Size() && mine.Idle > 2*limit:
		why = fmt.Sprintf("no progress on any rank for %v, they wait for each other; furthest behind is %s %s: the network or the MPI library has lost a message",
			mine.Idle.Round(time.Second), mine.Behind.Name, mine.Behind.text())
	}
	d.mu.Unlock()
	if d.up != nil {
		d.up.send(mine)
	}
	for _, p := range d.down {
		p.send(beat{Self: mine.Self})
	}
	if why != "" {
		d.accuse(why, who)
	}
}

// see updates the heartbeat. Work other than steps counts as progress as long as it uses
// processor time: the triangles of a surface are not counted. A GPU that hangs keeps a
// processor busy, too, so for steps that is not a sign of progress.
func (h *health) see(s comm.State, now time.Time, cpu time.Duration) {
	busy := !s.Steps && !s.Waiting && cpu-h.cpu > tick/20
	if busy || s.Done != h.last.Done {
		h.moved = now
	}
	if busy || s.Waiting || s.Calls != h.last.Calls {
		h.alive = now
	}
	h.last, h.cpu = s, cpu
}

// processorTime returns the processor time that this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// silent returns a peer that has not been heard of for longer than the limit, or nil.
func (d *Dog) silent(now time.Time, limit time.Duration) *peer {
	for _, p := range d.peers() {
		if now.Sub(p.heard) > limit {
			return p
		}
	}
	return nil
}

// accuse reports a failure once to rank 0; who is the rank that has stopped, if it
// is one of the peers.
func (d *Dog) accuse(why string, who *peer) {
	d.mu.Lock()
	again := d.accused || d.ending
	d.accused, d.suspect = true, who
	d.mu.Unlock()
	if again {
		return
	}
	wait := time.Duration(0)
	switch {
	case d.root:
	case d.up == nil || who == d.up || !d.up.send(beat{Accuse: why}):
		wait = time.Duration(d.turn) * turn
	default: // rank 0 speaks; if it can't, another rank must
		wait = 4 * turn
	}
	if wait > 0 {
		time.AfterFunc(wait, func() { d.speak(why) })
		return
	}
	d.speak(why)
}

// speak reports why all ranks end, and ends them.
func (d *Dog) speak(why string) {
	if d.quiet(nil) {
		return
	}
	d.Speak(why + "; ending all ranks")
	d.killSuspect()
	d.End()
}

// Spoken informs the other ranks that this one has reported why it ends all of them.
func (d *Dog) Spoken() {
	if d != nil {
		d.quiet(nil)
	}
}

// quiet ends the watch, because one rank has spoken, and informs all peers but known, which reported it.
func (d *Dog) quiet(known *peer) (already bool) {
	d.mu.Lock()
	already, d.ending = d.ending, true
	d.mu.Unlock()
	for _, p := range d.peers() {
		if !already && p != known {
			p.send(beat{End: true})
		}
	}
	return already
}

// obey ends this rank on another one's message. The launcher is faster, unless it hangs.
func (d *Dog) obey(sender *peer) {
	if !d.quiet(sender) {
		d.killSuspect()
		time.AfterFunc(2*turn, d.End)
	}
}

// killSuspect kills a stopped process of this machine, which would otherwise remain.
// The launcher has had a moment to do so itself.
func (d *Dog) killSuspect() {
	d.mu.Lock()
	who := d.suspect
	d.mu.Unlock()
	if who != nil && who.place.Machine != "" && who.place.Machine == d.self.Machine && who.place.Names == d.self.Names {
		time.AfterFunc(turn*2/3, func() { _ = syscall.Kill(who.place.PID, syscall.SIGKILL) })
	}
}

// Done ends the watch of a completed job, on all ranks together. From
// then on they may exit.
func (d *Dog) Done() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	d.ending = true
	d.mu.Unlock()
	err := comm.Barrier(d.c)
	close(d.stop)
	d.close()
	return err
}

// peers returns the ranks at the other ends of connections.
func (d *Dog) peers() []*peer {
	if d.up == nil {
		return d.down
	}
	return append([]*peer{d.up}, d.down...)
}

func (d *Dog) close() {
	for _, p := range d.peers() {
		_ = p.conn.Close()
	}
}

// place is the location of a rank, and its address.
type place struct {
	Machine, Names string // Names is the PID namespace of PID
	Host           string
	PID            int
	Addresses      []string
	Port           int
	Token          string // of rank 0: a process without it is not a rank of this job
}

func (p place) name(rank int) string {
	return fmt.Sprintf("rank %d (process %d on %s)", rank, p.PID, p.Host)
}

// here returns the place of this process. Parts that cannot be read stay empty:
// then it has no neighbours.
func here() place {
	p := place{PID: os.Getpid(), Host: "?"}
	if host, err := os.Hostname(); err == nil {
		p.Host = host
	}
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		p.Machine = string(boot)
	}
	p.Names, _ = os.Readlink("/proc/self/ns/pid")
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			p.Addresses = append(p.Addresses, n.IP.String())
		}
	}
	return p
}
