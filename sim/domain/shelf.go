// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"errors"
	"fmt"
	"math/bits"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/geometry"
	"lbmsim/geometry/intake"
)

// Shelf keeps surfaces and images that were read for their extent, until the body is built: large files take long to read.
// The zero value is empty. Only rank 0 has files on it.
type Shelf struct {
	surfaces map[string]*intake.Source
	images   map[string]*intake.Image
}

// key names a file and how it is read.
func key(f config.SolidFile) string {
	return fmt.Sprintf("%s %s %v %s %s %v", f.Path, f.SHA256, f.Voxels, f.Number, f.Array, f.Solid)
}

// Extents returns the function by which config gets the extent of a file: the box around it, in cells. Rank 0 reads the file
// and all ranks make the same calls; c is nil for a single rank.
func (s *Shelf) Extents(c comm.Comm) func(f config.SolidFile) (lo, hi [3]float64, err error) {
	return func(f config.SolidFile) (lo, hi [3]float64, err error) {
		if c == nil {
			return s.extent(f)
		}
		if c.Rank() == 0 {
			lo, hi, err = s.extent(f)
		}
		if err := comm.Agree(c, err); err != nil {
			var failed *comm.Failure
			if errors.As(err, &failed) { // only rank 0 reads: its message suffices
				err = errors.New(failed.Text)
			}
			return lo, hi, err
		}
		b, err := comm.Broadcast(c, comm.Float64Bytes(append(lo[:], hi[:]...)))
		if err != nil {
			return lo, hi, err
		}
		for a := range lo {
			lo[a], hi[a] = comm.Float64At(b, a), comm.Float64At(b, 3+a)
		}
		return lo, hi, nil
	}
}

// extent reads a file unless it is on the shelf.
func (s *Shelf) extent(f config.SolidFile) (lo, hi [3]float64, err error) {
	if f.Image {
		m := s.images[key(f)]
		if m == nil {
			if m, err = readImage(f); err != nil {
				return lo, hi, err
			}
			if s.images == nil {
				s.images = map[string]*intake.Image{}
			}
			s.images[key(f)] = m
		}
		lo, hi = imageSpan(f, m)
		return lo, hi, nil
	}
	m := s.surfaces[key(f)]
	if m == nil {
		if m, err = readSurface(f); err != nil {
			return lo, hi, err
		}
		if s.surfaces == nil {
			s.surfaces = map[string]*intake.Source{}
		}
		s.surfaces[key(f)] = m
	}
	lo, hi = m.Surface.Span(f.Motion.Apply)
	return lo, hi, nil
}

// Surface takes the surface of a body from the shelf, or reads it: closing it changes it, so each is returned once.
func (s *Shelf) Surface(f config.SolidFile) (*intake.Source, error) {
	if s != nil && s.surfaces[key(f)] != nil {
		m := s.surfaces[key(f)]
		delete(s.surfaces, key(f))
		return m, nil
	}
	m, err := readSurface(f)
	return m, misfit(f, err)
}

// Image takes the image of a body from the shelf, or reads it.
func (s *Shelf) Image(f config.SolidFile) (*intake.Image, error) {
	if s != nil && s.images[key(f)] != nil {
		m := s.images[key(f)]
		delete(s.images, key(f))
		return m, nil
	}
	m, err := readImage(f)
	return m, misfit(f, err)
}

// readSurface reads the surface of a body.
func readSurface(f config.SolidFile) (*intake.Source, error) {
	s, err := intake.Read(f.Path)
	if err == nil && f.SHA256 != "" && f.SHA256 != s.SHA256 {
		err = fmt.Errorf("%s has a different SHA-256 than the case requires: %s", f.Path, s.SHA256)
	}
	return s, err
}

// readImage reads the image of a body.
func readImage(f config.SolidFile) (*intake.Image, error) {
	m, err := intake.ReadImage(f.Path, intake.ImageForm{Voxels: f.Voxels, Number: f.Number, Array: f.Array, Solid: f.Solid})
	if err == nil && f.SHA256 != "" && f.SHA256 != m.SHA256 {
		err = fmt.Errorf("%s has a different SHA-256 than the case requires: %s", f.Path, m.SHA256)
	}
	return m, err
}

// misfit adds the file's place in the case to its error.
func misfit(f config.SolidFile, err error) error {
	if err == nil {
		return nil
	}
	return f.At.Wrong(fmt.Errorf("[body.%s]: %w", f.Body, err))
}

// voxelsOf returns the solid voxels of an image as a shape in the numbers of the file.
func voxelsOf(m *intake.Image) *geometry.Voxels {
	v := geometry.NewVoxels(m.N, m.Origin, m.Spacing, [3]int{}, m.N)
	for from := 0; from < m.N[0]*m.N[1]*m.N[2]; from += 64 {
		for _, word := range m.Words(from/64, from/64+1) {
			for ; word != 0; word &= word - 1 {
				i := from + bits.TrailingZeros64(word)
				v.Fill(i%m.N[0], i/m.N[0]%m.N[1], i/m.N[0]/m.N[1])
			}
		}
	}
	return v
}

// imageSpan returns the corners of the box around the solid voxels of an image, in cells.
func imageSpan(f config.SolidFile, m *intake.Image) (lo, hi [3]float64) {
	return geometry.Moved{Shape: voxelsOf(m).Solid(), Motion: f.Motion}.Bounds()
}
