// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package h5 writes and reads the few shapes of HDF5 that the outputs need:
// groups, number and string attributes, texts, and contiguous datasets whose
// place in the file is known when they are created, so that many processes can
// fill them with pwrite and no parallel HDF5. It is the only importer of
// gonum.org/v1/hdf5.
package h5

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/hdf5"
)

// library is global because the HDF5 library is: the serial build keeps its
// tables without locks, so one goroutine of the process may be inside it.
var library sync.Mutex

// enter takes the library for one call. The error stack belongs to a thread in
// threadsafe builds, hence the lock on the thread.
func enter() (leave func()) {
	library.Lock()
	runtime.LockOSThread()
	quiet()
	return func() {
		runtime.UnlockOSThread()
		library.Unlock()
	}
}

// Type is the number type of a dataset, in the byte order of the machine.
type Type uint8

const (
	Float32 Type = iota
	Float64
	Uint8
	Uint32
	Float16 // IEEE 754 half; HDF5 has no predefined type for it
)

// Size of one number in bytes.
func (t Type) Size() int { return [...]int{4, 8, 1, 4, 2}[t] }

func (t Type) String() string {
	return [...]string{"float32", "float64", "uint8", "uint32", "float16"}[t]
}

// MarshalText returns the type's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText parses a type's name as MarshalText writes it.
func (t *Type) UnmarshalText(name []byte) error {
	for k := Float32; k <= Float16; k++ {
		if k.String() == string(name) {
			*t = k
			return nil
		}
	}
	return fmt.Errorf("there is no number type %q", name)
}

// datatype returns the library's type of t and the function that releases it.
func (t Type) datatype() (d *hdf5.Datatype, done func(), ok bool) {
	if t == Float16 {
		if d, ok = half(); !ok {
			return nil, nil, false
		}
		return d, func() { d.Close() }, true
	}
	d = [...]*hdf5.Datatype{hdf5.T_NATIVE_FLOAT, hdf5.T_NATIVE_DOUBLE, hdf5.T_NATIVE_UINT8, hdf5.T_NATIVE_UINT32}[t]
	return d, func() {}, true
}

// Options of a new file.
type Options struct {
	// UserBlock is the number of bytes before the HDF5 part that belong to the
	// program: 0 or a power of two from 512 and a multiple of Align.
	UserBlock int
	// Align places objects of at least Threshold bytes at multiples of Align.
	Align, Threshold int
}

// File is an open HDF5 file. Paths of objects in it start with "/".
type File struct {
	path string
	f    *hdf5.File
}

// Create makes a new file; an existing one of that name is an error.
func Create(path string, o Options) (*File, error) {
	defer enter()()
	// The system's error is clearer than the library's.
	try, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(try.Close(), os.Remove(path)); err != nil {
		return nil, err
	}
	f, ok := nativeCreate(path, o)
	if !ok {
		return nil, stackError("create "+path, nil)
	}
	return &File{path: path, f: f}, nil
}

// Open opens a file to read.
func Open(path string) (*File, error) {
	defer enter()()
	f, ok := nativeOpen(path)
	if !ok {
		return nil, stackError("open "+path, nil)
	}
	return &File{path: path, f: f}, nil
}

// Close writes what the library still holds and closes the file.
func (f *File) Close() error {
	defer enter()()
	if err := f.f.Close(); err != nil {
		return stackError("close "+f.path, err)
	}
	return nil
}

func (f *File) fail(verb, object string, err error) error {
	return stackError(fmt.Sprintf("%s: %s %s", f.path, verb, object), err)
}

// Group creates the group path; its parent exists.
func (f *File) Group(path string) error {
	defer enter()()
	g, err := f.f.CreateGroup(path)
	if err != nil {
		return f.fail("create group", path, err)
	}
	return g.Close()
}

// Has reports whether the file has an object of that path whose parents exist.
func (f *File) Has(path string) bool {
	defer enter()()
	return f.f.LinkExists(path)
}

// Names lists what a group has, in alphabetical order.
func (f *File) Names(group string) ([]string, error) {
	defer enter()()
	g, err := f.f.OpenGroup(group)
	if err != nil {
		return nil, f.fail("open group", group, err)
	}
	defer g.Close()
	n, err := g.NumObjects()
	if err != nil {
		return nil, f.fail("count the objects of", group, err)
	}
	var names []string
	for i := range n {
		name, err := g.ObjectNameByIndex(i)
		if err != nil {
			return nil, f.fail("list", group, err)
		}
		names = append(names, name)
	}
	return names, nil
}

// Contiguous creates a dataset and returns the offset of its first byte in the
// file. Its bytes are on disk, unset, as soon as the file is closed.
func (f *File) Contiguous(path string, t Type, dims ...int) (offset int64, err error) {
	defer enter()()
	p, err := hdf5.NewPropList(hdf5.P_DATASET_CREATE)
	if err != nil {
		return 0, f.fail("create dataset", path, err)
	}
	defer p.Close()
	if !setEarly(p) {
		return 0, f.fail("create dataset", path, nil)
	}
	d, err := f.dataset(path, t, dims, p)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	offset, ok := dataOffset(d)
	if !ok {
		return 0, f.fail("place dataset", path, nil)
	}
	return offset, nil
}

// Ints stores whole numbers, so many along each axis, as a dataset.
func (f *File) Ints(path string, v []int64, dims ...int) error {
	defer enter()()
	if !writeInts(f.f.ID(), path, v, dims) {
		return f.fail("write", path, nil)
	}
	return nil
}

// Reals stores numbers in double precision, so many along each axis, as a dataset.
func (f *File) Reals(path string, v []float64, dims ...int) error {
	defer enter()()
	if !writeReals(f.f.ID(), path, v, dims) {
		return f.fail("write", path, nil)
	}
	return nil
}

// Constant creates a dataset of bytes of one value, none of which is in the file.
func (f *File) Constant(path string, value uint8, dims ...int) error {
	defer enter()()
	if !writeConstant(f.f.ID(), path, value, dims) {
		return f.fail("create dataset", path, nil)
	}
	return nil
}

// Source is a dataset that a virtual one shows as the box of this start and size.
type Source struct {
	File, Path  string // the file is "." for the same one, otherwise relative to its folder
	Start, Size []int
	// Of is the source's shape, which may have another number of axes, nil if that is Size. From and Take are the start and
	// the size of the box of it that is shown, nil if that is all of it.
	Of, From, Take []int
}

// Virtual creates a dataset that shows others, of the same number type.
func (f *File) Virtual(path string, t Type, sources []Source, dims ...int) error {
	sources = slices.Clone(sources)
	for i, s := range sources {
		if s.Of == nil {
			s.Of = s.Size
		}
		if s.From == nil {
			s.From, s.Take = make([]int, len(s.Of)), s.Of
		}
		if len(s.Start) != len(dims) || len(s.Size) != len(dims) || len(s.From) != len(s.Of) || len(s.Take) != len(s.Of) {
			return fmt.Errorf("%s: dataset %s has %d axes, its source %s another number", f.path, path, len(dims), s.Path)
		}
		sources[i] = s
	}
	defer enter()()
	p, err := hdf5.NewPropList(hdf5.P_DATASET_CREATE)
	if err != nil {
		return f.fail("create dataset", path, err)
	}
	defer p.Close()
	if !setVirtual(p, dims, sources) {
		return f.fail("map dataset", path, nil)
	}
	d, err := f.dataset(path, t, dims, p)
	if err != nil {
		return err
	}
	return d.Close()
}

func (f *File) dataset(path string, t Type, dims []int, p *hdf5.PropList) (*hdf5.Dataset, error) {
	u := make([]uint, len(dims))
	for i, n := range dims {
		u[i] = uint(n)
	}
	s, err := hdf5.CreateSimpleDataspace(u, nil)
	if err != nil {
		return nil, f.fail("create dataset", path, err)
	}
	defer s.Close()
	number, done, ok := t.datatype()
	if !ok {
		return nil, f.fail("make the number type of", path, nil)
	}
	defer done()
	d, err := f.f.CreateDatasetWith(path, number, s, p)
	if err != nil {
		return nil, f.fail("create dataset", path, err)
	}
	return d, nil
}

// Place is the shape of a contiguous dataset and where its bytes lie.
type Place struct {
	Dims   []int
	Size   int   // bytes of one number
	Offset int64 // of the first byte in the file
}

// Place looks a contiguous dataset up.
func (f *File) Place(path string) (Place, error) {
	defer enter()()
	d, err := f.f.OpenDataset(path)
	if err != nil {
		return Place{}, f.fail("open dataset", path, err)
	}
	defer d.Close()
	t, err := d.Datatype()
	if err != nil {
		return Place{}, f.fail("read the type of", path, err)
	}
	defer t.Close()
	s := d.Space()
	if s == nil {
		return Place{}, f.fail("read the shape of", path, nil)
	}
	defer s.Close()
	if s.SimpleExtentNDims() < 1 { // the binding fails on those
		return Place{}, fmt.Errorf("%s: dataset %s has no axes", f.path, path)
	}
	u, _, err := s.SimpleExtentDims()
	if err != nil {
		return Place{}, f.fail("read the shape of", path, err)
	}
	offset, ok := dataOffset(d)
	if !ok {
		return Place{}, fmt.Errorf("%s: dataset %s is not contiguous", f.path, path)
	}
	p := Place{Size: int(t.Size()), Offset: offset}
	for _, n := range u {
		if n > math.MaxInt32 {
			return Place{}, fmt.Errorf("%s: dataset %s has the impossible length %d", f.path, path, n)
		}
		p.Dims = append(p.Dims, int(n))
	}
	return p, nil
}

// Text stores a text of any length as a dataset.
func (f *File) Text(path, text string) error {
	defer enter()()
	if !writeText(f.f.ID(), path, text) {
		return f.fail("write", path, nil)
	}
	return nil
}

// Label stores a short ASCII text as VTK shows it: one string of variable length.
func (f *File) Label(path, text string) error {
	defer enter()()
	if !writeLabel(f.f.ID(), path, text) {
		return f.fail("write", path, nil)
	}
	return nil
}

// Number stores one number as a dataset.
func (f *File) Number(path string, v float64) error {
	defer enter()()
	if !writeNumber(f.f.ID(), path, v) {
		return f.fail("write", path, nil)
	}
	return nil
}

// ReadText reads a text back.
func (f *File) ReadText(path string) (string, error) {
	defer enter()()
	s, ok := readText(f.f.ID(), path)
	if !ok {
		return "", f.fail("read the text", path, nil)
	}
	return s, nil
}
