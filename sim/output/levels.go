// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/internal/raw"
)

// Levels that a viewer may choose from: the field has a lower value in a growing share of the cells, with small steps near both ends,
// where vortices and cores of low pressure are.
const (
	levels     = 40
	usualLevel = 36 // 97 % of the cells have less
	bins       = device.VolumeBins
)

// levelsOf returns the quantiles of the field whose surface is drawn, over the finest cells of all ranks, interpolated within the bins
// of a histogram. Collective.
func levelsOf(c comm.Comm, g *scenery) ([]float64, error) {
	ends := []int64{math.MinInt64, math.MinInt64} // of all values; the lower one with its sign changed
	reach := func(v float32) { ends[0], ends[1] = max(ends[0], ordered(-v)), max(ends[1], ordered(v)) }
	for i := range g.blocks {
		g.blocks[i].Each(reach)
	}
	for _, v := range g.volumes {
		least, most, ok, err := v.Extremes()
		if err != nil {
			return nil, err
		}
		if ok {
			reach(least)
			reach(most)
		}
	}
	if err := comm.Max(c, ends); err != nil {
		return nil, err
	}
	list := make([]float64, levels+1)
	if ends[0] == math.MinInt64 { // all cells are solid
		return list, nil
	}
	s := scaleOf(-ends[0], ends[1])
	counts := make([]int64, bins)
	for i := range g.blocks {
		g.blocks[i].Each(func(v float32) { counts[s.bin(v)]++ })
	}
	for _, v := range g.volumes {
		if err := v.Count(device.Bins(s), counts); err != nil {
			return nil, err
		}
	}
	parts, err := comm.Gather(c, raw.Bytes(counts))
	if err != nil {
		return nil, err
	}
	for rank, p := range parts {
		if rank == 0 {
			continue
		}
		theirs := make([]int64, bins)
		copy(raw.Bytes(theirs), p)
		for k, n := range theirs {
			counts[k] += n
		}
	}
	all, err := comm.Broadcast(c, raw.Bytes(counts))
	if err != nil {
		return nil, err
	}
	copy(raw.Bytes(counts), all)
	s.quantiles(list, counts)
	return list, nil
}

// scaleOf returns bins between two ordered numbers, of equal width in the logarithm of the magnitude, down to 2^-octaves of the largest.
// Vorticity and q_criterion have peaks at walls and edges far above all other values: with bins of equal width in the value, most cells
// share one bin. The logarithm is piecewise linear, by the bits of the float: the same on all machines.
func scaleOf(lo, hi int64) scale {
	s := scale{Floor: max(max(-lo, lo, -hi, hi)-octaves<<23, 0)} // a float has 23 bits below its exponent
	s.Lo, s.Hi = s.place(lo), s.place(hi)
	return s
}

// scale is device.Bins.
type scale device.Bins

const octaves = 32

// place returns the place of an ordered number on the scale.
func (s scale) place(o int64) int64 {
	if o < 0 {
		return min(o+s.Floor, 0)
	}
	return max(o-s.Floor, 0)
}

// value returns the value at a place.
func (s scale) value(place int64) float64 {
	switch {
	case place < 0:
		place -= s.Floor
	case place > 0:
		place += s.Floor
	}
	return float64(number(place))
}

// bin returns the bin of a value.
func (s scale) bin(v float32) int64 {
	return min((s.place(ordered(v))-s.Lo)*bins/max(s.Hi-s.Lo, 1), bins-1)
}

// quantiles fills a list with values below which a share of a histogram is.
func (s scale) quantiles(list []float64, counts []int64) {
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	below, bin := int64(0), 0
	for k := range list {
		x := float64(k) / float64(len(list)-1)
		wanted := x * x * (3 - 2*x) * float64(total)
		for bin < len(counts)-1 && float64(below+counts[bin]) < wanted {
			below += counts[bin]
			bin++
		}
		part := (float64(bin) + (wanted-float64(below))/float64(max(counts[bin], 1))) / bins
		list[k] = s.value(s.Lo + int64(math.Round(part*float64(s.Hi-s.Lo))))
	}
}

// ordered returns a number whose order as an integer is the order of floats.
func ordered(v float32) int64 {
	b := int64(math.Float32bits(v))
	if b>>31 != 0 {
		return -(b & 0x7fffffff)
	}
	return b
}

// number is the inverse of ordered.
func number(o int64) float32 {
	if o < 0 {
		return -math.Float32frombits(uint32(-o))
	}
	return math.Float32frombits(uint32(o))
}
