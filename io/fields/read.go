// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

// Reading a file back, each plane checked against its checksum. HDF5 returns the offsets of the numbers;
// they are read from there, also from several files of a step.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/decomp"
	"lbmsim/io/internal/h5"
	"lbmsim/io/internal/joint"
)

// Reader is an open file of fields. One goroutine at a time.
type Reader struct {
	Meta   Meta
	N      [3]int // cells along x, y, z
	Fields []Field
	Planes int // along z, in 2D along y
	Grid   Grid
	Levels Levels // the grid as its only level, or all of a refined one: then N, Planes and Grid are level 0
	Mesh   *Mesh  // of a surface, whose triangles are the cells along x; nil: the cells are boxes

	refined bool
	path    string
	boxes   []Grid    // cells of each
	places  [][]place // of each field of the first box, then of the next; in the order of the planes
	sums    [][]byte
	open    map[string]*os.File
	raw     []byte
}

// place is a dataset in a file.
type place struct {
	path string
	h5.Place
}

// Open reads all of a file of one grid but the fields' numbers.
func Open(path string) (*Reader, error) {
	r, err := OpenLevels(path)
	if err == nil && r.refined {
		r.Close()
		return nil, fmt.Errorf("open the fields %s: it holds a refined grid of %d levels, where one grid is needed", path, len(r.Levels.Boxes))
	}
	if err == nil && r.Mesh != nil {
		r.Close()
		return nil, fmt.Errorf("open the fields %s: it contains a surface of %d triangles, where one grid is needed", path, r.Mesh.Triangles)
	}
	return r, err
}

// OpenLevels reads all of a file but the fields' numbers, of one grid, of a refined one or of a surface.
func OpenLevels(path string) (*Reader, error) {
	r := &Reader{path: path, open: map[string]*os.File{}}
	err := r.load()
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("open the fields %s: %w", path, err)
	}
	return r, nil
}

// readSampled reads what averages alone have.
func readSampled(f *h5.File, m *Meta) {
	for _, a := range m.sampled() {
		if v, err := f.ReadInt64s("/lbmsim", a.name, 1); err == nil {
			*a.of = v[0]
		}
	}
}

func (r *Reader) load() (err error) {
	f, err := h5.Open(r.path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	if !f.Has("/lbmsim") || !f.Has(strings.TrimSuffix(crcs, "/")) {
		return errors.New("an HDF5 file, but not an lbmsim fields file")
	}
	if err := r.about(f); err != nil {
		return err
	}
	if f.Has("/VTKHDF/PointData") {
		return fmt.Errorf("it contains point data of an older version (%q); read it with the version that wrote it", r.Meta.Version)
	}
	blocks, err := r.layout(f)
	if err != nil {
		return err
	}
	holders, err := r.holders(f)
	if err != nil {
		return err
	}
	names, err := r.named(f)
	if err != nil {
		return err
	}
	for i, b := range blocks {
		r.boxes = append(r.boxes, b.Grid)
		for k, name := range names {
			field, err := r.field(f, b, holders, name)
			if err != nil {
				return err
			}
			if i == 0 {
				r.Fields = append(r.Fields, field)
			} else if field != r.Fields[k] {
				level, number := r.Levels.Box(i)
				return fmt.Errorf("field %q of box %d of level %d differs from level 0 in its kind", name, number, level)
			}
		}
	}
	return nil
}

// about reads the origin of the file.
func (r *Reader) about(f *h5.File) error {
	m := &r.Meta
	step, e1 := f.ReadInt64s("/lbmsim", "step", 1)
	t, e2 := f.ReadFloat64s("/lbmsim", "time", 1)
	version, e3 := f.ReadString("/lbmsim", "version")
	text, e4 := f.ReadText("/lbmsim/case")
	provenance, e5 := f.ReadText("/lbmsim/provenance")
	if err := errors.Join(e1, e2, e3, e4, e5); err != nil {
		return err
	}
	m.Step, m.Time, m.Version, m.Case, m.Provenance = step[0], t[0], version, text, provenance
	readSampled(f, m)
	return nil
}

// named returns the names of the fields: in the order of the case where the file has it.
func (r *Reader) named(f *h5.File) (names []string, err error) {
	if r.refined {
		text, err := f.ReadText(order)
		return strings.Split(text, "\n"), err
	}
	if names, err = f.Names(strings.TrimSuffix(crcs, "/")); err == nil && len(names) == 0 {
		err = errors.New("it has no fields")
	}
	return names, err
}

// layout reads where the cells are.
func (r *Reader) layout(f *h5.File) (blocks []block, err error) {
	if r.refined = f.Has(strings.TrimSuffix(boxesIn, "/")); r.refined {
		if r.Levels, err = levelsIn(f); err != nil {
			return nil, err
		}
		r.Grid = r.Levels.grid()
		blocks = r.Levels.blocks()
	} else if kind, err := f.ReadString("/VTKHDF", "Type"); err == nil && kind == meshType {
		if r.Mesh, err = meshIn(f); err != nil {
			return nil, err
		}
		b := r.Mesh.block()
		r.Grid, r.Levels, blocks = b.Grid, levelsOf(b.Grid), []block{b}
	} else {
		extent, err := f.ReadInt64s("/VTKHDF", "WholeExtent", 6)
		if err != nil {
			return nil, err
		}
		var n [3]int
		for a := range n {
			if extent[2*a] != 0 || extent[2*a+1] < 1 || extent[2*a+1] > math.MaxInt32 {
				return nil, fmt.Errorf("its cells range from %d to %d", extent[2*a], extent[2*a+1])
			}
			n[a] = int(extent[2*a+1])
		}
		if r.Grid, err = gridIn(f, n); err != nil {
			return nil, err
		}
		r.Levels = levelsOf(r.Grid)
		blocks = []block{{Grid: r.Grid, data: cells, sums: crcs, part: "/"}}
	}
	r.N, r.Planes = r.Grid.N, r.Grid.planes()
	return blocks, nil
}

// levelsIn reads a refined grid.
func levelsIn(f *h5.File) (l Levels, err error) {
	corner, e1 := f.ReadFloat64s("/lbmsim", "corner", 3)
	spacing, e2 := f.ReadFloat64s("/lbmsim", "spacing", 1)
	if err := errors.Join(e1, e2); err != nil {
		return l, err
	}
	copy(l.Corner[:], corner)
	l.Spacing = spacing[0]
	for level := 0; f.Has(fmt.Sprintf("%s%d", boxesIn, level)); level++ {
		var boxes []decomp.Box
		for {
			group := fmt.Sprintf("%s%d/%d", boxesIn, level, len(boxes))
			if !f.Has(group) {
				break
			}
			ends, err := f.ReadInt64s(group, "box", 6)
			if err != nil {
				return l, err
			}
			var b decomp.Box
			for a := range b.Lo {
				if min(ends[a], ends[3+a]) < 0 || max(ends[a], ends[3+a]) > math.MaxInt32 {
					return l, fmt.Errorf("box %d of level %d is %v", len(boxes), level, ends)
				}
				b.Lo[a], b.Hi[a] = int(ends[a]), int(ends[3+a])
			}
			boxes = append(boxes, b)
		}
		l.Boxes = append(l.Boxes, boxes)
	}
	return l, l.check()
}

// field reads all about a field of a box except its numbers.
func (r *Reader) field(f *h5.File, b block, holders []string, name string) (field Field, err error) {
	group := b.part
	holders = holders[:len(Series{Files: len(holders)}.shares(b.planes()))]
	if len(holders) == 0 {
		holders, group = []string{r.path}, b.data
	}
	unit, err := f.ReadString(b.data+name, "unit")
	if err != nil {
		return field, err
	}
	sums, err := placeOf(f, r.path, r.path, b.sums+name)
	if err != nil {
		return field, err
	}
	places := make([]place, len(holders))
	for k, h := range holders {
		places[k].path = h
		if places[k].Place, err = placeOf(f, r.path, h, group+name); err != nil {
			return field, err
		}
	}
	if field, err = shape(name, unit, places, b); err != nil {
		return field, err
	}
	if len(sums.Dims) != 1 || sums.Size != 4 || sums.Dims[0] != b.planes() {
		return field, fmt.Errorf("field %q does not match its number of checksums", name)
	}
	crc := make([]byte, 4*b.planes())
	if err := r.read(place{r.path, sums}, crc, 0); err != nil {
		return field, err
	}
	r.places, r.sums = append(r.places, places), append(r.sums, crc)
	return field, nil
}

// gridIn reads where the cells are.
func gridIn(f *h5.File, n [3]int) (Grid, error) {
	g := Grid{N: n}
	corner, e1 := f.ReadFloat64s("/VTKHDF", "Origin", 3)
	spacing, e2 := f.ReadFloat64s("/VTKHDF", "Spacing", 3)
	if err := errors.Join(e1, e2); err != nil {
		return g, err
	}
	g.Spacing = spacing[0]
	if !(g.Spacing > 0) || math.IsInf(g.Spacing, 0) {
		return g, fmt.Errorf("its spacing is %g", g.Spacing)
	}
	for a := range corner {
		g.Origin[a] = corner[a] + spacing[0]/2
	}
	return g, nil
}

// holders returns the files that hold the numbers beside this one, in the order of their planes.
func (r *Reader) holders(f *h5.File) (list []string, err error) {
	if !f.Has(files) {
		return nil, nil
	}
	names, err := f.ReadText(files)
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(names, "\n") {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("its data are in %q, outside its folder", name)
		}
		list = append(list, filepath.Join(filepath.Dir(r.path), name))
	}
	return list, nil
}

// placeOf looks up where a dataset lies in the open file of a path, or in another one.
func placeOf(open *h5.File, of, path, dataset string) (p h5.Place, err error) {
	if path != of {
		if open, err = h5.Open(path); err != nil {
			return p, err
		}
		defer open.Close()
	}
	if p, err = open.Place(dataset); err != nil {
		return p, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	size := float64(p.Size) // in floating point, because the product of damaged numbers may overflow
	for _, d := range p.Dims {
		size *= float64(d)
	}
	if p.Offset < 0 || float64(p.Offset)+size > float64(info.Size()) {
		return p, fmt.Errorf("%s has %d bytes: too short for its dataset %s", path, info.Size(), dataset)
	}
	return p, nil
}

// shape returns the type of a field from its places, which follow each other along
// the slowest axis, which must be the cells of a block.
func shape(name, unit string, places []place, b block) (f Field, err error) {
	n, axes := b.N, 3
	if b.list {
		axes = 1
	}
	f = Field{Name: name, Unit: unit, Components: 1}
	types := map[int]Type{1: Uint8, 4: Float32, 8: Float64}
	found := 0
	for _, p := range places {
		if len(p.Dims) == axes+1 {
			f.Components = p.Dims[axes]
		}
		var known bool
		if f.Type, known = types[p.Size]; !known || len(p.Dims) < axes || len(p.Dims) > axes+1 || f.Components < 1 || f.Components > 6 {
			return f, fmt.Errorf("field %q has the shape %v of numbers of %d bytes", name, p.Dims, p.Size)
		}
		count := 1
		for _, d := range p.Dims[:axes] {
			count *= d
		}
		found += count
	}
	if float64(found) != float64(n[0])*float64(n[1])*float64(n[2]) { // the product of damaged numbers may overflow
		return f, fmt.Errorf("field %q has %d values for %d x %d x %d cells", name, found, n[0], n[1], n[2])
	}
	return f, nil
}

// BoxPlanes returns the number of planes of a box, counted through all levels from the coarsest on.
func (r *Reader) BoxPlanes(box int) int { return r.boxes[box].planes() }

// Values of a plane: its cells times components.
func (r *Reader) Values(field int) int { return r.BoxValues(0, field) }

// BoxValues is Values for a box.
func (r *Reader) BoxValues(box, field int) int {
	n := r.boxes[box].N
	return n[0] * n[1] * n[2] / r.BoxPlanes(box) * r.Fields[field].Components
}

// Plane reads plane k of a field, [y][x][component] of its cells, into dst, which has
// the length of Values.
func (r *Reader) Plane(field, k int, dst []float64) error { return r.BoxPlane(0, field, k, dst) }

// BoxPlane is Plane for a box.
func (r *Reader) BoxPlane(box, field, k int, dst []float64) error {
	b, err := r.plane(box, field, k)
	if err != nil {
		return err
	}
	for i := range dst {
		switch r.Fields[field].Type {
		case Float64:
			dst[i] = math.Float64frombits(binary.NativeEndian.Uint64(b[8*i:]))
		case Float32:
			dst[i] = float64(math.Float32frombits(binary.NativeEndian.Uint32(b[4*i:])))
		default:
			dst[i] = float64(b[i])
		}
	}
	return nil
}

// plane returns the bytes of a plane, valid until the next one is read.
func (r *Reader) plane(box, field, k int) ([]byte, error) {
	n, index := r.BoxValues(box, field)*r.Fields[field].Type.Size(), box*len(r.Fields)+field
	if cap(r.raw) < n {
		r.raw = make([]byte, n)
	}
	b, at, in := r.raw[:n], k*n, ""
	if r.refined {
		in = r.Levels.in(box)
	}
	for _, p := range r.places[index] {
		if size := p.bytes(); at >= size {
			at -= size
			continue
		}
		if err := r.read(p, b, at); err != nil {
			return nil, err
		}
		if joint.CRC(0, b) != binary.NativeEndian.Uint32(r.sums[index][4*k:]) {
			return nil, fmt.Errorf("%s: plane %d of field %q%s is damaged: it does not match its checksum", p.path, k, r.Fields[field].Name, in)
		}
		return b, nil
	}
	return nil, fmt.Errorf("%s: field %q%s has no plane %d", r.path, r.Fields[field].Name, in, k)
}

func (p place) bytes() int {
	n := p.Size
	for _, d := range p.Dims {
		n *= d
	}
	return n
}

// read fills b with bytes of a dataset, from an offset on.
func (r *Reader) read(p place, b []byte, at int) error {
	if at+len(b) > p.bytes() {
		return fmt.Errorf("%s: a dataset ends within a plane", p.path)
	}
	f := r.open[p.path]
	if f == nil {
		var err error
		if f, err = os.Open(p.path); err != nil {
			return err
		}
		r.open[p.path] = f
	}
	if _, err := f.ReadAt(b, p.Offset+int64(at)); err != nil {
		return fmt.Errorf("%s: read %d bytes at %d: %w", p.path, len(b), p.Offset+int64(at), err)
	}
	return nil
}

// Beside returns the files that hold the numbers of the file, as seen from its folder; none where it holds them itself.
func (r *Reader) Beside() (names []string) {
	for _, places := range r.places {
		for _, p := range places {
			if name, err := filepath.Rel(filepath.Dir(r.path), p.path); err == nil && p.path != r.path && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Close ends reading.
func (r *Reader) Close() {
	for _, f := range r.open {
		f.Close()
	}
}

// Verify reads the named fields of a file, all if none is named, and of the files that
// hold its numbers, and compares each plane with its checksum.
func Verify(path string, names ...string) error {
	r, err := OpenLevels(path)
	if err != nil {
		return err
	}
	defer r.Close()
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	for i, f := range r.Fields {
		if len(names) > 0 && !wanted[f.Name] {
			continue
		}
		delete(wanted, f.Name)
		for box := range r.boxes {
			for k := range r.BoxPlanes(box) {
				if _, err := r.plane(box, i, k); err != nil {
					return err
				}
			}
		}
	}
	for name := range wanted {
		return fmt.Errorf("%s: there is no field %q", path, name)
	}
	return nil
}
