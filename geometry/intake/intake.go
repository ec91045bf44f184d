// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package intake imports surfaces from files: it reads, checks and, on request, closes them, and
// reports its findings as text.
package intake

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"lbmsim/geometry/mesh"
	"lbmsim/geometry/stl"
)

// Source is a surface with its origin. Lengths are in the file's numbers.
type Source struct {
	Path     string
	Bytes    int64
	SHA256   string
	Info     stl.Info
	Surface  *mesh.Surface
	Found    mesh.Findings // in the file
	Repaired mesh.Repairs  // after Close
	Volume   float64       // enclosed volume, once closed
	Sheets   int           // number of triangles, the last ones, that bound no solid; after Thicken
}

// Read reads and checks an STL file.
func Read(path string) (*Source, error) {
	s, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func read(path string) (*Source, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, noFile{}
	case err != nil:
		return nil, reason(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	s := &Source{Path: path, Bytes: info.Size(), Surface: &mesh.Surface{}}
	sum := sha256.New()
	in := io.TeeReader(f, sum)
	s.Info, err = stl.Read(in, info.Size(), func(t stl.Triangle) error {
		s.Surface.Begin(t.Solid)
		s.Surface.Add(t.V, t.Normal)
		return nil
	})
	if err != nil {
		return nil, reason(err)
	}
	if _, err := io.Copy(io.Discard, bufio.NewReader(in)); err != nil { // data behind the last triangle count, too
		return nil, reason(err)
	}
	s.Surface.Done()
	s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	s.Found = s.Surface.Inspect()
	return s, nil
}

// noFile is fs.ErrNotExist with lbmsim's message.
type noFile struct{}

func (noFile) Error() string        { return "there is no such file" }
func (noFile) Is(target error) bool { return target == os.ErrNotExist }

// reason drops the path that errors of package os repeat.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Op, p.Err)
	}
	return err
}

// mostInvented is the share of the area that a repair may guess.
const mostInvented = 0.1

// Close ensures that the surface bounds a solid: an open one is closed with repair, and refused
// without it, or if too much of it would be a guess. Triangles for which unseen, which may be nil,
// reports true do not count, such as the missing floor of a house on a face of the domain.
func (s *Source) Close(repair bool, unseen func([3][3]float64) bool) error {
	if err := s.close(repair, unseen); err != nil {
		return err
	}
	if s.Volume = s.enclosed(); s.Volume == 0 {
		return fmt.Errorf("%s encloses no volume: a sheet without thickness is not a solid; thicken = true makes it one cell thick", s.Path)
	}
	return nil
}

// Thicken ensures that the surface bounds a solid or is a sheet, for a body that occupies the cells that it cuts: open
// parts that no repair closes bound no solid.
func (s *Source) Thicken(repair bool, unseen func([3][3]float64) bool) error {
	if s.Found.Triangles == 0 || repair {
		if err := s.close(repair, unseen); err != nil {
			return err
		}
	}
	s.Sheets = s.Surface.Sheets()
	if s.Sheets < len(s.Surface.T) {
		s.Volume = s.enclosed()
	}
	return nil
}

// close closes an open surface.
func (s *Source) close(repair bool, unseen func([3][3]float64) bool) error {
	if s.Found.Triangles == 0 {
		return fmt.Errorf("%s: all triangles have zero area: there is no surface", s.Path)
	}
	if !s.Found.Watertight() && !repair {
		show := "lbmsim stl --repair " + s.Path
		if unseen != nil {
			show = "lbmsim check"
		}
		return fmt.Errorf("%s is not closed: %s; repair = true closes it (preview: `%s`); thicken = true treats open parts as sheets", s.Path, s.wrong(), show)
	}
	if !s.Found.Watertight() {
		s.Repaired = s.Surface.Repair(unseen)
		switch {
		case len(s.Surface.T) == 0:
			return fmt.Errorf("%s: no triangles remain after the repair", s.Path)
		case s.Repaired.Invented > mostInvented:
			return fmt.Errorf("%s cannot be repaired: %s, and %.3g %% of the closed surface would be guessed (at most %g %%); holes on a non-periodic face of the domain, or outside, do not count",
				s.Path, s.wrong(), 100*s.Repaired.Invented, 100*mostInvented)
		}
	}
	return nil
}

// enclosed returns the volume of the closed parts; 0 if it is only rounding.
func (s *Source) enclosed() float64 {
	solid := mesh.Surface{V: s.Surface.V, T: s.Surface.T[:len(s.Surface.T)-s.Sheets]}
	lo, hi := solid.Bounds()
	size := 1.0
	for a := range lo {
		size *= hi[a] - lo[a]
	}
	if v := math.Abs(solid.Volume()); v > 1e-9*size {
		return v
	}
	return 0
}

// wrong states in one line why a surface is not watertight.
func (s *Source) wrong() string {
	f := s.Found
	var list []string
	add := func(n int, what string) {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(f.Open, "open edges (one triangle)")
	add(f.Against, "edges between triangles of opposite orientation")
	add(f.Duplicates, "duplicate triangles")
	if f.Holes > 0 {
		list = append(list, fmt.Sprintf("the open boundary has %d loops, the widest %.4g wide at %s of the file", f.Holes, f.Widest, place(f.WidestAt)))
	}
	return strings.Join(list, ", ")
}

func place(p [3]float64) string { return fmt.Sprintf("(%.4g, %.4g, %.4g)", p[0], p[1], p[2]) }

// Done states in one line what a repair did; empty without a repair.
func (s *Source) Done() string {
	r := s.Repaired
	if !r.Any() {
		return ""
	}
	var list []string
	if r.Snapped > 0 {
		list = append(list, fmt.Sprintf("%d corners moved by at most %.3g", r.Snapped, r.Tolerance))
	}
	if r.Removed > 0 {
		list = append(list, fmt.Sprintf("%d duplicates removed", r.Removed))
	}
	if r.Turned > 0 {
		list = append(list, fmt.Sprintf("%d triangles flipped", r.Turned))
	}
	if r.Added > 0 {
		unseen := ""
		if r.Unseen > 0 {
			unseen = fmt.Sprintf("; another %.2g %% is outside the domain", 100*r.Unseen)
		}
		list = append(list, fmt.Sprintf("%d holes closed, the widest %.3g wide, with %d triangles (%.2g %% of the area%s)", r.Closed, r.Widest, r.Added, 100*r.Invented, unseen))
	}
	return strings.Join(list, ", ")
}

// Row is a line of a report, with a verdict if the number is bad.
type Row struct{ What, Value, Warning string }

// Report returns the properties that are known without a grid.
func (s *Source) Report() (rows []Row) {
	add := func(what, format string, args ...any) {
		rows = append(rows, Row{What: what, Value: fmt.Sprintf(format, args...)})
	}
	warn := func(is bool, format string, args ...any) {
		if is {
			rows[len(rows)-1].Warning = fmt.Sprintf(format, args...)
		}
	}
	f := s.Found
	form := "ASCII"
	if s.Info.Binary {
		form = "binary"
	}
	add("file", "%s STL, %d bytes, %q", form, s.Bytes, s.Info.Name)
	add("sha256", "%s", s.SHA256)
	for _, n := range s.Info.Notes {
		add("note", "%s", n)
	}
	add("triangles", "%d, with %d vertices in %d connected parts", s.Info.Triangles, f.Vertices, f.Parts)
	add("bounding box", "%s to %s", place(f.Lo), place(f.Hi))
	add("size", "%.6g x %.6g x %.6g", f.Hi[0]-f.Lo[0], f.Hi[1]-f.Lo[1], f.Hi[2]-f.Lo[2])
	add("area", "%.6g", f.Area)
	if f.Watertight() {
		add("volume", "%.6g", math.Abs(f.Volume))
		add("watertight", "yes")
	} else {
		add("watertight", "no: %s", s.wrong())
		warn(true, "not closed: repair = true closes it, thicken = true treats open parts as sheets")
	}
	add("edges", "%d with one triangle, %d with more than two, %d between triangles of opposite orientation", f.Open, f.Crowded, f.Against)
	add("orientation", "%d flipped triangles, %d normals inconsistent with vertex order", f.Turned, f.WrongNormals)
	warn(f.Turned > 0, "repair = true flips these triangles; lbmsim uses the vertex order")
	if f.Turned == 0 && f.WrongNormals > 0 {
		rows[len(rows)-1].Value += ": harmless, lbmsim uses the vertex order"
	}
	if f.InsideOut > 0 {
		add("inside out", "%d parts enclose a negative volume: cavities, or inverted parts", f.InsideOut)
	}
	if f.OneSided > 0 {
		add("one-sided", "%d parts have no interior", f.OneSided)
		warn(true, "such a part is not a solid; fix the file")
	}
	add("bad triangles", "degenerate %d, zero-area %d, duplicate %d", f.Collapsed, f.Needles, f.Duplicates)
	switch {
	case f.Duplicates > 0:
		warn(true, "repair = true removes duplicates")
	case f.Collapsed+f.Needles > 0:
		rows[len(rows)-1].Value += ": harmless"
	}
	if done := s.Done(); done != "" {
		add("repaired", "%s", done)
	}
	return rows
}
