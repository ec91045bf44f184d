// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"fmt"
	"math"
	"strings"

	"lbmsim/io/paint"
)

// sheet returns the plane with its labels.
func (p Picture) sheet() (paint.Sheet, error) {
	s, err := p.surroundings()
	if err == nil {
		s.Image, s.Lines = p.plane(s.Scale), p.lines()
	}
	return s, err
}

// surroundings returns a sheet without the plane itself.
func (p Picture) surroundings() (s paint.Sheet, err error) {
	lo, hi := paint.Extremes(p.Values)
	s = paint.Sheet{Axes: p.axes(), Quantity: p.Quantity, Unit: p.Unit}
	s.Scale, err = paint.NewScale(lo, hi, p.Range, p.Colours)
	s.Title, s.Under = p.titles(lo, hi)
	return s, err
}

// lines returns the outline in pixels.
func (p Picture) lines() [][2][2]float64 {
	_, _, grow, shrink := p.pixels()
	scale := float64(grow) / float64(shrink)
	lines := make([][2][2]float64, len(p.Outline))
	for i, l := range p.Outline {
		for k, at := range l {
			lines[i][k] = [2]float64{at[0] * scale, at[1] * scale}
		}
	}
	return lines
}

// axes returns the horizontal and the vertical axis of the plane.
func (p Picture) axes() *[2]paint.Axis { return p.span(float64(p.W)*p.Spacing, float64(p.H)*p.Spacing) }

// span returns the axes of a plane of this size.
func (p Picture) span(lx, ly float64) *[2]paint.Axis {
	unit, factor := "cells", 1.0
	if !p.Lattice {
		unit, factor = paint.Length(max(lx, ly, math.Abs(p.Origin[0]), math.Abs(p.Origin[1])))
	}
	names := p.Axes
	if names[0] == "" && names[1] == "" {
		names = [2]string{"x", "y"}
	}
	return &[2]paint.Axis{
		{Label: names[0] + " (" + unit + ")", Min: p.Origin[0] * factor, Max: (p.Origin[0] + lx) * factor},
		{Label: names[1] + " (" + unit + ")", Min: p.Origin[1] * factor, Max: (p.Origin[1] + ly) * factor},
	}
}

// titles returns the two lines on top of a plane with values from lo to hi.
func (p Picture) titles(lo, hi float64) (title, under string) {
	title = p.Quantity
	if p.Case != "" {
		title = p.Case + ": " + title
	}
	if p.Where != "" {
		title += " at " + p.Where
	}
	under = fmt.Sprintf("t = %.6g s, step %d", p.Time, p.Step)
	if p.Lattice {
		under = fmt.Sprintf("step %d", p.Step)
	}
	if lo <= hi {
		under += strings.TrimSpace(fmt.Sprintf(", values %.4g to %.4g %s", lo, hi, p.Unit))
	}
	return title, under
}
