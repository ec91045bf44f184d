// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package relief

import (
	"image/color"
	"math"
	"testing"

	"lbmsim/io/paint"
)

// square returns a square of edge 2 about the z axis at a height, with the normal along z.
func square(height, value float64) Body {
	return Body{
		Points:  []float64{-1, -1, height, 1, -1, height, 1, 1, height, -1, 1, height},
		Corners: []int64{0, 1, 2, 0, 2, 3},
		Values:  []float64{value, value},
	}
}

// The nearer of two squares is visible, whatever their order, in the colour of its value; around it is white. Surfaces that face the eye are not
// darkened, and the picture has the requested extent.
func TestNearestCovers(t *testing.T) {
	scale, err := paint.NewScale(0, 1, nil, paint.Sequential)
	if err != nil {
		t.Fatal(err)
	}
	above := View{From: [3]float64{0, 0, 1}, Up: [3]float64{0, 1, 0}}
	near, far := square(1, 0.9), square(0, 0.2)
	for _, bodies := range [][]Body{{near, far}, {far, near}} {
		img := Draw(bodies, above, scale, 100)
		if size := img.Rect.Size(); size.X != 100 || size.Y != 100 {
			t.Fatalf("%v", size)
		}
		if got := img.NRGBAAt(50, 50); got != scale.Colour(0.9) {
			t.Errorf("%v in the middle, want %v", got, scale.Colour(0.9))
		}
		if got := img.NRGBAAt(0, 50); got != (color.NRGBA{255, 255, 255, 255}) {
			t.Errorf("%v at the rim", got)
		}
	}
	below := View{From: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}}
	if got := Draw([]Body{near, far}, below, scale, 100).NRGBAAt(50, 50); got != scale.Colour(0.2) {
		t.Errorf("%v from below, want %v", got, scale.Colour(0.2))
	}
}

// The orientation is right: seen from -x with z upwards, +y is on the left, and a slanted surface is darker.
func TestDirections(t *testing.T) {
	scale, err := paint.NewScale(0, 1, nil, paint.Sequential)
	if err != nil {
		t.Fatal(err)
	}
	at := func(y, z, value float64) Body {
		return Body{Points: []float64{0, y, z, 0, y + 1, z, 0, y + 1, z + 1, 0, y, z + 1}, Corners: []int64{0, 1, 2, 0, 2, 3}, Values: []float64{value, value}}
	}
	img := Draw([]Body{at(0, 0, 0.1), at(1, 0, 0.4), at(0, 1, 0.7), at(1, 1, math.NaN())}, View{From: [3]float64{-1, 0, 0}, Up: [3]float64{0, 0, 1}}, scale, 80)
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{60, 60, scale.Colour(0.1)}, {20, 60, scale.Colour(0.4)}, {60, 20, scale.Colour(0.7)}, {20, 20, paint.Solid}} {
		if got := img.NRGBAAt(c.x, c.y); got != c.want {
			t.Errorf("%v at %d, %d, want %v", got, c.x, c.y, c.want)
		}
	}
	slanted := Draw([]Body{at(0, 0, 0.9)}, View{From: [3]float64{-1, -1, 0}, Up: [3]float64{0, 0, 1}}, scale, 80).NRGBAAt(25, 40)
	if front := scale.Colour(0.9); slanted.G >= front.G || slanted.G < front.G/2 {
		t.Errorf("%v slanted, %v from the front", slanted, front)
	}
}

// Ends leave out a share of the values on both sides, and have no order without values.
func TestEnds(t *testing.T) {
	b := Body{Values: []float64{math.NaN(), -100, 1, 2, 3, 4, 5, 6, 7, 8, 100}}
	if lo, hi := Ends([]Body{b}, 0.1); lo != 1 || hi != 8 {
		t.Errorf("%g to %g", lo, hi)
	}
	if lo, hi := Ends(nil, 0.1); lo <= hi {
		t.Errorf("%g to %g of nothing", lo, hi)
	}
	scale, err := paint.NewScale(0, 1, nil, paint.Sequential)
	if err != nil {
		t.Fatal(err)
	}
	if size := Draw(nil, View{From: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}}, scale, 10).Rect.Size(); size.X < 1 {
		t.Errorf("%v", size)
	}
}

// A marked triangle and a visible line are red, a line behind the body is pale, and the rest is grey.
func TestDrawMarked(t *testing.T) {
	near := func(x float64) [][3]float64 { return [][3]float64{{x, -1, -1}, {x, 1, -1}, {x, 0, 1}} }
	b := Body{Values: []float64{0, 1}, Corners: []int64{0, 1, 2, 3, 4, 5}}
	for _, p := range append(near(0), [3]float64{0, 2, -1}, [3]float64{0, 4, -1}, [3]float64{0, 3, 1}) {
		b.Points = append(b.Points, p[:]...)
	}
	v := View{From: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}} // y to the right
	lines := [][2][3]float64{{{-1, -0.5, -0.8}, {-1, 0.5, -0.8}}, {{1, -0.3, -0.4}, {1, 0.3, -0.4}}}
	img := DrawMarked([]Body{b}, lines, v, 500)
	at := func(y, z float64) color.NRGBA { // 5 wide, 2 high, and 2 % of 5 around
		const scale = 500 * 0.96 / 5
		return img.NRGBAAt(int((y+1+0.1)*scale), int((1-z+0.1)*scale))
	}
	for name, c := range map[string]struct {
		got, want color.NRGBA
	}{
		"not marked":       {at(0, 0.3), Plain},
		"marked":           {at(3, 0), Marked},
		"line behind":      {at(0, -0.8), Hidden},
		"line in sight":    {at(0, -0.4), Marked},
		"beside all":       {at(1.5, 0.9), color.NRGBA{255, 255, 255, 255}},
		"above both lines": {at(0, -0.6), Plain},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}
