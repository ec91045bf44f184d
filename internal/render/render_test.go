// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package render

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"lbmsim/geometry"
	"lbmsim/internal/parallel"
	"lbmsim/internal/vector"
)

// ball is a sphere of radius 14 cells around a place that no cell is centred at, in a domain of 48 x 40 x 44 cells.
const radius = 14

var (
	centre = [3]float64{24.3, 20.2, 21.6}
	cells  = [3]int{48, 40, 44}
)

// scene looks at the ball from above and one side.
func scene(w, h int) Scene {
	c := Camera{From: [3]float64{-0.6, -1, 0.5}, Up: [3]float64{0, 0, 1}, Angle: 30, W: w, H: h}
	return Scene{Camera: c.Fit([3]float64{}, [3]float64{48, 40, 44}), Size: [3]float64{48, 40, 44}}
}

// block returns cells of a level with the distance to the surface of the ball, positive inside, coloured by x.
func block(level int, lo, hi [3]int) Block {
	b := Block{Level: level, Lo: lo}
	size := 1 / float64(int(1)<<level)
	for a := range lo {
		b.N[a] = hi[a] - lo[a]
	}
	for z := lo[2] - Margin; z < hi[2]+Margin; z++ {
		for y := lo[1] - Margin; y < hi[1]+Margin; y++ {
			for x := lo[0] - Margin; x < hi[0]+Margin; x++ {
				p := [3]float64{(float64(x) + 0.5) * size, (float64(y) + 0.5) * size, (float64(z) + 0.5) * size}
				d := vector.Minus(p, centre)
				b.Shape = append(b.Shape, float32(radius-math.Sqrt(vector.Dot(d, d))))
				b.Colour = append(b.Colour, float32(p[0]))
			}
		}
	}
	return b
}

func whole(level int) Block {
	return block(level, [3]int{}, [3]int{cells[0] << level, cells[1] << level, cells[2] << level})
}

// all casts all rows through blocks.
func all(s Scene, blocks ...Block) (hits []Hit) {
	c := NewCaster(s, blocks)
	for y := range s.Rows() {
		hits = append(hits, c.Row(y)...)
	}
	return hits
}

// meets returns the distance at which a ray meets the ball, and the least distance between them otherwise.
func meets(r ray) (t, apart float64, ok bool) {
	o := vector.Minus(r.from, centre)
	half := vector.Dot(o, r.along)
	apart = math.Sqrt(max(vector.Dot(o, o)-half*half, 0))
	return -half - math.Sqrt(max(radius*radius-apart*apart, 0)), apart, apart < radius
}

// The surface of a ball has its silhouette, depth, colour and light. Linear interpolation of a distance is wrong by at most 3/8 of the
// largest curvature, 1/12 within two cells of the surface: 0.04 cells.
func TestBall(t *testing.T) {
	const near = 0.04
	s := scene(160, 120)
	hits := all(s, whole(0))
	l := newLens(s.Camera)
	seen := 0
	for y := range l.h {
		for x := range l.w {
			r := l.ray(x, y)
			depth, apart, _ := meets(r)
			var h *Hit
			if len(hits) > 0 && hits[0].Ray == uint32(y*l.w+x) {
				h, hits = &hits[0], hits[1:]
			}
			if apart < radius-near && h == nil || apart > radius+near && h != nil {
				t.Fatalf("ray (%d, %d) passes the centre at %g: hit %v", x, y, apart, h)
			}
			if apart > 0.95*radius {
				continue
			}
			cos := math.Sqrt(1 - apart*apart/radius/radius)
			if d := float64(h.Depth) - depth; math.Abs(d) > near/cos {
				t.Fatalf("ray (%d, %d): depth %g, not %g", x, y, h.Depth, depth)
			}
			p := r.at(depth)
			if math.Abs(float64(h.Value)-p[0]) > near/cos {
				t.Fatalf("ray (%d, %d): x = %g, not %g", x, y, h.Value, p[0])
			}
			light, gloss := newLights(s.Camera).on(vector.Minus(p, centre), r.along)
			if math.Abs(float64(h.Light-light)) > 0.01 || math.Abs(float64(h.Gloss-gloss)) > 0.03 {
				t.Fatalf("ray (%d, %d): light %g and %g, not %g and %g", x, y, h.Light, h.Gloss, light, gloss)
			}
			seen++
		}
	}
	if seen < 5000 {
		t.Errorf("%d rays see the ball", seen)
	}
}

// Whatever blocks the cells are in, and in which order, the hits have the same bits; from inside the domain, too.
func TestBlocksAreNotSeen(t *testing.T) {
	s := scene(120, 90)
	inside := s
	inside.Camera.From, inside.Camera.At, inside.Camera.Angle = [3]float64{3.3, 4.1, 5.2}, centre, 80
	for _, s := range []Scene{s, inside} {
		want := all(s, whole(0))
		if len(want) < 2000 {
			t.Fatalf("%d hits", len(want))
		}
		for _, cuts := range [][3][]int{
			{{0, 48}, {0, 40}, {0, 17, 44}},
			{{0, 48}, {0, 11, 23, 40}, {0, 22, 44}},
			{{0, 25, 26, 48}, {0, 20, 40}, {0, 1, 21, 44}},
		} {
			var got []Hit
			for i, x := range cuts[0][1:] {
				for j, y := range cuts[1][1:] {
					for k, z := range cuts[2][1:] {
						got = Nearest(all(s, block(0, [3]int{cuts[0][i], cuts[1][j], cuts[2][k]}, [3]int{x, y, z})), got)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v: %d hits, other ones than the %d of one block", cuts, len(got), len(want))
			}
		}
	}
}

// Where a finer level has cells these count: half of the ball is on a level of half the spacing, and there is no gap in between.
func TestLevels(t *testing.T) {
	s := scene(120, 90)
	s.Finest = 1
	coarse, fine := whole(0), block(1, [3]int{20, 10, 10}, [3]int{76, 70, 44})
	for z := range cells[2] {
		for y := range cells[1] {
			for x := range cells[0] {
				within := x >= 10 && x < 38 && y >= 5 && y < 35 && z >= 5 && z < 22
				coarse.Finest = append(coarse.Finest, !within)
				if within {
					coarse.Shape[coarse.place(x+Margin, y+Margin, z+Margin)] = -100 // which only the cells beside it may read
				}
			}
		}
	}
	// Beside the finer cells the coarser ones have values in their place.
	full := whole(0)
	for z := range cells[2] {
		for y := range cells[1] {
			for x := range cells[0] {
				if x < 12 || x >= 36 || y < 7 || y >= 33 || z < 7 || z >= 20 {
					k := coarse.place(x+Margin, y+Margin, z+Margin)
					coarse.Shape[k] = full.Shape[k]
				}
			}
		}
	}
	hits := all(s, coarse, fine)
	l := newLens(s.Camera)
	for y := range l.h {
		for x := range l.w {
			depth, apart, _ := meets(l.ray(x, y))
			if apart > 0.95*radius {
				continue
			}
			i, ok := slices.BinarySearchFunc(hits, uint32(y*l.w+x), func(h Hit, ray uint32) int { return int(h.Ray) - int(ray) })
			if !ok || math.Abs(float64(hits[i].Depth)-depth) > 0.2 {
				t.Fatalf("ray (%d, %d): %v, depth %g", x, y, hits[min(i, len(hits)-1)], depth)
			}
		}
	}
}

// Cells without a value do not hide a surface beside them, and do not appear as one.
func TestCellsWithoutValue(t *testing.T) {
	s, b := scene(80, 60), whole(0)
	want := len(all(s, b))
	for i, v := range b.Shape {
		if v > 2 {
			b.Shape[i] = float32(math.NaN())
		}
	}
	if got := all(s, b); len(got) != want {
		t.Errorf("%d hits with a hollow ball, %d with a full one", len(got), want)
	}
	for i := range b.Shape {
		b.Shape[i] = float32(math.NaN())
	}
	if got := all(s, b); len(got) != 0 {
		t.Errorf("%d hits of nothing", len(got))
	}
}

// The first surface on a ray counts, whether values rise or fall there.
func TestFallingValues(t *testing.T) {
	s, b := scene(80, 60), whole(0)
	want := all(s, b)
	for i := range b.Shape {
		b.Shape[i] = -b.Shape[i]
	}
	got := all(s, b)
	if len(got) != len(want) {
		t.Fatalf("%d hits, not %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("hit %v, not %v", got[i], want[i])
		}
	}
}

// Solids have their silhouette, depth and light, and no cut of the domain changes a bit.
func TestSolids(t *testing.T) {
	s := scene(120, 90)
	ball := geometry.Sphere{Centre: centre, Radius: radius}
	// A combination has crossings of its parts that are not on its surface.
	moved := geometry.Combination{Operation: geometry.Union, Parts: []geometry.Shape{ball, geometry.Sphere{Centre: centre, Radius: 5}}}
	of := func(list []Solid, lo, hi [3]float64) (hits []Hit) {
		c := NewSolids(s, list, lo, hi)
		for y := range s.Rows() {
			hits = append(hits, c.Row(y)...)
		}
		return hits
	}
	want := of([]Solid{ball}, [3]float64{}, s.Size)
	l := newLens(s.Camera)
	left := want
	for y := range l.h {
		for x := range l.w {
			r := l.ray(x, y)
			depth, apart, ok := meets(r)
			if found := len(left) > 0 && left[0].Ray == uint32(y*l.w+x); found != ok && math.Abs(apart-radius) > 1e-6 {
				t.Fatalf("ray (%d, %d): hit %v, not %v", x, y, found, ok)
			} else if !found {
				continue
			}
			h := left[0]
			left = left[1:]
			light, _ := newLights(s.Camera).on(vector.Minus(r.at(depth), centre), r.along)
			if apart < 0.99*radius && (math.Abs(float64(h.Depth)-depth) > 1e-4 || math.Abs(float64(h.Light-light)) > 1e-3) {
				t.Fatalf("ray (%d, %d): %v, not depth %g and light %g", x, y, h, depth, light)
			}
		}
	}
	same := func(a, b Hit) bool { // the value is not a number
		return a.Ray == b.Ray && a.Depth == b.Depth && a.Light == b.Light && a.Gloss == b.Gloss && a.Value != a.Value && b.Value != b.Value
	}
	for _, list := range [][]Solid{{ball}, {moved}} {
		var got []Hit
		for _, box := range [][2][3]float64{{{0, 0, 0}, {48, 17, 20}}, {{0, 17, 0}, {48, 40, 20}}, {{0, 0, 20}, {48, 40, 44}}} {
			got = Nearest(got, of(list, box[0], box[1]))
		}
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("%T: %d hits of three boxes, other ones than the %d of one", list[0], len(got), len(want))
		}
	}
}

// Solids cut off by the domain are closed there.
func TestSolidsEndAtTheDomain(t *testing.T) {
	s := scene(80, 60)
	floor := geometry.Box{Lo: [3]float64{-10, -10, -10}, Hi: [3]float64{60, 60, 10}}
	c := NewSolids(s, []Solid{floor}, [3]float64{}, s.Size)
	l := newLens(s.Camera)
	n := 0
	for y := range s.Rows() {
		for _, h := range c.Row(y) {
			r := l.ray(int(h.Ray)%l.w, y)
			in, _ := r.span([3]float64{}, s.Size)
			p := r.at(float64(h.Depth))
			if math.Abs(p[2]-10) > 1e-4 && math.Abs(float64(h.Depth)-in) > 1e-4 {
				t.Fatalf("a hit at %v", p)
			}
			n++
		}
	}
	if n < 2000 {
		t.Errorf("%d hits", n)
	}
}

// The default camera has all corners of a box in the picture, and fills it.
func TestFit(t *testing.T) {
	for _, from := range [][3]float64{{-1, -1, 0.5}, {0.2, 1, 0.1}, {-3, 0.1, 4}} {
		c := Camera{From: from, Up: [3]float64{0, 0, 1}, Angle: 40, W: 300, H: 200}.Fit([3]float64{10, 20, 5}, [3]float64{90, 40, 30})
		right, up, ahead := c.axes()
		wide, high := c.tangents()
		var most float64
		eachCorner([3]float64{10, 20, 5}, [3]float64{90, 40, 30}, func(p [3]float64) {
			q := vector.Minus(p, c.From)
			depth := vector.Dot(q, ahead)
			most = max(most, math.Abs(vector.Dot(q, right))/depth/wide, math.Abs(vector.Dot(q, up))/depth/high)
		})
		if most > 1 || most < 0.9 {
			t.Errorf("from %v: the box fills %.3g of the picture", from, most)
		}
	}
}

// A camera turns about its axis and keeps its height and distance; a whole turn leads back.
func TestTurned(t *testing.T) {
	c := Camera{From: [3]float64{10, 2, 5}, At: [3]float64{1, 2, 3}, Up: [3]float64{0, 0, 1}}
	if got, want := c.Turned(90).From, [3]float64{1, 11, 5}; vector.Dot(vector.Minus(got, want), vector.Minus(got, want)) > 1e-20 {
		t.Errorf("a quarter turn leads to %v, not %v", got, want)
	}
	if c.Turned(0) != c {
		t.Errorf("no turn leads to %v", c.Turned(0))
	}
}

// A picture shows solids in grey, the surface in its colours and the ground where nothing is before it.
func TestImage(t *testing.T) {
	s := scene(60, 40)
	red := func(float64) color.NRGBA { return color.NRGBA{0xff, 0, 0, 0xff} }
	hits := all(s, whole(0))
	img := s.Image(hits, nil, red, parallel.Pieces)
	if c := img.NRGBAAt(30, 20); c.R < 0x60 || c.G > c.R/2 || c.B > c.R/2 {
		t.Errorf("the middle is %v, not red", c)
	}
	if c := img.NRGBAAt(1, 1); c.R < 0xe0 || c.G < 0xe0 {
		t.Errorf("the corner is %v, not bright", c)
	}
	for i := range hits {
		hits[i].Value = float32(math.NaN())
	}
	if c := s.Image(hits, nil, red, parallel.Pieces).NRGBAAt(30, 20); c.R > c.B {
		t.Errorf("a solid is %v, not grey", c)
	}
	plain, with := s.Image(nil, nil, red, parallel.Pieces), s.Image(nil, &Ground{2, 0}, red, parallel.Pieces)
	l, differ := newLens(s.Camera), 0
	for y := range 40 {
		for x := range 60 {
			if plain.NRGBAAt(x, y) == with.NRGBAAt(x, y) {
				continue
			}
			differ++
			r := l.ray(2*x, 2*y)
			if _, out := r.span([3]float64{}, s.Size); math.Abs(r.at(out)[2]) > 2 {
				t.Fatalf("ground at pixel (%d, %d), whose ray leaves at %v", x, y, r.at(out))
			}
		}
	}
	if differ < 100 {
		t.Errorf("the ground changes %d pixels", differ)
	}
}

func BenchmarkBall(b *testing.B) {
	s, all := scene(1280, 720), whole(1)
	s.Finest = 1
	for range b.N {
		c := NewCaster(s, []Block{all})
		for y := range s.Rows() {
			c.Row(y)
		}
	}
}

func BenchmarkSolid(b *testing.B) {
	s := scene(1280, 720)
	for range b.N {
		c := NewSolids(s, []Solid{geometry.Sphere{Centre: centre, Radius: radius}}, [3]float64{}, s.Size)
		for y := range s.Rows() {
			c.Row(y)
		}
	}
}

func BenchmarkImage(b *testing.B) {
	s := scene(1280, 720)
	for range b.N {
		s.Image(nil, nil, nil, parallel.Pieces)
	}
}

// A surface reaches to the faces of the domain, wherever the samples of a ray are: a ball that the domain cuts off has a rim there.
func TestSurfaceEndsAtTheDomain(t *testing.T) {
	s := scene(160, 120)
	s.Size = [3]float64{24, 40, 44} // the camera sees the half of the ball with the rim from outside
	s.Camera.From = [3]float64{120, -30, 60}
	s.Camera.At = centre
	hits := all(s, block(0, [3]int{}, [3]int{24, 40, 44}))
	l := newLens(s.Camera)
	for y := range l.h {
		for x := range l.w {
			r := l.ray(x, y)
			in, out := r.span([3]float64{}, s.Size)
			near, apart, _ := meets(r)
			o := vector.Minus(r.from, centre)
			far := -2*vector.Dot(o, r.along) - near
			depth := near
			if near < in {
				depth = far // the inside of the ball, through the cut
			}
			const close = 0.15 // 0.04 over the cosine, as in TestBall
			if apart > 0.95*radius || in >= out || min(math.Abs(near-in), math.Abs(far-in), math.Abs(near-out), math.Abs(far-out)) < close {
				continue
			}
			i, ok := slices.BinarySearchFunc(hits, uint32(y*l.w+x), func(h Hit, ray uint32) int { return int(h.Ray) - int(ray) })
			if want := depth > in && depth < out; ok != want || ok && math.Abs(float64(hits[i].Depth)-depth) > close {
				t.Fatalf("ray (%d, %d): hit %v, not %v at %g of %g to %g: %v", x, y, ok, want, depth, in, out, hits[min(i, len(hits)-1)])
			}
		}
	}
}

// A camera around a box looks at its middle from the tilt and the turn asked for, at the same distance from every side, and has
// all of the box in sight at the usual tilt.
func TestAround(t *testing.T) {
	lo, hi := [3]float64{10, 0, 0}, [3]float64{70, 20, 24}
	c := Camera{From: [3]float64{-0.75, -1, 0.55}, Up: [3]float64{0, 0, 1}, Angle: 30, W: 160, H: 90}
	first := c.Around(lo, hi, 0, 24, 1)
	far := vector.Minus(first.From, first.At)
	for turn := 0.0; turn < 360; turn += 45 {
		for _, tilt := range []float64{-60, 0, UsualTilt, 85} {
			a := c.Around(lo, hi, turn, tilt, 1)
			d := vector.Minus(a.From, a.At)
			if a.At != [3]float64{40, 10, 12} || math.Abs(vector.Dot(d, d)/vector.Dot(far, far)-1) > 1e-12 {
				t.Errorf("turn %g, tilt %g: at %v from %v", turn, tilt, a.At, a.From)
			}
			if got := math.Asin(d[2]/math.Sqrt(vector.Dot(d, d))) * 180 / math.Pi; math.Abs(got-tilt) > 1e-9 {
				t.Errorf("tilt %g, want %g", got, tilt)
			}
			was, is := math.Atan2(far[1], far[0]), math.Atan2(d[1], d[0])
			if off := math.Remainder((is-was)*180/math.Pi-turn, 360); math.Abs(off) > 1e-9 {
				t.Errorf("turn %g is off by %g degrees", turn, off)
			}
			right, up, ahead := a.axes()
			wide, high := a.tangents()
			eachCorner(lo, hi, func(p [3]float64) {
				q := vector.Minus(p, a.From)
				if depth := vector.Dot(q, ahead); tilt == UsualTilt && (math.Abs(vector.Dot(q, right)) > wide*depth || math.Abs(vector.Dot(q, up)) > high*depth) {
					t.Errorf("turn %g, tilt %g: the corner %v is out of sight", turn, tilt, p)
				}
			})
		}
	}
	if near := c.Around(lo, hi, 0, 24, 0.5); math.Abs(vector.Dot(vector.Minus(near.From, near.At), vector.Minus(near.From, near.At))*4/vector.Dot(far, far)-1) > 1e-12 {
		t.Errorf("half the distance is from %v", near.From)
	}
}

// A caster with another camera finds what a new one finds.
func TestFrom(t *testing.T) {
	a, b := scene(60, 40), scene(60, 40)
	b.Camera = b.Camera.Turned(50)
	c := NewCaster(a, []Block{whole(0)})
	var got []Hit
	for y := range b.Rows() {
		got = append(got, c.From(b.Camera).Row(y)...)
	}
	if want := all(b, whole(0)); len(want) == 0 || !slices.EqualFunc(got, want, func(a, b Hit) bool { return a == b }) {
		t.Errorf("%d hits, want %d", len(got), len(want))
	}
}
