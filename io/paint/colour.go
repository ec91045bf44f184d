// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package paint turns values into colours and draws the surroundings of an image: the
// colour scale with its unit and numbers, axes, outlines and titles. It knows no fields,
// planes or files, so that any view of a flow can use it.
package paint

// From values to colours. Both maps are perceptual: equal differences of value
// appear equally far apart, and the sequential one stays ordered in grey print
// and for colour-blind readers.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
)

// Colours chooses the colour map.
type Colours int

const (
	// Auto takes Diverging for values on both sides of zero, otherwise Sequential.
	Auto Colours = iota
	// Sequential runs from dark to bright with even steps of luminance.
	Sequential
	// Diverging runs from blue over grey to red and is symmetric about zero.
	Diverging
)

// Solid is the colour of cells without a value.
var Solid = color.NRGBA{R: 0x9a, G: 0x9a, B: 0x9a, A: 0xff}

// sequential interpolates in CIELAB, with luminance linear in the value, between
// the control colours of viridis (van der Walt & Smith, SciPy 2015).
func sequential() (palette.ColorMap, error) {
	var controls []color.Color
	for _, c := range [][3]uint8{
		{68, 1, 84}, {71, 44, 122}, {59, 81, 139}, {44, 113, 142}, {33, 144, 141},
		{39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37},
	} {
		controls = append(controls, color.NRGBA{R: c[0], G: c[1], B: c[2], A: 0xff})
	}
	return moreland.NewLuminance(controls)
}

// Extremes returns the least and the greatest value; lo > hi without values.
func Extremes(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}

// Scale is a colour map with its ends, tabulated.
type Scale struct {
	colours palette.ColorMap
	table   [1024]color.NRGBA
}

// NewScale returns the scale for values from lo to hi, as Extremes returns them. fixed, if
// there is one, sets the ends whatever the values are.
func NewScale(lo, hi float64, fixed *[2]float64, c Colours) (*Scale, error) {
	if lo > hi {
		lo, hi = 0, 1 // without any value
	}
	if fixed != nil {
		lo, hi = fixed[0], fixed[1]
	}
	diverging := c == Diverging
	if c == Auto {
		// A little undershoot beside a large positive field is not a sign change.
		diverging = lo < 0 && hi > 0 && math.Min(-lo, hi) > 0.1*math.Max(-lo, hi)
	}
	if diverging && fixed == nil {
		hi = math.Max(math.Abs(lo), math.Abs(hi))
		lo = -hi
	}
	// A uniform field gets a range in which its rounding noise stays invisible.
	if least := 1e-6 * math.Max(math.Abs(lo), math.Abs(hi)); hi-lo <= least {
		mid := (lo + hi) / 2
		lo, hi = mid-math.Max(50*least, 1e-300), mid+math.Max(50*least, 1e-300)
		if mid == 0 {
			lo, hi = -1, 1
		}
	}
	s := &Scale{}
	if diverging {
		s.colours = moreland.SmoothBlueRed()
	} else {
		m, err := sequential()
		if err != nil {
			return nil, err
		}
		s.colours = m
	}
	s.colours.SetMin(lo)
	s.colours.SetMax(hi)
	for i := range s.table {
		c, err := s.colours.At(lo + (hi-lo)*math.Min((float64(i)+0.5)/float64(len(s.table)), 1))
		if err != nil {
			return nil, err
		}
		s.table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	return s, nil
}

// Colour returns the colour of v; values beyond the ends take the end's colour.
func (s *Scale) Colour(v float64) color.NRGBA {
	if math.IsNaN(v) {
		return Solid
	}
	return s.table[s.part(v, len(s.table))]
}

// part returns the part of n equal ones of the scale that v is in.
func (s *Scale) part(v float64, n int) int {
	f := (v - s.colours.Min()) / (s.colours.Max() - s.colours.Min()) * float64(n)
	return int(math.Max(0, math.Min(float64(n-1), f)))
}

// few is the number of colours of a palette, beside Solid.
const few = 255

// Palette returns the colours of Index.
func (s *Scale) Palette() (p color.Palette) {
	for k := range few {
		p = append(p, s.table[(2*k+1)*len(s.table)/(2*few)])
	}
	return append(p, Solid)
}

// Index returns the place in the palette of the colour of v.
func (s *Scale) Index(v float64) uint8 {
	if math.IsNaN(v) {
		return few
	}
	return uint8(s.part(v, few))
}

// Ends returns the values at the ends of the scale.
func (s *Scale) Ends() (lo, hi float64) { return s.colours.Min(), s.colours.Max() }
