// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package relief draws triangles in space with colours by a value of each: a parallel projection seen from one direction, in which
// the nearest triangle covers the others (z-buffer). It knows no runs and no files.
package relief

import (
	"image"
	"image/color"
	"math"
	"slices"

	"lbmsim/internal/vector"
	"lbmsim/io/paint"
)

// Body is a surface with a value of each triangle; NaN has the colour of cells without a value.
type Body struct {
	Points  []float64 // x, y and z of each
	Corners []int64   // three points of each triangle
	Values  []float64
}

// Ends returns the values that a share of the triangles lies below and above, as ends of a scale: a few at edges may be far from the
// others. lo > hi without values.
func Ends(bodies []Body, share float64) (lo, hi float64) {
	var all []float64
	for _, b := range bodies {
		for _, v := range b.Values {
			if !math.IsNaN(v) {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return math.Inf(1), math.Inf(-1)
	}
	slices.Sort(all)
	n := int(share * float64(len(all)))
	return all[n], all[len(all)-1-n]
}

// View is a viewing direction, with the axis that points upwards in the picture.
type View struct{ From, Up [3]float64 }

// samples is the number of points along each edge of a pixel.
const samples = 2

// shade is the share of the light that does not depend on the direction of a surface.
const shade = 0.7

// Draw returns bodies as a picture on white whose longer side has so many pixels.
func Draw(bodies []Body, v View, scale *paint.Scale, size int) *image.NRGBA {
	return drawn(bodies, v, size, scale.Colour).reduced()
}

// Colours of a picture with marks.
var (
	Plain  = color.NRGBA{205, 210, 216, 255} // of triangles
	Marked = color.NRGBA{214, 30, 30, 255}   // of triangles with another value than 0, and of lines
	Hidden = color.NRGBA{240, 160, 160, 255} // of lines behind triangles
)

// DrawMarked returns bodies as such a picture, in which triangles with another value than 0 are marked. Lines are drawn over all of it,
// paler where triangles are before them, so that every mark is visible.
func DrawMarked(bodies []Body, lines [][2][3]float64, v View, size int) *image.NRGBA {
	c := drawn(bodies, v, size, func(value float64) color.NRGBA {
		if value != 0 {
			return Marked
		}
		return Plain
	})
	for _, behind := range []bool{true, false} { // a line in sight covers one that is not
		for _, l := range lines {
			c.line(l, behind)
		}
	}
	return c.reduced()
}

// drawn returns a canvas with bodies.
func drawn(bodies []Body, v View, size int, colour func(value float64) color.NRGBA) *canvas {
	c := newCanvas(bodies, v.axes(), size*samples)
	for _, b := range bodies {
		for i, value := range b.Values {
			var t [3][3]float64
			for k := range t {
				at := 3 * b.Corners[3*i+k]
				t[k] = [3]float64(b.Points[at : at+3])
			}
			c.triangle(t, colour(value))
		}
	}
	return c
}

// axes returns the unit vectors to the right, upwards and towards the eye.
func (v View) axes() (axes [3][3]float64) {
	axes[2] = vector.Unit(v.From)
	axes[0] = vector.Unit(vector.Cross(v.Up, axes[2]))
	axes[1] = vector.Cross(axes[2], axes[0])
	return axes
}

// canvas is a picture with samples x samples points a pixel.
type canvas struct {
	axes   [3][3]float64
	lo     [2]float64 // projected lower left corner
	scale  float64    // points by length
	w, h   int
	depth  []float64
	colour []color.NRGBA
}

// newCanvas makes an empty picture into which the bodies fit.
func newCanvas(bodies []Body, axes [3][3]float64, size int) *canvas {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, b := range bodies {
		for at := 0; at+3 <= len(b.Points); at += 3 {
			for a := range lo {
				p := vector.Dot(axes[a], [3]float64(b.Points[at:at+3]))
				lo[a], hi[a] = math.Min(lo[a], p), math.Max(hi[a], p)
			}
		}
	}
	c := &canvas{axes: axes, w: samples, h: samples, scale: 1}
	if extent := max(hi[0]-lo[0], hi[1]-lo[1]); extent > 0 {
		const rim = 0.02 // of the picture around the bodies
		c.scale = (1 - 2*rim) * float64(size) / extent
		for a := range lo {
			c.lo[a] = lo[a] - rim*extent
		}
		whole := func(length float64) int {
			return max(1, int(math.Ceil((length+2*rim*extent)*c.scale/samples))) * samples
		}
		c.w, c.h = whole(hi[0]-lo[0]), whole(hi[1]-lo[1])
	}
	c.depth, c.colour = make([]float64, c.w*c.h), make([]color.NRGBA, c.w*c.h)
	for i := range c.depth {
		c.depth[i], c.colour[i] = math.Inf(-1), color.NRGBA{255, 255, 255, 255}
	}
	return c
}

// triangle draws a triangle where no other is nearer.
func (c *canvas) triangle(t [3][3]float64, colour color.NRGBA) {
	var x, y, z [3]float64
	for k, p := range t {
		x[k], y[k], z[k] = (vector.Dot(c.axes[0], p)-c.lo[0])*c.scale, (vector.Dot(c.axes[1], p)-c.lo[1])*c.scale, vector.Dot(c.axes[2], p)
	}
	double := (x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])
	if double == 0 {
		return // seen edge-on
	}
	light := shade + (1-shade)*math.Abs(vector.Dot(vector.Unit(vector.Cross(vector.Minus(t[1], t[0]), vector.Minus(t[2], t[0]))), vector.Unit(c.axes[2])))
	for _, channel := range []*uint8{&colour.R, &colour.G, &colour.B} {
		*channel = uint8(math.Round(light * float64(*channel)))
	}
	first := func(v [3]float64) int { return max(0, int(math.Floor(min(v[0], v[1], v[2])))) }
	last := func(v [3]float64, n int) int { return min(n-1, int(math.Ceil(max(v[0], v[1], v[2])))) }
	for j := first(y); j <= last(y, c.h); j++ {
		for i := first(x); i <= last(x, c.w); i++ {
			px, py := float64(i)+0.5, float64(j)+0.5
			// Shares of the corners at the point: areas of the triangles opposite to them.
			a := ((x[1]-px)*(y[2]-py) - (x[2]-px)*(y[1]-py)) / double
			b := ((x[2]-px)*(y[0]-py) - (x[0]-px)*(y[2]-py)) / double
			if a < 0 || b < 0 || a+b > 1 {
				continue
			}
			if depth, at := a*z[0]+b*z[1]+(1-a-b)*z[2], (c.h-1-j)*c.w+i; depth > c.depth[at] {
				c.depth[at], c.colour[at] = depth, colour
			}
		}
	}
}

// Lines of marks are twice as wide as this and a point, and count as in sight within this share of the picture behind a triangle.
const (
	halfLine = 2 // points
	within   = 0.003
)

// line draws a line where it is behind triangles, or where it is not.
func (c *canvas) line(l [2][3]float64, behind bool) {
	var from, to [3]float64
	for a := range 3 {
		from[a], to[a] = vector.Dot(c.axes[a], l[0]), vector.Dot(c.axes[a], l[1])
	}
	slack := within * float64(max(c.w, c.h)) / c.scale
	steps := max(1, int(math.Ceil(max(math.Abs(to[0]-from[0]), math.Abs(to[1]-from[1]))*c.scale)))
	for k := range steps + 1 {
		share := float64(k) / float64(steps)
		var p [3]float64
		for a := range p {
			p[a] = from[a] + share*(to[a]-from[a])
		}
		x, y := int(math.Floor((p[0]-c.lo[0])*c.scale)), int(math.Floor((p[1]-c.lo[1])*c.scale))
		for j := max(0, y-halfLine); j <= min(c.h-1, y+halfLine); j++ {
			for i := max(0, x-halfLine); i <= min(c.w-1, x+halfLine); i++ {
				at := (c.h-1-j)*c.w + i
				switch hidden := p[2] < c.depth[at]-slack; {
				case hidden && behind:
					c.colour[at] = Hidden
				case !hidden && !behind:
					c.colour[at] = Marked
				}
			}
		}
	}
}

// reduced returns the means of the points of each pixel.
func (c *canvas) reduced() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, c.w/samples, c.h/samples))
	for y := range c.h / samples {
		for x := range c.w / samples {
			var sum [3]int
			for k := range samples * samples {
				p := c.colour[(y*samples+k/samples)*c.w+x*samples+k%samples]
				sum[0], sum[1], sum[2] = sum[0]+int(p.R), sum[1]+int(p.G), sum[2]+int(p.B)
			}
			mean := func(n int) uint8 { return uint8((n + samples*samples/2) / (samples * samples)) }
			img.SetNRGBA(x, y, color.NRGBA{mean(sum[0]), mean(sum[1]), mean(sum[2]), 255})
		}
	}
	return img
}
