// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package h5

// Attributes: numbers through gonum's Attribute, strings of fixed length
// through native.go.

import (
	"fmt"
	"slices"

	"gonum.org/v1/hdf5"
)

// object is an HDF5 object with attributes.
type object interface {
	ID() int64
	CreateAttribute(name string, t *hdf5.Datatype, s *hdf5.Dataspace) (*hdf5.Attribute, error)
	OpenAttribute(name string) (*hdf5.Attribute, error)
	Close() error
}

func (f *File) object(path string) (object, error) {
	if g, err := f.f.OpenGroup(path); err == nil {
		return g, nil
	}
	d, err := f.f.OpenDataset(path)
	if err != nil {
		return nil, f.fail("open", path, err)
	}
	return d, nil
}

// String puts a string of fixed length on a group or dataset; plain ASCII is
// marked as such, which ParaView insists on.
func (f *File) String(path, name, value string) error {
	defer enter()()
	o, err := f.object(path)
	if err != nil {
		return err
	}
	defer o.Close()
	if !writeStringAttr(o.ID(), name, value) {
		return f.fail("write attribute "+name+" of", path, nil)
	}
	return nil
}

// ReadString reads a string of fixed length.
func (f *File) ReadString(path, name string) (string, error) {
	defer enter()()
	o, err := f.object(path)
	if err != nil {
		return "", err
	}
	defer o.Close()
	s, ok := readStringAttr(o.ID(), name)
	if !ok {
		return "", f.fail("read attribute "+name+" of", path, nil)
	}
	return s, nil
}

// Int64s puts whole numbers on a group or dataset.
func (f *File) Int64s(path, name string, v ...int64) error {
	if len(v) == 0 {
		return fmt.Errorf("%s: attribute %s of %s has no values", f.path, name, path)
	}
	return f.numbers(path, name, len(v), hdf5.T_NATIVE_INT64, &v[0])
}

// Float64s puts numbers on a group or dataset.
func (f *File) Float64s(path, name string, v ...float64) error {
	if len(v) == 0 {
		return fmt.Errorf("%s: attribute %s of %s has no values", f.path, name, path)
	}
	v = slices.Clone(v) // cgo takes no pointer into a struct that has pointers
	return f.numbers(path, name, len(v), hdf5.T_NATIVE_DOUBLE, &v[0])
}

func (f *File) numbers(path, name string, n int, t *hdf5.Datatype, first any) error {
	defer enter()()
	o, err := f.object(path)
	if err != nil {
		return err
	}
	defer o.Close()
	s, err := hdf5.CreateSimpleDataspace([]uint{uint(n)}, nil)
	if err != nil {
		return f.fail("write attribute "+name+" of", path, err)
	}
	defer s.Close()
	a, err := o.CreateAttribute(name, t, s)
	if err != nil {
		return f.fail("write attribute "+name+" of", path, err)
	}
	defer a.Close()
	if err := a.Write(first, t); err != nil {
		return f.fail("write attribute "+name+" of", path, err)
	}
	return nil
}

// ReadInt64s reads the n whole numbers of an attribute.
func (f *File) ReadInt64s(path, name string, n int) ([]int64, error) {
	v := make([]int64, n)
	return v, f.readNumbers(path, name, n, hdf5.T_NATIVE_INT64, &v[0])
}

// ReadFloat64s reads the n numbers of an attribute.
func (f *File) ReadFloat64s(path, name string, n int) ([]float64, error) {
	v := make([]float64, n)
	return v, f.readNumbers(path, name, n, hdf5.T_NATIVE_DOUBLE, &v[0])
}

func (f *File) readNumbers(path, name string, n int, t *hdf5.Datatype, first any) error {
	defer enter()()
	o, err := f.object(path)
	if err != nil {
		return err
	}
	defer o.Close()
	a, err := o.OpenAttribute(name)
	if err != nil {
		return f.fail("read attribute "+name+" of", path, err)
	}
	defer a.Close()
	s := a.Space()
	if s == nil {
		return f.fail("read attribute "+name+" of", path, nil)
	}
	defer s.Close()
	// The library would write past the end of the slice.
	if got := s.SimpleExtentNPoints(); got != n {
		return fmt.Errorf("%s: attribute %s of %s has %d values instead of %d", f.path, name, path, got, n)
	}
	if err := a.Read(first, t); err != nil {
		return f.fail("read attribute "+name+" of", path, err)
	}
	return nil
}
