// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/comm"
	"lbmsim/internal/finding"
	"lbmsim/io/fields"
	"lbmsim/io/probe"
	"lbmsim/io/status"
	"lbmsim/sim/exit"
)

// folder is the output folder, on rank 0.
type folder struct{ lock *os.File }

func (f *folder) release() {
	if f.lock != nil {
		f.lock.Close()
	}
}

// Holds reports whether this rank has locked the output folder.
func (s *Set) Holds() bool { return s.folder.lock != nil }

// Opening holds the options with which a run opens its outputs.
type Opening struct {
	FromStart bool    // no checkpoint was asked for, not even if there is one
	Memory    *Memory // of the checkpoint that the run resumes from; nil: it starts at step 0
	// Of a run that starts over, on rank 0: Keep refuses where the output folder has results of
	// another run, Overwrite removes those that would lie among the new ones.
	Keep      *Results
	Overwrite bool
	// Held is called on rank 0 when the folder is this run's, before any file is opened.
	Held func()
}

// Open makes the folders and opens the files of rows on rank 0; the indices of series of
// files drop what comes after the present step. Collective.
func (s *Set) Open(o Opening) error {
	var err error
	if s.Rank.Root {
		err = s.openFolders()
	}
	if err := s.All("opening the outputs", err); err != nil {
		return err
	}
	if len(s.List) > 0 {
		if s.Rank.Root {
			err = s.spare(o)
		}
		if s.Rank.Root && err == nil && o.FromStart {
			err = s.makeRoom(o)
		}
		if err := comm.Agree(s.Rank.Comm, err); err != nil {
			return exit.Agreed(exit.Usage, err)
		}
	}
	if s.Rank.Root {
		err = s.openFiles(o)
	}
	if err := s.All("opening the outputs", err); err != nil {
		return err
	}
	for _, f := range with[seriesWriter](s.List) {
		step, when := int64(s.Step()), f.When()
		if o.Memory == nil {
			step = -1
		} else if s.Rank.Root {
			s.rebuild(f.indexed())
		}
		if err := f.indexed().Rewind(s.Rank.Comm, step, when.Due(s.Step()) && s.Step() >= when.From); err != nil {
			return exit.Agreed(exit.Failure, err)
		}
		if s.Rank.Root {
			s.warnOfOlder(f.indexed())
		}
	}
	return nil
}

// rebuild restores a damaged index, on rank 0.
func (s *Set) rebuild(f fields.Series) {
	wrong, err := f.Rebuild()
	if wrong != "" {
		s.Rank.Warn(finding.IndexRebuilt.Says("%s", wrong))
	}
	if err != nil {
		s.Rank.Warn(finding.IndexRebuilt.Says("the index %s: skipped: %v", f.Index(), err))
	}
}

// warnOfOlder warns of a film that is not of one kind.
func (s *Set) warnOfOlder(f fields.Series) {
	if n, err := f.Older(); err == nil && n > 0 { // Rewind has read it just now
		s.Rank.Warn(finding.OldFiles.Says("%s has %d files of an older version, with point data instead of cell data: an animation jumps where the new files start, and the .xdmf index beside it lists the new files only; for a consistent animation rerun the case, or resume into another folder (--restart FILE --output FOLDER)", f.Index(), n))
	}
}

// openFolders makes the folders and locks out other runs.
func (s *Set) openFolders() (err error) {
	for _, o := range s.List {
		dir := s.Path()
		if p, ok := o.(placed); ok {
			dir = p.folder()
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("the output folder: %w", err)
		}
	}
	if len(s.List) > 0 {
		s.folder.lock, err = hold(s.Path())
	}
	return err
}

func (s *Set) openFiles(o Opening) error {
	if s.Holds() {
		o.Held()
		s.keepInputs()
		s.sweep()
	}
	for _, t := range with[tabular](s.List) {
		var file *probe.Writer
		var err error
		if o.Memory == nil {
			file, err = newTable(s.Run, t)
		} else {
			file, err = s.resumeTable(t, o.Memory)
		}
		if err != nil {
			return err
		}
		t.table().file = file
		s.Files.last[t.table().kind] = t.table().path
	}
	return nil
}

// keepInputs makes copies of the files that the case names, on rank 0.
func (s *Set) keepInputs() {
	for _, in := range s.View.Part.Inputs {
		if err := keepInput(in, s.Path(InputDir)); err != nil {
			s.Rank.Warn(finding.InputCopy.Says("cannot copy %s to the outputs; `lbmsim reproduce` needs it to repeat the run: %v", in.Shown, err))
		}
	}
}

// names reports whether a run writes a file of this name in the output folder under a temporary name first.
func names(file string) bool {
	picture, _ := filepath.Match("*_[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].png", file)
	return picture || file == status.Name
}

// sweep removes the unfinished files that a killed run has left in the output folder;
// those below it belong to packages that do the same.
func (s *Set) sweep() {
	left, _ := os.ReadDir(s.Path()) // not Glob: the folder's name may be a pattern
	for _, f := range left {
		name, hidden := strings.CutPrefix(f.Name(), ".")
		name, part := strings.CutSuffix(name, ".part")
		if hidden && part && f.Type().IsRegular() && names(name) {
			os.Remove(s.Path(f.Name()))
		}
	}
}
