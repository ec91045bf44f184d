// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

// The indices of a run's files. ParaView opens NAME.hdf.series as one time-dependent
// data set; it is a JSON list of files and times. The rest of it is for restarts and
// for the second index, NAME.xdmf, which is derived from the first.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"lbmsim/comm"
	"lbmsim/io/internal/joint"
)

// Series is the files DIR/NAME_STEP.hdf of a run and their indices DIR/NAME.hdf.series and
// DIR/NAME.xdmf.
type Series struct {
	Dir, Name string
	// Files is the number of files, in DIR/NAME_STEP.parts, that share the numbers of a step: a file
	// accepts writes from one thread at a time. 0 and 1: the numbers are in the one file.
	Files int
}

// Path returns the file of a step.
func (s Series) Path(step int64) string {
	return filepath.Join(s.Dir, fmt.Sprintf("%s_%010d.hdf", s.Name, step))
}

// part returns one of the files that hold the numbers of a step, relative to the series' folder.
func (s Series) part(step int64, k int) string {
	return fmt.Sprintf("%s_%010d.parts/%03d.hdf", s.Name, step, k)
}

// shares returns the planes of each part file: as equal as they can be, so that
// they do not depend on the ranks.
func (s Series) shares(planes int) (lohi [][2]int) {
	if n := min(s.Files, planes); n > 1 {
		for k := range n {
			lohi = append(lohi, [2]int{planes * k / n, planes * (k + 1) / n})
		}
	}
	return lohi
}

// parts returns into how many files the numbers of boxes go beside the one that shows them.
func (s Series) parts(blocks []block) (n int) {
	for _, b := range blocks {
		n = max(n, len(s.shares(b.planes())))
	}
	return n
}

// drop removes files from an earlier run in which the step had more files than n.
func (s Series) drop(step int64, n int) {
	for os.Remove(filepath.Join(s.Dir, s.part(step, n))) == nil {
		n++
	}
	s.tidy(step)
}

// tidy removes the folder of a step's files if it is empty.
func (s Series) tidy(step int64) { os.Remove(filepath.Dir(filepath.Join(s.Dir, s.part(step, 0)))) }

// Index returns the file to open in ParaView.
func (s Series) Index() string { return filepath.Join(s.Dir, s.Name+".hdf.series") }

// Indices returns the files beside the files of the steps.
func (s Series) Indices() []string { return []string{s.Index(), s.xdmf()} }

type index struct {
	Version string  `json:"file-series-version"`
	Files   []entry `json:"files"`
}

type entry struct {
	Name   string  `json:"name"`
	Time   float64 `json:"time"`
	Step   int64   `json:"step"`
	Grid   Grid    `json:"grid"`
	Fields []Field `json:"fields"`
	Levels *Levels `json:"levels,omitempty"` // of a refined grid; Grid is the coarsest
	Mesh   *Mesh   `json:"mesh,omitempty"`   // of a surface; Grid counts its triangles
}

// read returns the index, empty without an index file.
func (s Series) read() (index, error) {
	x := index{Version: "1.0"}
	b, err := os.ReadFile(s.Index())
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	if err != nil {
		return x, fmt.Errorf("read the index %s: %w; move it away to start a new one", s.Index(), err)
	}
	return x, nil
}

// Rebuild rebuilds a damaged index, or one that is missing beside files of steps, from these files. It is called on one
// rank, before Rewind, where a run continues. It returns the damage found, "" if there was none, and the errors of files
// that could not be read.
func (s Series) Rebuild() (wrong string, err error) {
	old, damage := s.read()
	if damage == nil && (s.lists(old) || len(old.Files) == 0 && len(s.steps()) == 0) {
		return "", nil
	}
	x := index{Version: "1.0"}
	var unread error
	for _, path := range s.steps() {
		e, err := entryOf(path)
		if err != nil {
			unread = errors.Join(unread, err)
			continue
		}
		x.Files = append(x.Files, e)
	}
	sort.SliceStable(x.Files, func(i, j int) bool { return x.Files[i].Step < x.Files[j].Step })
	if err := s.write(x); err != nil {
		return "", err
	}
	wrong = fmt.Sprintf("the index %s was damaged or missing: rebuilt from the %d files beside it", s.Index(), len(x.Files))
	return wrong, unread
}

// lists reports whether an index has files, and each with the name of its step.
func (s Series) lists(x index) bool {
	for _, e := range x.Files {
		if e.Name != filepath.Base(s.Path(e.Step)) {
			return false
		}
	}
	return len(x.Files) > 0
}

// steps returns the files of the series, in the order of their names.
func (s Series) steps() (paths []string) {
	all, _ := os.ReadDir(s.Dir) // not Glob: the folder's name may be a pattern
	for _, f := range all {
		step, ours := strings.CutPrefix(f.Name(), s.Name+"_")
		if step, hdf := strings.CutSuffix(step, ".hdf"); ours && hdf && len(step) == 10 && strings.Trim(step, "0123456789") == "" {
			paths = append(paths, filepath.Join(s.Dir, f.Name()))
		}
	}
	return paths
}

// entryOf describes a file as an index does.
func entryOf(path string) (entry, error) {
	r, err := OpenLevels(path)
	if err != nil {
		return entry{}, err
	}
	defer r.Close()
	e := entry{Name: filepath.Base(path), Time: r.Meta.Time, Step: r.Meta.Step, Grid: r.Grid}
	if r.refined {
		e.Levels, e.Fields = &r.Levels, r.Fields
		return e, nil
	}
	e.Mesh = r.Mesh
	order := make([]int, len(r.Fields)) // HDF5 lists names alphabetically, numbers are in the order of the case
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return r.places[order[i]][0].Offset < r.places[order[j]][0].Offset })
	for _, i := range order {
		e.Fields = append(e.Fields, r.Fields[i])
	}
	return e, nil
}

func (s Series) write(x index) error {
	b, err := x.json()
	if err != nil {
		return fmt.Errorf("write the index %s: %w", s.Index(), err)
	}
	if err := joint.Replace(s.Index(), b); err != nil {
		return err
	}
	return joint.Replace(s.xdmf(), x.xdmf())
}

// IndexHead is the beginning of an index that json has written; other programs' indices have another layout.
const IndexHead = "{\n \"file-series-version\": "

// indexEnd is the text behind the last line of a file.
const indexEnd = "\n ]\n}\n"

// json writes one line per file.
func (x index) json() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, IndexHead+"%q,\n \"files\": [", x.Version)
	for i, e := range x.Files {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  ")
		b.Write(line)
	}
	b.WriteString(indexEnd)
	return b.Bytes(), nil
}

// keep drops entries.
func (x *index) keep(ok func(entry) bool) {
	var kept []entry
	for _, e := range x.Files {
		if ok(e) {
			kept = append(kept, e)
		}
	}
	x.Files = kept
}

// add puts a finished file into the index, in the place of one of the same step.
func (s Series) add(e entry) error {
	if s.extend(e) == nil { // otherwise it is written whole, or writing reports why not
		return nil
	}
	x, err := s.read()
	if err != nil {
		return err
	}
	x.keep(func(old entry) bool { return old.Step != e.Step })
	x.Files = append(x.Files, e)
	sort.SliceStable(x.Files, func(i, j int) bool { return x.Files[i].Step < x.Files[j].Step })
	return s.write(x)
}

// long is from how many bytes on an index is extended instead of written again. A run with
// thousands of files would write some megabytes for each of them.
var long int64 = 64 << 10

var errWhole = errors.New("the index must be rewritten completely")

// extend puts a file that is later than all others into long indices.
func (s Series) extend(e entry) error {
	last, err := s.last()
	if err != nil {
		return err
	}
	if last >= e.Step {
		return errWhole
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := joint.Extend(s.Index(), ",\n  "+string(line), indexEnd); err != nil {
		return err
	}
	var b bytes.Buffer
	e.xdmf(&b)
	return joint.Extend(s.xdmf(), b.String(), xdmfEnd)
}

// last returns the step of the last file of a long index, from its last line.
func (s Series) last() (int64, error) {
	f, err := os.Open(s.Index())
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < max(long, 1) {
		return 0, errWhole
	}
	b := make([]byte, min(info.Size(), 64<<10))
	if _, err := f.ReadAt(b, info.Size()-int64(len(b))); err != nil {
		return 0, err
	}
	b, ended := bytes.CutSuffix(b, []byte(indexEnd))
	at := bytes.LastIndexByte(b, '\n')
	var e entry
	if !ended || at < 0 || json.Unmarshal(b[at:], &e) != nil || e.Name == "" {
		return 0, errWhole
	}
	return e.Step, nil
}

// Older returns the number of files of the index that an older version wrote, with values of points.
// It did not record their fields, so the second index lacks them.
func (s Series) Older() (n int, err error) {
	x, err := s.read()
	for _, e := range x.Files {
		if len(e.Fields) == 0 {
			n++
		}
	}
	return n, err
}

// Newest returns the path of the last file of the index, "" if there is no index or nothing in it.
func (s Series) Newest() (string, error) {
	x, err := s.read()
	if err != nil || len(x.Files) == 0 {
		return "", err
	}
	name := x.Files[len(x.Files)-1].Name
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s lists a file outside its folder: %q", s.Index(), name)
	}
	return filepath.Join(s.Dir, name), nil
}

// Close follows the last Commit of a run: it removes files that serve only to extend the indices.
func (s Series) Close() {
	joint.Extended(s.Index())
	joint.Extended(s.xdmf())
}

// Rewind drops later entries from the index on a restart from step, because the run will write them again, and the entry
// of step itself unless it is due: the stop of an earlier leg wrote it, and a run that was never stopped has none.
// Collective, before the first Begin of a run. Step -1 starts a new index. The files stay until they are replaced. It
// also removes temporary files of killed runs.
func (s Series) Rewind(c comm.Comm, step int64, due bool) error {
	var err error
	if c.Rank() == 0 {
		err = s.rewind(step, due)
	}
	return comm.Agree(c, err)
}

func (s Series) rewind(step int64, due bool) error {
	joint.Sweep(filepath.Join(s.Dir, s.Name+"_*.hdf"))
	joint.Sweep(filepath.Join(s.Dir, s.Name+"_*.parts", "*.hdf"))
	s.Close() // a killed run did not
	if step < 0 {
		for _, path := range s.Indices() {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("start a new index: %w", err)
			}
		}
		return nil
	}
	x, err := s.read()
	if err != nil {
		return err
	}
	n := len(x.Files)
	x.keep(func(e entry) bool { return e.Step < step || e.Step == step && due })
	if n == 0 {
		return nil
	}
	if len(x.Files) == n { // a run that was killed between the two may have left the second as it was
		return joint.Replace(s.xdmf(), x.xdmf())
	}
	return s.write(x)
}
