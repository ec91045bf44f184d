package output

import (
	"math"

	"lbmsim/config"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// lines writes one [output.line.NAME]: a CSV file with a block of rows a sample, a row for
// each point, on rank 0.
type lines struct {
	config.Line
	rows
}

// chunk is the number of points gathered at a time, so that a line takes no more memory the
// longer it is.
const chunk = 1 << 14

// blends are the values of points as sums over cells.
type blends struct {
	at     [][3]float64 // in cells from the domain's lower corner
	end    []int        // of each point's cells, which follow the cells of the point before
	cells  [][3]int
	weight []float64
}

// lineOutputs returns the outputs of [output.line].
func lineOutputs(s *Set) (list []Output) {
	for _, l := range s.Case.Lines {
		list = append(list, &lines{Line: l, rows: newRows(s.Run, l.Schedule, "line", l.Name, "line/"+l.Name)})
	}
	return list
}

// Write adds a block of rows. A failure of the file comes out at the next sync, as of probes.
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
	points := l.blends(r, first, last)
	width := len(l.columns(r))
	var table []float64
	if r.Rank.Root {
		table = make([]float64, width*len(points.at))
		for i, p := range points.at {
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
		values, err := r.View.CollectCells(f, points.cells)
		if err != nil {
			return nil, err
		}
		if !r.Rank.Root {
			continue
		}
		for _, c := range components(f, dims) {
			j := 0
			for i, end := range points.end {
				var b config.Blend
				for ; j < end; j++ {
					cell := values[j*f.Components:][:f.Components]
					b.Add(points.weight[j], cell[c], derive.Has(f, cell))
				}
				table[i*width+column] = b.Value()
			}
			column++
		}
	}
	return table, nil
}

// blends finds the cells around some points.
func (l *lines) blends(r *Run, first, last int) (b blends) {
	for i := first; i < last; i++ {
		var p [3]float64
		t := float64(i) / float64(l.Points-1)
		for a := range p {
			p[a] = l.From[a] + t*(l.To[a]-l.From[a])
		}
		for corner := range 8 {
			cell, weight := [3]int{}, 1.0
			for a := range cell {
				k, w := r.between(p[a], a)
				if corner>>a&1 == 1 {
					k, w = r.above(k, a), 1-w
				}
				cell[a], weight = k, weight*w
			}
			if weight != 0 {
				b.cells, b.weight = append(b.cells, cell), append(b.weight, weight)
			}
		}
		b.at, b.end = append(b.at, p), append(b.end, len(b.cells))
	}
	return b
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

// between returns the cell whose centre lies at a coordinate or below it, and its weight in
// the linear interpolation to the next one.
func (r *Run) between(p float64, axis int) (k int, weight float64) {
	n := r.Case.Cells[axis]
	q := p - 0.5
	if !r.Case.Periodic[axis] || n == 1 {
		q = math.Min(math.Max(q, 0), float64(n-1))
	}
	floor := math.Floor(q)
	if q-floor > 1-1e-9 { // a centre, but for rounding
		floor, q = floor+1, floor+1
	} else if q-floor < 1e-9 {
		q = floor
	}
	return (int(floor) + n) % n, 1 - (q - floor)
}

// above returns the next cell along an axis.
func (r *Run) above(k, axis int) int {
	n := r.Case.Cells[axis]
	if r.Case.Periodic[axis] {
		return (k + 1) % n
	}
	return min(k+1, n-1)
}

// unitOf a column; numbers have none.
func unitOf(u config.Units, d model.Dimension) string {
	if d == model.Dimensionless {
		return ""
	}
	return u.Symbol(d)
}
