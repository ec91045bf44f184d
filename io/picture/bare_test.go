// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"testing"

	"lbmsim/io/paint"
)

// wave returns a plane with a body in it.
func wave(w, h int) Picture {
	p := Picture{Quantity: "speed", Unit: "m/s", W: w, H: h, Values: make([]float64, w*h), Spacing: 0.1}
	for k := range p.Values {
		p.Values[k] = math.Sin(float64(k%w)/20) * math.Cos(float64(k/w)/30)
	}
	for j := h / 3; j < h/2; j++ {
		for i := w / 3; i < w/2; i++ {
			p.Values[j*w+i] = math.NaN()
		}
	}
	return p
}

// A bare plane has the pixels of the picture of the same size, of fewer colours, and the ends and colours of its scale.
func TestBare(t *testing.T) {
	p := wave(120, 60)
	b, err := p.Bare()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b.PNG))
	if err != nil {
		t.Fatal(err)
	}
	p.Size = 120
	s, err := p.sheet()
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != s.Image.Bounds() {
		t.Fatalf("%v, want %v", img.Bounds(), s.Image.Bounds())
	}
	for y := range 60 {
		for x := range 120 {
			got, want := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA), s.Image.NRGBAAt(x, y)
			for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
				if d < -6 || d > 6 { // 4 was measured: half a step of 255 colours where they change fastest
					t.Fatalf("pixel %d, %d is %v, want about %v", x, y, got, want)
				}
			}
			if (got == paint.Solid) != (want == paint.Solid) {
				t.Fatalf("pixel %d, %d is %v, want %v", x, y, got, want)
			}
		}
	}
	if b.Ends[0] != -b.Ends[1] || math.Abs(b.Ends[1]-1) > 0.01 || len(b.Colours) != bareColours || b.Colours[0] == b.Colours[bareColours-1] {
		t.Errorf("scale %v %v", b.Ends, b.Colours)
	}
	if b.Axes[0].Max != 12 || b.Axes[1].Max != 6 {
		t.Errorf("axes %+v", b.Axes)
	}
	if large, err := wave(3000, 20).Bare(); err != nil {
		t.Error(err)
	} else if c, err := png.DecodeConfig(bytes.NewReader(large.PNG)); err != nil || c.Width > 2*barePixels {
		t.Errorf("3000 cells are %d pixels (%v)", c.Width, err)
	}
	if _, err := (Picture{W: 2, H: 2}).Bare(); err == nil {
		t.Error("a plane without values is drawn")
	}
}

func BenchmarkBare(b *testing.B) {
	p := wave(400, 160)
	for range b.N {
		if _, err := p.Bare(); err != nil {
			b.Fatal(err)
		}
	}
}
