// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// attack is a planned kill.
type attack struct {
	target string
	moment string
	after  time.Duration // since the start; with a folder, since the event
	folder string
	event  uint32 // of inotify
	count  int    // number of these events to wait for
	choice uint64
	watch  int // of inotify
}

func (a *attack) String() string {
	if a == nil {
		return "not attacked"
	}
	return fmt.Sprintf("kill of %s, %s", a.target, a.moment)
}

// Targets of kills.
const (
	oneRank    = "a rank"
	allRanks   = "all ranks"
	launcher   = "the launcher"
	everything = "everything"
)

// plan chooses target and time. Half of the kills wait for an event in an output folder: a file is
// created, renamed or removed.
func (s *soak) plan(dir string) (*attack, error) {
	targets := []string{oneRank, oneRank, allRanks, launcher, everything}
	a := &attack{target: targets[s.random.IntN(len(targets))], choice: s.random.Uint64(), watch: -1}
	switch s.random.IntN(6) {
	case 0:
		a.moment, a.after = "at the start", s.within(s.lasts/3)
	case 1, 2:
		a.moment, a.after = "at any time", s.within(s.lasts)
	default:
		folders := []string{"checkpoints", "checkpoints", "checkpoints/averages", "checkpoints/levels/level1_box1", "fields", "averages"}
		a.folder = filepath.Join(dir, "out", "case", folders[s.random.IntN(len(folders))])
		events := []struct {
			name  string
			event uint32
		}{{"begun", syscall.IN_CREATE}, {"written", syscall.IN_MODIFY}, {"named", syscall.IN_MOVED_TO}, {"removed", syscall.IN_DELETE}}
		e := events[s.random.IntN(len(events))]
		a.moment, a.event = "a file is "+e.name, e.event
		a.count = 1 + s.random.IntN(12)
		if s.random.IntN(2) == 0 {
			a.after = s.within(4 * time.Millisecond)
		}
		if err := os.MkdirAll(a.folder, 0o777); err != nil {
			return nil, err
		}
		var err error
		if a.watch, err = syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK); err != nil {
			return nil, err
		}
		if _, err = syscall.InotifyAddWatch(a.watch, a.folder, a.event); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// within returns a random time below d.
func (s *soak) within(d time.Duration) time.Duration {
	return time.Duration(s.random.Int64N(int64(d)))
}

// carryOut kills and reports whether a process was hit. A nil attack does nothing.
func (a *attack) carryOut(l *leg) bool {
	if a == nil {
		return false
	}
	if a.watch >= 0 {
		defer syscall.Close(a.watch)
		for events := 0; events < a.count; events += a.events() {
			select {
			case <-l.ended:
				return false
			case <-time.After(50 * time.Microsecond):
			}
		}
		time.Sleep(a.after)
	} else {
		select {
		case <-l.ended:
			return false
		case <-time.After(time.Until(l.began.Add(a.after))):
		}
	}
	return a.strike(l)
}

// events counts the events in the folder since the last call.
func (a *attack) events() (count int) {
	var b [4096]byte
	n, err := syscall.Read(a.watch, b[:])
	for at := 0; err == nil && at+syscall.SizeofInotifyEvent <= n; count++ {
		name := binary.NativeEndian.Uint32(b[at+12:])
		at += syscall.SizeofInotifyEvent + int(name)
	}
	return count
}

// strike kills the attack's target.
func (a *attack) strike(l *leg) (hit bool) {
	var ranks, others []int
	for _, p := range l.processes() {
		if p.rank {
			ranks = append(ranks, p.pid)
		} else {
			others = append(others, p.pid)
		}
	}
	victims := ranks
	switch {
	case a.target == everything:
		victims = append(others, ranks...)
	case a.target == launcher && l.ranks > 0 || len(ranks) == 0: // the launcher may not have started ranks yet
		victims = []int{l.cmd.Process.Pid}
	case a.target == oneRank:
		victims = ranks[a.choice%uint64(len(ranks)):][:1]
	}
	select {
	case <-l.ended: // its pid may have been reused
		return false
	default:
	}
	for _, pid := range victims {
		hit = syscall.Kill(pid, syscall.SIGKILL) == nil || hit
	}
	l.killed = time.Now()
	return hit
}
