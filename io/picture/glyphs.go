package picture

import (
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
)

// missing stands for a character that the font does not have, which would leave no trace.
const missing = "?"

// legible is a text of which the font has all characters.
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
