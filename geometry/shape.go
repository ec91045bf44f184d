// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package geometry decides which cells are solid: shapes are sampled at cell
// centres, and the cells behind the faces of the domain become the faces'
// boundaries.
package geometry

import "lbmsim/internal/vector"

// Shape is a solid in the flow. Positions are in cells from the domain's lower
// corner, so the centre of cell i is at i + 1/2.
type Shape interface {
	Contains(x, y, z float64) bool
	// Bounds returns a box that contains the shape.
	Bounds() (lo, hi [3]float64)
	// Hit returns the first t in (0, 1] at which the segment from p, a point outside, to p + t d
	// enters the shape; false if it does not. A point on the surface counts as just outside.
	Hit(p, d [3]float64) (t float64, ok bool)
	// Crossings appends to ts where the line p + t d crosses the surface, in any
	// order; crossings beyond 0..1 may be omitted. Combinations need it.
	Crossings(p, d [3]float64, ts []float64) []float64
}

// Box is an axis-aligned box; it includes its faces at Lo, not at Hi.
type Box struct{ Lo, Hi [3]float64 }

// Contains reports whether the point lies in the box.
func (b Box) Contains(x, y, z float64) bool {
	return x >= b.Lo[0] && x < b.Hi[0] && y >= b.Lo[1] && y < b.Hi[1] && z >= b.Lo[2] && z < b.Hi[2]
}

// Bounds returns the box itself.
func (b Box) Bounds() (lo, hi [3]float64) { return b.Lo, b.Hi }

// span returns the part of the line between the planes of the faces.
func (b Box) span(p, d [3]float64) span {
	s := everywhere()
	for a := range p {
		s = s.slab(p[a], d[a], b.Lo[a], b.Hi[a])
	}
	return s
}

// Hit returns the parameter at which the segment enters the box.
func (b Box) Hit(p, d [3]float64) (float64, bool) { return b.span(p, d).hit() }

// Crossings appends to ts where the line enters and leaves the box.
func (b Box) Crossings(p, d [3]float64, ts []float64) []float64 { return b.span(p, d).ends(ts) }

// Sphere is a ball.
type Sphere struct {
	Centre [3]float64
	Radius float64
}

// Contains reports whether the point lies in the ball.
func (s Sphere) Contains(x, y, z float64) bool {
	x, y, z = x-s.Centre[0], y-s.Centre[1], z-s.Centre[2]
	return x*x+y*y+z*z < s.Radius*s.Radius
}

// Bounds returns the cube around the ball.
func (s Sphere) Bounds() (lo, hi [3]float64) {
	for a, c := range s.Centre {
		lo[a], hi[a] = c-s.Radius, c+s.Radius
	}
	return lo, hi
}

func (s Sphere) span(p, d [3]float64) span {
	o := vector.Minus(p, s.Centre)
	return everywhere().quadric(vector.Dot(d, d), vector.Dot(o, d), vector.Dot(o, o)-s.Radius*s.Radius)
}

// Hit returns the parameter at which the segment enters the ball.
func (s Sphere) Hit(p, d [3]float64) (float64, bool) { return s.span(p, d).hit() }

// Crossings appends to ts where the line enters and leaves the ball.
func (s Sphere) Crossings(p, d [3]float64, ts []float64) []float64 { return s.span(p, d).ends(ts) }

// Cylinder is a circular cylinder parallel to a coordinate axis.
type Cylinder struct {
	Centre [3]float64
	Radius float64
	Axis   int
	Length float64 // along Axis, half on each side of Centre
}

// Contains reports whether the point lies in the cylinder.
func (c Cylinder) Contains(x, y, z float64) bool {
	d := [3]float64{x - c.Centre[0], y - c.Centre[1], z - c.Centre[2]}
	a, b := d[(c.Axis+1)%3], d[(c.Axis+2)%3]
	return a*a+b*b < c.Radius*c.Radius && d[c.Axis] >= -c.Length/2 && d[c.Axis] < c.Length/2
}

// Bounds returns the box around the cylinder.
func (c Cylinder) Bounds() (lo, hi [3]float64) {
	for a, m := range c.Centre {
		r := c.Radius
		if a == c.Axis {
			r = c.Length / 2
		}
		lo[a], hi[a] = m-r, m+r
	}
	return lo, hi
}

func (c Cylinder) span(p, d [3]float64) span {
	o := vector.Minus(p, c.Centre)
	i, j := (c.Axis+1)%3, (c.Axis+2)%3
	return everywhere().slab(o[c.Axis], d[c.Axis], -c.Length/2, c.Length/2).
		quadric(d[i]*d[i]+d[j]*d[j], o[i]*d[i]+o[j]*d[j], o[i]*o[i]+o[j]*o[j]-c.Radius*c.Radius)
}

// Hit returns the parameter at which the segment enters the cylinder.
func (c Cylinder) Hit(p, d [3]float64) (float64, bool) { return c.span(p, d).hit() }

// Crossings appends to ts where the line enters and leaves the cylinder.
func (c Cylinder) Crossings(p, d [3]float64, ts []float64) []float64 { return c.span(p, d).ends(ts) }
