// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG

	"lbmsim/internal/harness"
)

const pageHead = `<!-- Written by "make validate" (tools/validate) from cases/validation/results.json. Do not edit. -->
# The validation book

This page compares lbmsim with exact solutions and published values, and lists the commands that reproduce each comparison.

Every number on this page comes from a run of the command given with it. The case files are in [validation](../cases/validation). They have
the same values in their [expect] tables, and can be run separately.

| command | |
|---|---|
| ` + "`make validate`" + ` | repeats all runs, writes this page, and fails where a value is outside its tolerance |
| ` + "`make validate ONLY=cavity`" + ` | runs a part |
| ` + "`make validate-short`" + ` | runs the part that continuous integration runs |

| term | meaning |
|---|---|
| error | (result - reference)/reference, or the result itself where the reference is 0 |
| tolerance | the case file's, in the same unit |
| reported | a value without a tolerance |
| order | observed on the three finest grids of ` + "`lbmsim study`" + ` |
`

// page returns the text of the book and its plots by file name.
func page(all []section, kept map[string]outcome) (string, map[string][]byte, error) {
	var b strings.Builder
	b.WriteString(pageHead)
	plots := map[string][]byte{}
	summary(&b, all, kept)
	for _, s := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.title, s.text)
		b.WriteString("\n| run | cells | quantity | result | reference | error | tolerance | |\n|---|---|---|---|---|---|---|---|\n")
		var curves []curve
		var commands []string
		for _, e := range s.entries {
			r, ok := kept[e.id]
			if !ok {
				fmt.Fprintf(&b, "| %s | | | not run yet | | | | |\n", e.id)
				commands = append(commands, harness.CommandText(e.args))
				continue
			}
			for i, c := range r.Checks {
				name, cells := "", ""
				if i == 0 {
					name, cells = e.id, cellsText(r.Cells)
				}
				fmt.Fprintf(&b, "| %s | %s | %s |\n", name, cells, c.row())
			}
			if len(r.Curves) > 0 { // of each study its first quantity
				c := r.Curves[0]
				c.Name = strings.TrimPrefix(strings.TrimPrefix(e.id, s.id+"-"), "order-")
				curves = append(curves, c)
			}
			commands = append(commands, r.Command)
		}
		if len(curves) > 0 && s.against != "" {
			svg, err := convergence(s, curves)
			if err != nil {
				return "", nil, err
			}
			name := "validation_" + s.id + ".svg"
			plots[name] = svg
			fmt.Fprintf(&b, "\n![%s over the number of cells](%s)\n", s.against, name)
		}
		if s.table != nil {
			b.WriteString(s.table(kept))
		}
		if err := addFigures(&b, plots, s, kept); err != nil {
			return "", nil, err
		}
		if _, ok := kept[s.picture]; ok {
			fmt.Fprintf(&b, "\n![%s](validation_%s.png)\n", s.title, s.id)
		}
		fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.Join(commands, "\n"))
		if s.costs {
			b.WriteString(costs(s, kept))
		}
		if text := origin(s, kept); text != "" {
			fmt.Fprintf(&b, "\n%s\n", text)
		}
	}
	return b.String(), plots, nil
}

// summary writes one line per section.
func summary(b *strings.Builder, all []section, kept map[string]outcome) {
	b.WriteString("\n| section | checked values | within tolerance | largest fraction of a tolerance used |\n|---|---|---|---|\n")
	for _, s := range all {
		held, within, most := 0, 0, 0.0
		for _, e := range s.entries {
			for _, c := range kept[e.id].Checks {
				if c.Free && c.OK {
					continue
				}
				held++
				if c.Free {
					continue // no number of it is held: the run was unstable
				}
				if c.OK {
					within++
				}
				most = math.Max(most, math.Abs(float64(c.Got-c.Want))/float64(c.Tolerance))
			}
		}
		fmt.Fprintf(b, "| %s | %d | %d | %.2g |\n", s.title, held, within, most)
	}
}

// row of the table, from the quantity on.
func (c check) row() string {
	got, want, tolerance := float64(c.Got), float64(c.Want), float64(c.Tolerance)
	if c.Free && !c.OK {
		return fmt.Sprintf("%s | %.6g | | | | **missed**", c.What, got)
	}
	if c.Free {
		if want != 0 && !strings.HasPrefix(c.What, "order") {
			return fmt.Sprintf("%s | %.6g | %.6g | %s | | reported", c.What, got, want, percent((got-want)/want))
		}
		return fmt.Sprintf("%s | %.6g | | | | reported", c.What, got)
	}
	mark := "ok"
	if !c.OK {
		mark = "**missed**"
	}
	if want == 0 {
		return fmt.Sprintf("%s | %.3g | 0 | %.3g | %.3g | %s", c.What, got, got, tolerance, mark)
	}
	if strings.HasPrefix(c.What, "order") {
		return fmt.Sprintf("%s | %.3f | %g | %+.3f | %.3g | %s", c.What, got, want, got-want, tolerance, mark)
	}
	return fmt.Sprintf("%s | %.7g | %.7g | %s | %s | %s", c.What, got, want, percent((got-want)/want), strings.TrimPrefix(percent(math.Abs(tolerance/want)), "+"), mark)
}

func percent(v float64) string { return fmt.Sprintf("%+.3g %%", 100*v) }

func cellsText(n [3]int) string {
	t := fmt.Sprintf("%d x %d", n[0], n[1])
	if n[2] > 1 {
		t += fmt.Sprintf(" x %d", n[2])
	}
	return t
}

// origin reports where a section was computed, and how long it took. The results record lbmsim's version.
func origin(s section, kept map[string]outcome) string {
	devices := map[string]bool{}
	var d []string
	seconds := 0.0
	for _, e := range s.entries {
		r, ok := kept[e.id]
		if !ok {
			continue
		}
		seconds += r.Seconds
		ranks := "1 rank"
		if r.Ranks != 1 {
			ranks = fmt.Sprintf("%d ranks", r.Ranks)
		}
		if device := r.Device + ", " + ranks; !devices[device] {
			devices[device], d = true, append(d, device)
		}
	}
	if len(d) == 0 {
		return ""
	}
	return fmt.Sprintf("Computed on %s; %.0f s in total.", strings.Join(d, "; "), seconds)
}

// colours in the palette of Okabe & Ito, which colour-blind readers can distinguish.
var colours = []color.Color{
	color.NRGBA{0x00, 0x72, 0xb2, 0xff}, color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, color.NRGBA{0x00, 0x9e, 0x73, 0xff},
	color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, color.NRGBA{0xd5, 0x5e, 0x00, 0xff},
}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}}

var ink = color.Gray{Y: 0x30}

// convergence draws errors over cells, both at their logarithms, and a line of the second
// order below the lowest of them.
func convergence(s section, curves []curve) ([]byte, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "cells", s.against
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	ticks := map[float64]bool{}
	lo, hi, first, last := math.Inf(1), 0.0, math.Inf(1), 0.0
	for i, c := range curves {
		var points plotter.XYs
		for k, n := range c.Cells {
			if e := float64(c.Error[k]); e > 0 {
				points = append(points, plotter.XY{X: n, Y: e})
				ticks[n] = true
				lo, hi = math.Min(lo, e), math.Max(hi, e)
				first, last = math.Min(first, n), math.Max(last, n)
			}
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, marks.Color, marks.Shape = colours[i%len(colours)], colours[i%len(colours)], shapes[i%len(shapes)]
		line.Width, marks.Radius = 1.5, 3
		p.Add(line, marks)
		p.Legend.Add(c.Name, line, marks)
	}
	if hi == 0 {
		return nil, fmt.Errorf("%s: no error is above zero", s.id)
	}
	guide, err := plotter.NewLine(plotter.XYs{{X: first, Y: lo * math.Pow(last/first, 2) / 2}, {X: last, Y: lo / 2}})
	if err != nil {
		return nil, err
	}
	guide.Color, guide.Dashes = ink, []vg.Length{3, 3}
	p.Add(guide)
	p.Legend.Add("second order", guide)
	p.Legend.Top = true
	var at []plot.Tick
	for n := range ticks {
		at = append(at, plot.Tick{Value: n, Label: fmt.Sprint(n)})
	}
	slices.SortFunc(at, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	p.X.Tick.Marker = plot.ConstantTicks(at)
	p.X.Min, p.X.Max = first/1.1, last*1.1
	return svg(p)
}

// svg returns a plot in the style of the book.
func svg(p *plot.Plot) ([]byte, error) {
	for _, t := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		t.Font.Variant, t.Color = "Sans", ink
	}
	to, err := draw.NewFormattedCanvas(460, 300, "svg")
	if err != nil {
		return nil, err
	}
	p.Draw(draw.Crop(draw.New(to), 8, -12, 8, -8))
	var b bytes.Buffer
	_, err = to.WriteTo(&b)
	return b.Bytes(), err
}
