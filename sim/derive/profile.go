package derive

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
)

// Profile returns the means of the fields over the fluid cells of each plane across an axis (Sheets), in lattice units:
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
	warmth := v.warmth()
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
		cells := float64(sums[device.ProfileCells])
		if cells < 0 || cells >= device.ProfileBad {
			cells = math.NaN()
		}
		for k, s := range sums[:values] {
			if k == device.ProfileCells {
				continue
			}
			mean := float64(s) / unit / cells
			for range ProfileWarmth(k, dims) {
				mean /= warmth
			}
			means = append(means, mean)
		}
	}
	return means, nil
}

// warmth returns the factor that brings temperatures below one, a power of two.
func (v View) warmth() float64 { return warmthOf(v.Case.Temperature.Bounds) }

// warmthOf returns the warmth of bounds. Where the case has no bounds, or gives the reference alone, temperatures are taken to be
// below 1024 K.
func warmthOf(b *config.Bounds) float64 {
	far := 1024.0
	if b != nil && b.Far() > 0 {
		far = 2 * b.Far()
	}
	return math.Ldexp(1, -math.Ilogb(far)-1)
}

// ProfileWarmth returns the power of the temperature in a value of device.Profiler.
func ProfileWarmth(value, dims int) int {
	switch first := device.ProfileValues(dims, false); {
	case value < first:
		return 0
	case value == first+1:
		return 2
	}
	return 1
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

// addCell adds a cell, whose fields are so many numbers apart, to the values of a plane.
func addCell(to []int64, fields []float64, stride, dims int, unit, warmth float64) {
	k, bad := 1, false
	put := func(v float64) {
		if math.Abs(v) < device.ProfileMost {
			to[k] += int64(math.RoundToEven(v * unit))
		} else {
			bad = true
		}
		k++
	}
	put(fields[0])
	put(fields[0] * fields[0])
	for a := 1; a <= dims; a++ {
		put(fields[a*stride])
	}
	for a := 1; a <= dims; a++ {
		for b := a; b <= dims; b++ {
			put(fields[a*stride] * fields[b*stride])
		}
	}
	if k < len(to) {
		t := fields[(1+dims)*stride] * warmth
		put(t)
		put(t * t)
		for a := 1; a <= dims; a++ {
			put(t * fields[a*stride])
		}
	}
	if to[0]++; bad {
		to[0] += device.ProfileBad - 1
	}
}
