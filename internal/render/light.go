// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package render

import "lbmsim/internal/vector"

// lights are fixed to the camera, so that a turn about a body leaves it lit.
type lights struct{ key [3]float64 }

// newLights puts the key light above the camera, to its left.
func newLights(c Camera) lights {
	right, up, ahead := c.axes()
	return lights{vector.Unit(plus(plus(plus([3]float64{}, ahead, -0.75), up, 0.75), right, -0.45))}
}

// Shares of the light of a surface: on all of it, from the camera and from the key light; gloss is the share of white in the reflection.
const (
	ambient = 0.30
	fill    = 0.25
	key     = 0.48
	gloss   = 0.14
)

// on returns the light on a surface with a normal, which may have any length and point to either side, seen along a direction: by
// Lambert's cosine law, with the reflection of the key light after Blinn (1977).
func (l lights) on(normal, along [3]float64) (light, white float32) {
	n := vector.Unit(normal)
	if vector.Dot(n, along) > 0 {
		n = vector.Minus([3]float64{}, n)
	}
	shine := max(0, vector.Dot(n, vector.Unit(vector.Minus(l.key, along))))
	for range 6 { // to the power of 64
		shine *= shine
	}
	return float32(ambient + fill*max(0, -vector.Dot(n, along)) + key*max(0, vector.Dot(n, l.key))), float32(gloss * shine)
}
