// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

// The VTKHDF file itself: /VTKHDF has the part that ParaView reads, /lbmsim the rest, because its readers fail on unknown
// objects among their own. Format: "VTKHDF file format", VTK documentation, sections ImageData and FieldData.

import (
	"os"
	"path/filepath"
	"strings"

	"lbmsim/io/internal/h5"
)

const (
	cells  = "/VTKHDF/CellData/"
	labels = "/VTKHDF/FieldData/" // what ParaView shows beside the numbers
	crcs   = "/lbmsim/crc32c/"    // CRC-32C of each plane along the slowest axis
	files  = "/lbmsim/parts"      // names of the files that hold the numbers, one a line

	order   = "/lbmsim/fields"   // of a refined grid: the names of the fields, one a line
	boxesIn = "/levels/"         // of a refined grid: LEVEL/BOX/, with the fields of a box
	masks   = "/lbmsim/covered/" // LEVEL/BOX: hiddenCell where a finer level covers a cell of a box, otherwise 0
	hidden  = "/lbmsim/hidden"   // what masks are made of
)

// hiddenCell is vtkDataSetAttributes::HIDDENCELL. REFINEDCELL says what it is, but ParaView 5.11 integrates over those in images.
const hiddenCell = 32

// options: large parts start at pages of the disk; small files stay small.
var options = h5.Options{Align: 4096, Threshold: 4096}

// createPart makes a file that holds some planes of all fields, and returns the offsets
// of their numbers, 0 for boxes of which it has none.
func (s Series) createPart(path string, k int, blocks []block, fs []Field) ([]int64, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return made(path, func(f *h5.File) (at []int64, err error) {
		for _, b := range blocks {
			shares := s.shares(b.planes())
			if k >= len(shares) {
				at = append(at, make([]int64, len(fs))...)
				continue
			}
			if err := groups(f, b.part); err != nil {
				return nil, err
			}
			for _, field := range fs {
				o, err := f.Contiguous(b.part+field.Name, field.Type, b.shape(field, shares[k])...)
				if err != nil {
					return nil, err
				}
				at = append(at, o)
			}
		}
		return at, nil
	})
}

// groups creates a group and its missing parents.
func groups(f *h5.File, path string) error {
	for i := 1; i < len(path); i++ {
		if group := path[:i]; path[i] == '/' && !f.Has(group) {
			if err := f.Group(group); err != nil {
				return err
			}
		}
	}
	return nil
}

// shape returns the shape of some planes of a field.
func (b block) shape(f Field, planes [2]int) []int {
	n := [3]int{b.N[2], b.N[1], b.N[0]}
	n[2-b.axis()] = planes[1] - planes[0]
	axes := n[:]
	if b.list {
		axes = n[2:]
	}
	if f.Components > 1 {
		return append(axes, f.Components)
	}
	return axes
}

func made(path string, fill func(*h5.File) ([]int64, error)) ([]int64, error) {
	f, err := h5.Create(path, options)
	if err != nil {
		return nil, err
	}
	at, err := fill(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return at, err
}

// fill makes a file of one grid: everything but the fields' numbers. It returns two offsets a field: of its numbers, 0 where they
// lie in other files, and of its checksums.
func fill(f *h5.File, s Series, b block, fs []Field, m Meta) (at []int64, err error) {
	do := func(e error) {
		if err == nil {
			err = e
		}
	}
	n, corner, dx := b.N, b.Corner(), b.Spacing
	do(f.Group("/VTKHDF"))
	do(f.Int64s("/VTKHDF", "Version", 2, 0)) // readers that know no cell data, 1.0, say that they are too old
	do(f.String("/VTKHDF", "Type", "ImageData"))
	do(f.Int64s("/VTKHDF", "WholeExtent", 0, int64(n[0]), 0, int64(n[1]), 0, int64(n[2])))
	do(f.Float64s("/VTKHDF", "Origin", corner[:]...))
	do(f.Float64s("/VTKHDF", "Spacing", dx, dx, dx))
	do(f.Float64s("/VTKHDF", "Direction", 1, 0, 0, 0, 1, 0, 0, 0, 1))
	do(f.Group("/VTKHDF/CellData"))
	do(f.Group("/VTKHDF/FieldData"))
	do(f.Number(labels+"TimeValue", m.Time))
	do(about(f, m))
	names, e := s.named(f, m.Step, []block{b})
	do(e)
	if err != nil {
		return nil, err
	}
	return b.rooms(f, s, names, fs)
}

// rooms makes room for all fields of the box, with their units, and returns what fill does.
func (b block) rooms(f *h5.File, s Series, names []string, fs []Field) (at []int64, err error) {
	for _, field := range fs {
		o, err := b.create(f, s, names, field)
		if err != nil {
			return nil, err
		}
		if field.Unit != "" {
			if err := f.Label(labels+"unit of "+field.Name, field.Unit); err != nil {
				return nil, err
			}
		}
		sums, err := f.Contiguous(b.sums+field.Name, h5.Uint32, b.planes())
		if err != nil {
			return nil, err
		}
		at = append(at, o, sums)
	}
	return at, nil
}

// about stores the origin of a file.
func about(f *h5.File, m Meta) (err error) {
	do := func(e error) {
		if err == nil {
			err = e
		}
	}
	do(f.Group("/lbmsim"))
	do(f.String("/lbmsim", "version", m.Version))
	do(f.Int64s("/lbmsim", "step", m.Step))
	do(f.Float64s("/lbmsim", "time", m.Time))
	for _, a := range m.sampled() {
		if *a.of > 0 {
			do(f.Int64s("/lbmsim", a.name, *a.of))
		}
	}
	do(f.Text("/lbmsim/case", m.Case))
	do(f.Text("/lbmsim/provenance", m.Provenance))
	do(f.Group("/lbmsim/crc32c"))
	return err
}

// named stores the names of the files that hold the numbers of boxes, and returns them.
func (s Series) named(f *h5.File, step int64, blocks []block) (names []string, err error) {
	for k := range s.parts(blocks) {
		names = append(names, s.part(step, k))
	}
	if len(names) > 0 {
		err = f.Text(files, strings.Join(names, "\n"))
	}
	return names, err
}

// create makes room for a field of the box, or shows it where other files hold it, and returns the offset of its numbers, then 0.
func (b block) create(f *h5.File, s Series, names []string, field Field) (at int64, err error) {
	shown, path := b.shape(field, [2]int{0, b.planes()}), b.data+field.Name
	var sources []h5.Source
	for k, planes := range s.shares(b.planes()) {
		from := h5.Source{File: names[k], Path: b.part + field.Name, Start: make([]int, len(shown)), Size: b.shape(field, planes)}
		from.Start[2-b.axis()] = planes[0]
		sources = append(sources, from)
	}
	if sources == nil {
		at, err = f.Contiguous(path, field.Type, shown...)
	} else {
		err = f.Virtual(path, field.Type, sources, shown...)
	}
	if err == nil {
		err = f.String(path, "unit", field.Unit)
	}
	return at, err
}
