// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG

	"lbmsim/cases/robustness"
)

var ink = color.Gray{Y: 0x30}

// mark returns the mark of a point by whether it holds, without and with eddies: filled marks hold. Colours are from
// the palette of Okabe & Ito, which colour-blind readers can distinguish.
func mark(holds, eddies bool) draw.GlyphStyle {
	s := draw.GlyphStyle{Radius: 4, Color: color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, Shape: draw.RingGlyph{}}
	switch {
	case holds && eddies:
		s.Shape = draw.BoxGlyph{}
	case holds:
		s.Shape = draw.CircleGlyph{}
	case eddies:
		s.Shape = draw.SquareGlyph{}
	}
	if holds {
		s.Color = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	}
	return s
}

// picture of a model in the uniform flow: a panel a lattice, the velocities side by side.
func picture(m robustness.Map, model string) ([]byte, error) {
	var lattices []string
	var velocities, taus []float64
	for _, p := range m {
		if p.Flow != robustness.Uniform {
			continue
		}
		velocities, taus = insert(velocities, p.Velocity), insert(taus, p.Tau)
		if p.Model == model && !slices.Contains(lattices, p.Lattice) {
			lattices = append(lattices, p.Lattice)
		}
	}
	if len(lattices) == 0 {
		return nil, nil
	}
	var panels []*plot.Plot
	for _, l := range lattices {
		p := plot.New()
		p.Title.Text, p.X.Label.Text, p.Y.Label.Text = l, "cells per step", "tau"
		p.X.Min, p.X.Max = -0.5, float64(len(velocities))-0.5
		p.Y.Min, p.Y.Max = -0.5, float64(len(taus))-0.5
		p.X.Tick.Marker, p.Y.Tick.Marker = names(velocities), names(taus)
		p.X.Tick.Length, p.Y.Tick.Length = 0, 0
		for _, t := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
			t.Font.Variant, t.Color = "Sans", ink
		}
		for _, q := range m {
			if q.Flow != robustness.Uniform || q.Model != model || q.Lattice != l {
				continue
			}
			x, _ := slices.BinarySearch(velocities, q.Velocity)
			y, _ := slices.BinarySearch(taus, q.Tau)
			side := -0.15
			if q.Eddies {
				side = 0.15
			}
			s, err := plotter.NewScatter(plotter.XYs{{X: float64(x) + side, Y: float64(y)}})
			if err != nil {
				return nil, err
			}
			s.GlyphStyle = mark(q.Holds, q.Eddies)
			p.Add(s)
		}
		panels = append(panels, p)
	}
	to, err := draw.NewFormattedCanvas(vg.Length(20+240*len(panels)), 230, "svg")
	if err != nil {
		return nil, err
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: 12, PadLeft: 8, PadRight: 8, PadTop: 8, PadBottom: 8}
	for i, c := range plot.Align([][]*plot.Plot{panels}, tiles, draw.New(to))[0] {
		panels[i].Draw(c)
	}
	var b bytes.Buffer
	_, err = to.WriteTo(&b)
	return b.Bytes(), err
}

// insert a number into a sorted list, once.
func insert(list []float64, v float64) []float64 {
	if i, found := slices.BinarySearch(list, v); !found {
		return slices.Insert(list, i, v)
	}
	return list
}

// names of places 0, 1, ... along an axis.
func names(list []float64) plot.Ticker {
	var ticks plot.ConstantTicks
	for i, v := range list {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprint(v)})
	}
	return ticks
}
