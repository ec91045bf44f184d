// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"syscall"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/exit"
)

// A run whose files cannot be written stops, or continues without them,
// as on_error of [output] and [checkpoint] sets. At its end it fails in any case, since
// there is no next time.

// faults records the files that a run could not write.
type faults struct {
	counts map[string]int // by kind of file, of files that the run continued without
	disk   bool           // the run ends because of one
	ending bool           // the last outputs are being written
}

// rowsOfCheckpoint is the kind of a checkpoint that fails because the rows that it counts
// are not on disk.
const rowsOfCheckpoint = "rows before a checkpoint"

// left returns the number of files that the run continued without.
func (f *faults) left() (n int) {
	for _, k := range f.counts {
		n += k
	}
	return n
}

// LeftOut returns the number of files of each kind that the run continued without.
func (f *Files) LeftOut() map[string]int { return maps.Clone(f.faults.counts) }

// continues reports whether on_error lets the run continue without a kind of file.
func (f *Files) continues(kind string) bool {
	c := f.view.Case
	switch kind {
	case aCheckpoint, besideCheckpoint, aPatch, besidePatch, besideSurface:
		return c.Checkpoint.Continue
	case rowsOfCheckpoint:
		return c.Continue && c.Checkpoint.Continue
	}
	return c.Continue
}

// Missed decides about a file that could not be written: nil when the run continues without
// it. All ranks have the same error.
func (f *Files) Missed(kind string, err error) error {
	if err == nil || !exit.IsAgreed(err) {
		return err
	}
	if f.faults.ending || !f.continues(kind) {
		f.faults.disk = true
		return err
	}
	if f.faults.counts == nil {
		f.faults.counts = map[string]int{}
	}
	f.faults.counts[kind]++
	if f.view.Rank.Root {
		f.view.Rank.Warn(finding.FileSkipped.Says("%v; the run continues without it (on_error), %d skipped so far", err, f.faults.counts[kind]))
	}
	return nil
}

// ofFiles reports whether the errors of all ranks come from the system's calls for files.
// Others, of a device or of lbmsim itself, end the run. Collective.
func (f *Files) ofFiles(mine error) (bool, error) {
	table := []int64{0}
	var number syscall.Errno
	var path *fs.PathError
	if mine != nil && !errors.As(mine, &number) && !errors.As(mine, &path) {
		table[0] = 1
	}
	err := comm.Max(f.view.Rank.Comm, table)
	return table[0] == 0, err
}

// Advise adds to the error of a run that a file has ended how to resume it; restart is the
// checkpoint that the run began from, "" for none.
func (s *Set) Advise(err error, restart string) error {
	f := s.Files
	if !f.faults.disk || !s.Case.Checkpoint.On {
		return err
	}
	last := f.last[aCheckpoint]
	if last == "" {
		last = restart
	}
	gone := ""
	if _, err := os.Stat(last); last != "" && errors.Is(err, fs.ErrNotExist) { // a failing disk gives another error
		gone, last = last, ""
		if left, err := checkpoint.Latest(s.Path(CheckpointDir)); err == nil && len(left) > 0 && checkpoint.Look(left[0]) == nil {
			last = left[0]
		}
	}
	help := "there is no checkpoint yet"
	if gone != "" {
		help = fmt.Sprintf("the last good checkpoint, %s, is missing, and there is no other", gone)
	}
	if last != "" {
		help = fmt.Sprintf("the last good checkpoint is %s; once the disk problem is fixed, resume with: %s", last, config.ResumeCommand(s.Case))
	}
	code, _ := exit.Code(err)
	return exit.With(code, fmt.Errorf("%w\n  %s", err, help))
}
