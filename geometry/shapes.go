// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"

	"lbmsim/internal/vector"
)

// unbounded represents infinity in Bounds: cells are counted in integers.
const unbounded = 1e9

// Ellipsoid has its axes along x, y and z.
type Ellipsoid struct{ Centre, Radii [3]float64 }

func (e Ellipsoid) unit(p [3]float64) [3]float64 {
	for a := range p {
		p[a] /= e.Radii[a]
	}
	return p
}

// Contains reports whether the point lies in the ellipsoid.
func (e Ellipsoid) Contains(x, y, z float64) bool {
	o := e.unit(vector.Minus([3]float64{x, y, z}, e.Centre))
	return vector.Dot(o, o) < 1
}

// Bounds returns the box around the ellipsoid.
func (e Ellipsoid) Bounds() (lo, hi [3]float64) {
	for a, c := range e.Centre {
		lo[a], hi[a] = c-e.Radii[a], c+e.Radii[a]
	}
	return lo, hi
}

func (e Ellipsoid) span(p, d [3]float64) span {
	o, d := e.unit(vector.Minus(p, e.Centre)), e.unit(d)
	return everywhere().quadric(vector.Dot(d, d), vector.Dot(o, d), vector.Dot(o, o)-1)
}

// Hit returns the parameter at which the segment enters the ellipsoid.
func (e Ellipsoid) Hit(p, d [3]float64) (float64, bool) { return e.span(p, d).hit() }

// Crossings appends to ts where the line enters and leaves the ellipsoid.
func (e Ellipsoid) Crossings(p, d [3]float64, ts []float64) []float64 { return e.span(p, d).ends(ts) }

// Cone is a circular cone between two points, truncated if RadiusTo is not zero; with equal radii
// it is a cylinder along any direction.
type Cone struct {
	From, To         [3]float64
	Radius, RadiusTo float64
}

// axis returns the unit vector from From to To, the length between them, and
// the change of the radius per unit of length.
func (c Cone) axis() (u [3]float64, length, slope float64) {
	u = vector.Minus(c.To, c.From)
	length = math.Sqrt(vector.Dot(u, u))
	for a := range u {
		u[a] /= length
	}
	return u, length, (c.RadiusTo - c.Radius) / length
}

// Contains reports whether the point lies in the cone.
func (c Cone) Contains(x, y, z float64) bool {
	u, length, slope := c.axis()
	o := vector.Minus([3]float64{x, y, z}, c.From)
	h := vector.Dot(o, u)
	r := c.Radius + slope*h
	return h >= 0 && h < length && vector.Dot(o, o)-h*h < r*r
}

// Bounds returns the box around the two ends: a disc of radius r across u reaches
// r sqrt(1 - u_a^2) along axis a.
func (c Cone) Bounds() (lo, hi [3]float64) {
	u, _, _ := c.axis()
	for a := range lo {
		w := math.Sqrt(max(0, 1-u[a]*u[a]))
		lo[a] = min(c.From[a]-c.Radius*w, c.To[a]-c.RadiusTo*w)
		hi[a] = max(c.From[a]+c.Radius*w, c.To[a]+c.RadiusTo*w)
	}
	return lo, hi
}

// span: between the planes of the ends the cone is convex; its equation also holds for
// the other half of the double cone, beyond the tip, which these planes cut off.
func (c Cone) span(p, d [3]float64) span {
	u, length, slope := c.axis()
	o := vector.Minus(p, c.From)
	h, dh := vector.Dot(o, u), vector.Dot(d, u)
	r, dr := c.Radius+slope*h, slope*dh
	between := everywhere().slab(h, dh, 0, length)
	qa, qb, qc := vector.Dot(d, d)-dh*dh-dr*dr, vector.Dot(o, d)-h*dh-r*dr, vector.Dot(o, o)-h*h-r*r
	disc := qb*qb - qa*qc
	switch {
	case qa > 0:
		return between.quadric(qa, qb, qc)
	case qa == 0 && qb == 0 || disc <= 0: // the same sign everywhere
		if qc < 0 || qc == 0 && qa < 0 {
			return between
		}
		return nowhere()
	}
	q := -(qb + math.Copysign(math.Sqrt(disc), qb))
	t, v := q/qa, qc/q // q/0 is infinite, as it should be
	if qa == 0 {
		// 2 qb t + qc < 0
		if qb > 0 {
			return between.and(span{math.Inf(-1), -qc / (2 * qb)})
		}
		return between.and(span{-qc / (2 * qb), math.Inf(1)})
	}
	before, after := between.and(span{math.Inf(-1), min(t, v)}), between.and(span{max(t, v), math.Inf(1)})
	if before.out-before.in > after.out-after.in {
		return before
	}
	return after
}

// Hit returns the parameter at which the segment enters the cone.
func (c Cone) Hit(p, d [3]float64) (float64, bool) { return c.span(p, d).hit() }

// Crossings appends to ts where the line enters and leaves the cone.
func (c Cone) Crossings(p, d [3]float64, ts []float64) []float64 { return c.span(p, d).ends(ts) }

// Capsule contains all points within Radius of the line from From to To.
type Capsule struct {
	From, To [3]float64
	Radius   float64
}

// parts of a capsule: their union is convex.
func (c Capsule) parts() (Cone, [2]Sphere) {
	return Cone{c.From, c.To, c.Radius, c.Radius}, [2]Sphere{{c.From, c.Radius}, {c.To, c.Radius}}
}

// Contains reports whether the point lies in the capsule.
func (c Capsule) Contains(x, y, z float64) bool {
	d := vector.Minus(c.To, c.From)
	o := vector.Minus([3]float64{x, y, z}, c.From)
	h := min(max(vector.Dot(o, d)/vector.Dot(d, d), 0), 1)
	o = at(o, d, -h)
	return vector.Dot(o, o) < c.Radius*c.Radius
}

// Bounds returns the box around the capsule.
func (c Capsule) Bounds() (lo, hi [3]float64) {
	for a := range lo {
		lo[a], hi[a] = min(c.From[a], c.To[a])-c.Radius, max(c.From[a], c.To[a])+c.Radius
	}
	return lo, hi
}

func (c Capsule) span(p, d [3]float64) span {
	body, ends := c.parts()
	s := body.span(p, d)
	if !(s.in < s.out) {
		s = nowhere()
	}
	for _, e := range ends {
		if o := e.span(p, d); o.in < o.out {
			s = span{min(s.in, o.in), max(s.out, o.out)}
		}
	}
	return s
}

// Hit returns the parameter at which the segment enters the capsule.
func (c Capsule) Hit(p, d [3]float64) (float64, bool) { return c.span(p, d).hit() }

// Crossings appends to ts where the line enters and leaves the capsule.
func (c Capsule) Crossings(p, d [3]float64, ts []float64) []float64 { return c.span(p, d).ends(ts) }

// HalfSpace is solid behind the plane through Point with the outward Normal.
type HalfSpace struct{ Point, Normal [3]float64 }

// Contains reports whether the point lies behind the plane.
func (h HalfSpace) Contains(x, y, z float64) bool {
	return vector.Dot(vector.Minus([3]float64{x, y, z}, h.Point), h.Normal) < 0
}

// Bounds returns all space, limited by the plane if it is normal to an axis.
func (h HalfSpace) Bounds() (lo, hi [3]float64) {
	for a := range lo {
		lo[a], hi[a] = -unbounded, unbounded
		if n := h.Normal[a]; n*n == vector.Dot(h.Normal, h.Normal) {
			if n > 0 {
				hi[a] = h.Point[a]
			} else {
				lo[a] = h.Point[a]
			}
		}
	}
	return lo, hi
}

func (h HalfSpace) span(p, d [3]float64) span {
	return everywhere().slab(vector.Dot(vector.Minus(p, h.Point), h.Normal), vector.Dot(d, h.Normal), math.Inf(-1), 0)
}

// Hit returns the parameter at which the segment enters the half-space.
func (h HalfSpace) Hit(p, d [3]float64) (float64, bool) { return h.span(p, d).hit() }

// Crossings appends the parameter at which the line crosses the plane.
func (h HalfSpace) Crossings(p, d [3]float64, ts []float64) []float64 { return h.span(p, d).ends(ts) }
