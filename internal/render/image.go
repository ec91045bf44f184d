// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package render

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
)

// Ground is a face of the domain that is drawn where a ray leaves the domain through it.
type Ground struct{ Axis, Side int }

// Colours of pixels without a value.
var (
	body   = [3]float64{0xc4, 0xc9, 0xd0}
	ground = [3]float64{0xd9, 0xd8, 0xd3}
	top    = [3]float64{0xff, 0xff, 0xff} // behind all, at the upper edge of the picture ...
	bottom = [3]float64{0xe3, 0xe9, 0xf0} // ... and at the lower one
)

// Values returns the values of hits that have one.
func Values(hits []Hit) (values []float64) {
	for _, h := range hits {
		if h.Value == h.Value {
			values = append(values, float64(h.Value))
		}
	}
	return values
}

// Image returns the picture of all hits, one at most for each ray and in the order of the rays. The colours of pixels are the means of
// their rays'. pieces divides the rows of pixels, as parallel.Pieces does.
func (s *Scene) Image(hits []Hit, on *Ground, colour func(value float64) color.NRGBA, pieces func(n, size int, work func(lo, hi int))) *image.NRGBA {
	l, shade := newLens(s.Camera), newLights(s.Camera)
	img := image.NewNRGBA(image.Rect(0, 0, s.Camera.W, s.Camera.H))
	pieces(s.Camera.H, 16, func(lo, hi int) {
		first := uint32(lo * samples * l.w)
		at, _ := slices.BinarySearchFunc(hits, first, func(h Hit, ray uint32) int { return cmp.Compare(h.Ray, ray) })
		hits := hits[at:]
		sums := make([][3]float64, s.Camera.W)
		for y := lo * samples; y < hi*samples; y++ {
			for x := range l.w {
				var c [3]float64
				if n := uint32(y*l.w + x); len(hits) > 0 && hits[0].Ray == n {
					c = hits[0].seen(colour)
					hits = hits[1:]
				} else {
					r := l.ray(x, y)
					c = s.behind(&r, on, shade, (float64(y)+0.5)/float64(l.h))
				}
				sums[x/samples] = plus(sums[x/samples], c, 1.0/(samples*samples))
			}
			if y%samples == samples-1 {
				for x, c := range sums {
					img.SetNRGBA(x, y/samples, color.NRGBA{level(c[0]), level(c[1]), level(c[2]), 0xff})
				}
				clear(sums)
			}
		}
	})
	return img
}

func level(v float64) uint8 { return uint8(math.Round(min(max(v, 0), 0xff))) }

// seen returns the colour of a hit.
func (h Hit) seen(colour func(value float64) color.NRGBA) [3]float64 {
	c := body
	if h.Value == h.Value {
		n := colour(float64(h.Value))
		c = [3]float64{float64(n.R), float64(n.G), float64(n.B)}
	}
	for a := range c {
		c[a] = c[a]*float64(h.Light) + 0xff*float64(h.Gloss)
	}
	return c
}

// behind returns the colour of a ray without a hit, at a share of the picture's height from above.
func (s *Scene) behind(r *ray, on *Ground, shade lights, height float64) [3]float64 {
	if on != nil && s.leaves(r, on) {
		normal := [3]float64{}
		normal[on.Axis] = 1
		light, _ := shade.on(normal, r.along)
		return plus([3]float64{}, ground, float64(light))
	}
	return plus(plus([3]float64{}, top, 1-height), bottom, height)
}

// leaves reports whether a ray leaves the domain through a face.
func (s *Scene) leaves(r *ray, face *Ground) bool {
	in, out := r.span([3]float64{}, s.Size)
	if in >= out || r.along[face.Axis] == 0 || (r.along[face.Axis] > 0) != (face.Side == 1) {
		return false
	}
	plane := 0.0
	if face.Side == 1 {
		plane = s.Size[face.Axis]
	}
	return out == (plane-r.from[face.Axis])/r.along[face.Axis]
}
