package output

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/io/checkpoint"
)

// What an earlier run has left in the output folder of one that begins anew.

// makeRoom does what Opening.Keep and Overwrite say: that removes checkpoints, files of single
// steps and tables that the case no longer writes. All else is written over.
func (s *Set) makeRoom(o Opening) error {
	switch {
	case o.Keep != nil:
		return s.priorResults(*o.Keep)
	case !o.Overwrite: // who asks for nothing removes nothing
		return nil
	}
	var errs []error
	old, err := checkpoint.Latest(s.Path(CheckpointDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	for _, path := range append(append(old, s.stepFiles()...), s.otherTables()...) {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// Results are what is known of an earlier run in the output folder.
type Results struct {
	Of   string // "a run", or more about it
	File string // one of its files; "": none is known
}

// priorResults is an error where there are results.
func (s *Set) priorResults(old Results) error {
	found := old.File
	for _, t := range with[tabular](s.List) {
		if _, err := os.Stat(t.table().path); err == nil {
			found = t.table().path
		}
	}
	if files := s.stepFiles(); len(files) > 0 {
		found = files[len(files)-1]
	}
	goOn := ""
	if old, err := checkpoint.Latest(s.Path(CheckpointDir)); err == nil && len(old) > 0 {
		found = old[0]
		goOn = "\n  --restart latest   to go on from its last checkpoint, " + filepath.Base(found)
	}
	if found == "" {
		return nil
	}
	return fmt.Errorf("the folder %s holds the results of %s (%s); give%s\n  --output FOLDER    to write elsewhere\n  --overwrite        to begin anew and lose them",
		s.Path(), old.Of, found, goOn)
}

// stepFiles are the files of single steps, of any run, that are called as the run's own.
func (s *Set) stepFiles() (paths []string) {
	for _, o := range with[numberedFiles](s.List) {
		paths = append(paths, o.stepFiles()...)
	}
	return paths
}

// otherTables are those that a run of another case wrote: the case in the head of such a file has an
// output of its name. A copy under another name, and what anybody else made, stay.
func (s *Set) otherTables() (paths []string) {
	own := map[string]bool{}
	for _, t := range with[tabular](s.List) {
		own[filepath.Base(t.table().path)] = true
	}
	all, _ := os.ReadDir(s.Path())
	for _, f := range all {
		output, isTable := strings.CutSuffix(f.Name(), ".csv")
		kind, name, _ := strings.Cut(output, "_")
		if path := s.Path(f.Name()); isTable && !own[f.Name()] && f.Type().IsRegular() && headHas(path, "[output."+kind+"."+name+"]") {
			paths = append(paths, path)
		}
	}
	return paths
}

// headHas tells whether the comments on top of a table of lbmsim have a line.
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

// numbered are the files NAME_STEP.* of a folder, and the folders NAME_STEP.parts.
func numbered(dir, name string) (paths []string) {
	all, _ := os.ReadDir(dir) // not Glob: the folder's name may be a pattern
	for _, f := range all {
		rest, isOurs := strings.CutPrefix(f.Name(), name+"_")
		step, _, _ := strings.Cut(rest, ".")
		if isOurs && len(step) == 10 && strings.Trim(step, "0123456789") == "" {
			paths = append(paths, filepath.Join(dir, f.Name()))
		}
	}
	return paths
}
