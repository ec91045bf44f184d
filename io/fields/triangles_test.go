// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/io/internal/h5"
)

// testSurface is a unit square in the plane z = 2, cut into two triangles of areas 1/4 and 3/4.
func testSurface() Triangles {
	return Triangles{
		Points:  []float64{0, 0, 2, 1, 0, 2, 1, 0.5, 2, 0, 1, 2, 1, 1, 2},
		Corners: []int64{0, 1, 2, 0, 2, 3, 2, 4, 3},
	}
}

var surfaceFields = []Field{{"pressure", "Pa", 1, Float32}, {"wall_shear_stress", "Pa", 3, Float64}}

// writeSurface writes pressures 1, 2, 3 and stresses (i, 10 i, NaN) of triangles i = 1, 2, 3.
func writeSurface(s Series, m Meta) error {
	p, err := s.BeginTriangles(comm.Serial(), nil, testSurface(), surfaceFields, m)
	if err != nil {
		return err
	}
	var pressure, stress []byte
	for i := range 3 {
		pressure = binary.NativeEndian.AppendUint32(pressure, math.Float32bits(float32(i+1)))
		for _, v := range []float64{float64(i + 1), 10 * float64(i+1), math.NaN()} {
			stress = binary.NativeEndian.AppendUint64(stress, math.Float64bits(v))
		}
	}
	return errors.Join(p.Write(0, 0, pressure), p.Write(1, 0, stress), p.Commit(nil))
}

// Written values are read back, also by an index that had to be rebuilt, and the file is not taken for a grid.
func TestTriangles(t *testing.T) {
	s := Series{Dir: t.TempDir(), Name: "car"}
	later := testMeta
	later.Step, later.Time = 240, 1.5
	for _, m := range []Meta{testMeta, later} {
		if err := writeSurface(s, m); err != nil {
			t.Fatal(err)
		}
	}
	r, err := OpenLevels(s.Path(240))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if *r.Mesh != (Mesh{5, 3}) || r.N != [3]int{3, 1, 1} || len(r.Fields) != 2 || r.Fields[1] != surfaceFields[1] {
		t.Errorf("%+v, %v, %+v", r.Mesh, r.N, r.Fields)
	}
	values := make([]float64, r.Values(1))
	if err := r.Plane(1, 0, values); err != nil || len(values) != 9 || values[3] != 2 || values[7] != 30 {
		t.Errorf("%v, %v", values, err)
	}
	if got, err := r.Triangles(); err != nil || !slices.Equal(got.Points, testSurface().Points) || !slices.Equal(got.Corners, testSurface().Corners) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := Verify(s.Path(120)); err != nil {
		t.Error(err)
	}
	if _, err := Open(s.Path(120)); err == nil || !strings.Contains(err.Error(), "a surface of 3 triangles") {
		t.Errorf("a surface is taken for a grid: %v", err)
	}
	f, err := h5.Open(s.Path(120))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	points, err := f.Place(meshPoints)
	if err != nil || len(points.Dims) != 2 || points.Dims[0] != 5 || points.Dims[1] != 3 || points.Size != 8 {
		t.Errorf("points %+v, %v", points, err)
	}
	for _, path := range s.Indices() {
		want, err := os.ReadFile(path)
		if err != nil || os.Remove(path) != nil {
			t.Fatal(err)
		}
		if _, err := s.Rebuild(); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); filepath.Ext(path) == ".series" && string(got) != string(want) {
			t.Errorf("rebuilt as %s, was %s", got, want)
		}
	}
	if err := (Series{Dir: t.TempDir(), Name: "none"}).Rewind(comm.Serial(), -1, false); err != nil {
		t.Error(err)
	}
	if _, err := s.BeginTriangles(comm.Serial(), nil, Triangles{}, surfaceFields, testMeta); err == nil {
		t.Error("a surface of nothing")
	}
}

// Other programs see the same surfaces.
func TestReadersOfTriangles(t *testing.T) {
	s := Series{Dir: t.TempDir(), Name: "car"}
	later := testMeta
	later.Step, later.Time = 240, 1.5
	for _, m := range []Meta{testMeta, later} {
		if err := writeSurface(s, m); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("VTK", func(t *testing.T) {
		reader(t, pipVTK, []string{vtkPython(), "-c", "import vtkmodules.vtkIOHDF, numpy"}, vtkPython(), script("read_surface_vtk.py"), s.Path(120), s.xdmf())
	})
	t.Run("ParaView", func(t *testing.T) {
		reader(t, aptParaView, []string{"pvpython", "--version"}, "pvpython", script("read_surface_paraview.py"), s.Index(), s.xdmf(), "0.75", "1.5")
	})
}
