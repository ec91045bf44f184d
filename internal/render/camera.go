// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package render draws a flow in perspective: a surface of constant value in a field of cells, and solids. Rays are
// cast where the cells are: each rank casts through its own boxes, and the nearest hit of all wins. The sample points of a ray depend on
// the ray and the whole grid alone, so pictures have the same bits for any distribution of cells. The package knows no ranks and no
// files.
//
// Positions are in cells of level 0 from the domain's lower corner, as in package geometry.
package render

import (
	"math"

	"lbmsim/internal/vector"
)

// Camera looks from one place at another.
type Camera struct {
	From, At [3]float64
	Up       [3]float64 // points upwards in the picture
	Angle    float64    // field of view from the lower to the upper edge, in degrees
	W, H     int        // pixels
}

// axes returns the unit vectors to the right, upwards and ahead.
func (c Camera) axes() (right, up, ahead [3]float64) {
	ahead = vector.Unit(vector.Minus(c.At, c.From))
	right = vector.Cross(ahead, c.Up)
	if vector.Dot(right, right) < 1e-12 { // along the axis upwards, which leaves the choice
		right = vector.Cross(ahead, [3]float64{c.Up[1], c.Up[2], c.Up[0]})
	}
	right = vector.Unit(right)
	return right, vector.Cross(right, ahead), ahead
}

// tangents returns the tangents of half of the field of view, to the right and upwards.
func (c Camera) tangents() (right, up float64) {
	up = math.Tan(c.Angle / 2 * math.Pi / 180)
	return up * float64(c.W) / float64(c.H), up
}

// Turned returns the camera after a turn about the axis through At along Up, by degrees.
func (c Camera) Turned(degrees float64) Camera {
	axis, arm := vector.Unit(c.Up), vector.Minus(c.From, c.At)
	along := vector.Dot(axis, arm)
	flat := plus(arm, axis, -along)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	c.From = plus(plus(plus(c.At, axis, along), flat, cos), vector.Cross(axis, flat), sin)
	return c
}

// rim is the share of half the picture that Fit leaves free at each edge.
const rim = 0.05

// Fit returns the camera with the same direction of view, moved so that a box fills the picture: the centre of its silhouette is in
// the middle.
func (c Camera) Fit(lo, hi [3]float64) Camera {
	right, up, ahead := c.axes()
	for a := range lo {
		c.At[a] = (lo[a] + hi[a]) / 2
	}
	distance := 0.0
	for range 20 { // the silhouette's centre moves less with every turn
		distance = c.reach(lo, hi, right, up, ahead)
		var least, most [2]float64
		first := true
		eachCorner(lo, hi, func(p [3]float64) {
			q := vector.Minus(p, c.At)
			depth := distance + vector.Dot(q, ahead)
			for k, v := range [2]float64{vector.Dot(q, right) / depth, vector.Dot(q, up) / depth} {
				if first {
					least[k], most[k] = v, v
				}
				least[k], most[k] = min(least[k], v), max(most[k], v)
			}
			first = false
		})
		c.At = plus(c.At, right, distance*(least[0]+most[0])/2)
		c.At = plus(c.At, up, distance*(least[1]+most[1])/2)
	}
	c.From = plus(c.At, ahead, -distance)
	return c
}

// reach returns the distance from At against the direction ahead from which a box fits into a picture with these axes.
func (c Camera) reach(lo, hi, right, up, ahead [3]float64) (distance float64) {
	wide, high := c.tangents()
	eachCorner(lo, hi, func(p [3]float64) {
		q := vector.Minus(p, c.At)
		distance = max(distance, math.Abs(vector.Dot(q, right))/(wide*(1-rim))-vector.Dot(q, ahead), math.Abs(vector.Dot(q, up))/(high*(1-rim))-vector.Dot(q, ahead))
	})
	return distance
}

// Around returns the camera after a turn about the middle of a box, by degrees, at a tilt above the horizontal. At the distance 1 the
// whole box is in the picture after any turn at the usual tilt, and a turn does not zoom.
func (c Camera) Around(lo, hi [3]float64, turn, tilt, distance float64) Camera {
	up, away := vector.Unit(c.Up), vector.Minus(c.From, c.At)
	flat := vector.Unit(plus(away, up, -vector.Dot(away, up)))
	for a := range lo {
		c.At[a] = (lo[a] + hi[a]) / 2
	}
	from := func(turn, tilt, distance float64) Camera {
		sin, cos := math.Sincos(tilt * math.Pi / 180)
		c := c
		c.From = plus(plus(c.At, flat, distance*cos), up, distance*sin)
		return c.Turned(turn)
	}
	far := 0.0
	for k := range 24 {
		right, over, ahead := from(15*float64(k), UsualTilt, 1).axes()
		far = max(far, c.reach(lo, hi, right, over, ahead))
	}
	return from(turn, tilt, far*distance)
}

// UsualTilt is the tilt, in degrees, for which Around finds the distance.
const UsualTilt = 24

// eachCorner visits the corners of a box.
func eachCorner(lo, hi [3]float64, visit func(p [3]float64)) {
	for k := range 8 {
		p := lo
		for a := range p {
			if k>>a&1 == 1 {
				p[a] = hi[a]
			}
		}
		visit(p)
	}
}

// ray is a half-line with a unit direction.
type ray struct{ from, along [3]float64 }

// at returns the point at a distance.
func (r *ray) at(t float64) [3]float64 { return plus(r.from, r.along, t) }

// lens makes the rays of a camera.
type lens struct {
	from             [3]float64
	right, up, ahead [3]float64 // right and up as long as half the picture is wide and high one unit ahead
	w, h             int        // rays
}

func newLens(c Camera) lens {
	l := lens{from: c.From, w: samples * c.W, h: samples * c.H}
	wide, high := c.tangents()
	right, up, ahead := c.axes()
	l.ahead = ahead
	l.right, l.up = plus([3]float64{}, right, wide), plus([3]float64{}, up, high)
	return l
}

// ray returns the ray of a column and a row, from the upper left corner on.
func (l *lens) ray(x, y int) ray {
	u, v := (2*float64(x)+1)/float64(l.w)-1, 1-(2*float64(y)+1)/float64(l.h)
	return ray{l.from, vector.Unit(plus(plus(l.ahead, l.right, u), l.up, v))}
}

// span returns the distances at which a ray enters a box and leaves it; in >= out: it misses the box. Boxes that share a face have the
// same bits there: a distance in one span is in no other.
func (r *ray) span(lo, hi [3]float64) (in, out float64) {
	in, out = 0, math.Inf(1)
	for a := range lo {
		if r.along[a] == 0 {
			if r.from[a] < lo[a] || r.from[a] >= hi[a] {
				return 0, 0
			}
			continue
		}
		t, u := (lo[a]-r.from[a])/r.along[a], (hi[a]-r.from[a])/r.along[a]
		in, out = max(in, min(t, u)), min(out, max(t, u))
	}
	return in, out
}

// plus returns a + f b.
func plus(a, b [3]float64, f float64) [3]float64 {
	return [3]float64{a[0] + f*b[0], a[1] + f*b[1], a[2] + f*b[2]}
}
