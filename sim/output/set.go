// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lbmsim/decomp"
	"lbmsim/sim/exit"
)

// Set is the outputs of a run and their folder.
type Set struct {
	*Run
	List      []Output // in the order in which they are written within a step
	Spent     float64  // seconds that steps have waited for outputs
	folder    folder
	missed    map[Output]bool // a file was missed when the output was written last
	rowsState int64           // RowsFail when it was judged last
	frozen    *frozen         // the state that turning views show; nil: none
	Rays      besideSteps
}

// New lists the outputs of the case.
func New(r *Run) *Set {
	s := &Set{Run: r, missed: map[Output]bool{}}
	for _, kind := range kinds() {
		s.List = append(s.List, kind(s)...)
	}
	return s
}

// Prepare takes memory that outputs need, before the first step, and warns of outputs that sample nothing. Collective.
func (s *Set) Prepare() error {
	s.warnOfNoWalls()
	for _, o := range with[prepared](s.List) {
		if err := o.prepare(s.Run); err != nil {
			return err
		}
	}
	return nil
}

// Next returns the first step after n at which an output is due.
func (s *Set) Next(n int) int {
	next := n + 1<<30
	for _, o := range s.List {
		next = min(next, o.When().Next(n))
	}
	return next
}

// Snaps reports the cells, local, of which an output takes a snapshot at step n.
func (s *Set) Snaps(n int) (box decomp.Box, ok bool) {
	for _, o := range with[snapping](s.List) {
		if o.When().Due(n) {
			return o.snaps(s.Run)
		}
	}
	return box, false
}

// Due writes the outputs due at the present step. Collective.
func (s *Set) Due() error {
	for _, o := range s.List {
		if o.When().Due(s.Step()) {
			if err := s.Write(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// Write writes an output and counts the time that the run waits for it. Collective.
func (s *Set) Write(o Output) error {
	began := time.Now()
	s.Rank.Heartbeat.Doing("taking an output")
	err := s.write(o)
	s.Spent += time.Since(began).Seconds()
	return err
}

func (s *Set) write(o Output) error {
	s.Files.begun = time.Now()
	left := s.Files.faults.left()
	if err := s.State.Fill(); err != nil {
		return fmt.Errorf("rank %d: cells beside the rank's own at step %d: %w", s.Rank.ID, s.Step(), err)
	}
	err := o.Write(s.Run)
	s.missed[o] = s.Files.faults.left() > left
	return err
}

// Last writes the outputs due at the end, after which there is no next time, and waits until
// all files are on disk. Collective.
func (s *Set) Last(why Occasion) error {
	// Checkpoints first: rows that are due only because the run ends here do not
	// belong to a run that is resumed.
	s.Files.faults.ending = true
	var failed error // a failed file must not keep the others from the disk
	for _, o := range slices.Backward(s.List) {
		due := o.DueOn(why) && s.Step() >= o.When().From && o.Written() != s.Step()
		if due || o.Written() == s.Step() && s.missed[o] { // there is no next time for it
			// A checkpoint has its name before the next file may fill the disk.
			err := s.Files.CommitThrough(aCheckpoint)
			if exit.IsAgreed(err) {
				err = errors.Join(err, s.write(o))
			}
			if err != nil {
				failed = errors.Join(failed, err)
			}
			if !exit.IsAgreed(err) {
				return failed
			}
		}
	}
	for _, end := range []func() error{s.Files.CommitAll, s.syncTables} {
		if err := end(); err != nil {
			failed = errors.Join(failed, err)
			if !exit.IsAgreed(err) {
				return failed
			}
		}
	}
	return failed
}

// LastFields writes the fields that show the trouble of this step, and all earlier files, to
// disk. Collective.
func (s *Set) LastFields() (files error) {
	for _, o := range s.List {
		if o.DueOn(Unstable) && o.Written() != s.Step() {
			files = errors.Join(files, s.Write(o))
		}
	}
	files = errors.Join(files, s.Files.CommitAll())
	if exit.IsAgreed(files) {
		files = errors.Join(files, s.syncTables())
	}
	return files
}

// Recall continues from the record of the checkpoint at a path. Collective.
func (s *Set) Recall(path string, m *Memory) error {
	s.recalled, s.averagesFrom = nil, m.AveragesFrom
	for _, c := range with[*checkpoints](s.List) {
		c.resumed = path
	}
	for _, o := range with[remembered](s.List) {
		if err := o.recall(s.Run, path, m); err != nil {
			return err
		}
	}
	for _, w := range s.recalled {
		s.Rank.Warn(w)
	}
	return nil
}

// Close closes all files; the folder is free for others.
func (s *Set) Close() {
	thaw(s)
	s.Rays.running.Wait() // it reads the device's memory
	for _, f := range with[seriesWriter](s.List) {
		if s.Holds() { // otherwise the folder is another run's
			f.indexed().Close()
		}
	}
	for _, o := range s.List {
		o.Close()
	}
}

// Release lets other runs have the folder.
func (s *Set) Release() { s.folder.release() }
