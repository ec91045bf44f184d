package fields

// The VTKHDF file itself: what ParaView reads is in /VTKHDF, the rest in /lbmsim, because its readers stumble over unknown
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
)

// options: large parts start at pages of the disk's liking; small files stay small.
var options = h5.Options{Align: 4096, Threshold: 4096}

// create makes the file with everything but the fields' numbers and returns two
// offsets a field: of its numbers, 0 where they lie in other files, and of its checksums.
func create(path string, s Series, g Grid, fs []Field, m Meta) ([]int64, error) {
	return made(path, func(f *h5.File) ([]int64, error) { return fill(f, s, g, fs, m) })
}

// createPart makes a file that holds some planes of all fields, and returns the offsets
// of their numbers.
func createPart(path string, planes [2]int, g Grid, fs []Field) ([]int64, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return made(path, func(f *h5.File) (at []int64, err error) {
		for _, field := range fs {
			o, err := f.Contiguous("/"+field.Name, field.Type, field.box(g, planes)...)
			if err != nil {
				return nil, err
			}
			at = append(at, o)
		}
		return at, nil
	})
}

// box returns the shape of some planes of a field.
func (f Field) box(g Grid, planes [2]int) []int {
	n := [3]int{g.N[2], g.N[1], g.N[0]}
	n[2-g.axis()] = planes[1] - planes[0]
	if f.Components > 1 {
		return append(n[:], f.Components)
	}
	return n[:]
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

func fill(f *h5.File, series Series, g Grid, fs []Field, m Meta) (at []int64, err error) {
	do := func(e error) {
		if err == nil {
			err = e
		}
	}
	n, corner, dx := g.N, g.Corner(), g.Spacing
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
	shares := series.shares(g.N[g.axis()])
	names := make([]string, len(shares))
	for k := range shares {
		names[k] = series.part(m.Step, k)
	}
	if len(shares) > 0 {
		do(f.Text(files, strings.Join(names, "\n")))
	}
	for _, field := range fs {
		shown := field.box(g, [2]int{0, g.N[g.axis()]})
		var data int64
		var e error
		if len(shares) == 0 {
			data, e = f.Contiguous(cells+field.Name, field.Type, shown...)
		} else {
			var sources []h5.Source
			for k, planes := range shares {
				from := h5.Source{File: names[k], Path: "/" + field.Name, Start: make([]int, len(shown)), Size: field.box(g, planes)}
				from.Start[2-g.axis()] = planes[0]
				sources = append(sources, from)
			}
			e = f.Virtual(cells+field.Name, field.Type, sources, shown...)
		}
		do(e)
		do(f.String(cells+field.Name, "unit", field.Unit))
		if field.Unit != "" {
			do(f.Label(labels+"unit of "+field.Name, field.Unit))
		}
		sums, e := f.Contiguous(crcs+field.Name, h5.Uint32, g.N[g.axis()])
		do(e)
		at = append(at, data, sums)
		if err != nil {
			return nil, err
		}
	}
	return at, err
}
