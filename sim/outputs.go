package sim

import (
	"fmt"
	"os"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/io/fields"
	"lbmsim/io/probe"
)

// makeOutputs lists what the case writes. Checkpoints come last, so that they hold
// the probes' rows of their own step; at the end of a run finish turns that round.
func (r *run) makeOutputs() {
	c := r.Case
	for _, p := range c.Probes {
		r.outputs = append(r.outputs, &probes{Probe: p, rows: rows{kind: "probe " + p.Name, key: p.Name, path: r.outputDir("probe_" + p.Name + ".csv")}, at: -1})
	}
	for _, l := range c.Lines {
		r.outputs = append(r.outputs, newLines(r, l))
	}
	for _, f := range c.Forces {
		r.outputs = append(r.outputs, newForces(r, f))
	}
	for _, s := range c.Series {
		r.outputs = append(r.outputs, newSeries(r, s))
	}
	for _, p := range c.Planes {
		r.outputs = append(r.outputs, newPlanes(r, p))
	}
	if c.Averages.On {
		r.outputs = append(r.outputs, newAverager(r))
	}
	if c.Fields.On {
		r.outputs = append(r.outputs, &fieldFiles{FieldsOutput: c.Fields, series: fields.Series{Dir: r.outputDir(c.Fields.Dir), Name: "fields", Files: c.Fields.Files}, at: -1})
	}
	if c.Averages.On {
		r.outputs = append(r.outputs, &averageFiles{averager: r.averages(), series: fields.Series{Dir: r.outputDir(c.Averages.Dir), Name: "averages"}, at: -1})
	}
	if c.Picture.On {
		r.outputs = append(r.outputs, &pictures{PictureOutput: c.Picture, dir: r.outputDir(), at: -1})
	}
	if c.Checkpoint.On {
		r.outputs = append(r.outputs, &checkpoints{Checkpoint: c.Checkpoint, dir: r.outputDir(checkpointDir), at: -1})
	}
}

// outputDir is a path below the run's output folder.
func (r *run) outputDir(parts ...string) string {
	return filepath.Join(append([]string{r.Case.OutputDir}, parts...)...)
}

// openOutputs makes the folders and opens the files of rows on rank 0; the index
// of the fields drops what comes after the first step.
func (r *run) openOutputs(open func(tabular) (*probe.Writer, error)) error {
	var err error
	if r.Root {
		err = r.openFolders()
	}
	if err := r.all("opening the outputs", err); err != nil {
		return err
	}
	if r.anew && len(r.outputs) > 0 {
		if r.Root {
			err = r.makeRoom()
		}
		if err := comm.Agree(r.Comm, err); err != nil {
			return Agreed(ExitUsage, err)
		}
	}
	if r.Root {
		err = r.openFiles(open)
	}
	if err := r.all("opening the outputs", err); err != nil {
		return err
	}
	for _, o := range r.outputs {
		series, ok := seriesOf(o)
		if !ok {
			continue
		}
		step := int64(r.n)
		if r.options.Restart == "" {
			step = -1
		}
		if err := series.Rewind(r.Comm, step); err != nil {
			return Agreed(ExitFailure, err)
		}
		if r.Root {
			r.tellOfOlder(series)
		}
	}
	return nil
}

// tellOfOlder warns of a film that is not of one kind.
func (r *run) tellOfOlder(s fields.Series) {
	if n, err := s.Older(); err == nil && n > 0 { // Rewind has read it just now
		r.options.Report.Warn(fmt.Sprintf("%s has %d files of an older version, with values at points instead of in cells: a film of it jumps where the new ones begin, and the .xdmf index beside it has only these; for a film of one kind run the case again, or go on in another folder (--restart FILE --output FOLDER)", s.Index(), n))
	}
}

// openFolders makes the folders and keeps other runs out of them.
func (r *run) openFolders() (err error) {
	for _, o := range r.outputs {
		dir := r.outputDir()
		switch o := o.(type) {
		case *fieldFiles:
			dir = o.series.Dir
		case *planes:
			dir = o.series.Dir
		case *averageFiles:
			dir = o.series.Dir
		case *checkpoints:
			dir = o.dir
			if r.Case.Averages.On {
				dir = filepath.Join(dir, averageDir)
			}
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("the output folder: %w", err)
		}
	}
	if len(r.outputs) > 0 {
		r.lock, err = hold(r.outputDir())
	}
	return err
}

func (r *run) openFiles(open func(tabular) (*probe.Writer, error)) error {
	if r.lock != nil {
		r.forget()
		r.keepInputs()
		if r.options.Restart == "" {
			r.forgetBlowup()
		}
		r.sweep()
	}
	for _, o := range r.tables() {
		var err error
		t := o.table()
		if t.file, err = open(o); err != nil {
			return err
		}
		r.files[t.kind] = t.path
	}
	return nil
}

// sweep removes the unfinished files that a killed run has left in the output folder;
// those below it belong to packages that do the same.
func (r *run) sweep() {
	left, _ := os.ReadDir(r.outputDir()) // not Glob: the folder's name may be a pattern
	for _, f := range left {
		if ok, _ := filepath.Match(".*.part", f.Name()); ok {
			os.Remove(r.outputDir(f.Name()))
		}
	}
}
