// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// A domain with much solid is a porous medium: its permeability depends on the place of the walls.

const (
	porousShare = 0.15 // of the cells, solid
	porousSlip  = 0.02 // of Lambda, from where half-way walls are exact
	// The same for interpolated walls. Spheres that fill 0.216 (cases/robustness/spheres.toml) have within 2 % of their permeability
	// up to there, and 7 % too much at tau 1.5. Walls that a case asks for by name are left alone: it may be a duct.
	porousCurved = 0.1
)

// SolidSize is the size of a body from a file, known once the file has been read.
type SolidSize struct {
	Body    string
	Memory  int64      // of a rank that holds all of it, while it is read
	Surface float64    // faces between its cells and others
	Cells   float64    // that are solid
	Lo, Hi  [3]float64 // corners of the box around it, in cells
	Parts   int        // connected parts of a surface
	Narrow  float64    // share of its area with a gap of less than a cell before it
	Thin    float64    // share of its area with less than a cell of solid behind it
	Least   float64    // its least thickness
	Hollow  [3]bool    // the line through the middle of the box, along each axis, does not meet it
	Shape   geometry.Shape
}

// Porous returns a hint for a case whose walls move with the viscosity while much of it is wall; nothing
// for others. Bodies from files count where their shapes are known. The cells of the domain are counted, because a file may
// reach beyond it, in 2D by any length along z, and bodies may overlap.
func (c *Case) Porous(files ...geometry.Shape) finding.List {
	f := c.Spec.Collision.WallLambda // nil for models that have it as a parameter
	if f == nil {
		return nil
	}
	slip, placed := math.Abs(f(c.Tau)-3./16), false
	var shapes []geometry.Shape
	for _, b := range c.Bodies {
		if b.Motion != nil { // a machine, not a medium
			continue
		}
		placed = placed || slip >= porousSlip && b.Kind.Law == boundary.Bounce || slip >= porousCurved && b.Chosen != ""
		if b.Whole() || files != nil {
			shapes = append(shapes, b.Shape(files))
		}
	}
	share := geometry.Share(shapes, c.Cells, c.Dims())
	if !placed || !(share >= porousShare && share < 1) {
		return nil
	}
	return finding.List{finding.Porous.Says("%.0f %% of the cells are solid: with %q the wall position depends on the viscosity (here Lambda = %s; exact half-way is 3/16), and so do permeability and drag; in porous media \"trt\" fixes half-way walls at any viscosity, and interpolated walls nearly so (docs/models.md)",
		100*share, c.Spec.Collision.Name, language.Short(f(c.Tau)))}
}
