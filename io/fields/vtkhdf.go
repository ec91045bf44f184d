package fields

// The VTKHDF file itself: what ParaView reads lies in /VTKHDF, all else in
// /lbmsim, because its readers stumble over unknown objects among their own.
// Format: "VTKHDF file format", VTK documentation, section ImageData.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/io/internal/h5"
)

const (
	points = "/VTKHDF/PointData/"
	layers = "/lbmsim/layer/"  // 2D: the one plane that is on disk
	crcs   = "/lbmsim/crc32c/" // CRC-32C of each plane along the slowest axis
	files  = "/lbmsim/parts"   // names of the files that hold the numbers, one a line
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

// box is the shape of some planes of a field.
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
	n := g.N
	if g.flat() {
		n[2] = 2 // one layer alone crashes the reader of ParaView 5.11
	}
	origin, dx := g.Origin, g.Spacing
	if g.flat() {
		origin[2] -= dx / 2 // the two layers lie on both sides of the cell centres
	}
	do(f.Group("/VTKHDF"))
	do(f.Int64s("/VTKHDF", "Version", 1, 0))
	do(f.String("/VTKHDF", "Type", "ImageData"))
	do(f.Int64s("/VTKHDF", "WholeExtent", 0, int64(n[0]-1), 0, int64(n[1]-1), 0, int64(n[2]-1)))
	do(f.Float64s("/VTKHDF", "Origin", origin[:]...))
	do(f.Float64s("/VTKHDF", "Spacing", dx, dx, dx))
	do(f.Float64s("/VTKHDF", "Direction", 1, 0, 0, 0, 1, 0, 0, 0, 1))
	do(f.Group("/VTKHDF/PointData"))

	do(f.Group("/lbmsim"))
	do(f.String("/lbmsim", "version", m.Version))
	do(f.Int64s("/lbmsim", "step", m.Step))
	do(f.Float64s("/lbmsim", "time", m.Time))
	do(f.Text("/lbmsim/case", m.Case))
	do(f.Text("/lbmsim/provenance", m.Provenance))
	do(f.Group("/lbmsim/crc32c"))
	shares := series.shares(g.N[g.axis()])
	names := make([]string, len(shares))
	for k := range shares {
		names[k] = series.part(m.Step, k)
	}
	switch {
	case len(shares) > 0:
		do(f.Text(files, strings.Join(names, "\n")))
	case g.flat():
		do(f.Group("/lbmsim/layer"))
	}
	for _, field := range fs {
		shown := field.box(g, [2]int{0, g.N[g.axis()]})
		var data int64
		var e error
		// What ParaView sees are the numbers themselves, or what shows them.
		var sources []h5.Source
		switch path := layers + field.Name; {
		case len(shares) > 0:
			for k, planes := range shares {
				from := h5.Source{File: names[k], Path: "/" + field.Name, Start: make([]int, len(shown)), Size: field.box(g, planes)}
				from.Start[2-g.axis()] = planes[0]
				sources = append(sources, from)
			}
		case g.flat():
			data, e = f.Contiguous(path, field.Type, shown...)
			sources = []h5.Source{{File: ".", Path: path, Start: make([]int, len(shown)), Size: shown}}
		default:
			data, e = f.Contiguous(points+field.Name, field.Type, shown...)
		}
		do(e)
		if g.flat() {
			shown = slices.Clone(shown)
			shown[0] = 2
			for _, s := range sources { // the upper layer shows the same
				s.Start = slices.Clone(s.Start)
				s.Start[0] = 1
				sources = append(sources, s)
			}
		}
		if len(sources) > 0 {
			do(f.Virtual(points+field.Name, field.Type, sources, shown...))
		}
		do(f.String(points+field.Name, "unit", field.Unit))
		sums, e := f.Contiguous(crcs+field.Name, h5.Uint32, g.N[g.axis()])
		do(e)
		at = append(at, data, sums)
		if err != nil {
			return nil, err
		}
	}
	return at, err
}
