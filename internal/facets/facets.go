// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package facets writes the surfaces that tools make.
package facets

import (
	"fmt"
	"strings"
)

// Point is a corner.
type Point [3]float64

// ASCII returns an STL file of one solid, of triangles whose corners turn left seen from outside. Its normals are zero, which readers take
// from the corners.
func ASCII(solid string, triangles [][3]Point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "solid %s\n", solid)
	for _, t := range triangles {
		b.WriteString("facet normal 0 0 0 outer loop")
		for _, p := range t {
			fmt.Fprintf(&b, " vertex %.6f %.6f %.6f", p[0], p[1], p[2])
		}
		b.WriteString(" endloop endfacet\n")
	}
	fmt.Fprintf(&b, "endsolid %s\n", solid)
	return b.String()
}
