// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"lbmsim/io/paint"
)

// Bare is a plane or a view as pixels, for readers that draw axes, scale and titles themselves.
type Bare struct {
	PNG          []byte // of a plane a pixel per cell, or several cells per pixel of a large one
	Title, Under string
	Axes         *[2]paint.Axis `json:",omitempty"` // of a plane
	Value        float64        // of a view's surface
	Levels       []float64      `json:",omitempty"` // that Value may be chosen from
	Quantity     string
	Unit         string
	Ends         [2]float64 // of the colour scale
	Colours      []string   // along the scale, #rrggbb
	Step         int64      `json:"step"`
}

// Sizes of a bare plane.
const (
	barePixels  = 720 // about, at most
	bareColours = 33
)

// Bare returns the plane without its surroundings.
func (p Picture) Bare() (b Bare, err error) {
	p.Size = min(max(p.W, p.H), barePixels)
	if err := p.check(); err != nil {
		return b, err
	}
	s, err := p.surroundings()
	if err != nil {
		return b, err
	}
	w, h, _, _ := p.pixels()
	img := image.NewPaletted(image.Rect(0, 0, w, h), s.Scale.Palette()) // needs no PNG filters: encoded in half the time
	p.each(func(x, y int, v float64) { img.SetColorIndex(x, h-1-y, s.Scale.Index(v)) })
	return bare(s, img, p.Step)
}

// Bare returns the view without its surroundings.
func (v View) Bare() (b Bare, err error) {
	s, err := v.sheet()
	if err != nil {
		return b, err
	}
	b, err = bare(s, s.Image, v.Step)
	b.Value, b.Levels = v.Value, v.Levels
	return b, err
}

func bare(s paint.Sheet, img image.Image, step int64) (b Bare, err error) {
	var to bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&to, img); err != nil {
		return b, err
	}
	b = Bare{PNG: to.Bytes(), Title: s.Title, Under: s.Under, Axes: s.Axes, Quantity: s.Quantity, Unit: s.Unit, Step: step}
	b.Ends[0], b.Ends[1] = s.Scale.Ends()
	for k := range bareColours {
		c := s.Scale.Colour(b.Ends[0] + (b.Ends[1]-b.Ends[0])*float64(k)/(bareColours-1))
		b.Colours = append(b.Colours, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	}
	return b, nil
}
