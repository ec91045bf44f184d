// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// stretch is consecutive cells along x with a field, in lattice units of level 0.
type stretch struct {
	centre [3]float64 // of the first cell, in cells of level 0, from the domain's lower corner
	width  float64    // of a cell
	types  []uint8    // of the cells; 0: fluid
	values []float64  // the components of each cell
}

// VelocityError compares the velocity with the expectation's reference.
func (v View) VelocityError(e config.Expectation) (float64, error) {
	time := float64(v.Step())
	// |u-r|^2, |r|^2 and the maxima of both
	sum, err := integrate(v, "velocity", domain.Columns{Added: 2, All: 4}, func(s stretch, to []float64) {
		components := len(s.values) / len(s.types)
		for i, t := range s.types {
			if t != 0 {
				continue
			}
			x := s.centre[0] + float64(i)*s.width
			var diff, ref float64
			for a := range v.Case.Dims() {
				want := e.Reference[a](x, s.centre[1], s.centre[2], time)
				d := s.values[i*components+a] - want
				diff += d * d
				ref += want * want
			}
			to[0], to[1] = to[0]+diff, to[1]+ref
			to[2], to[3] = math.Max(to[2], diff), math.Max(to[3], ref)
		}
	})
	if err != nil || !v.Rank.Root {
		return 0, err
	}
	if e.Quantity == config.VelocityL2Error {
		return math.Sqrt(sum[0] / sum[1]), nil
	}
	return math.Sqrt(sum[2] / sum[3]), nil
}

// Summand adds the components of cells to a sum.
type Summand func(sum float64, components []float64) float64

// Values adds the components themselves.
func Values(sum float64, components []float64) float64 {
	for _, v := range components {
		sum += v
	}
	return sum
}

// Squares adds their squares.
func Squares(sum float64, components []float64) float64 {
	for _, v := range components {
		sum += v * v
	}
	return sum
}

// Sum returns the integral of the components of a field or their squares, 0 in solid cells, over the volume on rank 0, in lattice
// units. Collective.
func (v View) Sum(name string, of Summand) (float64, error) {
	sum, err := integrate(v, name, domain.Columns{Added: 1, All: 1}, func(s stretch, to []float64) { to[0] = of(to[0], s.values) })
	if err != nil || !v.Rank.Root {
		return 0, err
	}
	return sum[0], nil
}

// integrate sums numbers of all cells, or of the finest everywhere with their volumes, on rank 0: add adds a stretch of cells to the
// numbers of its row. Sums have the order of domain.Part.PlaneSums, levels follow each other. Collective.
func integrate(v View, name string, of domain.Columns, add func(s stretch, to []float64)) ([]float64, error) {
	field, _ := model.FindField(name)
	total := make([]float64, of.All)
	collect := func(planes []float64, volume float64) {
		for ; len(planes) > 0; planes = planes[of.All:] {
			for i := range total {
				if i < of.Added {
					total[i] += volume * planes[i]
				} else {
					total[i] = math.Max(total[i], planes[i])
				}
			}
		}
	}
	if v.Refined != nil {
		err := v.Refined.each(func(l, _ int, p *Patch) error {
			var rows []float64
			if p != nil {
				var err error
				if rows, err = integrateRows(p.View, field, l, p.Part.Local(p.Owned), of, p.Counted, add); err != nil {
					return err
				}
			}
			all, err := p.planeSums(v.Rank, rows, of)
			collect(all, v.Refined.volume(l))
			return err
		})
		return total, err
	}
	whole := func(int, int) []decomp.Range { return []decomp.Range{{Lo: v.Part.Box.Lo[0], Hi: v.Part.Box.Hi[0]}} }
	rows, err := integrateRows(v, field, 0, decomp.Box{Hi: v.Part.Layout.N}, of, whole, add)
	if err != nil {
		return nil, err
	}
	all, err := v.Part.PlaneSums(v.Rank, rows, of)
	collect(all, 1)
	return total, err
}

// integrateRows returns the numbers of the rows of a local box of a level, [plane][row][column], over runs of cells along x, which are
// global as their y and z are.
func integrateRows(v View, f model.Field, level int, region decomp.Box, of domain.Columns, runs func(y, z int) []decomp.Range, add func(s stretch, to []float64)) ([]float64, error) {
	axis, size := v.Part.Layout.Axis(), region.Size()
	if region.Cells() == 0 {
		return nil, nil
	}
	planes := size[axis]
	each := size[1] * size[2] / planes
	sums := make([]float64, planes*each*of.All)
	width := math.Pow(0.5, float64(level)) // of a cell, and its time step
	err := v.Rank.Share(planes, func(from, to int) (err error) {
		s := NewSampler[float64](v.Part, v.Step(), v.Present(), f)
		s.units, s.reference = config.Units{Length: width, Time: width, Density: 1}, 0
		if !s.neighbours {
			s.region = region
		}
		lo := v.Part.Box.Lo
		var values []float64
		for k := from; k < to; k++ {
			if values, err = s.Sample(f, region.Lo[axis]+k, values); err != nil {
				return err
			}
			for row := range each {
				at := [3]int{0, region.Lo[1] + row, region.Lo[2] + k}
				first := (at[1] - s.region.Lo[1]) * s.width()
				if axis == 1 {
					at, first = [3]int{0, region.Lo[1] + k, region.Lo[2]}, 0
				}
				c := stretch{width: width}
				for a := range at {
					if c.centre[a] = float64(at[a]+lo[a]) + 0.5; a <= axis {
						c.centre[a] *= width
					}
				}
				types := v.Part.Cells.Type[v.Part.Cells.Index(0, at[1], at[2]):]
				for _, run := range runs(at[1]+lo[1], at[2]+lo[2]) {
					x, n := run.Lo-lo[0], run.Hi-run.Lo
					if n == 0 {
						continue
					}
					c.centre[0] = (float64(run.Lo) + 0.5) * width
					c.types = types[x:][:n]
					c.values = values[(first+x-s.region.Lo[0])*f.Components:][:n*f.Components]
					add(c, sums[(k*each+row)*of.All:][:of.All])
				}
			}
		}
		return nil
	})
	return sums, err
}
