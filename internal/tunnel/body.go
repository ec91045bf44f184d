// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package tunnel makes a wind tunnel around a body: from its surface and the speed to an ordinary case file, and from the results of
// the run to a report. It reads no files and starts no runs.
package tunnel

import (
	"math"

	"lbmsim/geometry"
	"lbmsim/geometry/mesh"
)

// Body is the extent of one or more surfaces as placed in the tunnel: in metres, flow along +x, z upwards.
type Body struct {
	Lo, Hi [3]float64
	Area   float64 // of the silhouette along x
}

// Height returns a length that compares bodies across the flow: the root of the frontal area.
func (b Body) Height() float64 { return math.Sqrt(b.Area) }

// Size returns the extent along an axis.
func (b Body) Size(axis int) float64 { return b.Hi[axis] - b.Lo[axis] }

// Measure returns the extent and the frontal area of surfaces placed by these motions, which include the files' units.
func Measure(surfaces []*mesh.Surface, stand []geometry.Motion) Body {
	b := Body{Lo: [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, Hi: [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}}
	for i, s := range surfaces {
		lo, hi := s.Span(stand[i].Apply)
		for a := range lo {
			b.Lo[a], b.Hi[a] = min(b.Lo[a], lo[a]), max(b.Hi[a], hi[a])
		}
	}
	b.Area = silhouette(surfaces, stand, b.Lo[2], b.Hi[2])
	return b
}
