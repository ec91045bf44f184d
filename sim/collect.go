package sim

import (
	"math"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// collect brings one component (or -1: the magnitude) of a field in a small
// global box to rank 0, as [z][y][x] in the outputs' unit. Collective.
func (r *run) collect(f model.Field, component int, box decomp.Box) ([]float64, error) {
	return r.collectBox(f, box, 1, func(to, cell []float64) []float64 { return append(to, pick(cell, component)) })
}

// collectAll brings all components of a field to rank 0, as [z][y][x][component]. Collective.
func (r *run) collectAll(f model.Field, box decomp.Box) ([]float64, error) {
	return r.collectBox(f, box, f.Components, func(to, cell []float64) []float64 { return append(to, cell...) })
}

// collectBox brings n numbers of each cell, which take appends, to rank 0.
func (r *run) collectBox(f model.Field, box decomp.Box, n int, take func(to, cell []float64) []float64) ([]float64, error) {
	part := domain.Meet(box, r.Box)
	var mine []float64
	if part.Cells() > 0 {
		s := newSampler[float64](r, r.n, r.present(), f)
		mine = make([]float64, 0, n*part.Cells())
		local := r.Local(part)
		if !s.neighbours {
			s.region = local
		}
		axis := s.axis()
		var plane []float64
		for k := local.Lo[axis]; k < local.Hi[axis]; k++ {
			var err error
			if plane, err = s.sample(f, k, plane); err != nil {
				return nil, err
			}
			for row := 0; row < s.rows(); row++ {
				y, z := s.position(row, k)
				for x := 0; x < s.width(); x++ {
					if local.Contains([3]int{s.region.Lo[0] + x, y, z}) {
						mine = take(mine, plane[(row*s.width()+x)*f.Components:][:f.Components])
					}
				}
			}
		}
	}
	parts, err := comm.Gather(r.Comm, domain.Float64Bytes(mine))
	if err != nil || !r.Root {
		return nil, err
	}
	values, size := make([]float64, n*box.Cells()), box.Size()
	for rank, part := range parts {
		b := domain.Meet(box, r.Plan.Box(rank))
		width := b.Hi[0] - b.Lo[0]
		for k := range len(part) / 8 {
			i := k / n
			row, rows := i/width, b.Hi[1]-b.Lo[1]
			x, y, z := b.Lo[0]+i%width-box.Lo[0], b.Lo[1]+row%rows-box.Lo[1], b.Lo[2]+row/rows-box.Lo[2]
			values[((z*size[1]+y)*size[0]+x)*n+k%n] = domain.Float64At(part, k)
		}
	}
	return values, nil
}

// pick is one component of a cell's value, or its magnitude.
func pick(cell []float64, component int) float64 {
	switch {
	case component >= 0 && component < len(cell):
		return cell[component]
	case len(cell) == 1:
		return cell[0]
	}
	sum := 0.0
	for _, v := range cell {
		sum += v * v
	}
	return math.Sqrt(sum)
}
