// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/geometry/intake"
	"lbmsim/geometry/mesh"
	"lbmsim/internal/tunnel"
	"lbmsim/io/paint"
	"lbmsim/io/relief"
	"lbmsim/model"
)

// standing holds the bodies in the tunnel: surfaces that have been read and closed.
type standing struct {
	wanted  tunnel.Wanted
	body    tunnel.Body
	sources []*intake.Source // of wanted.Parts
	marks   []mesh.Marks     // as they were in the files
	picture []byte           // PNG of their defects; nil without defects
}

// read reads the surfaces, once.
func (f *tunnelFlags) read(path string) (*standing, error) {
	if f.stands != nil {
		return f.stands, nil
	}
	w, err := f.wanted(path)
	if err != nil {
		return nil, err
	}
	s := &standing{wanted: w}
	var surfaces []*mesh.Surface
	for _, p := range w.Parts {
		source, marks, err := f.surface(p)
		if err != nil {
			return nil, err
		}
		surfaces = append(surfaces, source.Surface)
		s.sources, s.marks = append(s.sources, source), append(s.marks, marks)
	}
	if s.body, err = f.stand(w.Parts, surfaces); err != nil {
		return nil, err
	}
	for i := range w.Parts { // in the case, files are relative to its folder
		if rel, err := relative(filepath.Dir(f.caseFile), w.Parts[i].File); err == nil {
			w.Parts[i].File = rel
		}
	}
	f.stands = s
	return s, nil
}

// surface reads a file, and refuses one that bounds no solid.
func (f *tunnelFlags) surface(p tunnel.Part) (*intake.Source, mesh.Marks, error) {
	done := working("reading " + p.File)
	s, err := intake.Read(p.File)
	done()
	if err != nil {
		return nil, mesh.Marks{}, err
	}
	for _, r := range s.Report() {
		if r.Warning != "" {
			fmt.Fprintf(stdout, "  %s: %s: %s\n", p.File, r.What, r.Warning)
		}
	}
	marks := s.Surface.Marks()
	done = working("closing " + p.File)
	err = s.Close(f.repair, nil)
	done()
	if err != nil {
		return nil, marks, f.refused(p, s, marks, err)
	}
	if text := s.Done(); text != "" {
		fmt.Fprintf(stdout, "  %s: repaired: %s\n", p.File, text)
	}
	return s, marks, nil
}

// refused adds a picture of the defects to the reason why a surface is refused. The output folder may belong to another
// run.
func (f *tunnelFlags) refused(p tunnel.Part, s *intake.Source, marks mesh.Marks, reason error) error {
	path := f.besideCase()
	move, err := motionOf(p)
	var picture []byte
	if err == nil {
		picture, err = drawDefects([]shownSurface{{s.Surface, move, nil, marks}})
	}
	if err == nil {
		err = os.WriteFile(path, picture, 0o666)
	}
	if err != nil {
		return errors.Join(reason, fmt.Errorf("there is no picture of it: %w", err))
	}
	return fmt.Errorf("%w; %s shows where, --repair closes it", reason, path)
}

// motionOf returns the placement of a part, without its shift.
func motionOf(p tunnel.Part) (geometry.Motion, error) {
	unit, err := language.ReadQuantity("--unit", p.Unit, model.Length, language.Above(0))
	return geometry.NewMotion(unit, p.Rotate, [3]float64{}), err
}

// An STL file without --unit is in metres if the body has a plausible size for a tunnel.
const (
	smallestBody = 0.01
	largestBody  = 100
)

// stand puts the parts above the ground, and returns the extent of all of them.
func (f *tunnelFlags) stand(parts []tunnel.Part, surfaces []*mesh.Surface) (tunnel.Body, error) {
	motion, err := motionOf(parts[0])
	if err != nil {
		return tunnel.Body{}, err
	}
	motions := make([]geometry.Motion, len(parts))
	for i := range parts {
		motions[i] = motion
	}
	b := tunnel.Measure(surfaces, motions)
	longest := max(b.Size(0), b.Size(1), b.Size(2))
	if f.unit == "" && (longest > largestBody || longest < smallestBody) {
		return b, fmt.Errorf("%s is %.4g m long, if 1 in the file is 1 m: %s", parts[0].File, longest, tunnel.Units(longest))
	}
	if f.ground == tunnel.Free.String() {
		if f.size.clearance != "" {
			return b, errors.New("--clearance: there is no ground with --ground none")
		}
		return b, nil
	}
	shift := 0.0
	if f.size.clearance != "" {
		clear, err := language.ReadQuantity("--clearance", f.size.clearance, model.Length, language.AtLeast(0))
		if err != nil {
			return b, err
		}
		shift = clear - b.Lo[2]
	} else if b.Lo[2] < 0 || b.Lo[2] > b.Size(2)/2 {
		shift = -b.Lo[2]
	}
	b.Lo[2], b.Hi[2] = b.Lo[2]+shift, b.Hi[2]+shift
	for i := range parts {
		parts[i].Shift[2] = shift
		if parts[i].Spins {
			lo, hi := surfaces[i].Span(motion.Apply)
			for a := range lo {
				parts[i].Centre[a] = (lo[a] + hi[a]) / 2
			}
			parts[i].Centre[2] += shift
			parts[i].Radius = (hi[2] - lo[2]) / 2
			parts[i].Below = func(height float64) [][2][3]float64 { return surfaces[i].SpansBelow(motion.Apply, height-shift) }
		}
	}
	return b, nil
}

// surfacePicture is the picture of the defects of the surfaces, in the output folder of a run.
const (
	surfacePicture = "surface.png"
	defectsTitle   = "the surface: defects are red"
)

// examine lists the defects of the surfaces on the finest grid for the reports, and draws it.
func (s *standing) examine(plans []*tunnel.Plan) (err error) {
	finest := plans[len(plans)-1]
	var defects []tunnel.Defect
	var shown []shownSurface
	for i, source := range s.sources {
		move, err := motionOf(s.wanted.Parts[i])
		if err != nil {
			return err
		}
		done := working("examining " + source.Path)
		list, thin := tunnel.Defects(tunnel.Examined{File: filepath.Base(source.Path), Found: source.Found, Repaired: source.Done(),
			Surface: source.Surface, Cell: finest.Finest() / move.Scale, Cells: finest.Wanted.Cells})
		done()
		defects = append(defects, list...)
		shown = append(shown, shownSurface{source.Surface, move, thin.Triangles, s.marks[i]})
	}
	if len(defects) == 0 {
		return nil
	}
	for _, d := range defects {
		fmt.Fprintf(stdout, "  %s: %s; %s\n", d.File, d.What, d.Done)
	}
	for _, p := range plans {
		p.Defects = defects
	}
	s.picture, err = drawDefects(shown)
	return err
}

// besideCase is the picture without a run.
func (f *tunnelFlags) besideCase() string {
	return strings.TrimSuffix(f.caseFile, filepath.Ext(f.caseFile)) + "_" + surfacePicture
}

// writePicture writes the picture of defects, if there are any.
func (f *tunnelFlags) writePicture() error {
	if f.stands.picture == nil {
		return nil
	}
	path := f.besideCase()
	if !f.dry {
		path = filepath.Join(f.run.output, surfacePicture)
		if err := os.MkdirAll(f.run.output, 0o777); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "  %-16s %s\n", "surface", path)
	return os.WriteFile(path, f.stands.picture, 0o666)
}

// shownSurface is a surface with its defects.
type shownSurface struct {
	surface *mesh.Surface
	move    geometry.Motion
	red     []bool // triangles; nil: none
	marks   mesh.Marks
}

// drawDefects draws surfaces with their defects.
func drawDefects(list []shownSurface) ([]byte, error) {
	var bodies []relief.Body
	var lines [][2][3]float64
	for _, s := range list {
		var b relief.Body
		for _, v := range s.surface.V {
			v = s.move.Apply(v)
			b.Points = append(b.Points, v[:]...)
		}
		for i, t := range s.surface.T {
			value := 0.0
			if s.red != nil && s.red[i] {
				value = 1
			}
			b.Corners, b.Values = append(b.Corners, int64(t[0]), int64(t[1]), int64(t[2])), append(b.Values, value)
		}
		bodies = append(bodies, b)
		for _, e := range s.marks.Edges {
			lines = append(lines, [2][3]float64{s.move.Apply(e[0]), s.move.Apply(e[1])})
		}
	}
	sheet := paint.Sheet{Image: relief.DrawMarked(bodies, lines, frontLeft, reliefSize), Title: defectsTitle, Under: "the flow comes from the left; pale lines are behind the body",
		Legend: []paint.Entry{{Colour: relief.Marked, Text: "open or turned edges, thin parts"}, {Colour: relief.Plain, Text: "good"}}}
	var b bytes.Buffer
	if err := png.Encode(&b, sheet.Draw()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
