// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"fmt"
	"math"
	"math/bits"

	"lbmsim/decomp"
	"lbmsim/device"
)

// profile computes View.Profile for each sheet of decomp.Sheets: means of the finest cells by their volumes. Each level has
// separate sums of integers, which rank 0 adds by volume from the coarsest on. Devices sum whole planes, overlap included: so the host
// sums the counted cells.
func (r *Refined) profile(v View, axis int) ([]float64, error) {
	sheets, warmth := decomp.Sheets(r.Hierarchy, axis), warmthOf(v.Case.Temperature.Bounds)
	dims, values := v.Case.Dims(), device.ProfileValues(v.Case.Dims(), v.Case.Spec.Scalar)
	each := len(sheets) * values // of a level
	sums := make([]int64, each*len(r.Hierarchy.Levels))
	for i := range r.Patches {
		p := &r.Patches[i]
		to := sums[p.Level*each:][:each]
		if err := p.addProfile(to, decomp.SheetOf(r.Hierarchy, sheets, p.Level, axis), axis, r.profileUnit(p.Level, axis), warmth); err != nil {
			return nil, fmt.Errorf("rank %d: profile at step %d: %w", v.Rank.ID, v.Step(), err)
		}
	}
	sums, err := v.Part.AddUp(v.Rank, sums)
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	var means []float64
	for k := range sheets {
		total := make([]float64, values)
		for l := range r.Hierarchy.Levels {
			of := sums[l*each+k*values:][:values]
			if n := of[device.ProfileCells]; n < 0 || n >= device.ProfileBad {
				total[device.ProfileCells] = math.NaN()
			}
			for i, s := range of {
				part := r.volume(l) * float64(s)
				if i != device.ProfileCells {
					part /= r.profileUnit(l, axis)
				}
				total[i] += part
			}
		}
		means = append(means, profileMeans(total, dims, warmth)...)
	}
	return means, nil
}

// profileUnit returns the factor of the numbers of a level's cells, whose sum over a sheet fits into 60 bits.
func (r *Refined) profileUnit(level, axis int) float64 {
	cells := 0
	for _, p := range r.Hierarchy.Levels[level].Patches {
		cells += p.Owned.Cells() / p.Owned.Size()[axis] << level
	}
	return math.Ldexp(1, min(44, 60-bits.Len(uint(cells))))
}

// addProfile adds the counted fluid cells that the rank owns to the sums of their sheets, [sheet][value].
func (p *Patch) addProfile(to []int64, sheet []int, axis int, unit, warmth float64) error {
	own, slow, dims := p.Owned, p.Part.Layout.Axis(), p.Case.Dims()
	values := device.ProfileValues(dims, p.Case.Spec.Scalar)
	if own.Cells() == 0 {
		return nil
	}
	n := own.Size()
	row := n[0] * p.Case.Spec.FieldValues()
	each := n[1] * n[2] / n[slow] // rows of a plane
	parts := make([][]int64, n[slow])
	err := p.Rank.Share(n[slow], func(from, end int) error {
		sums, fields := make([]int64, len(to)), make([]float64, each*row)
		for k := from; k < end; k++ {
			plane := own
			plane.Lo[slow], plane.Hi[slow] = own.Lo[slow]+k, own.Lo[slow]+k+1
			if err := p.State.Fields(p.Part.Local(plane), fields); err != nil {
				return err
			}
			for j := range each {
				i := k*each + j
				at := [3]int{0, own.Lo[1] + i%n[1], own.Lo[2] + i/n[1]}
				p.eachFluid(at[1], at[2], func(x int) {
					at[0] = x
					addCell(sums[sheet[at[axis]]*values:][:values], fields[j*row+x-own.Lo[0]:], n[0], dims, unit, warmth)
				})
			}
		}
		parts[from] = sums
		return nil
	})
	for _, part := range parts {
		for i, s := range part {
			to[i] += s
		}
	}
	return err
}

// eachFluid calls use for the counted fluid cells of a row, in cells of the level.
func (p *Patch) eachFluid(y, z int, use func(x int)) {
	lo := p.Part.Box.Lo
	for _, run := range p.Counted(y, z) {
		for x := run.Lo; x < run.Hi; x++ {
			if p.Part.Cells.At(x-lo[0], y-lo[1], z-lo[2]) == 0 {
				use(x)
			}
		}
	}
}

// SheetsOf returns the planes that Profile has means of.
func SheetsOf(v View, axis int) []decomp.Sheet {
	if v.Refined != nil {
		return decomp.Sheets(v.Refined.Hierarchy, axis)
	}
	list := make([]decomp.Sheet, v.Case.Cells[axis])
	for k := range list {
		list[k].At = k
	}
	return list
}
