// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

// From cells to pixels: few cells are enlarged by a whole factor with values
// interpolated between the cell centres, many are averaged by a whole factor.
// Solid cells keep their sharp outline and contribute to neither.

import (
	"image"
	"math"

	"lbmsim/io/paint"
)

// pixels returns the size of the plane in the picture and the scale of cells:
// grow pixels per cell, or shrink cells per pixel; one of them is 1. The nearest factor
// makes the longer side two thirds to one and a half times the size asked for.
func (p Picture) pixels() (w, h, grow, shrink int) {
	size := p.Size
	if size == 0 {
		size = 900
	}
	longer := max(p.W, p.H)
	if longer <= size {
		grow = (size + longer/2) / longer
		return p.W * grow, p.H * grow, grow, 1
	}
	shrink = (longer + size/2) / size
	return max(1, p.W/shrink), max(1, p.H/shrink), 1, shrink
}

// plane colours the plane, first image row on top.
func (p Picture) plane(s *paint.Scale) *image.NRGBA {
	w, h, _, _ := p.pixels()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	p.each(func(x, y int, v float64) { img.SetNRGBA(x, h-1-y, s.Colour(v)) })
	return img
}

// each calls f with the value of each pixel, y upwards.
func (p Picture) each(f func(x, y int, v float64)) {
	w, h, grow, shrink := p.pixels()
	for y := 0; y < h; y++ {
		for x := 0; x < w; x++ {
			if shrink > 1 {
				f(x, y, p.average(x*shrink, y*shrink, shrink))
			} else {
				f(x, y, p.between(x, y, grow))
			}
		}
	}
}

// average returns the mean of a block of cells, NaN when most of them are solid.
func (p Picture) average(i0, j0, n int) float64 {
	sum, fluid, all := 0.0, 0, 0
	for j := j0; j < min(j0+n, p.H); j++ {
		for i := i0; i < min(i0+n, p.W); i++ {
			all++
			if v := p.Values[j*p.W+i]; !math.IsNaN(v) {
				sum += v
				fluid++
			}
		}
	}
	if 2*fluid < all || fluid == 0 {
		return math.NaN()
	}
	return sum / float64(fluid)
}

// between interpolates bilinearly between the centres of the fluid cells around
// pixel (x, y); in a solid cell it is NaN.
func (p Picture) between(x, y, grow int) float64 {
	here := p.Values[y/grow*p.W+x/grow]
	if grow == 1 || math.IsNaN(here) {
		return here
	}
	fx := (float64(x)+0.5)/float64(grow) - 0.5
	fy := (float64(y)+0.5)/float64(grow) - 0.5
	i, j := int(math.Floor(fx)), int(math.Floor(fy))
	fx, fy = fx-float64(i), fy-float64(j)
	sum, weight := 0.0, 0.0
	for dj := 0; dj < 2; dj++ {
		for di := 0; di < 2; di++ {
			a, b := min(max(i+di, 0), p.W-1), min(max(j+dj, 0), p.H-1)
			v := p.Values[b*p.W+a]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			q := math.Abs(1-float64(di)-fx) * math.Abs(1-float64(dj)-fy)
			sum += q * v
			weight += q
		}
	}
	if weight == 0 {
		return here
	}
	return sum / weight
}
