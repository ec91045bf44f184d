// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package probe writes time series as tables of numbers: a CSV file of
// one row per sample, or of a block of rows, on rank 0. A restarted run truncates
// the file to the length in the checkpoint and continues it, so that in the end it is the same, byte for byte, as without
// the interruption.
package probe

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// Column is the heading of one sampled number.
type Column struct {
	Name string // for example "velocity x"
	Unit string // for example "m/s"; empty for numbers
}

// Header describes a series.
type Header struct {
	// Comments are lines about the run (version, case) at the top of the file, after "# ".
	Comments []string
	Position [3]float64 // in metres, repeated in every row
	Nowhere  bool       // the series has no place: rows have no position
	Columns  []Column
	// Lattice is set if the run has no units: lengths are in cells, times in steps.
	Lattice bool
}

// comments returns the lines on top.
func (h Header) comments() string {
	var b strings.Builder
	for _, c := range h.Comments {
		for _, line := range strings.Split(strings.TrimRight(c, "\n"), "\n") {
			b.WriteString("# " + line + "\n")
		}
	}
	return b.String()
}

// heading returns the column's name and unit as a word of CSV.
func (c Column) heading() string {
	w := c.Name
	if c.Unit != "" {
		w += " (" + c.Unit + ")"
	}
	if strings.ContainsAny(w, ",\"\n\r") {
		w = `"` + strings.NewReplacer(`"`, `""`, "\n", " ", "\r", " ").Replace(w) + `"`
	}
	return w
}

// names returns the row of headings: step, time, place unless the header has none, then the columns.
func (h Header) names() string {
	second, metre := "s", "m"
	if h.Lattice {
		second, metre = "", ""
	}
	all := []Column{{"step", ""}, {"time", second}}
	if !h.Nowhere {
		all = append(all, Column{"x", metre}, Column{"y", metre}, Column{"z", metre})
	}
	all = append(all, h.Columns...)
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = c.heading()
	}
	return strings.Join(words, ",") + "\n"
}

// often is the longest time that a sample waits in memory while others follow.
const often = time.Second

const (
	atOnce = 64 << 10 // bytes written to the system together
	held   = 4 << 20  // bytes that are kept without Sync
	most   = 64 << 20 // bytes that wait for a full disk

	longest = 1 << 20 // bytes of a row
)

// Writer appends samples to a file. One goroutine at a time. It holds samples that are not known to be
// on disk, and writes it again where that failed: once a full disk has room again, nothing
// is missing.
type Writer struct {
	path    string
	f       *os.File
	synced  int64  // bytes of the file that are on disk
	rows    []byte // what follows them
	written int    // of rows, handed to the system
	columns int
	place   string // ",x,y,z"
	step    int64  // of the last row
	flushed time.Time
	row     []byte
	err     error // of the last attempt to write
	lost    bool  // err is final
}

func newWriter(path string, f *os.File, h Header) *Writer {
	place := ""
	for _, x := range h.Position {
		if !h.Nowhere {
			place += "," + number(x)
		}
	}
	return &Writer{path: path, f: f, columns: len(h.Columns), place: place, step: -1, flushed: time.Now()}
}

// Create starts a series; a file of that name is replaced.
func Create(path string, h Header) (*Writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("start the table: %w", err)
	}
	w := newWriter(path, f, h)
	w.put([]byte(h.comments()))
	w.put([]byte(h.names()))
	w.flush()
	if w.err != nil {
		f.Close()
		return nil, w.err
	}
	return w, nil
}

// ErrOther is in the errors of files other than those counted by a checkpoint.
var ErrOther = errors.New("it does not match the size recorded in the checkpoint")

// Resume continues with a series that had length bytes when the checkpoint of that
// step was taken: later rows are cut off. The comments may differ, the columns may not. A file
// that differs is left as it is (errors.Is(err, ErrOther), or fs.ErrNotExist when it is missing).
func Resume(path string, h Header, length, step int64) (*Writer, error) {
	w, err := resume(path, h, length, step)
	if err != nil {
		return nil, fmt.Errorf("continue the table at step %d: %w", step, err)
	}
	return w, nil
}

func resume(path string, h Header, length, step int64) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	} else if err != nil {
		return nil, err
	}
	last, err := check(f, h, length)
	if err == nil && last > step {
		err = fmt.Errorf("%w: its first %d bytes extend to step %d", ErrOther, length, last)
	}
	if err == nil {
		err = f.Truncate(length)
	}
	if err == nil {
		_, err = f.Seek(length, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	w := newWriter(path, f, h)
	w.synced, w.step = length, last
	return w, nil
}

// check reads the first length bytes and returns the step of their last row, -1 without rows.
func check(f *os.File, h Header, length int64) (last int64, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if st.Size() < length {
		return 0, fmt.Errorf("%w: it has %d bytes instead of %d", ErrOther, st.Size(), length)
	}
	cut := fmt.Errorf("%w: byte %d, the last one recorded, is not the end of a row", ErrOther, length)
	r, top := bufio.NewReader(io.LimitReader(f, length)), int64(0)
	for heading := false; !heading; {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return 0, cut
		} else if err != nil {
			return 0, err
		}
		top += int64(len(line))
		if heading = !bytes.HasPrefix(line, []byte("# ")); heading {
			if want := h.names(); string(line) != want {
				return 0, fmt.Errorf("%w: it has the columns %q instead of %q", ErrOther, strings.TrimSpace(string(line)), strings.TrimSpace(want))
			}
		}
	}
	if length == top {
		return -1, nil
	}
	end := make([]byte, min(length-top, longest)) // a table may be too long to be read as a whole
	if _, err := f.ReadAt(end, length-int64(len(end))); err != nil {
		return 0, err
	}
	row, whole := bytes.CutSuffix(end, []byte("\n"))
	if !whole {
		return 0, cut
	}
	row = row[bytes.LastIndexByte(row, '\n')+1:]
	word, _, _ := strings.Cut(string(row), ",")
	if last, err = strconv.ParseInt(word, 10, 64); err != nil {
		return 0, fmt.Errorf("%w: a row starts with %q instead of a step", ErrOther, word)
	}
	return last, nil
}

// First returns the step of the first row of a file, -1 without rows.
func First(path string) (step int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for heading := false; ; {
		line, err := r.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF):
			return -1, nil // an unfinished row does not count
		case err != nil:
			return 0, err
		case strings.HasPrefix(line, "# "):
		case !heading:
			heading = true
		default:
			word, _, _ := strings.Cut(line, ",")
			if step, err = strconv.ParseInt(word, 10, 64); err != nil {
				return 0, nil // it is not a table of lbmsim
			}
			return step, nil
		}
	}
}

// number returns the shortest text that reads back as the same float64.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Append adds the sample of one step: the simulated time in seconds and one value
// per column. A step that the table already has is left out: a restart, or a second
// schedule, reaches it again.
func (w *Writer) Append(step int64, t float64, values ...float64) error {
	if len(values) != w.columns {
		return fmt.Errorf("table %s: %d values for %d columns", w.path, len(values), w.columns)
	}
	if step <= w.step {
		return w.err
	}
	return w.Add(step, t, values...)
}

// Add adds rows of a step, which may have many: one value per column, one row after the
// other. Rows of one call are handed to the system together.
func (w *Writer) Add(step int64, t float64, values ...float64) error {
	b := strconv.AppendInt(w.row[:0], step, 10)
	b = append(append(b, ','), number(t)...)
	b = append(b, w.place...)
	head := len(b)
	for ; len(values) > 0 && len(values) >= w.columns; values = values[w.columns:] {
		b = b[:head]
		for _, v := range values[:w.columns] {
			b = strconv.AppendFloat(append(b, ','), v, 'g', -1, 64)
		}
		b = append(b, '\n')
		w.put(b)
	}
	w.row = b
	w.step = step
	waiting := len(w.rows) - w.written
	switch {
	case time.Since(w.flushed) >= often, w.err == nil && waiting >= atOnce:
		w.flush()
	case waiting > most && !w.lost:
		w.lost = true
		w.err = fmt.Errorf("%w; more than %d MiB of pending rows are dropped", w.err, most>>20)
	}
	if len(w.rows) >= held && w.err == nil {
		_, _ = w.Sync() // the error stays in w
	}
	return w.err
}

// Cut removes the rows of all steps after one.
func (w *Writer) Cut(step int64) error {
	if w.step <= step {
		return nil
	}
	if _, err := w.Sync(); err != nil {
		return err
	}
	length, last, err := through(w.path, step)
	if err == nil {
		err = w.f.Truncate(length)
	}
	if err == nil {
		_, err = w.f.Seek(length, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("truncate the table %s after step %d: %w", w.path, step, err)
	}
	w.synced, w.step = length, last
	return nil
}

// through returns the length in bytes of a file's rows up to a step, and the step of the last of these, -1 without any.
func through(path string, step int64) (length, last int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	last = -1
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return length, last, nil
		} else if err != nil {
			return 0, 0, err
		}
		word, _, _ := strings.Cut(line, ",")
		if at, err := strconv.ParseInt(word, 10, 64); err == nil { // otherwise it is a comment or the heading
			if at > step {
				return length, last, nil
			}
			last = at
		}
		length += int64(len(line))
	}
}

// Step returns the step of the last row, -1 without rows.
func (w *Writer) Step() int64 { return w.step }

// Failing returns why rows wait in memory, nil where they do not; final reports whether they are lost.
func (w *Writer) Failing() (err error, final bool) { return w.err, w.lost }

func (w *Writer) put(b []byte) {
	if !w.lost {
		w.rows = append(w.rows, b...)
	}
}

func (w *Writer) flush() {
	w.flushed = time.Now()
	if w.lost {
		return
	}
	w.err = nil
	if w.written < len(w.rows) {
		n, err := w.f.WriteAt(w.rows[w.written:], w.synced+int64(w.written))
		w.written += n
		w.fail(err)
	}
}

func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write the table %s: %w; free disk space or choose another output folder, then restart from the last checkpoint", w.path, err)
	}
}

// Sync flushes every row to disk and returns the length of the file, which
// the checkpoint of this step stores for Resume.
func (w *Writer) Sync() (length int64, err error) {
	if w.flush(); w.err != nil {
		return w.synced, w.err
	}
	if err := w.f.Sync(); err != nil {
		w.written = 0 // the system may have discarded data that it could not write
		w.fail(err)
		return w.synced, w.err
	}
	w.synced += int64(len(w.rows))
	w.rows, w.written = w.rows[:0], 0
	return w.synced, nil
}

// Close flushes every row to disk and closes the file.
func (w *Writer) Close() error {
	_, err := w.Sync()
	if e := w.f.Close(); err == nil {
		w.fail(e)
		err = w.err
	}
	return err
}
