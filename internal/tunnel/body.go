// Package tunnel makes a wind tunnel around a body: from its surface and the speed to an ordinary case file, and from what the run has
// measured to a report. It reads no files and runs nothing.
package tunnel

import (
	"math"

	"lbmsim/geometry"
	"lbmsim/geometry/mesh"
)

// Body is the extent of one or more surfaces as they stand in the tunnel: in metres, flow along +x, z upwards.
type Body struct {
	Lo, Hi [3]float64
	Area   float64 // of the silhouette along x
}

// Height returns a length that compares bodies across the flow: the root of the frontal area.
func (b Body) Height() float64 { return math.Sqrt(b.Area) }

// Size returns the extent along an axis.
func (b Body) Size(axis int) float64 { return b.Hi[axis] - b.Lo[axis] }

// silhouette is the number of rows and columns that the larger side of a silhouette is drawn with. A disc's area is then within 1e-4.
const silhouette = 2048

// Measure returns the extent and the frontal area of surfaces that stand by these motions, which include the files' units.
func Measure(surfaces []*mesh.Surface, stand []geometry.Motion) Body {
	b := Body{Lo: [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, Hi: [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}}
	for i, s := range surfaces {
		lo, hi := s.Span(stand[i].Apply)
		for a := range lo {
			b.Lo[a], b.Hi[a] = min(b.Lo[a], lo[a]), max(b.Hi[a], hi[a])
		}
	}
	pixel := max(b.Size(1), b.Size(2)) / silhouette
	if !(pixel > 0) {
		return b
	}
	w := int(math.Ceil(b.Size(1)/pixel)) + 1
	shadow := make([]bool, w*(int(math.Ceil(b.Size(2)/pixel))+1))
	for i, s := range surfaces {
		for k := range s.T {
			var t [3][2]float64 // in pixels
			for c, p := range s.Corners(k) {
				p = stand[i].Apply(p)
				t[c] = [2]float64{(p[1] - b.Lo[1]) / pixel, (p[2] - b.Lo[2]) / pixel}
			}
			shade(shadow, w, t)
		}
	}
	n := 0
	for _, dark := range shadow {
		if dark {
			n++
		}
	}
	b.Area = float64(n) * pixel * pixel
	return b
}

// shade marks the pixels whose centres a triangle covers.
func shade(shadow []bool, w int, t [3][2]float64) {
	lo, hi := min(t[0][1], t[1][1], t[2][1]), max(t[0][1], t[1][1], t[2][1])
	for row := int(math.Ceil(lo - 0.5)); float64(row)+0.5 < hi; row++ {
		z := float64(row) + 0.5
		from, to := math.Inf(1), math.Inf(-1)
		for c := range t {
			p, q := t[c], t[(c+1)%3]
			if (p[1] <= z) == (q[1] <= z) {
				continue
			}
			y := p[0] + (z-p[1])/(q[1]-p[1])*(q[0]-p[0])
			from, to = min(from, y), max(to, y)
		}
		for col := int(math.Ceil(from - 0.5)); float64(col)+0.5 < to; col++ {
			shadow[row*w+col] = true
		}
	}
}
