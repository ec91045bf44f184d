// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stats

import (
	"math"
	"slices"
)

// Record keeps the course of a series as the means of at most 4096 blocks of equal length. When all are taken, blocks are
// joined in pairs, so its memory does not grow with the run, and it continues from JSON to the same bits. The zero value is
// empty.
type Record struct {
	Width int64   `json:"width"` // samples per block
	Means Floats  `json:"means"`
	Sum   float64 `json:"sum"` // of the block that is not complete
	N     int64   `json:"n"`   // its samples
}

// recordBlocks leaves 2048 blocks at least: eight to each of 256 oscillations.
const recordBlocks = 4096

// settlingBlocks show a transient to 1 % of the record.
const settlingBlocks = 256

// Add appends a sample.
func (r *Record) Add(x float64) {
	r.Width = max(r.Width, 1)
	r.Sum += x
	r.N++
	if r.N < r.Width {
		return
	}
	r.Means = append(r.Means, r.Sum/float64(r.N))
	r.Sum, r.N = 0, 0
	if len(r.Means) < recordBlocks {
		return
	}
	r.join()
}

// join joins blocks in pairs.
func (r *Record) join() {
	n := len(r.Means) / 2
	for k := range n {
		r.Means[k] = (r.Means[2*k] + r.Means[2*k+1]) / 2
	}
	r.Means = r.Means[:n]
	r.Width *= 2
}

// Drift returns the change of the mean when the first half of the record is discarded.
func (r *Record) Drift() float64 {
	return math.Abs(mean(r.Means[len(r.Means)/2:]) - mean(r.Means))
}

// Steady reports whether an estimate belongs to a series that has settled: its blocks are longer than its memory and the
// mean does not move by more than 1.5 half widths when the first half is discarded (a stationary series does so once in
// some hundred records), or all that it still changes by is below negligible.
func (r *Record) Steady(e Estimate, negligible float64) bool {
	if e.N < Fewest {
		return false
	}
	return e.Half <= negligible || e.Inefficiency < float64(e.N) && r.Drift() <= 1.5*e.Half
}

// Settled looks for the end of a transient: the shortest beginning of the record, up to its half, after which the mean no
// longer moves by more than its interval. It returns the samples to discard and the estimate of the rest.
func (r *Record) Settled(negligible float64) (discard int64, e Estimate, found bool) {
	coarse := r.coarse()
	n := len(coarse.Means)
	for from := n / 16; n >= 4*Fewest && from <= n/2; from += n / 16 {
		rest := Record{Width: 1, Means: coarse.Means[from:]}
		if e = rest.estimate(); rest.Steady(e, negligible) {
			return int64(from) * coarse.Width, e, true
		}
	}
	return 0, Estimate{}, false
}

// Band is the spread of the last blocks of a series.
type Band struct {
	Discard, N int64   // samples before, and in it
	Width      int64   // samples per block
	Mean, Half float64 // 95 of 100 blocks are within Half of Mean
}

// Confined looks for the shortest beginning of the record, up to its half, after which the blocks stay in a band of half width
// `within` without a trend: a fitted line changes by less than half of the band's half width; a linear drift changes by 1.8 of
// it. It serves a series whose memory is longer than the record, so that the mean has no known error. A trend that is hidden
// in larger fluctuations remains possible.
func (r *Record) Confined(within float64) (b Band, found bool) {
	coarse := r.coarse()
	n := len(coarse.Means)
	for from := 0; n >= 4*Fewest && from <= n/2; from += n / 16 {
		rest := Record{Width: coarse.Width, Means: coarse.Means[from:]}
		e := rest.estimate()
		b = Band{int64(from) * rest.Width, e.N * rest.Width, rest.Width, e.Mean, Student95(int(e.N-1)) * e.Std}
		if b.Half <= within && rest.trend() <= b.Half/2 {
			return b, true
		}
	}
	return Band{}, false
}

// trend returns the change of the line through the blocks (least squares) from the first to the last.
func (r *Record) trend() float64 {
	n := float64(len(r.Means))
	middle, slope := (n-1)/2, 0.0
	for k, x := range r.Means {
		slope += (float64(k) - middle) * x
	}
	slope *= 12 / (n * (n*n - 1))
	return math.Abs(slope) * (n - 1)
}

// coarse returns the record in fewer blocks.
func (r *Record) coarse() Record {
	c := Record{Width: r.Width, Means: slices.Clone(r.Means)}
	for len(c.Means) >= settlingBlocks {
		c.join()
	}
	return c
}

// estimate returns the mean of the blocks, with each as a sample.
func (r *Record) estimate() Estimate {
	var b Blocking
	for _, x := range r.Means {
		b.Add(x)
	}
	return b.Estimate()
}

func mean(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	return sum(list) / float64(len(list))
}

func sum(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}
