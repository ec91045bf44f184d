// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package fields writes the fields of one output time into one VTKHDF file, and keeps the
// two indices that join the files of a run into a time series. All ranks write into the same file,
// or, where that is not fast enough, into several that the one shows as its contents (virtual
// datasets of HDF5).
//
// Values belong to cells: ImageData with cell data, which ParaView 5.12, VTK 9.3 and
// newer, PyVista among them, open by the first index, .hdf.series. Older ones, ParaView 5.11
// of Debian 12 and Ubuntu 24.04 among them, read no cell data of images in VTKHDF; they and
// VisIt open the second, .xdmf. Refined grids are levels of boxes in both (amr.go). docs/decisions.md lists the rejected formats.
package fields

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/io/internal/h5"
	"lbmsim/io/internal/joint"
)

// Type is the number type of a field.
type Type = h5.Type

// The number types that a field may have.
const (
	Float32 = h5.Float32
	Float64 = h5.Float64
	Uint8   = h5.Uint8
)

// Grid is the global box of cells.
type Grid struct {
	N       [3]int     `json:"cells"`   // along x, y, z; N[2] = 1 is two-dimensional
	Origin  [3]float64 `json:"origin"`  // centre of the first cell in metres
	Spacing float64    `json:"spacing"` // metres between two cells
}

// Corner returns the lower corner of the first cell.
func (g Grid) Corner() (at [3]float64) {
	for a := range at {
		at[a] = g.Origin[a] - g.Spacing/2
	}
	return at
}

// flat grids have one plane; there a row along x counts as a plane.
func (g Grid) flat() bool { return g.N[2] == 1 }

// part returns a box of the grid as planes along the axis, and the rows of a plane.
func (g Grid) part(box decomp.Box) (p joint.Extent, rows int) {
	if box.Cells() == 0 {
		box = decomp.Box{}
	}
	if g.flat() {
		return joint.Extent{Planes: [2]int{box.Lo[1], box.Hi[1]}, Rows: [2]int{box.Lo[2], box.Hi[2]}}, 1
	}
	return joint.Extent{Planes: [2]int{box.Lo[2], box.Hi[2]}, Rows: [2]int{box.Lo[1], box.Hi[1]}}, g.N[1]
}

// planes of the grid along the axis.
func (g Grid) planes() int { return g.N[g.axis()] }

func (g Grid) axis() int {
	if g.flat() {
		return 1
	}
	return 2
}

// Field is one field of the file.
type Field struct {
	Name       string `json:"name"`       // unique, as ParaView shows it
	Unit       string `json:"unit"`       // for example "m/s"
	Components int    `json:"components"` // 1; 3 for vectors, in 2D too; 6 for symmetric tensors: xx, yy, zz, xy, yz, xz
	Type       Type   `json:"type"`
}

// Meta is the origin of a file; it is stored beside the fields.
type Meta struct {
	Case    string  // text of the resolved case
	Version string  // of the program
	Step    int64   // time steps done
	Time    float64 // simulated time in seconds
	// Provenance describes how the numbers were computed, in the caller's text.
	Provenance string
	// Of averages over time: the number of samples, and the steps of the first and of the last, 0 where unknown.
	Samples, First, Last int64
}

// sampled returns the attributes that averages alone have.
func (m *Meta) sampled() []attribute {
	return []attribute{{"samples", &m.Samples}, {"first_sample", &m.First}, {"last_sample", &m.Last}}
}

type attribute struct {
	name string
	of   *int64
}

// Pending is a file that is being written, with those that hold its numbers.
type Pending struct {
	series Series
	entry  entry // of the index
	c      comm.Comm
	files  []*joint.File // those with the numbers, if others have them; last the file that shows them
	fields int
	arrays []array // of all fields of the first box, then of the next
}

// array is one field of a box on its way into the file.
type array struct {
	*joint.Array
	name       string // in messages
	planes     int    // of the whole box along the axis
	planeBytes int
	sumsAt     int64 // offset of its checksums
}

// block is a box of cells, and where the file has it.
type block struct {
	Grid        // its cells alone
	data string // group of its fields
	sums string // group of their checksums
	part string // group of its fields in the files that hold the numbers
	list bool   // its values are a list of triangles, not a box: one row of cells
}

// Begin creates the file of step m.Step, room for all fields included, in which each rank will write its box. Collective,
// with one reduction. Boxes are whole in x. failed is this rank's error so far. The error is the same on all ranks, and
// then no file is left.
func (s Series) Begin(c comm.Comm, failed error, box decomp.Box, g Grid, fs []Field, m Meta) (*Pending, error) {
	if g.N[0] < 1 || g.N[1] < 1 || g.N[2] < 1 || !(g.Spacing > 0) {
		if failed == nil {
			failed = fmt.Errorf("begin the fields %s: a grid of %v cells with spacing %g m is invalid", s.Path(m.Step), g.N, g.Spacing)
		}
	}
	only := block{Grid: g, data: cells, sums: crcs, part: "/"}
	return s.begin(c, failed, []decomp.Box{box}, []block{only}, fs, m, entry{Grid: g}, func(tmp string) ([]int64, error) {
		return made(tmp, func(f *h5.File) ([]int64, error) { return fill(f, s, only, fs, m) })
	})
}

// begin creates a file of boxes, of which each rank has some cells, counted from the box's first. create makes the file itself, and
// returns for each field of each box the offsets of its numbers and of its checksums.
func (s Series) begin(c comm.Comm, failed error, boxes []decomp.Box, blocks []block, fs []Field, m Meta, e entry, create func(tmp string) ([]int64, error)) (*Pending, error) {
	path := s.Path(m.Step)
	for i, b := range blocks {
		if err := check(boxes[i], b.Grid, fs); err != nil && failed == nil {
			failed = fmt.Errorf("begin the fields %s%s: %w", path, e.Levels.in(i), err)
		}
	}
	e.Name, e.Time, e.Step, e.Fields = filepath.Base(path), m.Time, m.Step, fs
	p := &Pending{series: s, entry: e, c: c, fields: len(fs)}
	var list []joint.New // the parts, then the file that shows them: as many on each rank, whatever has failed
	for k := range s.parts(blocks) {
		list = append(list, joint.New{Path: filepath.Join(s.Dir, s.part(m.Step, k)), Numbers: len(fs) * len(blocks), Create: func(tmp string) ([]int64, error) {
			return s.createPart(tmp, k, blocks, fs)
		}})
	}
	list = append(list, joint.New{Path: path, Numbers: 2 * len(fs) * len(blocks), Create: create})
	var at [][]int64
	var err error
	if p.files, at, err = joint.Begin(c, failed, list...); err != nil {
		if c.Rank() == 0 {
			s.tidy(m.Step)
		}
		return nil, err
	}
	for i, b := range blocks {
		part, rows := b.Grid.part(boxes[i])
		for j, f := range fs {
			n := i*len(fs) + j
			a := array{name: fmt.Sprintf("field %q%s", f.Name, e.Levels.in(i)), planes: b.planes(), planeBytes: rows * f.Type.Size() * f.Components * b.N[0], sumsAt: at[len(at)-1][2*n+1]}
			var places []joint.Place
			for k, planes := range s.shares(a.planes) {
				places = append(places, joint.Place{File: p.files[k], At: at[k][n], Planes: planes})
			}
			if places == nil {
				places = joint.Within(p.main(), at[len(at)-1][2*n], a.planes)
			}
			a.Array = joint.NewArray(places, rows, a.planeBytes/rows, part)
			p.arrays = append(p.arrays, a)
		}
	}
	return p, nil
}

// check explains what cannot be written.
func check(box decomp.Box, g Grid, fs []Field) error {
	for a := 0; a < 3 && box.Cells() > 0; a++ {
		if box.Lo[a] < 0 || box.Hi[a] > g.N[a] {
			return fmt.Errorf("the box %v is not in the grid %v", box, g.N)
		}
	}
	if box.Cells() > 0 && (box.Lo[0] != 0 || box.Hi[0] != g.N[0]) {
		return fmt.Errorf("the box %v does not contain whole rows of the grid %v: x is never divided", box, g.N)
	}
	if len(fs) == 0 {
		return errors.New("no fields")
	}
	seen := map[string]bool{}
	for _, f := range fs {
		switch {
		case f.Name == "" || f.Name == "." || strings.ContainsAny(f.Name, "/\x00\n"):
			return fmt.Errorf("%q cannot be the name of a field", f.Name)
		case seen[f.Name]:
			return fmt.Errorf("two fields have the name %q", f.Name)
		case f.Components != 1 && f.Components != 3 && f.Components != 6:
			return fmt.Errorf("field %q has %d components instead of 1, 3 or 6", f.Name, f.Components)
		case f.Type > Uint8:
			return fmt.Errorf("field %q has an unknown number type", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}

// Write puts planes of one field (its index in the list given to Begin) into the
// file: plane 0 is the first of this rank's box along z, in 2D along y. data is
// [plane][y][x][component] of the box, in 2D [plane = y][x][component], in the
// machine's byte order. Any goroutine may call it, also several at once; no messages. Its
// error comes again, on all ranks, from Commit.
func (p *Pending) Write(field, plane int, data []byte) error {
	return p.WriteBox(0, field, plane, data)
}

// WriteBox is Write for a box of BeginLevels: plane 0 is the first of this rank's part of it.
func (p *Pending) WriteBox(box, field, plane int, data []byte) error {
	if field < 0 || field >= p.fields || box < 0 || box >= len(p.arrays)/p.fields {
		err := fmt.Errorf("there is no field %d among %d of box %d among %d", field, p.fields, box, len(p.arrays)/p.fields)
		p.main().Fail(err)
		return err
	}
	a := &p.arrays[box*p.fields+field]
	if err := a.Check(plane, data); err != nil {
		err = fmt.Errorf("%s: %w", a.name, err)
		p.main().Fail(err)
		return err
	}
	a.Add(plane, data)
	return a.Put(plane, data)
}

// main returns the file that shows the fields.
func (p *Pending) main() *joint.File { return p.files[len(p.files)-1] }

// Flush comes after this rank's last Write and waits for the disk, so that Commit
// need not. Any goroutine, no messages.
func (p *Pending) Flush() error {
	for _, f := range p.files {
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// Commit gives the file its name and its place in the index when all ranks have written all planes. Collective, with a
// gather and a reduction. failed is this rank's error so far. After an error, the same on all ranks, the temporary files
// are removed. Earlier files and the index are as before, except after an error in naming the files of a step
// (joint.Commit).
func (p *Pending) Commit(failed error) error {
	var note []byte
	for _, a := range p.arrays {
		if err := a.Missing(); err != nil {
			p.main().Fail(fmt.Errorf("%s: %w", a.name, err))
		}
		sums := a.Marshal()
		note = append(append(note, joint.MarshalInts([]int64{int64(len(sums))})...), sums...)
	}
	err := joint.Commit(p.files, failed, note, p.seal, func() error {
		p.series.drop(p.entry.Step, len(p.files)-1)
		return p.series.add(p.entry)
	})
	if err != nil && p.c.Rank() == 0 {
		p.series.tidy(p.entry.Step)
	}
	return err
}

// seal puts the checksums into the file.
func (p *Pending) seal(f *os.File, notes [][]byte) error {
	for _, a := range p.arrays {
		parts := make([][]byte, len(notes))
		for rank, note := range notes {
			n := 8 + joint.UnmarshalInts(note[:8])[0]
			parts[rank], notes[rank] = note[8:n], note[n:]
		}
		sums, err := joint.Collect(a.planes, a.planeBytes, parts)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if _, err := f.WriteAt(joint.Bytes(sums), a.sumsAt); err != nil {
			return err
		}
	}
	return nil
}

// Abort abandons the file without a message; every rank calls it instead of
// Commit. The temporary files are removed, earlier files and the index stay.
func (p *Pending) Abort() {
	joint.Abort(p.files)
	if p.c.Rank() == 0 {
		p.series.tidy(p.entry.Step)
	}
}
