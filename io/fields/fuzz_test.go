// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lbmsim/io/internal/h5"
)

// largest is the most bytes of a dataset that the target writes, all of them holes. Where a file system refuses the size of a file,
// HDF5 1.10.8 leaks 0.6 MB in H5Fclose: such files would fill the memory of the fuzzer before a reader sees them.
const largest = 1 << 40

// Open accepts untrusted files: it reports damage, and takes no memory that the file does not
// have. The files are HDF5's, with whatever sizes, names and texts: damage below that is its
// library's, which older versions of it do not survive (docs/reliability.md).
func FuzzOpen(f *testing.F) {
	f.Add(int64(7), int64(5), int64(6), 6, 5, 7, 0, byte(h5.Float64), 6, "density", "kg/m^3", "", false)
	f.Add(int64(9), int64(6), int64(1), 1, 6, 9, 3, byte(h5.Float32), 6, "velocity", "m/s", "", false)
	f.Add(int64(7), int64(5), int64(6), 3, 5, 7, 0, byte(h5.Uint8), 6, "solid", "", "part.hdf\npart.hdf", true)
	f.Add(int64(1)<<31, int64(1)<<31, int64(1)<<33, 1<<31-1, 60, 1, 2, byte(h5.Uint32), 0, ".", "", "../a\n", true)
	path := filepath.Join(f.TempDir(), "flow.hdf")
	part := filepath.Join(filepath.Dir(path), "part.hdf")
	f.Fuzz(func(t *testing.T, nx, ny, nz int64, d0, d1, d2, d3 int, number byte, sums int, name, unit, parts string, split bool) {
		dims := []int{d0, d1, d2}
		if d3 > 0 {
			dims = append(dims, d3)
		}
		kind := Type(number % 5)
		bytes := float64(kind.Size())
		for _, d := range dims {
			bytes *= float64(uint(d))
		}
		if max(bytes, 4*float64(uint(sums))) > largest {
			return
		}
		os.Remove(path)
		os.Remove(part)
		if made(path, func(f *h5.File) ([]int64, error) {
			err := errors.Join(f.Group("/VTKHDF"), f.Int64s("/VTKHDF", "WholeExtent", 0, nx, 0, ny, 0, nz), f.Group("/VTKHDF/CellData"),
				f.Group("/lbmsim"), f.String("/lbmsim", "version", unit), f.Int64s("/lbmsim", "step", nx), f.Float64s("/lbmsim", "time", float64(ny)),
				f.Text("/lbmsim/case", parts), f.Text("/lbmsim/provenance", name), f.Group(strings.TrimSuffix(crcs, "/")))
			_, e1 := f.Contiguous(cells+name, kind, dims...)
			_, e2 := f.Contiguous(crcs+name, h5.Uint32, sums)
			err = errors.Join(err, e1, e2, f.String(cells+name, "unit", unit))
			if split {
				err = errors.Join(err, f.Text(files, parts))
			}
			return nil, err
		}); split {
			_, _ = made(part, func(f *h5.File) ([]int64, error) {
				_, err := f.Contiguous("/"+name, kind, dims...)
				return nil, err
			})
		}
		size := uint64(0)
		for _, name := range []string{path, part} {
			if info, err := os.Stat(name); err == nil {
				size += uint64(info.Size())
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Open(path)
		if err == nil && size < 1<<20 { // larger files are sparse
			for i := range r.Fields {
				values := make([]float64, r.Values(i))
				for k := range r.Planes {
					_ = r.Plane(i, k, values)
				}
			}
		}
		if err == nil {
			r.Close()
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20+100*size {
			t.Errorf("%d bytes of memory for files of %d", took, size)
		}
	})
}

// OpenLevels does the same, whatever the boxes of a refined grid.
func FuzzOpenLevels(f *testing.F) {
	f.Add(int64(8), int64(6), int64(5), int64(2), int64(2), int64(2), int64(8), int64(8), int64(6), 0.25, "density", uint8(4), uint8(6), uint8(6), uint8(0))
	f.Add(int64(10), int64(8), int64(1), int64(2), int64(2), int64(0), int64(10), int64(8), int64(1), 0.25, "velocity\nsolid", uint8(1), uint8(6), uint8(8), uint8(3))
	f.Add(int64(1)<<31-1, int64(1)<<31-1, int64(1)<<31-1, int64(-2), int64(1)<<40, int64(0), int64(1)<<62, int64(3), int64(-1)<<63, 0.0, "", uint8(1), uint8(2), uint8(3), uint8(4))
	path := filepath.Join(f.TempDir(), "flow.hdf")
	f.Fuzz(func(t *testing.T, nx, ny, nz, x0, y0, z0, x1, y1, z1 int64, spacing float64, names string, d0, d1, d2, d3 uint8) {
		dims := []int{int(d0), int(d1), int(d2)}
		if d3 > 0 {
			dims = append(dims, int(d3))
		}
		os.Remove(path)
		_, _ = made(path, func(f *h5.File) ([]int64, error) {
			err := errors.Join(f.Group("/lbmsim"), f.String("/lbmsim", "version", "1"), f.Int64s("/lbmsim", "step", 1), f.Float64s("/lbmsim", "time", 1),
				f.Text("/lbmsim/case", ""), f.Text("/lbmsim/provenance", ""), f.Text(order, names), f.Float64s("/lbmsim", "corner", 0, 0, 0),
				f.Float64s("/lbmsim", "spacing", spacing), groups(f, boxesIn+"0/0/"), groups(f, boxesIn+"1/0/"), groups(f, crcs+"0/0/"), groups(f, crcs+"1/0/"),
				f.Int64s(boxesIn+"0/0", "box", 0, 0, 0, nx, ny, nz), f.Int64s(boxesIn+"1/0", "box", x0, y0, z0, x1, y1, z1))
			for _, name := range strings.Split(names, "\n") {
				for _, at := range []string{"0/0/", "1/0/"} {
					_, e1 := f.Contiguous(boxesIn+at+name, Float32, dims...)
					_, e2 := f.Contiguous(crcs+at+name, h5.Uint32, int(d0))
					err = errors.Join(err, e1, e2, f.String(boxesIn+at+name, "unit", ""))
				}
			}
			return nil, err
		})
		info, err := os.Stat(path)
		if err != nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := OpenLevels(path)
		if err == nil {
			if info.Size() < 1<<20 { // larger files are sparse
				for box := range r.Levels.Count() {
					for i := range r.Fields {
						values := make([]float64, r.BoxValues(box, i))
						for k := range r.BoxPlanes(box) {
							_ = r.BoxPlane(box, i, k, values)
						}
					}
				}
			}
			r.Close()
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20+100*uint64(info.Size()) {
			t.Errorf("%d bytes of memory for a file of %d", took, info.Size())
		}
	})
}
