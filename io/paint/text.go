// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package paint

// Fonts, and the characters that they have.

import (
	"image/color"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// At 72 dots an inch a point of gonum/plot is a pixel.
const (
	small  = 13 // font of numbers
	normal = 14 // font of labels
	large  = 18 // font of the title
)

var ink = color.Gray{Y: 0x30}

func style(size vg.Length, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: ink, Font: f, Handler: plot.DefaultTextHandler}
}

// missing replaces a character that the font does not have, which would otherwise be invisible.
const missing = "?"

// legible returns a text of which the font has all characters.
func legible(text string) string {
	face := font.DefaultCache.Lookup(style(large, true).Font, large).Face
	var buffer sfnt.Buffer
	var out strings.Builder
	for _, r := range text {
		if glyph, err := face.GlyphIndex(&buffer, r); err == nil && glyph != 0 {
			out.WriteRune(r)
		} else {
			out.WriteString(missing)
		}
	}
	return out.String()
}
