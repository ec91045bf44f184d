// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// figure of a section: lines of its entries and one of a reference.
type figure struct {
	id, title, x, y string
	logX            bool
	reference       string // its name
	points          plotter.XYs
}

// addFigures of a section that have lines.
func addFigures(b *strings.Builder, plots map[string][]byte, s section, kept map[string]outcome) error {
	for _, f := range s.figures {
		lines := map[string]line{}
		var names []string // in the order of the entries
		for _, e := range s.entries {
			for _, l := range kept[e.id].Lines {
				if l.Figure == f.id {
					name := strings.TrimPrefix(e.id, s.id+"-")
					lines[name], names = l, append(names, name)
				}
			}
		}
		if len(names) == 0 {
			continue
		}
		drawn, err := f.draw(names, lines)
		if err != nil {
			return err
		}
		file := fmt.Sprintf("validation_%s_%s.svg", s.id, f.id)
		plots[file] = drawn
		fmt.Fprintf(b, "\n![%s](%s)\n", f.title, file)
	}
	return nil
}

// draw the lines by their names over the points of the reference.
func (f figure) draw(names []string, lines map[string]line) ([]byte, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = f.x, f.y
	if f.logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	for i, name := range names {
		l := lines[name]
		points := make(plotter.XYs, len(l.X))
		for k := range l.X {
			points[k] = plotter.XY{X: l.X[k], Y: l.Y[k]}
		}
		drawn, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		drawn.Color, drawn.Width = colours[i%len(colours)], 1.2
		if i >= len(colours) {
			drawn.Dashes = []vg.Length{4, 2}
		}
		p.Add(drawn)
		p.Legend.Add(name, drawn)
	}
	marks, err := plotter.NewScatter(f.points)
	if err != nil {
		return nil, err
	}
	marks.Color, marks.Radius, marks.Shape = ink, 2.2, shapes[0]
	p.Add(marks)
	p.Legend.Add(f.reference, marks)
	p.Legend.Top, p.Legend.Left = true, true
	return svg(p)
}

// rounded numbers of a line to five digits, for a file that people read.
func rounded(v []float64) []float64 {
	short := make([]float64, len(v))
	for i, x := range v {
		short[i] = x
		if x != 0 && !math.IsInf(x, 0) && !math.IsNaN(x) {
			scale := math.Pow(10, 4-math.Floor(math.Log10(math.Abs(x))))
			short[i] = math.Round(x*scale) / scale
		}
	}
	return short
}

// costs returns a table of the steps, devices and seconds of each entry.
func costs(s section, kept map[string]outcome) string {
	var b strings.Builder
	for _, e := range s.entries {
		r, ok := kept[e.id]
		if !ok {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n| run | steps | device | devices | seconds |\n|---|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %.0f |\n", e.id, r.Steps, r.Device, r.Ranks, r.Seconds)
	}
	return b.String()
}

// grid of a number of the entries: rows and columns are what their names are made of.
func grid(kept map[string]outcome, title string, rows []string, columns []int, id func(row string, column int) string, what string) string {
	var b strings.Builder
	found := false
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, column := range columns {
			cell := ""
			for _, c := range kept[id(row, column)].Checks {
				if c.What == what {
					cell = fmt.Sprintf("%.3g", float64(c.Got))
				} else if c.What == unstable {
					cell = "unstable"
				}
			}
			found = found || cell != ""
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	if !found {
		return ""
	}
	head, rule := "\n| "+title+" |", "\n|---|"
	for _, column := range columns {
		head += fmt.Sprintf(" %d |", column)
		rule += "---|"
	}
	return head + rule + "\n" + b.String()
}
