// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"lbmsim/io/paint"
)

// example returns roughly a flow around a cylinder.
func example(w, h int, f func(x, y float64) float64) Picture {
	p := Picture{Quantity: "speed", Unit: "m/s", Case: "cylinder", Step: 12000, Time: 3.25,
		W: w, H: h, Spacing: 0.4e-3, Values: make([]float64, w*h)}
	for j := 0; j < h; j++ {
		for i := 0; i < w; i++ {
			x, y := (float64(i)+0.5)/float64(h), (float64(j)+0.5)/float64(h)
			v := f(x, y)
			if math.Hypot(x-0.5, y-0.5) < 0.12 {
				v = math.NaN()
			}
			p.Values[j*w+i] = v
		}
	}
	return p
}

func channel(x, y float64) float64 {
	return 6 * y * (1 - y) * (1 + 0.3*math.Sin(7*x)*math.Exp(-8*(y-0.5)*(y-0.5)))
}

func vortex(x, y float64) float64 { return 3e-5 * math.Sin(6*x) * math.Cos(9*y) }

// Set LBMSIM_PICTURES to a folder to keep the pictures.
func TestPictures(t *testing.T) {
	dir := os.Getenv("LBMSIM_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	signed := example(220, 150, vortex)
	signed.Quantity, signed.Unit, signed.Where, signed.Axes = "vorticity z", "1/s", "z = 12.5 mm", [2]string{"x", "z"}
	flat := example(64, 64, func(x, y float64) float64 { return 1000 })
	flat.Quantity, flat.Unit = "density", "kg/m³"
	fixed := example(300, 300, channel)
	fixed.Range, fixed.Spacing, fixed.Origin = &[2]float64{0.5, 1.2}, 3, [2]float64{-450, 0}
	for name, p := range map[string]Picture{
		"wide":   example(400, 80, channel),
		"signed": signed,
		"flat":   flat,
		"fixed":  fixed,
		"tall":   example(20, 200, channel),
		"large":  example(3000, 1400, channel),
		"one":    example(1, 1, channel),
	} {
		path := filepath.Join(dir, name+".png")
		if err := p.Write(path); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if b := img.Bounds(); b.Dx() > 1300 || b.Dy() > 1300 || b.Dx() < 200 {
			t.Errorf("%s has %v pixels", name, b)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}

func TestPlaneIsUprightAndSolidIsGrey(t *testing.T) {
	p := Picture{W: 2, H: 2, Spacing: 1, Size: 2, Values: []float64{0, 1, math.NaN(), 2}}
	s, err := paint.NewScale(0, 2, nil, paint.Auto)
	if err != nil {
		t.Fatal(err)
	}
	img := p.plane(s)
	if img.Bounds().Dx() != 2 {
		t.Fatal(img.Bounds())
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{0, 1, s.Colour(0)}, {1, 1, s.Colour(1)}, {0, 0, paint.Solid}, {1, 0, s.Colour(2)}} {
		if got := img.NRGBAAt(c.x, c.y); got != c.want {
			t.Errorf("pixel %d,%d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestPlanesAreAboutAsLargeAsAsked(t *testing.T) {
	for _, cells := range []int{1, 7, 610, 899, 900, 901, 920, 1349, 1350, 1800, 2249, 2250, 5000} {
		w, h, grow, shrink := Picture{W: cells, H: (cells + 1) / 2}.pixels()
		if min(grow, shrink) != 1 || w < 600 || w > 1350 || (h != max(1, (cells+1)/2*grow/shrink)) {
			t.Errorf("%d cells: %d x %d pixels, %d a cell, %d cells a pixel", cells, w, h, grow, shrink)
		}
	}
}

func TestEnlargingKeepsTheCellCentres(t *testing.T) {
	p := Picture{W: 3, H: 3, Spacing: 1, Size: 15, Values: []float64{1, 2, 3, 4, math.NaN(), 6, 7, 8, 9}}
	_, _, grow, _ := p.pixels()
	for j := 0; j < 3; j++ {
		for i := 0; i < 3; i++ {
			want := p.Values[j*3+i]
			got := p.between(i*grow+grow/2, j*grow+grow/2, grow)
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("cell %d,%d: %g, want %g", i, j, got, want)
			}
		}
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for _, p := range []Picture{
		{},
		{W: 2, H: 2, Spacing: 1, Values: make([]float64, 3)},
		{W: 1, H: 1, Values: []float64{1}},
		{W: 1, H: 1, Spacing: 1, Values: []float64{1}, Range: &[2]float64{1, 1}},
	} {
		if err := p.Encode(&bytes.Buffer{}); err == nil {
			t.Errorf("%+v was drawn", p)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), 0, 1e-320, 1e300, -1e300} {
		p := Picture{W: 2, H: 1, Spacing: 1, Values: []float64{v, v}}
		if err := p.Encode(&bytes.Buffer{}); err != nil {
			t.Errorf("a plane of %g: %v", v, err)
		}
	}
	if err := (Picture{W: 1, H: 1, Spacing: 1, Values: []float64{1}}).Write("/no/such/folder/a.png"); err == nil {
		t.Error("wrote into a folder that is not there")
	} else {
		t.Log(err)
	}
}

// Ticks are at the places of their values in the plane: the first and the last at its edges.
func TestTicksMeetThePlane(t *testing.T) {
	p := example(128, 96, channel)
	p.Spacing = 10.0 / 128 // x to 10 m, y to 7.5 m
	for i := range p.Values {
		p.Values[i] = 1 + float64(i%2) // bright everywhere
	}
	sheet, err := p.sheet()
	if err != nil {
		t.Fatal(err)
	}
	img := sheet.Draw()
	dark := func(x, y int) bool {
		r, g, b, _ := img.At(x, y).RGBA()
		return max(r, g, b) < 0xd000 // a line between two columns is grey
	}
	// The frame of the plane: its longest dark row at the bottom, less the tick beside it.
	bounds := img.Bounds()
	left, right, bottom := 0, 0, 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		run := 0
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if !dark(x, y) {
				run = 0
				continue
			}
			if run++; run >= right-left {
				left, right, bottom = x-run, x, y
			}
		}
	}
	if right-left < 400 {
		t.Fatalf("no frame: %d to %d", left, right)
	}
	left = right - sheet.Image.Rect.Dx()
	var at []int
	for x := left - 5; x < right+6; x++ {
		if dark(x, bottom+4) && !dark(x-1, bottom+4) {
			at = append(at, x)
		}
	}
	if len(at) != 6 && len(at) != 11 {
		t.Fatalf("ticks at %v, want 0, 2, ... 10 or 0, 1, ... 10", at)
	}
	for k, x := range at {
		want := float64(left) + float64(k)*float64(right-left)/float64(len(at)-1)
		if math.Abs(float64(x)-want) > 1.6 {
			t.Errorf("tick %d stands at pixel %d of %d to %d, want %.0f", k, x, left, right, want)
		}
	}
}
