// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"lbmsim/internal/facets"
)

// The files of the tree are the generator's.
func TestFilesAreOfTheGenerator(t *testing.T) {
	for _, slant := range slants {
		name := filepath.Join("..", "..", "cases", "validation", fileOf(slant))
		if b, err := os.ReadFile(name); err != nil || string(b) != facets.ASCII("ahmed", surface(slant)) {
			t.Errorf("%s differs from the generator's: go run ./tools/ahmed (%v)", name, err)
		}
	}
}

// The surface is closed, and encloses the box without the wedge above the slant and the rounding of the nose.
func TestSurfaceIsClosed(t *testing.T) {
	for _, slant := range slants {
		edges, volume := map[[2]point]int{}, 0.0
		for _, c := range surface(slant) {
			for i := range c {
				a, b := c[i], c[(i+1)%3]
				edges[[2]point{a, b}]++
				edges[[2]point{b, a}]--
			}
			a, b, d := c[0], c[1], c[2]
			volume += (a[0]*(b[1]*d[2]-b[2]*d[1]) + a[1]*(b[2]*d[0]-b[0]*d[2]) + a[2]*(b[0]*d[1]-b[1]*d[0])) / 6
		}
		for e, n := range edges {
			if n != 0 {
				t.Errorf("slant %g: %d triangles more on one side of the edge %v", slant, n, e)
			}
		}
		sin, cos := math.Sincos(slant * math.Pi / 180)
		// Of the integral of (wide - 2 in)(high - 2 in) over the nose, in = R (1 - sin a), x = R (1 - cos a).
		const r, area, around = round, wide * high, wide + high
		nose := r*area - 2*around*r*r*(1-math.Pi/4) + 4*r*r*r*(5./3-math.Pi/2)
		want := nose + (long-r)*area - wide*slope*slope*sin*cos/2
		if math.Abs(volume/want-1) > 1e-4 {
			t.Errorf("slant %g: volume %g, want %g", slant, volume, want)
		}
	}
}
