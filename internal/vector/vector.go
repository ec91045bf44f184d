// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package vector has the products of vectors in space that geometry and pictures need. The order of each sum is fixed, so that callers
// whose results must have the same bits can share it.
package vector

import "math"

// Minus returns a - b.
func Minus(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Dot returns the scalar product.
func Dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Cross returns the vector product.
func Cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Length returns the Euclidean norm. It overflows where the square does.
func Length(v [3]float64) float64 { return math.Sqrt(Dot(v, v)) }

// Unit returns v divided by its length, and v where that is 0.
func Unit(v [3]float64) [3]float64 {
	l := Length(v)
	if l == 0 {
		return v
	}
	return [3]float64{v[0] / l, v[1] / l, v[2] / l}
}
