// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"lbmsim/config"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
)

// Source is an open flow. Its values are in the units of its case: SI, or the case file's.
type Source struct {
	Path    string
	Kind    string // checkpoint or fields
	Step    int64
	Time    float64      // in the unit of its case
	Case    *config.Case // that the flow belongs to
	Cells   [3]int       // 1 along z in 2D
	Corner  [3]float64   // lower corner of the box
	Spacing float64
	Warm    bool // there is a temperature

	Checkpoint *checkpoint.Reader // nil: it is fields
	planes     planes
}

// planes reads the planes of a flow along its slowest axis.
type planes interface {
	// read fills in plane k of the whole box.
	read(k int, share share, to *slab) error
	close()
}

// share splits n pieces of work among threads.
type share func(n int, do func(lo, hi int) error) error

// slab is a plane of cells: values [value][cell], and marks of each cell.
type slab struct {
	values [][]float64
	kind   []uint8
}

// Bits of slab.kind.
const (
	isFluid uint8 = 1 << iota // has a pressure and a velocity
	isWarm                    // has a temperature
	isDeep                    // solid, without fluid beside it
)

// Values of a cell: the kinematic pressure p/rho_0, the velocity, and the temperature where there is one.
const (
	pressure = 0
	velocity = 1
)

func newSlab(values, cells int) *slab {
	s := &slab{values: make([][]float64, values), kind: make([]uint8, cells)}
	for v := range s.values {
		s.values[v] = make([]float64, cells)
	}
	return s
}

// Dims returns the number of dimensions.
func (s *Source) Dims() int { return s.Case.Dims() }

// axis returns the slowest axis, which planes are across.
func (s *Source) axis() int { return s.Dims() - 1 }

// rows of a plane.
func (s *Source) rows() int { return s.Cells[1] * s.Cells[2] / s.Cells[s.axis()] }

// count returns the number of values of a cell.
func (s *Source) count() int {
	if s.Warm {
		return velocity + s.Dims() + 1
	}
	return velocity + s.Dims()
}

// Beside returns the files beside the source's that hold a part of it, as seen from its folder.
func (s *Source) Beside() []string {
	switch r := s.planes.(type) {
	case *fieldPlanes:
		return r.file.Beside()
	case *levels:
		return r.beside()
	}
	return nil
}

// Close ends reading.
func (s *Source) Close() { s.planes.close() }

// Open opens a checkpoint or a file of fields.
func Open(path string) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 8)
	_, err = io.ReadFull(f, head)
	f.Close()
	switch {
	case err == nil && bytes.Equal(head, []byte(checkpoint.Magic)):
		return openCheckpoint(path)
	case err == nil && bytes.Equal(head, []byte("\x89HDF\r\n\x1a\n")):
		return openFields(path)
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	}
	return nil, fmt.Errorf("%s is neither an lbmsim checkpoint nor an lbmsim fields file", path)
}

// Verify reads the whole file and compares it with its checksums.
func (s *Source) Verify() error {
	if s.Checkpoint != nil {
		err := s.Checkpoint.Verify()
		if r, ok := s.planes.(*levels); ok {
			err = errors.Join(err, r.verify())
		}
		return err
	}
	return fields.Verify(s.Path)
}

// caseOf reads the case that a file belongs to.
func caseOf(path, text string) (*config.Case, error) {
	c, err := config.Load(path, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("the case in %s is invalid in this version of lbmsim: %w", path, err)
	}
	return c, nil
}

func openCheckpoint(path string) (*Source, error) {
	f, err := checkpoint.Open(path)
	if err != nil {
		return nil, err
	}
	h := f.Header
	s := &Source{Path: path, Kind: "checkpoint", Step: h.Step, Time: h.Time, Checkpoint: f, Cells: h.N}
	if s.Case, err = caseOf(path, h.Case); err == nil {
		if len(s.Case.Refine) > 0 { // fields of such a grid are refused by their reader
			s.planes, err = newLevels(f, s.Case)
		} else {
			s.planes, err = newState(f, s.Case)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	s.Corner, s.Spacing, s.Warm = s.Case.Origin, s.Case.Units.Length, s.Case.Spec.Scalar
	return s, nil
}

func openFields(path string) (*Source, error) {
	f, err := fields.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Source{Path: path, Kind: "fields", Step: f.Meta.Step, Time: f.Meta.Time, Cells: f.N, Corner: f.Grid.Corner(), Spacing: f.Grid.Spacing}
	if s.Case, err = caseOf(path, f.Meta.Case); err == nil {
		err = s.fields(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// fields looks for the values of a flow in a file.
func (s *Source) fields(f *fields.Reader) error {
	r := &fieldPlanes{file: f, at: map[string]int{}, dims: s.Dims(), planes: s.Cells[s.axis()], reference: s.Case.Temperature.Reference, density: s.Case.Units.Density}
	names := ""
	for i, one := range f.Fields {
		r.at[one.Name] = i
		names += ", " + one.Name
	}
	_, moves := r.at["velocity"]
	_, pressed := r.at["pressure"]
	_, dense := r.at["density"]
	_, s.Warm = r.at["temperature"]
	s.planes = r
	switch c := s.Case; {
	case !moves || !pressed && !dense:
		return fmt.Errorf("%s cannot initialize a flow: it contains %s, but needs the velocity and either pressure or density", s.Path, names[2:])
	case f.Fields[r.at["velocity"]].Components != 3:
		return fmt.Errorf("%s: the velocity has %d components instead of 3", s.Path, f.Fields[r.at["velocity"]].Components)
	case s.flat():
		return fmt.Errorf("%s is a plane of a flow in %d dimensions", s.Path, c.Dims())
	case !pressed && s.Spacing != c.Units.Length:
		return fmt.Errorf("%s is on a refined grid of its case: it needs the pressure, because the density alone does not determine it", s.Path)
	}
	u := s.Case.Units
	r.square = (u.Length / u.Time) * (u.Length / u.Time) / 3
	r.pressed = pressed
	return nil
}

// flat reports whether a flow in 3D has been cut down to a plane.
func (s *Source) flat() bool {
	if s.Dims() == 2 {
		return s.Cells[2] != 1
	}
	for a := range s.Dims() {
		if s.Cells[a] == 1 && s.Case.Cells[a] > 1 {
			return true
		}
	}
	return false
}

// fieldPlanes reads the planes of a file of fields.
type fieldPlanes struct {
	file               *fields.Reader
	at                 map[string]int // fields by their names
	dims, planes       int
	pressed            bool    // the pressure is there
	square             float64 // cs^2 in the units of the case
	density, reference float64
	buffer             []float64
}

func (r *fieldPlanes) close() { r.file.Close() }

// field returns a plane of a field, valid until the next one.
func (r *fieldPlanes) field(name string, k int) ([]float64, error) {
	i, each := r.at[name], max(1, r.file.Planes/r.planes) // rows of one plane of cells in 3D are planes of the file
	n := r.file.Values(i)
	if cap(r.buffer) < n*each {
		r.buffer = make([]float64, n*each)
	}
	b := r.buffer[:n*each]
	for j := range each {
		if err := r.file.Plane(i, k*each+j, b[j*n:][:n]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (r *fieldPlanes) read(k int, _ share, to *slab) error {
	name, scale, base := "density", r.square/r.density, r.density
	if r.pressed {
		name, scale, base = "pressure", 1/r.density, 0
	}
	b, err := r.field(name, k)
	if err != nil {
		return err
	}
	for i, v := range b {
		to.values[pressure][i] = (v - base) * scale
		to.kind[i] = 0
	}
	if b, err = r.field("velocity", k); err != nil {
		return err
	}
	for i := range to.kind {
		// A solid cell has the state of rest to the last bit.
		if to.values[pressure][i] != 0 {
			to.kind[i] = isFluid | isWarm
		}
		for a := range r.dims {
			v := b[3*i+a]
			if to.values[velocity+a][i] = v; v != 0 {
				to.kind[i] = isFluid | isWarm
			}
		}
	}
	if _, marked := r.at["solid"]; marked {
		if b, err = r.field("solid", k); err != nil {
			return err
		}
		for i, v := range b {
			if to.kind[i] = isFluid | isWarm; v != 0 {
				to.kind[i] = 0
			}
		}
	}
	if t := velocity + r.dims; t < len(to.values) {
		if b, err = r.field("temperature", k); err != nil {
			return err
		}
		for i, v := range b {
			if to.values[t][i] = v; v != r.reference {
				to.kind[i] |= isWarm
			}
		}
	}
	return nil
}
