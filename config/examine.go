// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"

	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// Checks that need the shape of a body run when it is known: at once for shapes in closed form,
// and after the files have been read for surfaces and images.

// bodyFiles holds the bodies from files, once they have been read, and the checks that wait for them.
type bodyFiles struct {
	shapes  []geometry.Shape
	waiting []func()
	broken  bool    // a body has an error
	speed   float64 // the largest that needed a file
	speedOf string
}

// known reports whether the shape of a body is known.
func (f *bodyFiles) known(b Body) bool { return b.Whole() || f.shapes != nil }

// shape returns the shape of a known body.
func (f *bodyFiles) shape(b Body) geometry.Shape { return b.Shape(f.shapes) }

// knownShapes returns the shapes of all known bodies.
func (f *bodyFiles) knownShapes(bodies []Body) (list []geometry.Shape) {
	for _, b := range bodies {
		if f.known(b) {
			list = append(list, f.shape(b))
		}
	}
	return list
}

// once runs a check as soon as the shapes of these bodies are known.
func (f *bodyFiles) once(check func(), bodies ...Body) {
	if slices.ContainsFunc(bodies, func(b Body) bool { return !f.known(b) }) {
		f.waiting = append(f.waiting, check)
		return
	}
	check()
}

// Examination is the outcome of the checks that need the files of bodies.
type Examination struct {
	Warnings finding.List
	// Speed is the largest speed that needed a file, of a moving surface or of the initial state, in lattice units, and
	// SpeedOf its place in the case.
	Speed   float64
	SpeedOf string
}

// Examine runs the checks that wait for the bodies from files: shapes are theirs, in the cells of the
// whole domain and in the order of c.Files, with their sizes. The error is of type Errors, as from Load. Each
// call starts over. One call runs at a time; other users may read the case meanwhile.
func (c *Case) Examine(shapes []geometry.Shape, sizes []SolidSize) (e Examination, err error) {
	if len(c.Files) == 0 {
		return e, nil
	}
	e, err = c.examine(shapes)
	e.Warnings = append(e.Warnings, c.unresolved(shapes, sizes, e.Warnings)...)
	e.Warnings = append(append(e.Warnings, c.Porous(shapes...)...), c.Unalike(sizes...)...)
	e.Warnings = append(e.Warnings, c.Doubts(sizes...)...)
	return e, err
}

// Waits reports whether checks of the case need the shapes of bodies from files.
func (c *Case) Waits() bool { return len(c.Files) > 0 && c.waits }

// postponed returns the checks that still wait, as a function of the shapes of all bodies from files.
func (r *source) postponed() func(shapes []geometry.Shape) (Examination, error) {
	return func(shapes []geometry.Shape) (e Examination, err error) {
		notes := &Notes{}
		r.Forget() // an earlier call's errors
		r.Notes, r.bodyFiles = notes, &bodyFiles{shapes: shapes, waiting: r.waiting}
		for _, check := range r.waiting {
			check()
		}
		return Examination{notes.Warnings, r.speed, r.speedOf}, r.Err()
	}
}
