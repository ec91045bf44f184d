// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

// A refined grid in the file. The numbers of a box are in separate datasets, [z][y][x][component], in /levels/LEVEL/BOX. Others
// show them, without storing numbers, in the two forms that readers support:
//
//   - /VTKHDF is OverlappingAMR: a level's boxes one behind the other, and the reader hides what a finer level covers. It knows
//     neither boxes of one layer whose cells halve in two dimensions nor planes. In 2D level l is shown as 2^l equal layers, which
//     together are as thick as level 0; the file holds one.
//   - The second index has whole boxes; /lbmsim/covered, by VTK's name for it, hides their covered cells. Without cells behind it
//     a surface would end half a cell before the finer level, so boxes are not cut.
//
// Format: "VTKHDF file format", VTK documentation, section Overlapping AMR.

import (
	"fmt"
	"strings"

	"lbmsim/decomp"
	"lbmsim/io/internal/h5"
)

// fillLevels is fill for a refined grid.
func fillLevels(f *h5.File, s Series, l Levels, blocks []block, fs []Field, m Meta) (at []int64, err error) {
	do := func(e error) {
		if err == nil {
			err = e
		}
	}
	do(f.Group("/VTKHDF"))
	do(f.Int64s("/VTKHDF", "Version", 1, 0)) // has cell data of levels; ParaView 5.11 warns of newer ones
	do(f.String("/VTKHDF", "Type", "OverlappingAMR"))
	do(f.String("/VTKHDF", "GridDescription", "XYZ"))
	do(f.Float64s("/VTKHDF", "Origin", l.Corner[:]...))
	do(about(f, m))
	names, e := s.named(f, m.Step, blocks)
	do(e)
	do(f.Constant(hidden, hiddenCell, l.largest()))
	do(f.Text(order, strings.Join(fieldNames(fs), "\n")))
	do(f.Float64s("/lbmsim", "corner", l.Corner[:]...))
	do(f.Float64s("/lbmsim", "spacing", l.Spacing))
	if err != nil {
		return nil, err
	}
	for i, b := range blocks {
		level, k := l.Box(i)
		do(groups(f, b.data))
		do(groups(f, b.sums))
		do(l.describe(f, b.data[:len(b.data)-1], level, l.Boxes[level][k]))
		for _, field := range fs {
			if err != nil {
				return nil, err
			}
			o, e := b.create(f, s, names, field)
			do(e)
			sums, e := f.Contiguous(b.sums+field.Name, h5.Uint32, b.planes())
			do(e)
			at = append(at, o, sums)
		}
		do(l.hide(f, level, k))
	}
	for level := range l.Boxes {
		do(l.showLevel(f, level, fs, m.Time))
	}
	return at, err
}

func fieldNames(fs []Field) (names []string) {
	for _, f := range fs {
		names = append(names, f.Name)
	}
	return names
}

// describe stores the place of a box, for readers without VTK.
func (l Levels) describe(f *h5.File, group string, level int, b decomp.Box) (err error) {
	var ends []int64
	for _, v := range append(b.Lo[:], b.Hi[:]...) {
		ends = append(ends, int64(v))
	}
	if err = f.Int64s(group, "box", ends...); err != nil {
		return err
	}
	corner, spacing := l.place(level, b)
	if err = f.Float64s(group, "corner", corner[:]...); err != nil {
		return err
	}
	return f.Float64s(group, "spacing", spacing[:]...)
}

// place returns the lower corner of a box and the size of its cells, in metres.
func (l Levels) place(level int, b decomp.Box) (corner, spacing [3]float64) {
	for a := range corner {
		if spacing[a] = l.Size(level); a == 2 && l.flat() {
			spacing[a] = l.Spacing
		}
		corner[a] = l.Corner[a] + float64(b.Lo[a])*spacing[a]
	}
	return corner, spacing
}

// showLevel shows the boxes of a level as VTK reads them: each field as one list of cells.
func (l Levels) showLevel(f *h5.File, level int, fs []Field, time float64) (err error) {
	do := func(e error) {
		if err == nil {
			err = e
		}
	}
	group, layers := fmt.Sprintf("/VTKHDF/Level%d", level), 1
	if l.flat() {
		layers = 1 << level
	}
	do(f.Group(group))
	dx, total := l.Size(level), 0
	do(f.Float64s(group, "Spacing", dx, dx, dx))
	var ends []int64 // of the first and the last cell along each axis
	for _, b := range l.Boxes[level] {
		total += b.Cells() * layers
		b.Hi[2] *= layers
		for a := range b.Lo {
			ends = append(ends, int64(b.Lo[a]), int64(b.Hi[a]-1))
		}
	}
	do(f.Ints(group+"/AMRBox", ends, len(l.Boxes[level]), 6))
	for _, data := range []string{"/PointData", "/FieldData", "/CellData"} { // readers want all of them
		do(f.Group(group + data))
	}
	do(f.Number(group+"/FieldData/TimeValue", time)) // shown if all levels have it; of units, which are texts, ParaView 5.11 fails
	for _, field := range fs {
		var sources []h5.Source
		at := 0
		for k, b := range l.Boxes[level] {
			for range layers {
				sources = append(sources, h5.Source{File: ".", Path: fmt.Sprintf("%s%d/%d/%s", boxesIn, level, k, field.Name), Of: field.of(b),
					Start: field.axes(0, at), Size: field.axes(field.Components, b.Cells())})
				at += b.Cells()
			}
		}
		if err != nil {
			return err
		}
		do(f.Virtual(group+"/CellData/"+field.Name, field.Type, sources, field.axes(field.Components, total)...))
	}
	return err
}

// hide marks the cells of a box that a finer level covers, as XDMF reads it: a virtual dataset of bytes that no file holds.
func (l Levels) hide(f *h5.File, level, number int) error {
	whole, path := l.Boxes[level][number], masked(level, number)
	if err := groups(f, path); err != nil {
		return err
	}
	scalar := Field{Components: 1}
	var sources []h5.Source
	for _, b := range l.covered(level, number) {
		from := []int{b.Lo[2] - whole.Lo[2], b.Lo[1] - whole.Lo[1], b.Lo[0] - whole.Lo[0]}
		sources = append(sources, h5.Source{File: ".", Path: hidden, Of: []int{l.largest()}, From: []int{0}, Take: []int{b.Cells()},
			Start: from, Size: scalar.of(b)})
	}
	if sources == nil {
		return f.Constant(path, 0, scalar.of(whole)...)
	}
	return f.Virtual(path, Uint8, sources, scalar.of(whole)...)
}

// largest returns the cells of the largest box.
func (l Levels) largest() (cells int) {
	for _, boxes := range l.Boxes {
		for _, b := range boxes {
			cells = max(cells, b.Cells())
		}
	}
	return cells
}

// masked returns the dataset that hides covered cells of a box.
func masked(level, number int) string { return fmt.Sprintf("%s%d/%d", masks, level, number) }

// of returns the shape of a field in a box.
func (f Field) of(b decomp.Box) []int {
	n := b.Size()
	return f.axes(f.Components, n[2], n[1], n[0])
}

// axes appends the component to indices or lengths of axes where the field has several.
func (f Field) axes(component int, v ...int) []int {
	if f.Components > 1 {
		return append(v, component)
	}
	return v
}
