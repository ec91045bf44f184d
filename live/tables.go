// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lbmsim/io/picture"
	"lbmsim/sim/output"
)

// listing is the content of a folder for viewers. It is read at most once per second, for all of
// them.
type listing struct {
	mu  sync.Mutex
	at  time.Time
	dir string
	now files
}

// files are the tables and pictures of a run.
type files struct {
	Tables   []table  `json:"tables"`
	Pictures []series `json:"pictures"`
	LeftOut  int      `json:"left_out,omitempty"` // further tables
	Undrawn  int      `json:"undrawn,omitempty"`  // further series of pictures
}

type table struct {
	Name    string `json:"name"`
	Size    int64  `json:"size"`    // bytes
	Changed int64  `json:"changed"` // milliseconds since 1970: a truncated table may grow to its former size
}

// series is the pictures of one output.
type series struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Steps []int64 `json:"steps"` // the last ones
}

const (
	mostTables   = 100
	mostSeries   = 100
	mostPictures = 200 // steps of a series
	listedEvery  = time.Second
)

// isTable reports whether a file is a table of one row per sample, by its name.
func isTable(file string) bool {
	kind, _, _ := strings.Cut(file, "_")
	return slices.Contains([]string{"force", "series", "probe"}, kind) && strings.HasSuffix(file, ".csv")
}

// of lists a folder.
func (l *listing) of(dir string) files {
	l.mu.Lock()
	defer l.mu.Unlock()
	if dir == l.dir && time.Since(l.at) < listedEvery {
		return l.now
	}
	l.now, l.dir = list(dir), dir
	l.at = time.Now()
	return l.now
}

// forget drops the listing, so that the folder is read again.
func (l *listing) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Time{}
}

func list(dir string) files {
	f := files{Tables: []table{}, Pictures: []series{}}
	if dir == "" {
		return f
	}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return f
	}
	undrawn := map[string]bool{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if name, step, ok := picture.ParseFileName(e.Name()); ok {
			if !f.addPicture(name, step) {
				undrawn[name] = true
			}
			continue
		}
		if !isTable(e.Name()) {
			continue
		}
		if len(f.Tables) == mostTables {
			f.LeftOut++
			continue
		}
		if info, err := e.Info(); err == nil {
			f.Tables = append(f.Tables, table{e.Name(), info.Size(), info.ModTime().UnixMilli()})
		}
	}
	f.Undrawn = len(undrawn)
	for k := range f.Pictures {
		s := &f.Pictures[k].Steps
		slices.Sort(*s)
		*s = slices.Clone((*s)[max(0, len(*s)-mostPictures):])
	}
	return f
}

// addPicture adds a picture to its series, unless there are too many series.
func (f *files) addPicture(name string, step int64) bool {
	list := f.Pictures
	for k := range list {
		if list[k].Name == name {
			list[k].Count++
			list[k].Steps = append(list[k].Steps, step)
			return true
		}
	}
	if len(list) >= mostSeries {
		return false
	}
	f.Pictures = append(list, series{name, 1, []int64{step}})
	return true
}

// rows are lines of a table for viewers.
type rows struct {
	Columns []string `json:"columns"`
	Text    string   `json:"text"` // lines of numbers with commas between
	Next    int64    `json:"next"` // where later rows begin
	Mark    string   `json:"mark"` // of the preceding rows
	Again   bool     `json:"again"`
	Thinned bool     `json:"thinned"` // some rows are omitted
}

const (
	mostHeader = 4 << 20 // bytes: the case is in it
	mostWhole  = 4 << 20 // bytes of rows that are read in full
	mostRows   = 3000
	longestRow = 64 << 10 // bytes
)

// readRows reads rows of a table from a place on, 0 from its beginning. A table that was truncated or replaced, as at a
// restart, is read again: it is shorter, or its mark at the position differs from the given one, if any.
func readRows(path string, from int64, mark string) (r rows, err error) {
	f, err := os.Open(path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return r, err
	}
	if r, err = rowsOf(f, info.Size(), from, mark); err != nil {
		return r, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return r, nil
}

// rowsOf reads rows of a file of a known size; it may have grown, or been truncated, since.
func rowsOf(f *os.File, size, from int64, mark string) (r rows, err error) {
	names, first, head, err := heading(f)
	if err != nil {
		return r, err
	}
	r.Columns = names
	size = max(size, first)
	if from < first || from > size {
		r.Again, from = from != 0, first
	} else if mark != "" {
		is, err := markAt(f, head, first, from)
		if err != nil {
			return r, err
		}
		if is != mark {
			r.Again, from = true, first
		}
	}
	var lines [][]byte
	if size-from > mostWhole {
		lines, r.Next, err = sampled(f, from, size)
		r.Thinned = true
	} else {
		lines, r.Next, err = whole(f, from, size-from)
	}
	if err != nil {
		return r, err
	}
	if r.Mark, err = markAt(f, head, first, r.Next); err != nil {
		return r, err
	}
	if every := (len(lines) + mostRows - 1) / mostRows; every > 1 {
		r.Thinned = true
		kept := lines[:0]
		for k, line := range lines {
			if k%every == 0 || k == len(lines)-1 {
				kept = append(kept, line)
			}
		}
		lines = kept
	}
	r.Text = string(bytes.Join(lines, []byte("\n")))
	return r, nil
}

// heading returns the names of the columns, where the rows begin, and a hash of the preceding bytes.
func heading(f *os.File) (names []string, first int64, head uint64, err error) {
	hash := fnv.New64a()
	b := bufio.NewReaderSize(io.NewSectionReader(f, 0, mostHeader), longestRow)
	for {
		line, err := b.ReadSlice('\n')
		if err != nil {
			return nil, 0, 0, errors.New("not a table: it has no line of names")
		}
		_, _ = hash.Write(line)
		first += int64(len(line))
		if line[0] == '#' {
			continue
		}
		names, err = csv.NewReader(bytes.NewReader(line)).Read()
		return names, first, hash.Sum64(), err
	}
}

// markAt returns a mark of a table up to a place: of its head and the rows just before the place, which have their step.
func markAt(f *os.File, head uint64, first, at int64) (string, error) {
	b := make([]byte, min(at-first, longestRow))
	n, err := f.ReadAt(b, at-int64(len(b)))
	if err != nil && err != io.EOF {
		return "", err
	}
	hash := fnv.New64a()
	_, _ = hash.Write(b[:n])
	return fmt.Sprintf("%016x%016x", head, hash.Sum64()), nil
}

// whole reads all complete lines.
func whole(f *os.File, from, size int64) ([][]byte, int64, error) {
	b := make([]byte, size)
	n, err := f.ReadAt(b, from)
	if err != nil && err != io.EOF {
		return nil, from, err
	}
	end := bytes.LastIndexByte(b[:n], '\n')
	if end < 0 {
		return nil, from, nil
	}
	return bytes.Split(b[:end], []byte("\n")), from + int64(end) + 1, nil
}

// sampled reads lines at equal distances in the file: a table of gigabytes takes no longer than a small one.
func sampled(f *os.File, from, size int64) (lines [][]byte, next int64, err error) {
	b := make([]byte, longestRow)
	next = from
	for k := range int64(mostRows) {
		at := from + (size-from)/mostRows*k
		if at < next {
			continue
		}
		n, err := f.ReadAt(b, max(at-1, from))
		if err != nil && err != io.EOF {
			return nil, from, err
		}
		text, skipped := b[:n], 0
		if at > from {
			skipped = bytes.IndexByte(text, '\n') + 1
		}
		line, _, ok := bytes.Cut(text[skipped:], []byte("\n"))
		if !ok || at > from && skipped == 0 {
			continue
		}
		lines = append(lines, bytes.Clone(line))
		next = max(at-1, from) + int64(skipped+len(line)+1)
	}
	if next >= size { // the table has grown meanwhile
		return lines, next, nil
	}
	// All rows after the last one read are complete.
	tail, next, err := whole(f, max(next, size-longestRow), size-max(next, size-longestRow))
	if len(tail) > 1 {
		lines = append(lines, tail[len(tail)-1])
	}
	return lines, next, err
}

// caseIn returns the resolved case from the header of a table, or from a picture's text.
func caseIn(dir string, f files) string {
	for _, t := range f.Tables {
		if text := output.CaseOf(filepath.Join(dir, t.Name)); text != "" {
			return text
		}
	}
	return ""
}

// picturePath returns the file of a picture.
func picturePath(dir string, s series, step int64) (string, bool) {
	if !slices.Contains(s.Steps, step) {
		return "", false
	}
	return filepath.Join(dir, picture.FileName(s.Name, step)), true
}

// find returns a series of pictures by its name.
func (f files) find(name string) (series, bool) {
	k := slices.IndexFunc(f.Pictures, func(s series) bool { return s.Name == name })
	if k < 0 {
		return series{}, false
	}
	return f.Pictures[k], true
}

// has reports whether there is a table of a name.
func (f files) has(name string) bool {
	return slices.ContainsFunc(f.Tables, func(t table) bool { return t.Name == name })
}
