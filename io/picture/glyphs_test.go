package picture

import (
	"image"
	"strings"
	"testing"
)

// Characters that the font lacks are replaced by one that is seen.
func TestMissingCharactersAreSeen(t *testing.T) {
	for text, want := range map[string]string{
		"Größe, µm, Ω, Ж":  "Größe, µm, Ω, Ж",
		"流れ around a 球":    missing + missing + " around a " + missing,
		"🚗 car":            missing + " car",
		"":                 "",
		"kg/m³ × 1e-3 ± 2": "kg/m³ × 1e-3 ± 2",
	} {
		if got := legible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	blank, marked := example(64, 64, channel), example(64, 64, channel)
	blank.Case, marked.Case = " ", strings.Repeat("球", 6)
	without, err := blank.draw()
	if err != nil {
		t.Fatal(err)
	}
	with, err := marked.draw()
	if err != nil {
		t.Fatal(err)
	}
	if dark(with) <= dark(without)+50 {
		t.Errorf("%d dark pixels with the characters, %d without", dark(with), dark(without))
	}
}

// dark counts the pixels of a picture that are ink.
func dark(m image.Image) (n int) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); r+g+b < 3*0x6000 {
				n++
			}
		}
	}
	return n
}
