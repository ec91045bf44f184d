// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"fmt"
	"math"

	"lbmsim/config"
)

// Facets is the surface of a body from a file as small triangles, in cells of level 0 from the domain's lower corner.
type Facets struct {
	Points  [][3]float64
	Corners [][3]int32 // anticlockwise seen from the fluid
	Solid   []int32    // in the file, of each; nil: the file has one
}

// longestEdge is the longest edge of facets, in cells of the level there: smaller facets are not resolved.
const longestEdge = 1.5

// mostFacets bounds the memory of rank 0, which takes about 0.5 kB for each.
const mostFacets = 1 << 23

// ReadFacets reads the surface of a body again, which rank 0 keeps only while it is sent. level returns the level of the
// grid at a place.
func ReadFacets(p *Part, f config.SolidFile, level func(p [3]float64) int) (*Facets, error) {
	s, err := openSurface(nil, p.Case, f)
	if err != nil {
		return nil, err
	}
	for _, in := range p.Inputs {
		if in.Path == f.Path && in.SHA256 != s.SHA256 {
			return nil, misfit(f, fmt.Errorf("%s has changed since the run read it", f.Shown))
		}
	}
	surface := s.Surface
	surface.Move(f.Motion.Apply)
	if surface.Volume() < 0 { // the order of corners is the reverse of the usual one, which cells do not notice
		for i := range surface.T {
			t := &surface.T[i]
			t[1], t[2] = t[2], t[1]
		}
	}
	most := func(middle [3]float64) float64 { return longestEdge / float64(int(1)<<level(middle)) }
	if _, ok := surface.Split(most, mostFacets); !ok {
		return nil, misfit(f, fmt.Errorf("%s has more than %d triangles with edges below %g cells, which rank 0 cannot keep: simplify the surface, or use larger cells", f.Shown, mostFacets, longestEdge))
	}
	return &Facets{surface.V, surface.T, surface.Solid}, nil
}

// Middle returns the centroid of a facet, and its area times the unit normal into the fluid.
func (f *Facets) Middle(i int) (centre, area [3]float64) {
	t := f.Corners[i]
	p, q, r := f.Points[t[0]], f.Points[t[1]], f.Points[t[2]]
	var u, v [3]float64
	for a := range centre {
		centre[a] = (p[a] + q[a] + r[a]) / 3
		u[a], v[a] = q[a]-p[a], r[a]-p[a]
	}
	for a := range area {
		b, c := (a+1)%3, (a+2)%3
		area[a] = (u[b]*v[c] - u[c]*v[b]) / 2
	}
	return centre, area
}

// Span returns the least and the largest x of all points.
func (f *Facets) Span() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range f.Points {
		lo, hi = math.Min(lo, p[0]), math.Max(hi, p[0])
	}
	return lo, hi
}
