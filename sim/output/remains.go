// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/config"
	"lbmsim/io/checkpoint"
	"lbmsim/io/status"
)

// Files of an earlier run in the output folder of a run that starts over.

// makeRoom implements Opening.Keep and Overwrite, which removes checkpoints, files of single
// steps, tables that the case no longer writes, and animations. All other outputs are overwritten.
func (s *Set) makeRoom(o Opening) error {
	switch {
	case o.Keep != nil:
		return s.priorResults(*o.Keep)
	case !o.Overwrite: // without --overwrite nothing is removed
		return nil
	}
	var errs []error
	old, err := checkpoint.Latest(s.Path(CheckpointDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	remove := slices.Concat(old, besideCheckpoints(s.Path(CheckpointDir)), s.stepFiles(), s.otherTables(), s.ownTables(), films(s), s.blowup()) // own tables may be links
	if err := s.inside(remove); err != nil {
		return err
	}
	for _, path := range remove {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// besideCheckpoints returns the files of levels and of sums of averages and surfaces in the folder of checkpoints, whatever the case has now.
func besideCheckpoints(dir string) (paths []string) {
	for _, pattern := range []string{filepath.Join(LevelDir, "level*_box*", "*.h5"), filepath.Join(AverageDir, "*.h5"), filepath.Join(AverageDir, LevelDir, "level*_box*", "*.h5"), filepath.Join(SurfaceDir, "*", "*.h5")} {
		files, _ := fs.Glob(os.DirFS(dir), pattern) // the pattern is well-formed
		for _, name := range files {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// films returns the animations of the case that exist: the next ones are made after the last step.
func films(s *Set) (paths []string) {
	for _, f := range s.Case.Films {
		for _, format := range config.FilmFormats() {
			path := s.Path(f.Name + "." + format)
			if _, err := os.Lstat(path); err == nil {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// ownTables returns the tables of the case that exist.
func (s *Set) ownTables() (paths []string) {
	for _, t := range with[tabular](s.List) {
		if _, err := os.Lstat(t.table().path); err == nil {
			paths = append(paths, t.table().path)
		}
	}
	return paths
}

// inside returns an error where a file to be removed is in another folder than the run's, behind a link: the results
// there may be another run's. Links above the output folder, for example to a larger disk, do not count.
func (s *Set) inside(paths []string) error {
	dir, err := filepath.Abs(s.Path())
	if err != nil {
		return err
	}
	up, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return err
	}
	home := filepath.Join(up, filepath.Base(dir))
	for _, path := range paths {
		real, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return err
		}
		if real, err = filepath.Abs(real); err != nil {
			return err
		}
		if real != home && !strings.HasPrefix(real, home+string(filepath.Separator)) {
			return fmt.Errorf("--overwrite would remove %s, which is in %s: %s is reached through a link, and the results there may belong to another run; remove the link, or pass the folder itself as --output", path, real, s.Path())
		}
	}
	return nil
}

// spare returns an error where a run would overwrite one of its inputs, or a new run over a file that no run has written.
func (s *Set) spare(o Opening) error {
	own := slices.Concat(s.ownTables(), s.stepFiles(), []string{s.Path(status.Name)})
	inputs := []string{s.Case.Path}
	for _, in := range s.View.Part.Inputs {
		inputs = append(inputs, in.Path)
	}
	for _, path := range own {
		for _, in := range inputs {
			if sameFile(path, in) {
				return fmt.Errorf("the run would overwrite its input %s, as %s: choose another folder with --output", in, path)
			}
		}
	}
	if !o.FromStart {
		return nil
	}
	old, _ := checkpoint.Latest(s.Path(CheckpointDir)) // makeRoom returns the error of an unreadable folder
	var indices []string
	for _, o := range with[seriesWriter](s.List) {
		indices = append(indices, o.indexed().Indices()...)
	}
	for _, path := range slices.Concat(s.ownTables(), s.stepFiles(), old, indices, []string{s.Path(BlowupText), s.Path(BlowupJSON)}) {
		if err := foreign(path); err != nil {
			return err
		}
	}
	if head := headOf(s.Path(status.Name), 1); len(head) > 0 {
		if old, err := status.Read(s.Path()); err != nil || old.Phase == "" {
			return fmt.Errorf("%s is not the state of a run, and the run would overwrite it: move it away, or choose another folder with --output", s.Path(status.Name))
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	ia, err := os.Stat(a)
	if err != nil {
		return false
	}
	ib, err := os.Stat(b)
	return err == nil && os.SameFile(ia, ib)
}

// Results are the traces of an earlier run in the output folder.
type Results struct {
	Of   string // "a run", or a more precise description
	File string // one of its files; "": none is known
}

// priorResults returns an error where there are results.
func (s *Set) priorResults(old Results) error {
	found := old.File
	if report := s.blowup(); len(report) > 0 {
		found = report[len(report)-1]
	}
	for _, t := range with[tabular](s.List) {
		if _, err := os.Stat(t.table().path); err == nil {
			found = t.table().path
		}
	}
	if files := s.stepFiles(); len(files) > 0 {
		found = files[len(files)-1]
	}
	resume := ""
	if old, err := checkpoint.Latest(s.Path(CheckpointDir)); err == nil && len(old) > 0 {
		found = old[0]
		resume = "\n  --restart latest   to resume from its last checkpoint, " + filepath.Base(found)
	}
	if found == "" {
		return nil
	}
	return fmt.Errorf("the folder %s contains the results of %s (%s); use%s\n  --output FOLDER    to write elsewhere\n  --overwrite        to start over and delete them",
		s.Path(), old.Of, found, resume)
}

// stepFiles returns the files of single steps, of any run, that are called as the run's own.
func (s *Set) stepFiles() (paths []string) {
	for _, o := range with[numberedFiles](s.List) {
		paths = append(paths, o.stepFiles()...)
	}
	return paths
}

// otherTables returns the tables that a run of another case wrote: the case in the head of such a file has an
// output of its name. A copy under another name, and files that lbmsim did not make, stay.
func (s *Set) otherTables() (paths []string) {
	own := map[string]bool{}
	for _, t := range with[tabular](s.List) {
		own[filepath.Base(t.table().path)] = true
	}
	all, _ := os.ReadDir(s.Path())
	for _, f := range all {
		output, isTable := strings.CutSuffix(f.Name(), ".csv")
		kind, name, _ := strings.Cut(output, "_")
		if path := s.Path(f.Name()); isTable && !own[f.Name()] && f.Type().IsRegular() && headHas(path, "[output."+writerOf(kind)+"."+name+"]") {
			paths = append(paths, path)
		}
	}
	return paths
}

// headHas reports whether the comments on top of a table of lbmsim have a line.
func headHas(path, line string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	lines, inCase := bufio.NewScanner(f), false
	for n := 0; lines.Scan(); n++ {
		text, isComment := strings.CutPrefix(lines.Text(), "# ")
		switch {
		case !isComment && lines.Text() != "#", n == 0 && !strings.HasPrefix(text, "lbmsim "):
			return false
		case text == CaseMark:
			inCase = true
		case inCase && text == line:
			return true
		}
	}
	return false
}
