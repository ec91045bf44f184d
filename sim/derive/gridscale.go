// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"fmt"

	"lbmsim/decomp"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// gridStride returns the distance, in planes, of two planes that count for the share at
// the scale of the grid: it reads about a quarter of a million cells, and not less than 16
// planes, so that it takes less than a hundredth of the time on any device.
func gridStride(cells, planes int) int { return max(1, min(cells>>18, planes/16)) }

// Sample holds results of some planes of the fields.
type Sample struct {
	// GridScale is the share of the kinetic energy at the scale of the grid, on rank 0: see
	// config.SeriesGridScale. 0 where it is rounding.
	GridScale float64
	Excess    Excess // of the temperature, on all ranks
}

// Sample reads the planes once, for all. Sums have the order of domain.Part.PlaneSums. Collective.
func (v View) Sample() (s Sample, err error) {
	var total [gridSums]float64
	add := func(planes []float64, volume float64) {
		for ; len(planes) > 0; planes = planes[gridSums:] {
			for i := range total {
				total[i] += volume * planes[i]
			}
		}
	}
	var beyond []Excess // of planes
	note := func(planes []Excess, part *domain.Part, level int) {
		for _, e := range planes {
			e.At, e.Level = part.Global(e.At), level
			beyond = append(beyond, e)
		}
	}
	of := domain.Columns{Added: gridSums, All: gridSums}
	if v.Refined != nil {
		if err := v.Refined.Fill(); err != nil {
			return s, err
		}
		err = v.Refined.each(func(l, _ int, p *Patch) error {
			var rows []float64
			if p != nil {
				planes := make([]Excess, p.planes())
				region, runs := v.Refined.acrossSeams(p)
				if rows, err = gridRows(p.View, p.Part.Local(region), v.Refined.stride(l), runs, planes); err != nil {
					return err
				}
				note(planes, p.Part, l)
			}
			all, err := p.planeSums(v.Rank, rows, of)
			add(all, v.Refined.volume(l)*float64(v.Refined.stride(l))) // each plane stands for so many
			return err
		})
	} else {
		var rows, all []float64
		planes := make([]Excess, v.Part.Planes())
		if rows, err = gridRows(v, decomp.Box{Hi: v.Part.Layout.N}, gridStride(v.Case.Box().Cells(), v.Case.Cells[v.Part.Layout.Axis()]), nil, planes); err != nil {
			return s, err
		}
		note(planes, v.Part, 0)
		all, err = v.Part.PlaneSums(v.Rank, rows, of)
		add(all, 1)
	}
	s.GridScale = gridShare(total, v.Case.Spec.Precision)
	if err == nil {
		s.Excess, err = v.farthest(beyond)
	}
	return s, err
}

// acrossSeams returns the cells that the rank owns of a patch with the overlap beyond the ends of its rows, and the counted runs of a row,
// which one more cell continues at either end where the next cell counts in another patch of the level. No number of a cell may depend on
// how boxes that touch are made into patches.
func (r *Refined) acrossSeams(p *Patch) (region decomp.Box, runs func(y, z int) []decomp.Range) {
	region = p.Owned
	if region.Cells() == 0 {
		return region, p.Counted
	}
	region.Lo[0], region.Hi[0] = max(region.Lo[0]-1, p.Part.Box.Lo[0]), min(region.Hi[0]+1, p.Part.Box.Hi[0])
	counts := func(x, y, z int) bool {
		at := [3]int{x, y, z}
		if x < region.Lo[0] || x >= region.Hi[0] || p.Owned.Contains(at) {
			return false
		}
		_, ok := r.Hierarchy.Find(p.Level, at)
		return ok && !r.Hierarchy.Covered(p.Level, at)
	}
	return region, func(y, z int) (list []decomp.Range) {
		for _, run := range p.Counted(y, z) {
			if counts(run.Lo-1, y, z) {
				run.Lo--
			}
			if counts(run.Hi, y, z) {
				run.Hi++
			}
			list = append(list, run)
		}
		return list
	}
}

// stride returns the distance of two planes that count, in a level.
func (r *Refined) stride(level int) int {
	n := r.Hierarchy.Levels[level].N
	cells := 0
	for _, p := range r.Hierarchy.Levels[level].Patches {
		cells += p.Owned.Cells()
	}
	return gridStride(cells, n[r.Hierarchy.Dims()-1])
}

// gridRows returns the sums of gridRow of the rows of a local box, [plane][row], zeros of planes that do not count. beyond, of each
// plane, gets the excess of the temperature, at a local cell. Each of runs, if given, is a separate row: of global cells along x
// at a global y and z.
func gridRows(v View, region decomp.Box, stride int, runs func(y, z int) []decomp.Range, beyond []Excess) ([]float64, error) {
	axis, size := v.Part.Layout.Axis(), region.Size()
	nx, planes := size[0], size[axis]
	if region.Cells() == 0 {
		return nil, nil
	}
	each := size[1] * size[2] / planes
	stored, dims, from := v.Case.Spec.FieldValues(), v.Case.Dims(), v.Present()
	sums := make([]float64, gridSums*planes*each)
	err := v.Rank.Share(planes, func(lo, hi int) (err error) {
		var values []float64
		for k := lo; k < hi; k++ {
			at := region.Lo[axis] + k
			if (v.Part.Box.Lo[axis]+at+stride/2)%stride != 0 {
				continue
			}
			plane := region
			plane.Lo[axis], plane.Hi[axis] = at, at+1
			if values, err = from(plane, values); err != nil {
				return err
			}
			for row := range each {
				y, z := plane.Lo[1]+row, plane.Lo[2]
				if axis == 1 {
					y = at
				}
				first := v.Part.Cells.Index(plane.Lo[0], y, z)
				base, types := values[row*stored*nx:][:stored*nx], v.Part.Cells.Type[first:][:nx]
				to := sums[gridSums*(k*each+row):][:gridSums]
				run := func(from, end int) {
					gridRow(to, base[:nx], base[nx:][:dims*nx], types, from, end)
					if b := v.Case.Temperature.Bounds; b != nil {
						beyond[k].row(base[(1+dims)*nx:][from:end], types[from:end], b, [3]int{region.Lo[0] + from, y, z})
					}
				}
				if runs == nil {
					run(0, nx)
				} else {
					lo := v.Part.Box.Lo
					for _, r := range runs(y+lo[1], z+lo[2]) {
						run(r.Lo-lo[0]-region.Lo[0], r.Hi-lo[0]-region.Lo[0])
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("rank %d: fields at step %d: %w", v.Rank.ID, v.Step(), err)
	}
	return sums, nil
}

// gridSums is the number of sums that gridRow adds to.
const gridSums = 4

// gridRow adds the sums of a run of a row over its cells between fluid: squared differences at the scale of the grid, squared
// velocities, squares of the stored density and velocity, and 1. Components of u follow each other.
func gridRow(to, r, u []float64, types []uint8, from, end int) {
	nx := len(types)
	grid, energy, state, cells := 0.0, 0.0, 0.0, 0.0
	for x := from + 1; x < end-1; x++ {
		if types[x-1]|types[x]|types[x+1] != 0 {
			continue
		}
		for c := 0; c < len(u); c += nx {
			d := (u[c+x-1] - 2*u[c+x] + u[c+x+1]) / 4
			grid += d * d
			energy += u[c+x] * u[c+x]
		}
		state += r[x] * r[x]
		cells++
	}
	for i, v := range []float64{grid, energy, state + energy, cells} {
		to[i] += v
	}
}

// gridShare returns the share at the scale of the grid of the sums of gridRow; 0 where that is rounding, or the rest of
// sound in a fluid that comes to rest: below 32 units in the last place, in float32 at least, of the stored values
// (rho - 1 and u), and of the initial rho in float64. A fluid at rest under gravity has 0.1 to 20 of them.
func gridShare(sums [gridSums]float64, p model.Precision) float64 {
	const most = 32
	unit := 0x1p-24
	if p == model.Float16 {
		unit = 0x1p-11
	}
	rounding := most * most * (unit*unit*sums[2] + 0x1p-106*sums[3])
	if !(sums[0] > rounding) {
		return 0
	}
	return Finite(sums[0] / sums[1])
}
