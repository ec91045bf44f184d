package output

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"syscall"

	"lbmsim/comm"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/exit"
)

// What becomes of a run whose files cannot be written: it stops, or goes on without them,
// as on_error of [output] and [checkpoint] says. At its end it fails in any case, for
// there is no next time.

// faults are what a run knows of files that it could not write.
type faults struct {
	counts map[string]int // by kind of file, of those that the run went on without
	disk   bool           // the run ends because of one
	ending bool           // the last outputs are being written
}

// rowsOfCheckpoint is the kind of a checkpoint that fails because the rows that it counts
// are not on disk.
const rowsOfCheckpoint = "rows before a checkpoint"

// left is how many files the run went on without.
func (f *faults) left() (n int) {
	for _, k := range f.counts {
		n += k
	}
	return n
}

// LeftOut is how many files of each kind the run went on without.
func (f *Files) LeftOut() map[string]int { return maps.Clone(f.faults.counts) }

// goesOn reports what on_error says of a kind of file.
func (f *Files) goesOn(kind string) bool {
	c := f.view.Case
	switch kind {
	case aCheckpoint, besideCheckpoint:
		return c.Checkpoint.GoOn
	case rowsOfCheckpoint:
		return c.GoOn && c.Checkpoint.GoOn
	}
	return c.GoOn
}

// Missed decides about a file that could not be written: nil when the run goes on without
// it. All ranks have the same error.
func (f *Files) Missed(kind string, err error) error {
	if err == nil || !exit.IsAgreed(err) {
		return err
	}
	if f.faults.ending || !f.goesOn(kind) {
		f.faults.disk = true
		return err
	}
	if f.faults.counts == nil {
		f.faults.counts = map[string]int{}
	}
	f.faults.counts[kind]++
	if f.view.Root {
		f.view.Warn(finding.FileSkipped.Says("%v; the run goes on without it (on_error), %d left out by now", err, f.faults.counts[kind]))
	}
	return nil
}

// ofFiles is collective: do the errors that ranks have all come from the system's calls for
// files? Others, of a device or of the program itself, end the run.
func (f *Files) ofFiles(mine error) (bool, error) {
	table := []int64{0}
	var number syscall.Errno
	var path *fs.PathError
	if mine != nil && !errors.As(mine, &number) && !errors.As(mine, &path) {
		table[0] = 1
	}
	err := comm.Max(f.view.Comm, table)
	return table[0] == 0, err
}

// Advise adds to the error of a run that a file has ended how to go on; restart is the
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
	if _, err := os.Stat(last); last != "" && errors.Is(err, fs.ErrNotExist) { // a disk that fails says something else
		gone, last = last, ""
		if left, err := checkpoint.Latest(s.Path(CheckpointDir)); err == nil && len(left) > 0 && checkpoint.Look(left[0]) == nil {
			last = left[0]
		}
	}
	help := "there is no checkpoint yet"
	if gone != "" {
		help = fmt.Sprintf("the last good checkpoint, %s, is gone, and there is no other", gone)
	}
	if last != "" {
		help = fmt.Sprintf("the last good checkpoint is %s; once the disk is well, go on with: lbmsim run %q --output %q --restart latest", last, s.Case.Path, s.Case.OutputDir)
	}
	code, _ := exit.Code(err)
	return exit.With(code, fmt.Errorf("%w\n  %s", err, help))
}
