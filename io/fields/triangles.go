// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

// Surfaces: one value of each field a triangle. A file is an UnstructuredGrid of VTKHDF 1.0, which ParaView 5.11 reads as well as
// newer ones; PolyData came with ParaView 5.12. The second index shows the same datasets.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/io/internal/h5"
)

const (
	meshType    = "UnstructuredGrid"
	meshPoints  = "/VTKHDF/Points"
	meshCorners = "/VTKHDF/Connectivity"
	vtkTriangle = 5 // VTK_TRIANGLE
)

// Mesh counts the points and the triangles of a surface.
type Mesh struct {
	Points    int `json:"points"`
	Triangles int `json:"triangles"`
}

// block returns the triangles as a row of cells.
func (m Mesh) block() block {
	return block{Grid: Grid{N: [3]int{m.Triangles, 1, 1}, Spacing: 1}, data: cells, sums: crcs, part: "/", list: true}
}

// Triangles is a surface.
type Triangles struct {
	Points  []float64 // x, y and z of each, in metres
	Corners []int64   // three points of each triangle, anticlockwise seen from outside
}

// Mesh returns its size.
func (t Triangles) Mesh() Mesh { return Mesh{len(t.Points) / 3, len(t.Corners) / 3} }

// BeginTriangles creates the file of step m.Step of a surface, room for all fields included. It is Begin for one rank, which writes
// all values of a field as its plane 0, [triangle][component].
func (s Series) BeginTriangles(c comm.Comm, failed error, t Triangles, fs []Field, m Meta) (*Pending, error) {
	mesh := t.Mesh()
	if failed == nil && (mesh.Triangles == 0 || c.Size() > 1) {
		failed = fmt.Errorf("begin the surface %s: %d triangles on %d ranks instead of some on one", s.Path(m.Step), mesh.Triangles, c.Size())
	}
	b := mesh.block()
	return s.begin(c, failed, []decomp.Box{{Hi: b.N}}, []block{b}, fs, m, entry{Grid: b.Grid, Mesh: &mesh}, func(tmp string) ([]int64, error) {
		return made(tmp, func(f *h5.File) ([]int64, error) { return fillTriangles(f, s, t, fs, m) })
	})
}

// fillTriangles makes a file of a surface: everything but the fields' numbers, whose offsets it returns as fill does.
func fillTriangles(f *h5.File, s Series, t Triangles, fs []Field, m Meta) (at []int64, err error) {
	do := func(e error) {
		if err == nil {
			err = e
		}
	}
	mesh := t.Mesh()
	first := make([]int64, mesh.Triangles+1)
	for i := range first {
		first[i] = int64(3 * i)
	}
	do(f.Group("/VTKHDF"))
	do(f.Int64s("/VTKHDF", "Version", 1, 0))
	do(f.String("/VTKHDF", "Type", meshType))
	do(f.Ints("/VTKHDF/NumberOfPoints", []int64{int64(mesh.Points)}, 1))
	do(f.Ints("/VTKHDF/NumberOfCells", []int64{int64(mesh.Triangles)}, 1))
	do(f.Ints("/VTKHDF/NumberOfConnectivityIds", []int64{int64(3 * mesh.Triangles)}, 1))
	do(f.Reals(meshPoints, t.Points, mesh.Points, 3))
	do(f.Ints(meshCorners, t.Corners, 3*mesh.Triangles))
	do(f.Ints("/VTKHDF/Offsets", first, mesh.Triangles+1))
	do(f.Constant("/VTKHDF/Types", vtkTriangle, mesh.Triangles))
	do(f.Group("/VTKHDF/CellData"))
	do(f.Group("/VTKHDF/FieldData"))
	do(f.Number(labels+"TimeValue", m.Time))
	do(about(f, m))
	do(f.Int64s("/lbmsim", "points", int64(mesh.Points)))
	do(f.Int64s("/lbmsim", "triangles", int64(mesh.Triangles)))
	if err != nil {
		return nil, err
	}
	return mesh.block().rooms(f, s, nil, fs)
}

// Triangles reads the surface that a file's fields are on.
func (r *Reader) Triangles() (t Triangles, err error) {
	if r.Mesh == nil {
		return t, fmt.Errorf("%s: it contains cells of boxes, not a surface", r.path)
	}
	points, corners := make([]byte, 8*3*r.Mesh.Points), make([]byte, 4*3*r.Mesh.Triangles)
	if err := errors.Join(r.dataset(meshPoints, 8, points), r.dataset(meshCorners, 4, corners)); err != nil {
		return t, err
	}
	for ; len(points) > 0; points = points[8:] {
		t.Points = append(t.Points, math.Float64frombits(binary.LittleEndian.Uint64(points)))
	}
	for ; len(corners) > 0; corners = corners[4:] {
		k := int64(int32(binary.LittleEndian.Uint32(corners)))
		if k < 0 || k >= int64(r.Mesh.Points) {
			return t, fmt.Errorf("%s: a triangle has point %d of %d", r.path, k, r.Mesh.Points)
		}
		t.Corners = append(t.Corners, k)
	}
	return t, nil
}

// dataset fills b from a dataset of numbers of this size.
func (r *Reader) dataset(path string, size int, b []byte) error {
	f, err := h5.Open(r.path)
	if err != nil {
		return err
	}
	defer f.Close()
	at, err := placeOf(f, r.path, r.path, path)
	if err != nil {
		return err
	}
	if p := (place{r.path, at}); at.Size == size && p.bytes() == len(b) {
		return r.read(p, b, 0)
	}
	return fmt.Errorf("%s: dataset %s has the shape %v of numbers of %d bytes", r.path, path, at.Dims, at.Size)
}

// meshIn reads the size of a surface.
func meshIn(f *h5.File) (*Mesh, error) {
	var n [2]int
	for i, name := range []string{"points", "triangles"} {
		v, err := f.ReadInt64s("/lbmsim", name, 1)
		if err != nil {
			return nil, err
		}
		if v[0] < 1 || v[0] > math.MaxInt32 {
			return nil, fmt.Errorf("it has %d %s", v[0], name)
		}
		n[i] = int(v[0])
	}
	return &Mesh{n[0], n[1]}, nil
}
