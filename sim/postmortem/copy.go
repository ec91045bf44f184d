// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package postmortem

import (
	"time"

	"lbmsim/comm"
	"lbmsim/internal/ram"
)

// What ends an unstable run is found by the watch, many steps and cells after it began. So a run
// keeps a copy of a good state in the host's memory, and goes back to it: a step is a pure function
// of the state, so the same failure recurs, with a check at every step.

// keep is a good state, and the other input of its steps.
type keep struct {
	wanted bool   // [run] forensics
	room   bool   // on every rank there is memory for image
	image  []byte // of this rank's own cells; what it holds counts while at >= 0
	at     int    // its step, -1: no copy
	taken  time.Time
	cost   time.Duration
	Circumstances
}

const (
	// Copies are so rare that they take less than a hundredth of the time.
	copyShare = 100
	copyEvery = 5 * time.Second
	// firstCopy is the presumed speed of the first copy in bytes per second: the system clears the
	// memory on the way (5.4 GB from an H200 took 1.2 s).
	firstCopy = 4 << 30
	// replayLimit is the longest computing time after which a run without a copy is recomputed.
	replayLimit = 5 * time.Minute
)

// FindRoom decides on all ranks whether copies are kept: if the ranks of a machine use at most half
// of its free memory for them. Collective.
func (s *Search) FindRoom() error {
	k := &s.kept
	*k = keep{wanted: s.Case.Run.Forensics, at: -1, taken: time.Now(), cost: time.Duration(s.bytes()) * time.Second / firstCopy}
	if !k.wanted {
		return nil
	}
	_, neighbours := comm.LocalRank(s.Rank.Comm)
	lack := []int64{0}
	if 2*int64(s.bytes()) > ram.Rest(neighbours) {
		lack[0] = 1
	}
	err := comm.Max(s.Rank.Comm, lack)
	k.room = lack[0] == 0
	return err
}

// bytes returns the size of a copy: of the rank's part of the domain, or of all its patches.
func (s *Search) bytes() (n int) {
	if s.View.Refined == nil {
		return s.View.Part.Bytes()
	}
	for _, p := range s.View.Refined.Patches {
		n += p.Part.Bytes()
	}
	return n
}

// HasRoom reports whether copies are kept.
func (s *Search) HasRoom() bool { return s.kept.room }

// Age returns the time since the last copy, and its cost.
func (s *Search) Age() (since, cost time.Duration) { return time.Since(s.kept.taken), s.kept.cost }

// Due reports whether another copy is due, from the largest of all ranks' Ages, in nanoseconds.
func (s *Search) Due(since, cost int64) bool { return s.kept.due(since, cost) }

func (k *keep) due(since, cost int64) bool {
	return k.room && since >= max(int64(copyEvery), copyShare*cost)
}

// Keep copies the present state. Collective.
func (s *Search) Keep() error {
	k, began := &s.kept, time.Now()
	if k.image == nil {
		k.image = make([]byte, s.bytes())
	}
	k.at = -1
	c, err := s.steps.Save(k.image)
	if err := s.All("copying the state", err); err != nil {
		return err
	}
	k.at, k.Circumstances = s.Step(), c
	k.taken, k.cost = time.Now(), time.Since(began)
	return nil
}

// replayable reports whether a run that began at a step has a state to go back to.
func (s *Search) replayable(elapsed time.Duration, first int) bool {
	return s.kept.wanted && (s.kept.at >= 0 || first == 0 && elapsed <= replayLimit)
}

// Back makes the state that was kept the present one, or the initial one where none was.
// Collective.
func (s *Search) Back() error {
	if s.kept.at < 0 {
		return s.steps.Back(nil, Circumstances{})
	}
	return s.steps.Back(s.kept.image, s.kept.Circumstances)
}
