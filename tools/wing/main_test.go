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

// The file of the tree is the generator's.
func TestFileIsOfTheGenerator(t *testing.T) {
	name := filepath.Join("..", "..", "cases", "validation", file)
	if b, err := os.ReadFile(name); err != nil || string(b) != facets.ASCII("naca_0012", surface()) {
		t.Errorf("%s differs from the generator's: go run ./tools/wing (%v)", name, err)
	}
}

// The surface is closed, and encloses the integral of the thickness.
func TestSurfaceIsClosed(t *testing.T) {
	edges, volume := map[[2]point]int{}, 0.0
	for _, c := range surface() {
		for i := range c {
			a, b := c[i], c[(i+1)%3]
			if a == b {
				t.Fatalf("a triangle has two equal corners: %v", c)
			}
			edges[[2]point{a, b}]++
			edges[[2]point{b, a}]--
		}
		a, b, d := c[0], c[1], c[2]
		volume += (a[0]*(b[1]*d[2]-b[2]*d[1]) + a[1]*(b[2]*d[0]-b[0]*d[2]) + a[2]*(b[0]*d[1]-b[1]*d[0])) / 6
	}
	for e, n := range edges {
		if n != 0 {
			t.Errorf("%d triangles more on one side of the edge %v", n, e)
		}
	}
	// Twice the integral of the half thickness from 0 to 1.
	want := 10 * thick * (0.2969*2/3 - 0.1260/2 - 0.3516/3 + 0.2843/4 - 0.1015/5) * 2 * half
	if math.Abs(volume/want-1) > 1e-3 {
		t.Errorf("volume %g, want %g", volume, want)
	}
	if end := thickness(1); math.Abs(end-0.00126) > 1e-9 {
		t.Errorf("half the trailing edge is %g thick", end)
	}
}
