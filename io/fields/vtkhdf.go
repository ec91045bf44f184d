package fields

// The VTKHDF file itself: what ParaView reads lies in /VTKHDF, all else in
// /lbmsim, because its readers stumble over unknown objects among their own.
// Format: "VTKHDF file format", VTK documentation, section ImageData.

import (
	"lbmsim/io/internal/h5"
)

const (
	points = "/VTKHDF/PointData/"
	layers = "/lbmsim/layer/"  // 2D: the one plane that is on disk
	crcs   = "/lbmsim/crc32c/" // CRC-32C of each plane along the slowest axis
)

// create makes the file with everything but the fields' numbers and returns two
// offsets a field: of its numbers and of its checksums.
func create(path string, g Grid, fs []Field, m Meta) ([]int64, error) {
	// Large parts start at pages of the disk's liking; small files stay small.
	f, err := h5.Create(path, h5.Options{Align: 4096, Threshold: 4096})
	if err != nil {
		return nil, err
	}
	at, err := fill(f, g, fs, m)
	if e := f.Close(); err == nil {
		err = e
	}
	return at, err
}

func fill(f *h5.File, g Grid, fs []Field, m Meta) (at []int64, err error) {
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
	do(f.Group("/lbmsim/crc32c"))
	if g.flat() {
		do(f.Group("/lbmsim/layer"))
	}
	for _, field := range fs {
		path := points + field.Name
		dims := func(nz int) []int {
			d := []int{nz, n[1], n[0]}
			if field.Components > 1 {
				d = append(d, field.Components)
			}
			return d
		}
		if g.flat() {
			path = layers + field.Name
		}
		data, e := f.Contiguous(path, field.Type, dims(g.N[2])...)
		do(e)
		if g.flat() {
			do(f.Virtual(points+field.Name, field.Type, path, dims(2)...))
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
