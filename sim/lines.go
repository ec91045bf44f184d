package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// lines writes one [output.line.NAME]: a CSV file with a block of rows a sample, a row for
// each point, on rank 0.
type lines struct {
	config.Line
	rows
	at int
}

// chunk is how many points are gathered at a time, so that a line takes no more memory the
// longer it is.
const chunk = 1 << 14

// blends are the values of points as sums over cells.
type blends struct {
	at     [][3]float64 // in cells from the domain's lower corner
	end    []int        // of each point's cells, which follow those of the point before
	cells  [][3]int
	weight []float64
}

func newLines(r *run, l config.Line) *lines {
	return &lines{Line: l, at: -1, rows: rows{kind: "line " + l.Name, key: "line/" + l.Name, path: r.outputDir("line_" + l.Name + ".csv")}}
}

func (l *lines) schedule() config.Schedule { return l.Schedule }
func (l *lines) written() int              { return l.at }

// write adds a block of rows. A failure of the file comes out at the next sync, as of probes.
func (l *lines) write(r *run) error {
	l.at = r.n
	again := r.Root && int64(r.n) <= l.file.Step() // the table has the block
	for first := 0; first < l.Points; first += chunk {
		table, err := l.values(r, first, min(first+chunk, l.Points))
		if err != nil {
			return err
		}
		if r.Root && !again {
			_ = l.file.Add(int64(r.n), r.time(), table...)
		}
		r.Pulse.Mark()
	}
	return nil
}

// values are the rows of some points, on rank 0. Collective.
func (l *lines) values(r *run, first, last int) ([]float64, error) {
	u, dims := r.Case.Units, r.Case.Dims()
	points := l.blends(r, first, last)
	width := len(l.columns(r))
	var table []float64
	if r.Root {
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
		values, err := r.collectCells(f, points.cells)
		if err != nil {
			return nil, err
		}
		if !r.Root {
			continue
		}
		for _, c := range components(f, dims) {
			j := 0
			for i, end := range points.end {
				sum := 0.0
				for ; j < end; j++ {
					sum += points.weight[j] * values[j*f.Components+c]
				}
				table[i*width+column] = sum
			}
			column++
		}
	}
	return table, nil
}

// blends finds the cells around some points.
func (l *lines) blends(r *run, first, last int) (b blends) {
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

func (l *lines) header(r *run) probe.Header {
	return probe.Header{Comments: r.comments(), Lattice: !r.Case.Units.Physical, Nowhere: true, Columns: l.columns(r)}
}

// columns behind those of the step and its time.
func (l *lines) columns(r *run) (list []probe.Column) {
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

// between is the cell whose centre lies at a coordinate or below it, and its weight in
// the linear interpolation to the next one.
func (r *run) between(p float64, axis int) (k int, weight float64) {
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

// above is the next cell along an axis.
func (r *run) above(k, axis int) int {
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

// collectCells brings a field of cells anywhere to rank 0, [cell][component]. Each rank
// reads no more of a plane than the box around its cells, unless the field looks at
// neighbours. Collective.
func (r *run) collectCells(f model.Field, cells [][3]int) ([]float64, error) {
	axis := r.Layout.Axis()
	var mine []ownCell
	for _, c := range cells {
		if r.Box.Contains(c) {
			for a := range c {
				c[a] -= r.Box.Lo[a]
			}
			mine = append(mine, ownCell{c, len(mine)})
		}
	}
	slices.SortStableFunc(mine, func(a, b ownCell) int { return cmp.Compare(a.at[axis], b.at[axis]) })
	values := make([]float64, len(mine)*f.Components)
	s := newSampler[float64](r, r.n, r.present(), f)
	var plane []float64
	for len(mine) > 0 {
		k, n := mine[0].at[axis], 1
		for n < len(mine) && mine[n].at[axis] == k {
			n++
		}
		if !s.neighbours {
			s.region = boxOf(mine[:n])
			s.first = noPlane
		}
		var err error
		if plane, err = s.sample(f, k, plane); err != nil {
			return nil, fmt.Errorf("rank %d: %s of plane %d: %w", r.Rank, f.Name, k, err)
		}
		for _, c := range mine[:n] {
			row := 0
			if axis == 2 {
				row = c.at[1] - s.region.Lo[1]
			}
			copy(values[c.number*f.Components:], plane[(row*s.width()+c.at[0]-s.region.Lo[0])*f.Components:][:f.Components])
		}
		mine = mine[n:]
	}
	parts, err := comm.Gather(r.Comm, domain.Float64Bytes(values))
	if err != nil || !r.Root {
		return nil, err
	}
	next := make([]int, len(parts))
	all := make([]float64, 0, len(cells)*f.Components)
	for _, c := range cells { // in the order that each rank had them
		rank := r.Plan.Owner(c)
		for range f.Components {
			all = append(all, domain.Float64At(parts[rank], next[rank]))
			next[rank]++
		}
	}
	return all, nil
}

// ownCell is a local cell of a list of some.
type ownCell struct {
	at     [3]int
	number int // in the list
}

// boxOf is the smallest box that holds cells.
func boxOf(cells []ownCell) decomp.Box {
	box := decomp.Box{Lo: cells[0].at, Hi: cells[0].at}
	for _, c := range cells {
		for a, k := range c.at {
			box.Lo[a], box.Hi[a] = min(box.Lo[a], k), max(box.Hi[a], k+1)
		}
	}
	return box
}
