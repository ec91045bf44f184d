// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/config"
	"lbmsim/geometry"
	"lbmsim/io/curve"
)

// Profiles of a velocity from files: the positions of a face in the file, and the effect of the file on its flux.

// profileKey is the key of such a file.
const profileKey = "profile"

// position returns the coordinate of a point, in cells, in the file of a boundary's profile.
func position(c *config.Case, b config.Boundary, at [3]float64) float64 {
	if b.Along < 3 {
		return b.Outline.Start + at[b.Along]*b.Outline.Unit
	}
	r := 0.0
	for a, x := range at {
		if a != b.Faces[0].Axis && (a < 2 || c.Dims() == 3) {
			r = math.Hypot(r, x-b.Region.Centre[a])
		}
	}
	return r * b.Outline.Unit
}

// factorMean is the mean of a profile's factors over all cells of a boundary's faces.
type factorMean struct{ mean, lo, hi float64 } // and the positions of the first and the last cell

func (m factorMean) text() string {
	return fmt.Sprintf(", mean over the face %.4g (positions %.4g to %.4g)", m.mean, m.lo, m.hi)
}

// leastOverlap is the least share of the profile's and of the face's extent that the two have in common. Centimetres
// instead of metres make it a hundredth. A boundary layer of 500 m before a domain of 20 m has a twenty-fifth.
const leastOverlap = 0.02

// meanFactor finds the mean factor of a profile, and refuses a profile and faces that do not belong together.
func meanFactor(c *config.Case, b config.Boundary, outline curve.Curve) (m factorMean, err error) {
	m.lo, m.hi = math.Inf(1), math.Inf(-1)
	sum, cells, passes := 0.0, 0, false
	for _, f := range b.Faces {
		eachOfFace(c, b, f, func(at [3]float64) {
			x := position(c, b, at)
			factor := outline.At(x)
			m.lo, m.hi = min(m.lo, x), max(m.hi, x)
			sum, cells, passes = sum+factor, cells+1, passes || factor != 0
		})
	}
	if cells == 0 {
		return factorMean{}, nil // other boundaries have all of the face
	}
	m.mean = sum / float64(cells)
	first, last := outline.X[0], outline.X[len(outline.X)-1]
	edge := b.Outline.Unit / 2 // a cell reaches so far beyond its centre
	common := min(last, m.hi+edge) - max(first, m.lo-edge)
	switch wrong := fmt.Sprintf("[boundary.%s]: positions of the profile range from %.4g to %.4g, cells of the face from %.4g to %.4g in the coordinates of the case (%s)", b.Name, first, last, m.lo, m.hi, unitOf(c)); {
	case len(outline.X) > 1 && common < leastOverlap*max(last-first, m.hi-m.lo+2*edge):
		err = fmt.Errorf("%s: they overlap by less than %g %%; is the file in another unit, or relative to the edge of the face?", wrong, 100*leastOverlap)
	case !passes:
		err = fmt.Errorf("%s: the factor is 0 at all of them, and no fluid passes", wrong)
	}
	if err != nil {
		return m, b.Outline.At.Wrong(err)
	}
	return m, nil
}

// unitOf returns the unit of coordinates.
func unitOf(c *config.Case) string {
	if c.Units.Physical {
		return "metres"
	}
	return "cells"
}

// eachOfFace visits the centres of the cells' sides on a face that belong to a boundary, bodies aside.
func eachOfFace(c *config.Case, b config.Boundary, f config.Face, visit func(at [3]float64)) {
	var others []geometry.Region
	for _, o := range c.Boundaries {
		if b.Region == nil && o.Region != nil && slices.Contains(o.Faces, f) {
			others = append(others, *o.Region)
		}
	}
	u, v := geometry.Along(f.Axis)
	var cell [3]int
	for cell[v] = range c.Cells[v] {
		for cell[u] = range c.Cells[u] {
			covers := func(r geometry.Region) bool { return r.Covers(f.Axis, cell) }
			if b.Region != nil && !covers(*b.Region) || slices.ContainsFunc(others, covers) {
				continue
			}
			at := [3]float64{float64(cell[0]) + 0.5, float64(cell[1]) + 0.5, float64(cell[2]) + 0.5}
			at[f.Axis] = float64(f.Side * c.Cells[f.Axis])
			visit(at)
		}
	}
}
