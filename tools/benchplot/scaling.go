// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lbmsim/internal/scaling"
)

// readScaling takes the lines of `lbmsim bench scaling --json`.
func readScaling(in io.Reader) ([]scaling.Row, error) {
	var rows []scaling.Row
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		var r scaling.Row
		if len(line) == 0 || json.Unmarshal(line, &r) != nil || r.Part != "scaling" || r.Skipped != "" {
			continue // read explains input that is not JSON
		}
		if !(r.MLUPS > 0) || r.Ranks < 1 || !(0 < r.EffLow && r.EffLow <= r.Efficiency && r.Efficiency <= r.EffHigh) {
			return nil, fmt.Errorf("line %d: %s scaling on %d ranks has no efficiency: %g (%g to %g)", n, r.Kind, r.Ranks, r.Efficiency, r.EffLow, r.EffHigh)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// diagram is one size: a line for each transport over the number of ranks.
type diagram struct {
	title string
	lines []series
	top   float64
}

type series struct {
	name   string
	points []scaling.Row // by ranks
}

// diagrams gathers rows by what was measured, in the order of the file.
func diagrams(rows []scaling.Row) []diagram {
	type key struct {
		kind, what, device, version string
		cells                       [3]int
	}
	var order []key
	found := map[key][]scaling.Row{}
	for _, r := range rows {
		k := key{r.Kind, r.Case, r.Device, r.Version, r.Size}
		if r.Kind == scaling.Weak {
			k.cells[2] /= r.Ranks
		}
		if found[k] == nil {
			order = append(order, k)
		}
		found[k] = append(found[k], r)
	}
	var all []diagram
	for _, k := range order {
		of := map[string]string{scaling.Weak: " a rank", scaling.Strong: " in all"}[k.kind]
		d := diagram{title: fmt.Sprintf("%s scaling, %d x %d x %d cells%s\n%s, %s (version %s)", k.kind, k.cells[0], k.cells[1], k.cells[2], of, k.device, k.what, k.version), top: 105}
		var alone []scaling.Row
		for _, r := range found[k] {
			d.top = max(d.top, 102*r.EffHigh)
			if r.Ranks == 1 {
				alone = append(alone, r)
				continue
			}
			i := slices.IndexFunc(d.lines, func(s series) bool { return s.name == r.Transport })
			if i < 0 {
				i, d.lines = len(d.lines), append(d.lines, series{name: r.Transport})
			}
			d.lines[i].points = append(d.lines[i].points, r)
		}
		for i := range d.lines { // each begins with the rank that computes alone
			d.lines[i].points = append(slices.Clone(alone), d.lines[i].points...)
			slices.SortStableFunc(d.lines[i].points, func(a, b scaling.Row) int { return a.Ranks - b.Ranks })
		}
		all = append(all, d)
	}
	return all
}

// lineColours in the palette of Okabe & Ito, as the bars.
var lineColours = []color.Color{
	color.NRGBA{0x00, 0x72, 0xb2, 0xff}, color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, color.NRGBA{0x00, 0x9e, 0x73, 0xff}, color.NRGBA{0xcc, 0x79, 0xa7, 0xff},
}

var lineShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}}

const tileHeight = 280

// scalingPicture draws the diagrams below each other, two beside each other.
func scalingPicture(w io.Writer, extension string, all []diagram) error {
	if extension != ".svg" && extension != ".png" {
		return fmt.Errorf("a picture is .svg or .png, not %q", extension)
	}
	columns := min(2, len(all))
	tiles := draw.Tiles{Cols: columns, Rows: (len(all) + columns - 1) / columns, PadX: 16, PadY: 16}
	to, err := draw.NewFormattedCanvas(width/2*vg.Length(columns), tileHeight*vg.Length(tiles.Rows), extension[1:])
	if err != nil {
		return err
	}
	canvas := draw.Crop(draw.New(to), margin, -margin, margin, -margin)
	for i, d := range all {
		p, err := d.plot()
		if err != nil {
			return err
		}
		p.Draw(tiles.At(canvas, i%columns, i/columns))
	}
	_, err = to.WriteTo(w)
	return err
}

// plot returns efficiency over ranks, on a logarithmic axis.
func (d diagram) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Title.Padding = d.title, 6
	p.X.Label.Text, p.Y.Label.Text = "ranks", "% of one rank's speed, a rank"
	p.Y.Min, p.Y.Max = 0, d.top
	ticks := map[int]bool{}
	most := 1
	for i, s := range d.lines {
		colour, shape := lineColours[i%len(lineColours)], lineShapes[i%len(lineShapes)]
		points := errorPoints{make(plotter.XYs, len(s.points)), make(plotter.YErrors, len(s.points))}
		var names []string
		for j, r := range s.points {
			ticks[r.Ranks] = true
			most = max(most, r.Ranks)
			points.XYs[j] = plotter.XY{X: math.Log2(float64(r.Ranks)), Y: 100 * r.Efficiency}
			points.YErrors[j].Low, points.YErrors[j].High = 100*(r.EffLow-r.Efficiency), 100*(r.EffHigh-r.Efficiency)
			name := ""
			if r.Ranks > 1 {
				name = fmt.Sprintf("%.0f %%, %s MLUPS", 100*r.Efficiency, thousands(r.MLUPS))
			}
			names = append(names, name)
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			return nil, err
		}
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: points.XYs, Labels: names})
		if err != nil {
			return nil, err
		}
		line.Color, marks.Color, bars.Color = colour, colour, colour
		line.Width, marks.Shape, marks.Radius = 1.5, shape, 3
		for j := range labels.TextStyle {
			l := &labels.TextStyle[j]
			l.Color, l.Font.Variant, l.Font.Size, l.XAlign, l.YAlign = colour, "Sans", 8, draw.XRight, draw.YTop
		}
		labels.Offset = vg.Point{X: -4, Y: -4 - 10*vg.Length(i)}
		p.Add(line, bars, marks, labels)
		p.Legend.Add(s.name, line, marks)
	}
	p.X.Min, p.X.Max = 0, math.Log2(float64(most))+0.1
	ideal := plotter.NewFunction(func(float64) float64 { return 100 })
	ideal.Color, ideal.Dashes = ink, []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(ideal)
	var marks []plot.Tick
	for n := range ticks {
		marks = append(marks, plot.Tick{Value: math.Log2(float64(n)), Label: fmt.Sprint(n)})
	}
	slices.SortFunc(marks, func(a, b plot.Tick) int { return int(math.Copysign(1, a.Value-b.Value)) })
	p.X.Tick.Marker = plot.ConstantTicks(marks)
	for _, t := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		t.Font.Variant, t.Color = "Sans", ink
	}
	p.Title.TextStyle.Font.Size = 9
	return p, nil
}

// errorPoints are points with bars.
type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}
