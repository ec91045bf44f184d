package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
)

// What an earlier run has left in the output folder of one that begins anew.

// makeRoom does what Options.Keep and Overwrite say: that removes checkpoints and files of single
// steps. All else is written over.
func (r *run) makeRoom() error {
	switch {
	case r.Keep != nil:
		return r.remains(*r.Keep)
	case !r.Overwrite: // who asks for nothing removes nothing
		return nil
	}
	var errs []error
	old, err := checkpoint.Latest(r.outputDir(checkpointDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	for _, path := range append(old, r.stepFiles()...) {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// Results are what is known of an earlier run in the output folder.
type Results struct {
	Of   string // "a run", or more about it
	File string // one of its files; "": none is known
}

// remains is an error where there are results.
func (r *run) remains(old Results) error {
	found := old.File
	for _, t := range r.tables() {
		if _, err := os.Stat(t.table().path); err == nil {
			found = t.table().path
		}
	}
	if files := r.stepFiles(); len(files) > 0 {
		found = files[len(files)-1]
	}
	goOn := ""
	if old, err := checkpoint.Latest(r.outputDir(checkpointDir)); err == nil && len(old) > 0 {
		found = old[0]
		goOn = "\n  --restart latest   to go on from its last checkpoint, " + filepath.Base(found)
	}
	if found == "" {
		return nil
	}
	return fmt.Errorf("the folder %s holds the results of %s (%s); give%s\n  --output FOLDER    to write elsewhere\n  --overwrite        to begin anew and lose them",
		r.outputDir(), old.Of, found, goOn)
}

// stepFiles are the files of single steps, of any run, that are called as the run's own.
func (r *run) stepFiles() (paths []string) {
	for _, o := range r.outputs {
		switch o := o.(type) {
		case *pictures:
			paths = append(paths, numbered(o.dir, o.Field.Name)...)
		default:
			if s, ok := seriesOf(o); ok {
				paths = append(paths, numbered(s.Dir, s.Name)...)
			}
		}
	}
	return paths
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

// seriesOf is the series of files that an output writes.
func seriesOf(o output) (s fields.Series, ok bool) {
	switch o := o.(type) {
	case *fieldFiles:
		return o.series, true
	case *planes:
		return o.series, true
	case *averageFiles:
		return o.series, true
	}
	return s, false
}
