// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"

	"lbmsim/config"
	"lbmsim/device"
)

// The numbers of a cell in a profile.

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

// profileMeans returns the means of a plane from its sums.
func profileMeans(sums []float64, dims int, warmth float64) (means []float64) {
	for k, s := range sums {
		if k == device.ProfileCells {
			continue
		}
		mean := s / sums[device.ProfileCells]
		for range ProfileWarmth(k, dims) {
			mean /= warmth
		}
		means = append(means, mean)
	}
	return means
}
