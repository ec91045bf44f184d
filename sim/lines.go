package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/probe"
	"lbmsim/model"
)

// lines writes one [output.line.NAME]: a CSV file a time, by rank 0.
type lines struct {
	config.Line
	at     int
	cells  [][3]int // that the points lie among, each once
	points []blend
}

// blend is a point's value as a sum over cells.
type blend struct {
	at     [3]float64 // in cells from the domain's lower corner
	cells  []int      // in lines.cells
	weight []float64
}

func (l *lines) schedule() config.Schedule { return l.Schedule }
func (l *lines) written() int              { return l.at }
func (l *lines) close()                    {}

// newLines finds the cells around the points.
func newLines(r *run, line config.Line) *lines {
	l := &lines{Line: line, at: -1}
	known := map[[3]int]int{}
	for i := range line.Points {
		var p blend
		t := float64(i) / float64(line.Points-1)
		for a := range p.at {
			p.at[a] = line.From[a] + t*(line.To[a]-line.From[a])
		}
		for corner := range 8 {
			cell, weight := [3]int{}, 1.0
			for a := range cell {
				k, w := r.between(p.at[a], a)
				if corner>>a&1 == 1 {
					k, w = r.above(k, a), 1-w
				}
				cell[a], weight = k, weight*w
			}
			if weight == 0 {
				continue
			}
			if _, ok := known[cell]; !ok {
				known[cell] = len(l.cells)
				l.cells = append(l.cells, cell)
			}
			p.cells, p.weight = append(p.cells, known[cell]), append(p.weight, weight)
		}
		l.points = append(l.points, p)
	}
	return l
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

// write gathers the cells; rank 0 writes the file while the run goes on.
func (l *lines) write(r *run) error {
	kind := "line " + l.Name
	if err := r.settle(kind); err != nil {
		return err
	}
	l.at = r.n
	u, dims := r.Case.Units, r.Case.Dims()
	table := make([][]float64, len(l.points))
	columns := []probe.Column{{Name: "distance", Unit: u.Symbol(model.Length)}}
	for a := range dims {
		columns = append(columns, probe.Column{Name: "xyz"[a : a+1], Unit: u.Symbol(model.Length)})
	}
	for i, p := range l.points {
		sum := 0.0
		for a := range dims {
			sum += (p.at[a] - l.From[a]) * (p.at[a] - l.From[a])
		}
		table[i] = append(table[i], math.Sqrt(sum)*u.Length)
		for a := range dims {
			table[i] = append(table[i], r.Case.Origin[a]+p.at[a]*u.Length)
		}
	}
	for _, f := range l.Fields {
		values, err := r.collectCells(f, l.cells)
		if err != nil {
			return err
		}
		for c := range f.Components {
			if c >= dims && f.Name != "vorticity" || dims == 2 && f.Name == "vorticity" && c < 2 {
				continue // always 0
			}
			name := f.Name
			if f.Components > 1 {
				name += " " + "xyz"[c:c+1]
			}
			columns = append(columns, probe.Column{Name: name, Unit: unitOf(u, f.Dim)})
			for i, p := range l.points {
				if !r.root {
					break
				}
				sum := 0.0
				for j, cell := range p.cells {
					sum += p.weight[j] * values[cell*f.Components+c]
				}
				table[i] = append(table[i], sum)
			}
		}
	}
	path := filepath.Join(r.outputDir(), fmt.Sprintf("line_%s_%010d.csv", l.Name, r.n))
	j := &job{kind: kind, path: path, finish: func() error { return nil }} // written whole or not at all
	comments := r.comments(fmt.Sprintf(StepMark+"%d, time %v %s", r.n, r.time(), u.Symbol(model.Time)))
	r.launch(j, func() error {
		if !r.root {
			return nil
		}
		return probe.Save(path, probe.Header{Comments: comments}, columns, table)
	})
	return nil
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
	axis := r.layout.Axis()
	planes := map[int][][3]int{} // local cells
	var order []int
	var mine []float64
	for _, c := range cells {
		if r.box.Contains(c) {
			for a := range c {
				c[a] -= r.box.Lo[a]
			}
			if planes[c[axis]] == nil {
				order = append(order, c[axis])
			}
			planes[c[axis]] = append(planes[c[axis]], c)
		}
	}
	slices.Sort(order)
	s := newSampler[float64](r, r.n, r.present(), f)
	values := map[[3]int][]float64{}
	var plane []float64
	for _, k := range order {
		if !s.neighbours {
			s.region = boxOf(planes[k])
			s.first = noPlane
		}
		var err error
		if plane, err = s.sample(f, k, plane); err != nil {
			return nil, fmt.Errorf("rank %d: %s of plane %d: %w", r.rank, f.Name, k, err)
		}
		for _, c := range planes[k] {
			row := 0
			if axis == 2 {
				row = c[1] - s.region.Lo[1]
			}
			values[c] = slices.Clone(plane[(row*s.width()+c[0]-s.region.Lo[0])*f.Components:][:f.Components])
		}
	}
	for _, c := range cells {
		if r.box.Contains(c) {
			for a := range c {
				c[a] -= r.box.Lo[a]
			}
			mine = append(mine, values[c]...)
		}
	}
	parts, err := comm.Gather(r.Comm, float64Bytes(mine))
	if err != nil || !r.root {
		return nil, err
	}
	next := make([]int, len(parts))
	var all []float64
	for _, c := range cells { // in the order that each rank had them
		rank := r.plan.Owner(c)
		for range f.Components {
			all = append(all, float64At(parts[rank], next[rank]))
			next[rank]++
		}
	}
	return all, nil
}

// boxOf is the smallest box that holds cells.
func boxOf(cells [][3]int) decomp.Box {
	box := decomp.Box{Lo: cells[0], Hi: cells[0]}
	for _, c := range cells {
		for a := range c {
			box.Lo[a], box.Hi[a] = min(box.Lo[a], c[a]), max(box.Hi[a], c[a]+1)
		}
	}
	return box
}
