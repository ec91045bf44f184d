// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package paint

import (
	"image"
	"image/color"
	"strings"
	"testing"
)

// example returns a sheet around a bright image.
func example(t *testing.T, w, h int) Sheet {
	t.Helper()
	s, err := NewScale(0, 1, nil, Sequential)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	return Sheet{Image: img, Axes: &[2]Axis{{"x (m)", 0, 1}, {"y (m)", 0, 1}}, Scale: s, Quantity: "speed", Unit: "m/s", Title: "a title", Under: "step 1"}
}

// dark counts the pixels of a picture that are ink.
func dark(m image.Image, within image.Rectangle) (n int) {
	for y := within.Min.Y; y < within.Max.Y; y++ {
		for x := within.Min.X; x < within.Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); r+g+b < 3*0x6000 {
				n++
			}
		}
	}
	return n
}

func TestLongTitlesFit(t *testing.T) {
	s := example(t, 900, 900)
	s.Title = strings.Repeat("A case whose title is longer than its plane is wide ", 3)
	m := s.Draw()
	b := m.Bounds()
	for y := b.Min.Y; y < b.Min.Y+margin+50; y++ {
		for x := b.Max.X - margin/2; x < b.Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); min(r, g, b) < 0xffff {
				t.Fatalf("the title reaches the edge: pixel %d, %d of %v", x, y, m.Bounds())
			}
		}
	}
}

// Characters that the font lacks leave ink in titles, too.
func TestTitlesAreLegible(t *testing.T) {
	blank, marked := example(t, 200, 200), example(t, 200, 200)
	blank.Title, marked.Title = " ", strings.Repeat("球", 6)
	without, with := blank.Draw(), marked.Draw()
	if n, m := dark(with, with.Bounds()), dark(without, without.Bounds()); n <= m+50 {
		t.Errorf("%d dark pixels with the characters, %d without", n, m)
	}
}

// A view that is not a plane has no axes: nothing is drawn to the left of the image.
func TestSheetWithoutAxes(t *testing.T) {
	with, sans := example(t, 400, 400), example(t, 400, 400)
	sans.Axes = nil
	all, bare := with.Draw(), sans.Draw()
	if b := bare.Bounds(); b.Dx() >= all.Bounds().Dx() || b.Dy() > all.Bounds().Dy() {
		t.Errorf("%v without axes, %v with them", b, all.Bounds())
	}
	left := image.Rect(0, 0, margin-1, bare.Bounds().Dy()) // up to the line around the image
	if n := dark(bare, left); n > 0 {
		t.Errorf("%d dark pixels left of the image", n)
	}
}

// A line is drawn where it is in pixels of the image, from its lower left corner.
func TestLinesMeetTheImage(t *testing.T) {
	plain, lined := example(t, 400, 400), example(t, 400, 400)
	lined.Lines = [][2][2]float64{{{100, 20}, {300, 20}}}
	a, b := plain.Draw(), lined.Draw()
	var changed image.Rectangle
	for y := 0; y < a.Bounds().Dy(); y++ {
		for x := 0; x < a.Bounds().Dx(); x++ {
			if color.GrayModel.Convert(a.At(x, y)) != color.GrayModel.Convert(b.At(x, y)) {
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if changed.Dx() < 199 || changed.Dx() > 202 || changed.Dy() < 1 || changed.Dy() > 3 {
		t.Errorf("the line changed the pixels %v", changed)
	}
}
