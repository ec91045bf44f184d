// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg" // PNG
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG
)

// Sizes in points.
const (
	width     = 800
	rowHeight = 20
	margin    = 12
	around    = 130 // title, axis and its label
)

var ink = color.Gray{Y: 0x30}

// colour returns the colour of a bar: of rooflines, and of the models in the palette of Okabe & Ito,
// which colour-blind readers can distinguish.
func (b bar) colour() color.Color {
	for name, c := range map[string]color.NRGBA{
		"regularized": {0x00, 0x72, 0xb2, 0xff},
		"bgk":         {0xe6, 0x9f, 0x00, 0xff},
		"trt":         {0x00, 0x9e, 0x73, 0xff},

		"recursive_regularized": {0x56, 0xb4, 0xe9, 0xff},
		"cumulant":              {0xcc, 0x79, 0xa7, 0xff},
	} {
		if !b.roofline && strings.Contains(" "+b.name+" ", " "+name+" ") {
			return c
		}
	}
	return color.Gray{Y: 0xb4}
}

// picture draws the panels below each other, in the format of a file's extension.
func picture(w io.Writer, extension string, all []panel) error {
	if extension != ".svg" && extension != ".png" {
		return fmt.Errorf("a picture is .svg or .png, not %q", extension)
	}
	p, lines := chart(all)
	to, err := draw.NewFormattedCanvas(width, vg.Length(lines)*rowHeight+around, extension[1:])
	if err != nil {
		return err
	}
	p.Draw(draw.Crop(draw.New(to), margin, -margin, margin, -margin))
	_, err = to.WriteTo(w)
	return err
}

// chart returns all panels in one plot, so that they share its scale, and its number of lines.
func chart(all []panel) (p *plot.Plot, lines int) {
	c := &bars{}
	var names []string
	for i, a := range all {
		if i > 0 {
			c.lines, names = append(c.lines, bar{}), append(names, "")
		}
		c.lines, names = append(c.lines, bar{label: a.title}), append(names, "")
		for _, b := range a.bars {
			c.lines, names = append(c.lines, b), append(names, b.name)
			c.most = max(c.most, b.high, b.mark)
		}
	}
	p = plot.New()
	p.Title.Text = "Memory traffic beside rooflines of the same run"
	p.Title.Padding = 8
	p.X.Label.Text = "GB/s of unavoidable bytes. Bars: median; lines: slowest and fastest turn;\nblack marks: the fastest roofline that took turns with the kernel, of which it reaches so many %"
	p.X.Label.Padding = 6
	p.X.Min, p.X.Max = 0, c.most*1.6 // labels stand behind
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	ticks := make([]plot.Tick, len(names))
	for i, n := range names {
		ticks[i] = plot.Tick{Value: c.at(i), Label: n}
	}
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = plot.ConstantTicks(ticks), 0, 0
	p.X.Tick.Marker = plot.TickerFunc(func(lo, _ float64) []plot.Tick { return plot.DefaultTicks{}.Ticks(lo, c.most) })
	for _, t := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		t.Font.Variant, t.Color = "Sans", ink
	}
	p.Add(c)
	return p, len(names)
}

// bars draws lines of a chart, from the top: bars, and titles where there is no speed.
type bars struct {
	lines []bar
	most  float64
}

func (c *bars) at(line int) float64 { return float64(len(c.lines) - 1 - line) }

// Plot implements plot.Plotter.
func (c *bars) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	thin := draw.LineStyle{Color: ink, Width: 0.75}
	thick := draw.LineStyle{Color: color.Black, Width: 2}
	for i, b := range c.lines {
		at := y(c.at(i))
		if b.gbps == 0 {
			canvas.FillText(style(p, true), vg.Point{X: canvas.Min.X, Y: at}, b.label)
			continue
		}
		const half = rowHeight * 0.34
		canvas.FillPolygon(b.colour(), []vg.Point{{X: x(0), Y: at - half}, {X: x(b.gbps), Y: at - half}, {X: x(b.gbps), Y: at + half}, {X: x(0), Y: at + half}})
		canvas.StrokeLine2(thin, x(b.low), at, x(b.high), at)
		for _, end := range []float64{b.low, b.high} {
			canvas.StrokeLine2(thin, x(end), at-half/2, x(end), at+half/2)
		}
		if b.mark > 0 {
			canvas.StrokeLine2(thick, x(b.mark), at-half-1, x(b.mark), at+half+1)
		}
		canvas.FillText(style(p, false), vg.Point{X: x(c.most) + 8, Y: at}, b.label)
	}
}

func style(p *plot.Plot, bold bool) text.Style {
	s := p.X.Tick.Label
	s.Color, s.XAlign, s.YAlign = ink, draw.XLeft, draw.YCenter
	if bold {
		s.Font.Weight = font.WeightBold
	}
	return s
}
