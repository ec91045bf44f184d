// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lbmsim/internal/finding"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// Files lists the files that this rank's goroutines write to disk while the steps continue, and the outcome of earlier ones.
type Files struct {
	view    derive.View
	wrote   func(kind, path string) // informs rank 0's reporter
	pending []*pendingFile
	begun   time.Time                // the output that is being written
	took    map[string]time.Duration // the longest that a file of each kind took
	last    map[string]string        // the path of the last file of each kind
	faults  faults
}

// NewFiles makes an empty list; wrote is called on rank 0 with each file that is whole on disk.
func NewFiles(v derive.View, wrote func(kind, path string)) *Files {
	return &Files{view: v, wrote: wrote, took: map[string]time.Duration{}, last: map[string]string{}}
}

// pendingFile is a file that a goroutine is writing from a snapshot while the steps continue. Goroutines make no MPI calls; the
// file becomes valid in commit, which is collective.
type pendingFile struct {
	kind   string
	path   string
	done   atomic.Bool
	commit func(failed error) error // collective
	step   int
	failed error // of the writing part
	begun  time.Time
	took   time.Duration // until this rank's part was on disk
	ended  chan struct{}
}

// Launch starts to write a file in the background: write is this rank's part, commit agrees on what failed there and makes
// the file valid once all parts are on disk. Collective, but for write.
func (f *Files) Launch(kind, path string, commit func(failed error) error, write func() error) {
	p := &pendingFile{kind: kind, path: path, commit: commit, step: f.view.Step(), begun: f.begun, ended: make(chan struct{})}
	f.pending = append(f.pending, p)
	go func() {
		defer close(p.ended)
		p.failed = rank.Guarded(write)
		p.took = time.Since(p.begun)
		p.done.Store(true)
	}()
}

// Busy reports whether a file of this rank is still being written.
func (f *Files) Busy() bool {
	return slices.ContainsFunc(f.pending, func(p *pendingFile) bool { return !p.done.Load() })
}

// commit makes the pending files that wanted picks valid, in the order they were
// begun; on each rank it waits for that rank's part. Collective: all ranks have the
// same files.
func (f *Files) commit(wanted func(*pendingFile) bool) error {
	var ready, others []*pendingFile
	for _, p := range f.pending {
		if wanted(p) {
			ready = append(ready, p)
		} else {
			others = append(others, p)
		}
	}
	f.pending = others
	var failed error
	for _, p := range ready {
		if err := f.commitOne(p); err != nil {
			failed = errors.Join(failed, err)
			if !exit.IsAgreed(err) {
				return failed
			}
		}
	}
	return failed
}

// commitOne returns nil where the run continues without the file.
func (f *Files) commitOne(p *pendingFile) error {
	f.view.Rank.Heartbeat.Doing("writing " + p.kind + ": " + p.path)
	f.await(p)
	ready := time.Now()
	err := exit.AtStep(p.step, p.kind, p.commit(p.failed))
	if err != nil && exit.IsAgreed(err) {
		switch isFile, e := f.ofFiles(p.failed); {
		case e != nil:
			return errors.Join(err, e)
		case isFile:
			return f.Missed(p.kind, err)
		}
	}
	if err != nil {
		return err
	}
	if p.kind == aPatch || p.kind == besidePatch || p.kind == besideSurface { // the checkpoint's own file is reported
		kind := filepath.Dir(p.path) // each box takes its time
		f.took[kind] = max(f.took[kind], p.took+time.Since(ready))
		return nil
	}
	f.took[p.kind] = max(f.took[p.kind], p.took+time.Since(ready))
	f.last[p.kind] = p.path
	if f.view.Rank.Root {
		f.wrote(p.kind, p.path)
	}
	return nil
}

// CommitKind waits for the last file of a kind before the next one begins, so that
// memory and unfinished files stay bounded when the disk is slower than the run.
// Collective, as all that commits files.
func (f *Files) CommitKind(kind string) error {
	return f.commit(func(p *pendingFile) bool { return p.kind == kind })
}

// CommitSeries waits, as CommitKind does, for files of a kind whose paths begin so: others are painted meanwhile.
func (f *Files) CommitSeries(kind, path string) error {
	return f.commit(func(p *pendingFile) bool { return p.kind == kind && strings.HasPrefix(p.path, path) })
}

// CommitThrough waits, as CommitKind does, and also commits all files begun before the last one of the kind.
// Checkpoints must not be valid before them: a run that resumes from one does not write them again.
// Nor may checkpoints wait until no file is being written, which may never happen: fields that
// follow each other on a slow disk take them along.
func (f *Files) CommitThrough(kind string) error {
	n := len(f.pending)
	for n > 0 && f.pending[n-1].kind != kind {
		n--
	}
	turn := slices.Clone(f.pending[:n])
	return f.commit(func(p *pendingFile) bool { return slices.Contains(turn, p) })
}

// CommitAll waits for all files.
func (f *Files) CommitAll() error { return f.commit(func(*pendingFile) bool { return true }) }

// Last returns the path of the last file of each kind.
func (f *Files) Last() map[string]string { return maps.Clone(f.last) }

// presumed speed of the disk, bytes a second, until a checkpoint has been written.
const presumed = 500e6

// Expected returns the expected time for writing a file of each kind, one after the
// other: the sum of the longest times of the kinds on this rank.
func (f *Files) Expected() (sum time.Duration) {
	for _, took := range f.took {
		sum += took
	}
	c := f.view.Case
	if _, known := f.took[aCheckpoint]; c.Checkpoint.On && !known {
		bytes := float64(f.view.Stored()) * float64(c.Spec.Components()*c.Spec.Precision.Bytes())
		sum += time.Duration(bytes / presumed * 1e9)
	}
	return sum
}

// patience is the time that a rank waits for the disk before it reports the wait, and then twice
// as long. Whether it waits indefinitely is the watchdog's to decide.
const patience = 30 * time.Second

// await waits for this rank's part of a file.
func (f *Files) await(p *pendingFile) {
	for limit, start := patience, time.Now(); ; limit *= 2 {
		select {
		case <-p.ended:
			return
		case <-time.After(limit):
		}
		text := fmt.Sprintf("step %d: rank %d has waited %v for the disk to write %s of step %d: %s", f.view.Step(), f.view.Rank.ID, time.Since(start).Round(time.Second), p.kind, p.step, p.path)
		if f.view.Rank.Root {
			f.view.Rank.Warn(finding.FileSlow.Says("%s", text))
		} else {
			fmt.Fprintln(os.Stderr, "lbmsim: warning:", text)
		}
	}
}
