package fields

// A refined grid in the file. The numbers of a box lie in datasets of its own, [z][y][x][component], in /levels/LEVEL/BOX. Others
// show them, without numbers of their own, in the two forms that readers know:
//
//   - /VTKHDF is OverlappingAMR: a level's boxes one behind the other, and the reader hides what a finer level covers. It knows
//     neither boxes of one layer whose cells halve in two dimensions nor planes. In 2D level l is shown as 2^l equal layers, which
//     together are as thick as level 0; the file holds one.
//   - /lbmsim/visible has boxes without what is covered, for the second index: XDMF cannot hide cells.
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
		do(l.showVisible(f, level, k, b, fs))
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

// describe stores where a box is, for those who read the file without VTK.
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

// showVisible shows what no finer level covers of a box that is covered in part, as XDMF reads it.
func (l Levels) showVisible(f *h5.File, level, number int, b block, fs []Field) error {
	whole := l.Boxes[level][number]
	for k, piece := range l.visible(level, number) {
		if piece == whole {
			continue
		}
		group := l.piece(level, number, k)
		if err := groups(f, group); err != nil {
			return err
		}
		for _, field := range fs {
			shape, from := field.of(piece), field.axes(0, piece.Lo[2]-whole.Lo[2], piece.Lo[1]-whole.Lo[1], piece.Lo[0]-whole.Lo[0])
			if err := f.Virtual(group+field.Name, field.Type, []h5.Source{{File: ".", Path: b.data + field.Name, Of: field.of(whole),
				From: from, Take: shape, Start: make([]int, len(shape)), Size: shape}}, shape...); err != nil {
				return err
			}
		}
	}
	return nil
}

// piece returns the group that shows a visible piece of a box.
func (l Levels) piece(level, number, piece int) string {
	return fmt.Sprintf("%s%d/%d/%d/", piecesIn, level, number, piece)
}

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
