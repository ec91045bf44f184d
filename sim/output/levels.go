package output

import (
	"math"

	"lbmsim/comm"
	"lbmsim/internal/raw"
	"lbmsim/internal/render"
)

// Levels that a viewer may choose from: the field has a lower value in a growing share of the cells, with small steps near both ends,
// where vortices and cores of low pressure are.
const (
	levels     = 40
	usualLevel = 36 // 97 % of the cells have less
	bins       = 1024
)

// levelsOf returns the quantiles of the field whose surface is drawn, over the finest cells of all ranks, interpolated within the bins
// of a histogram. Collective.
func levelsOf(c comm.Comm, blocks []render.Block) ([]float64, error) {
	ends := []int64{math.MinInt64, math.MinInt64} // of all values; the lower one with its sign changed
	for i := range blocks {
		blocks[i].Each(func(v float32) { ends[0], ends[1] = max(ends[0], ordered(-v)), max(ends[1], ordered(v)) })
	}
	if err := comm.Max(c, ends); err != nil {
		return nil, err
	}
	list := make([]float64, levels+1)
	if ends[0] == math.MinInt64 { // all cells are solid
		return list, nil
	}
	lo, hi := -float64(number(ends[0])), float64(number(ends[1]))
	if lo == hi {
		for k := range list {
			list[k] = lo
		}
		return list, nil
	}
	counts := make([]int64, bins)
	for i := range blocks {
		blocks[i].Each(func(v float32) {
			counts[max(0, min(int((float64(v)-lo)/(hi-lo)*bins), bins-1))]++
		})
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
	quantiles(list, counts, lo, (hi-lo)/bins)
	return list, nil
}

// quantiles fills a list with values below which a share of a histogram is.
func quantiles(list []float64, counts []int64, lo, width float64) {
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	below, bin := int64(0), 0
	for k := range list {
		s := float64(k) / float64(len(list)-1)
		wanted := s * s * (3 - 2*s) * float64(total)
		for bin < len(counts)-1 && float64(below+counts[bin]) < wanted {
			below += counts[bin]
			bin++
		}
		list[k] = lo + (float64(bin)+(wanted-float64(below))/float64(max(counts[bin], 1)))*width
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
