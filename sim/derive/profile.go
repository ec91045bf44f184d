// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"lbmsim/comm"
	"lbmsim/device"
)

// Profile returns the means of the fields over the fluid cells of each plane across an axis (SheetsOf), in lattice units:
// [plane][value], values as of device.Profiler, the number of cells excepted. Planes without fluid, or with a value
// that is not below device.ProfileMost or is not finite, have NaN. On rank 0; collective.
//
// Sums are of integers: the order of threads and ranks does not matter. The sums of a plane fit into 63 bits, since the
// summands are below device.ProfileMost; the factor warmth makes temperatures so.
func (v View) Profile(axis int) ([]float64, error) {
	if v.Refined != nil {
		return v.Refined.profile(v, axis)
	}
	dims, scalar := v.Case.Dims(), v.Case.Spec.Scalar
	values, n := device.ProfileValues(dims, scalar), v.Case.Cells
	unit := math.Ldexp(1, min(44, 60-bits.Len(uint(v.Case.Box().Cells()/n[axis]))))
	warmth := warmthOf(v.Case.Temperature.Bounds)
	mine, ok, err := v.State.SumProfile(axis, unit, warmth)
	if err == nil && !ok {
		mine, err = v.sumProfile(axis, unit, warmth)
	}
	if err != nil {
		return nil, fmt.Errorf("rank %d: profile at step %d: %w", v.Rank.ID, v.Step(), err)
	}
	packed := make([]byte, 0, 8*len(mine))
	for _, k := range mine {
		packed = binary.LittleEndian.AppendUint64(packed, uint64(k))
	}
	parts, err := comm.Gather(v.Rank.Comm, packed)
	if err != nil || !v.Rank.Root {
		return nil, err
	}
	sums := make([]int64, n[axis]*values)
	for rank, part := range parts {
		first := v.Part.Plan.Box(rank).Lo[axis] * values
		for i := range len(part) / 8 {
			sums[first+i] += int64(binary.LittleEndian.Uint64(part[8*i:]))
		}
	}
	var means []float64
	for ; len(sums) > 0; sums = sums[values:] {
		of := make([]float64, values)
		for k, s := range sums[:values] {
			of[k] = float64(s) / unit
		}
		if of[device.ProfileCells] = float64(sums[device.ProfileCells]); sums[device.ProfileCells] < 0 || sums[device.ProfileCells] >= device.ProfileBad {
			of[device.ProfileCells] = math.NaN()
		}
		means = append(means, profileMeans(of, dims, warmth)...)
	}
	return means, nil
}

// sumProfile computes device.Profiler's sums for a device that has none.
func (v View) sumProfile(axis int, unit, warmth float64) ([]int64, error) {
	n, slow, dims, stored := v.Part.Layout.N, v.Part.Layout.Axis(), v.Case.Dims(), v.Case.Spec.FieldValues()
	values := device.ProfileValues(dims, v.Case.Spec.Scalar)
	planes, each, from := v.Part.Planes(), v.Part.RowsOfPlane(), v.Present()
	parts := make([][]int64, planes)
	err := v.Rank.Share(planes, func(lo, hi int) (err error) {
		sums := make([]int64, n[axis]*values)
		var plane []float64
		for k := lo; k < hi; k++ {
			if plane, err = from(v.Part.Plane(k), plane); err != nil {
				return err
			}
			for row := range each {
				at := [3]int{0, row, k}
				if slow == 1 {
					at = [3]int{0, k, 0}
				}
				fields := plane[row*stored*n[0]:][:stored*n[0]]
				types := v.Part.Cells.Type[v.Part.Cells.Index(0, at[1], at[2]):][:n[0]]
				for x, t := range types {
					if t != 0 {
						continue
					}
					at[0] = x
					addCell(sums[at[axis]*values:][:values], fields[x:], n[0], dims, unit, warmth)
				}
			}
		}
		parts[lo] = sums
		return nil
	})
	sums := make([]int64, n[axis]*values)
	for _, part := range parts {
		for i, s := range part {
			sums[i] += s
		}
	}
	return sums, err
}
