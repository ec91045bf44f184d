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
	"lbmsim/internal/finding"
	"lbmsim/io/probe"
	"lbmsim/sim/exit"
)

// rows is a CSV file that an output adds rows to, on rank 0. Checkpoints record its
// length under its key, so that a resumed run writes later rows again.
type rows struct {
	base
	kind, key string
	path      string
	file      *probe.Writer // rank 0 only
}

// newRows returns the rows of the file KIND_NAME.csv.
func newRows(r *Run, when config.Schedule, kind, name, key string) rows {
	return rows{base: newBase(when), kind: kind + " " + name, key: key, path: r.Path(kind + "_" + name + ".csv")}
}

func (t *rows) table() *rows { return t }

func (t *rows) Close() {
	if t.file != nil {
		t.file.Close() // Sync has reported errors of the file, at the end
	}
}

// syncTables flushes all rows to disk. Collective.
func (s *Set) syncTables() error {
	var err error
	for _, t := range with[tabular](s.List) {
		if f := t.table().file; f != nil {
			_, e := f.Sync()
			err = errors.Join(err, e)
		}
	}
	return s.Files.Missed("rows", s.All("rows of CSV files", err))
}

// CutTables removes rows of steps after one, on rank 0: the state was wrong from there on. A table that cannot be cut is a
// warning, since the run ends with a more serious message.
func (s *Set) CutTables(step int) {
	for _, t := range with[tabular](s.List) {
		f := t.table().file
		if f == nil {
			continue
		}
		if err := f.Cut(int64(step)); err != nil {
			s.Rank.Warn(finding.TableUncut.Says("%v", err))
		}
	}
}

// writerOf returns the kind of output that has tables of a kind.
func writerOf(kind string) string {
	if kind == development || kind == partsTable {
		return "surface"
	}
	return kind
}

// newTable begins a file.
func newTable(r *Run, t tabular) (*probe.Writer, error) {
	return probe.Create(t.table().path, t.header(r))
}

// resumeTable truncates a table to its length at the step of a checkpoint. A table that is missing, or is not the one that the
// checkpoint counted, does not stop the run: it starts over.
func (s *Set) resumeTable(o tabular, m *Memory) (*probe.Writer, error) {
	t := o.table()
	length, known := m.Probes[t.key]
	of, may := o.(renewed)
	var err error
	switch {
	case may && of.isOther():
		err = t.holds(s.Step(), "rows of other averages")
	case !known:
		err = t.holds(s.Step(), "rows of an earlier run with this output")
	case len(s.changed(t)) > 0:
		err = t.holds(s.Step(), "rows of another "+strings.Join(s.changed(t), ", "))
	default:
		var w *probe.Writer
		if w, err = probe.Resume(t.path, o.header(s.Run), length, int64(s.Step())); err == nil {
			return w, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			s.Rank.Warn(finding.TableRestarted.Says("%s: the file %s is missing; starting a new one at step %d", t.kind, t.path, s.Step()))
			err = nil
		}
	}
	if errors.Is(err, probe.ErrOther) {
		aside, e := setAside(t.path)
		if e != nil {
			return nil, errors.Join(err, e)
		}
		s.Rank.Warn(finding.TableRestarted.Says("%s: %s: %v; renamed to %s, starting a new table at step %d", t.kind, t.path, err, filepath.Base(aside), s.Step()))
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return newTable(s.Run, o)
}

// changed lists where the case and a table's own header disagree, but for its schedule: rows of both would be
// different numbers in one column.
func (s *Set) changed(t *rows) []string {
	before, err := caseIn(t.path)
	if err != nil || before == "" {
		return nil // of an older version, or not a table: probe.Resume reports it
	}
	kind, name, _ := strings.Cut(t.key, "/")
	if name == "" { // of probes, whose key is their name
		kind, name = "probe", kind
	}
	section := "output." + writerOf(kind) + "." + name + "."
	return config.Diff(before, s.Case.Resolved, func(key string) bool {
		name, own := strings.CutPrefix(key, section)
		return !own || slices.Contains(scheduleKeys, name)
	})
}

// scheduleKeys set when rows are written, not their contents. Statistics check for themselves whether their samples fit.
var scheduleKeys = []string{"every", "every_wall", "at_start", "at_end", "start", "sample_every", "cumulative"}

// caseIn returns the case in the header of a table; "" where the header is not whole.
func caseIn(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var text strings.Builder
	lines, inCase := bufio.NewScanner(f), false
	for lines.Scan() {
		line, isComment := strings.CutPrefix(lines.Text(), "# ")
		switch {
		case !isComment && lines.Text() != "#":
			return text.String(), nil
		case inCase:
			text.WriteString(line + "\n")
		case line == CaseMark:
			inCase = true
		}
	}
	return "", lines.Err() // the header is cut off
}

// CaseOf returns the resolved case in the header of a table; "" where the file has none.
func CaseOf(path string) string {
	text, err := caseIn(path)
	if err != nil {
		return ""
	}
	return text
}

// holds returns an error if the file has rows up to a step, which may be all that is left of an earlier run. Later rows
// alone are from a leg that was abandoned.
func (t *rows) holds(step int, what string) error {
	first, err := probe.First(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && first >= 0 && first <= int64(step):
		return fmt.Errorf("%w: it has %s", probe.ErrOther, what)
	}
	return err
}

// setAside renames a file to an unused name beside its own.
func setAside(path string) (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.before%d", path, n)
		switch err := os.Link(path, aside); {
		case errors.Is(err, fs.ErrExist):
		case err == nil:
			return aside, os.Remove(path)
		default: // a file system without links
			if _, err := os.Lstat(aside); err == nil {
				continue
			}
			return aside, os.Rename(path, aside)
		}
	}
}

// Rows of CSV files that cannot be written wait in memory.
const (
	rowsWait = 1 + iota
	rowsLost // there were too many
)

// RowsFail returns, on rank 0, the state of rows that cannot be written: 0 when all can.
func (s *Set) RowsFail() int64 {
	state, _ := s.rowsFail()
	return state
}

func (s *Set) rowsFail() (state int64, failed error) {
	for _, t := range with[tabular](s.List) {
		f := t.table().file
		if f == nil {
			continue
		}
		err, final := f.Failing()
		switch {
		case final:
			state = rowsLost
		case err != nil:
			state = max(state, rowsWait)
		}
		failed = errors.Join(failed, err)
	}
	return state, failed
}

// JudgeRows stops the run or reports rows that cannot be written, by the largest RowsFail of all ranks, once each time
// that the failure begins. Lost rows stop it in any case. Collective.
func (s *Set) JudgeRows(state int64) error {
	before := s.rowsState
	s.rowsState = state
	if state <= before {
		return nil
	}
	_, err := s.rowsFail()
	err = s.All("rows of CSV files", err)
	if state == rowsLost || !exit.IsAgreed(err) || err == nil || !s.Files.continues("rows") {
		s.Files.faults.disk = err != nil
		return err
	}
	if s.Rank.Root {
		s.Rank.Warn(finding.RowsWait.Says("step %d: rows of CSV files are kept in memory, because they cannot be written (%v); the run continues (on_error)", s.Step(), errors.Unwrap(err)))
	}
	return nil
}
