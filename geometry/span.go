// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"
	"slices"
)

// span is the part of the line p + t d in a convex shape: in < t < out.
type span struct{ in, out float64 }

// everywhere returns the whole line; nowhere returns the empty one.
func everywhere() span { return span{math.Inf(-1), math.Inf(1)} }
func nowhere() span    { return span{math.Inf(1), math.Inf(-1)} }

func (s span) and(o span) span { return span{max(s.in, o.in), min(s.out, o.out)} }

// slab returns the part of s where lo <= p + t d < hi along one axis.
func (s span) slab(p, d, lo, hi float64) span {
	if d == 0 {
		if p < lo || p >= hi {
			return nowhere()
		}
		return s
	}
	t, u := (lo-p)/d, (hi-p)/d
	return s.and(span{min(t, u), max(t, u)})
}

// quadric returns the part of s where a t^2 + 2 b t + c < 0, for a >= 0. The root that
// subtracts two numbers of the same size is found from the other by their product
// c/a: a distance keeps its digits when the point is near the surface.
func (s span) quadric(a, b, c float64) span {
	if a == 0 { // the line is parallel to the axis of a cylinder, so b is 0 too
		if c >= 0 {
			return nowhere()
		}
		return s
	}
	disc := b*b - a*c
	if !(disc > 0) {
		return nowhere()
	}
	q := math.Abs(b) + math.Sqrt(disc)
	if b < 0 {
		return s.and(span{c / q, q / a})
	}
	return s.and(span{-q / a, -c / q})
}

// Ends of segments are exact to rounding only: a cell's centre within touch of the surface may be
// on either side of it. A hit at t = 0 is returned as least, since links have a length.
const (
	touch = 1e-9
	least = 1e-9
)

// hit returns the parameter at which 0..1 enters the span.
func (s span) hit() (t float64, ok bool) {
	if !(s.in < s.out) || s.out <= 0 || s.in > 1+touch {
		return 0, false
	}
	return min(max(s.in, least), 1), true
}

// ends appends the ends that lie in 0..1.
func (s span) ends(ts []float64) []float64 {
	if s.in < s.out {
		for _, t := range [2]float64{s.in, s.out} {
			if t >= 0 && t <= 1 {
				ts = append(ts, t)
			}
		}
	}
	return ts
}

// firstHit implements Hit for shapes without a faster method: between two consecutive crossings is
// either only fluid or only solid, and the middle decides which. Slivers between surfaces that
// should coincide are skipped.
func firstHit(s Shape, p, d [3]float64) (t float64, ok bool) {
	var buffer [16]float64
	ts := append(s.Crossings(p, d, buffer[:0]), 0, 1)
	slices.Sort(ts)
	for k := range ts[1:] {
		lo, hi := ts[k], ts[k+1]
		if hi-lo > touch && holds(s, at(p, d, (lo+hi)/2)) {
			return max(lo, least), true
		}
	}
	return 1, holds(s, at(p, d, 1))
}

func holds(s Shape, p [3]float64) bool { return s.Contains(p[0], p[1], p[2]) }

// at returns the point p + t d.
func at(p, d [3]float64, t float64) [3]float64 {
	for a := range p {
		p[a] += t * d[a]
	}
	return p
}
