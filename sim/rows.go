package sim

import (
	"errors"

	"lbmsim/io/probe"
)

// rows is a CSV file that an output adds rows to, on rank 0. Checkpoints know its
// length by its key, so that a run that goes on writes later rows again.
type rows struct {
	kind, key string
	path      string
	file      *probe.Writer // rank 0 only
}

// tabular is an output with such a file.
type tabular interface {
	output
	table() *rows
	header(r *run) probe.Header
}

func (t *rows) table() *rows { return t }

func (t *rows) close() {
	if t.file != nil {
		t.file.Close() // errors of the file came out of Sync, in finish
	}
}

// tables are the outputs with files of rows.
func (r *run) tables() (list []tabular) {
	for _, o := range r.outputs {
		if t, ok := o.(tabular); ok {
			list = append(list, t)
		}
	}
	return list
}

// syncTables brings all rows to the disk. Collective.
func (r *run) syncTables() error {
	var err error
	for _, t := range r.tables() {
		if f := t.table().file; f != nil {
			_, e := f.Sync()
			err = errors.Join(err, e)
		}
	}
	return r.missed("rows", r.all("rows of CSV files", err))
}

// newTable begins a file.
func (r *run) newTable(t tabular) (*probe.Writer, error) {
	return probe.Create(t.table().path, t.header(r))
}
