// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"image"
	"image/color"
	"io"
	"math"

	"lbmsim/io/paint"
)

// Levels is a plane through a refined grid: which level's cells are where, and the bodies.
type Levels struct {
	Case   string
	Where  string     // position of the plane, for example "z = 0.5 m"; may be empty
	Lo, Hi [2]float64 // corners of the area, in metres
	Axes   [2]string  // names of the axes
	Boxes  []LevelBox // of all levels above 0, each inside coarser ones
	Solid  func(at [2]float64) bool
	Levels []string // the legend of each level, from 0 on
	// Lattice is set if the run has no units: lengths are in cells.
	Lattice bool
	Text    map[string]string // stored in the file
}

// LevelBox is a box of a level in the plane, in metres.
type LevelBox struct {
	Level  int
	Lo, Hi [2]float64
}

// levelColours are the fills of the levels, from light to dark, and the colour of bodies.
func levelColours() (levels []color.NRGBA, body color.NRGBA) {
	for _, c := range [][3]uint8{{0xf7, 0xf7, 0xf2}, {0xd3, 0xe6, 0xf4}, {0xa3, 0xcd, 0xe8}, {0x68, 0xab, 0xd8}, {0x38, 0x7f, 0xbd}, {0x15, 0x52, 0x90}} {
		levels = append(levels, color.NRGBA{c[0], c[1], c[2], 0xff})
	}
	return levels, color.NRGBA{0x55, 0x55, 0x55, 0xff}
}

// levelsPixels is the number of pixels of the longer side.
const levelsPixels = 1000

// Write puts the picture into the file path, whole or not at all. The folder must exist.
func (l Levels) Write(path string) error {
	return write(path, func(w io.Writer) error { return encode(w, l.sheet().Draw(), l.Text) })
}

// sheet returns the picture with its legend.
func (l Levels) sheet() paint.Sheet {
	colours, body := levelColours()
	p := Picture{Spacing: 1, Origin: l.Lo, Axes: l.Axes, Lattice: l.Lattice}
	s := paint.Sheet{Image: l.image(), Title: "levels of the grid"}
	if l.Case != "" {
		s.Title = l.Case + ": " + s.Title
	}
	if l.Where != "" {
		s.Under = "at " + l.Where
	}
	for k, text := range l.Levels {
		s.Legend = append(s.Legend, paint.Entry{Colour: colours[k], Text: text})
	}
	s.Legend = append(s.Legend, paint.Entry{Colour: body, Text: "body"})
	s.Axes = p.span(l.Hi[0]-l.Lo[0], l.Hi[1]-l.Lo[1])
	return s
}

// image colours each pixel by its level and outlines the boxes.
func (l Levels) image() *image.NRGBA {
	colours, body := levelColours()
	wide, high := l.Hi[0]-l.Lo[0], l.Hi[1]-l.Lo[1]
	scale := levelsPixels / math.Max(wide, high)
	w, h := max(1, int(math.Round(wide*scale))), max(1, int(math.Round(high*scale)))
	level := make([]int, w*h)
	for _, b := range l.Boxes {
		at := func(v float64, axis, n int) int { return min(max(int(math.Round((v-l.Lo[axis])*scale)), 0), n) }
		for y := at(b.Lo[1], 1, h); y < at(b.Hi[1], 1, h); y++ {
			for x := at(b.Lo[0], 0, w); x < at(b.Hi[0], 0, w); x++ {
				level[y*w+x] = max(level[y*w+x], b.Level)
			}
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	edge := color.NRGBA{0x20, 0x20, 0x20, 0xff}
	for y := range h {
		for x := range w {
			k := level[y*w+x]
			c := colours[k]
			switch {
			case l.Solid != nil && l.Solid([2]float64{l.Lo[0] + (float64(x)+0.5)/scale, l.Lo[1] + (float64(y)+0.5)/scale}):
				c = body
			case x > 0 && level[y*w+x-1] < k, x+1 < w && level[y*w+x+1] < k, y > 0 && level[(y-1)*w+x] < k, y+1 < h && level[(y+1)*w+x] < k:
				c = edge
			}
			img.SetNRGBA(x, h-1-y, c)
		}
	}
	return img
}
