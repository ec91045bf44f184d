// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"

	"lbmsim/config"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// lines writes one [output.line.NAME]: a CSV file with a block of rows per sample, a row for
// each point, on rank 0.
type lines struct {
	config.Line
	rows
}

// chunk is the number of points gathered at a time, so that memory does not grow with the
// length of the line.
const chunk = 1 << 14

// lineOutputs returns the outputs of [output.line].
func lineOutputs(s *Set) (list []Output) {
	for _, l := range s.Case.Lines {
		list = append(list, &lines{Line: l, rows: newRows(s.Run, l.Schedule, "line", l.Name, "line/"+l.Name)})
	}
	return list
}

// Write adds a block of rows. A failure of the file is reported at the next sync, as for probes.
func (l *lines) Write(r *Run) error {
	l.at = r.Step()
	again := r.Rank.Root && int64(r.Step()) <= l.file.Step() // the table has the block
	for first := 0; first < l.Points; first += chunk {
		table, err := l.values(r, first, min(first+chunk, l.Points))
		if err != nil {
			return err
		}
		if r.Rank.Root && !again {
			_ = l.file.Add(int64(r.Step()), r.Time(), table...)
		}
		r.Rank.Heartbeat.Mark()
	}
	return nil
}

// values returns the rows of some points, on rank 0. Collective.
func (l *lines) values(r *Run, first, last int) ([]float64, error) {
	u, dims := r.Case.Units, r.Case.Dims()
	points := l.points(first, last)
	between := derive.Around(r.View, points)
	width := len(l.columns(r))
	var table []float64
	if r.Rank.Root {
		table = make([]float64, width*len(points))
		for i, p := range points {
			row, sum := table[i*width:], 0.0
			for a := range dims {
				sum += (p[a] - l.From[a]) * (p[a] - l.From[a])
				row[1+a] = r.Case.Origin[a] + p[a]*u.Length
			}
			row[0] = math.Sqrt(sum) * u.Length
		}
	}
	column := 1 + dims
	for _, f := range l.Fields {
		values, err := r.View.CollectCells(f, between.Cells)
		if err != nil {
			return nil, err
		}
		if !r.Rank.Root {
			continue
		}
		for _, c := range components(f, dims) {
			for i, v := range between.Values(f, c, values) {
				table[i*width+column] = v
			}
			column++
		}
	}
	return table, nil
}

// points returns some of the points, in cells from the domain's lower corner.
func (l *lines) points(first, last int) (list [][3]float64) {
	for i := first; i < last; i++ {
		var p [3]float64
		t := float64(i) / float64(l.Points-1)
		for a := range p {
			p[a] = l.From[a] + t*(l.To[a]-l.From[a])
		}
		list = append(list, p)
	}
	return list
}

func (l *lines) header(r *Run) probe.Header {
	return probe.Header{Comments: r.comments(), Lattice: !r.Case.Units.Physical, Nowhere: true, Columns: l.columns(r)}
}

// columns returns the columns after the step and its time.
func (l *lines) columns(r *Run) (list []probe.Column) {
	add := func(name string, d model.Dimension) {
		list = append(list, probe.Column{Name: name, Unit: unitOf(r.Case.Units, d)})
	}
	add("distance", model.Length)
	for a := range r.Case.Dims() {
		add("xyz"[a:a+1], model.Length)
	}
	for _, f := range l.Fields {
		for _, c := range components(f, r.Case.Dims()) {
			add(componentName(f, c), f.Dim)
		}
	}
	return list
}

// unitOf a column; numbers have none.
func unitOf(u config.Units, d model.Dimension) string {
	if d == model.Dimensionless {
		return ""
	}
	return u.Symbol(d)
}
