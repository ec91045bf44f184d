// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stats

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The strongest oscillation of a record is the highest peak of its spectrum. Counting rises through the mean misses weak
// oscillations and counts noise; power at a frequency depends on neither.

// Peak is the strongest oscillation of a record.
type Peak struct {
	Frequency float64 // oscillations per sample
	// Half is half the width of the 95 % interval: the jackknife's over the pieces of the record, or half the resolution of
	// the record where it is too short to be cut.
	Half      float64
	Periods   float64 // in the record
	Pieces    int
	Amplitude float64 // of a sine as high as the peak
	Variance  float64 // of the record, by the frequencies of the peak
	// Second is the frequency of the next highest peak that stands above the noise, and Share its amplitude as a part of
	// Amplitude; 0 without such a peak.
	Second, Share float64
}

// Resolution returns the distance of two frequencies that the spectrum separates, over the peak's frequency: of pieces that overlap by
// half, one oscillation in a piece.
func (p Peak) Resolution() float64 { return float64(p.Pieces+1) / (2 * p.Periods) }

const (
	fewestWhole  = 4    // periods in the record: Hann's window spreads a sine over two on either side
	fewestPiece  = 6    // periods in a piece
	padded       = 4    // times its length that a piece is transformed with, the rest zeros, so that a parabola finds its peaks
	least        = 6.0  // power of a peak over the noise around it
	leakage      = 1e-6 // of the highest power that counts as noise: what a window leaves far from a peak
	rounding     = 1e-12
	hann         = 1.5 // width of the lobe of Hann's window, in its resolution, as a rectangle of its height
	falseAlarm   = 1e-4
	interpolated = 1e-3 // of the resolution of a piece that a parabola may be off by: 6e-4 for sines of all frequencies and phases
	highest      = 0.4  // oscillations per block of the record: above it blocks average them away
	candidates   = 64   // peaks that are examined, the highest first
)

// Peak finds the strongest oscillation. found is false where none stands above the noise: of a hundred records of noise, one or
// two have such a peak.
//
// The spectrum is Welch's (IEEE Trans. Audio Electroacoust. 15 (1967) 70): the mean of periodograms of pieces that overlap by
// half, each without its linear trend and with Hann's window. More pieces separate a peak from noise and give its interval, fewer
// resolve slower oscillations: 15, 7, 3 and 1 are tried, and the peak with most power counts, among equals the one from most
// pieces.
func (r *Record) Peak() (p Peak, found bool) {
	var all []lobe
	best, by := lobe{}, spectrum{}
	for _, pieces := range []int{15, 7, 3, 1} {
		s, ok := r.spectrum(pieces)
		if !ok {
			continue
		}
		peaks := s.peaks()
		all = append(all, peaks...)
		for _, l := range peaks[:min(1, len(peaks))] {
			if l.power > 1.2*best.power {
				best, by, found = l, s, true
			}
		}
	}
	if !found {
		return p, false
	}
	p = by.describe(best)
	for _, l := range all {
		if share := l.height / best.height; share > p.Share*p.Share && math.Abs(l.frequency-best.frequency) > l.width+best.width {
			p.Second, p.Share = l.frequency, math.Sqrt(share)
		}
	}
	w := float64(r.Width)
	p.Frequency, p.Half, p.Second = p.Frequency/w, p.Half/w, p.Second/w
	return p, true
}

// spectrum is the sum of the periodograms of pieces of n values; frequencies are k/(padded n).
type spectrum struct {
	n, all   int     // values of a piece, of the record
	rounding float64 // power of the last digits of the values
	pieces   [][]float64
	total    []float64
}

func (r *Record) spectrum(pieces int) (s spectrum, ok bool) {
	s.all = len(r.Means)
	n := 2 * s.all / (pieces + 1)
	if n >= 64 {
		n &^= 15 // without large prime factors the transform is fast
	} else {
		n &^= 3
	}
	if s.n = n; n < 32 {
		return s, false
	}
	window := make([]float64, n)
	sum := 0.0
	for k := range window {
		window[k] = 1 - math.Cos(2*math.Pi*float64(k)/float64(n))
		sum += window[k]
	}
	s.rounding = math.Pow(rounding*slices.MaxFunc(r.Means, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }), 2)
	t, values, at := fourier.NewFFT(padded*n), make([]float64, padded*n), make([]float64, n)
	for k := range at {
		at[k] = float64(k)
	}
	s.total = make([]float64, padded*n/2+1)
	for i := range pieces {
		first := s.all - n - (pieces-1-i)*n/2 // the beginning of a record is the least of it
		piece := r.Means[first : first+n]
		base, slope := stat.LinearRegression(at, piece, nil, false)
		for k, v := range piece {
			values[k] = (v - base - slope*at[k]) * window[k]
		}
		power := make([]float64, len(s.total))
		for k, c := range t.Coefficients(nil, values) {
			a := 2 * cmplx.Abs(c) / sum
			power[k] = a * a / float64(pieces)
			s.total[k] += power[k]
		}
		s.pieces = append(s.pieces, power)
	}
	return s, true
}

// lobe is a peak of a spectrum.
type lobe struct {
	k                        int // where it begins to be looked for
	frequency, height, width float64
	power                    float64 // of all of the lobe
}

// peaks lists the peaks that stand above the noise, the strongest first.
func (s spectrum) peaks() (list []lobe) {
	periods := fewestPiece
	if len(s.pieces) == 1 {
		periods = fewestWhole
	}
	var tops []int
	for k := padded * periods; k <= int(highest*float64(padded*s.n)); k++ {
		if s.total[k] > s.total[k-1] && s.total[k] >= s.total[k+1] {
			tops = append(tops, k)
		}
	}
	slices.SortStableFunc(tops, func(a, b int) int { return cmp.Compare(s.total[b], s.total[a]) })
	noise := s.noise()
	for _, k := range tops[:min(candidates, len(tops))] {
		if noise.below(k / padded) {
			l := lobe{k: k, width: 1.5 / float64(s.n), power: sum(s.total[k-2*padded : min(k+2*padded+1, len(s.total))])}
			l.frequency, l.height = s.top(s.total, k)
			list = append(list, l)
		}
	}
	return list
}

// noise is the background of peaks: the powers of the frequencies 1/n, 2/n ..., which the zeros leave as they are.
type noise struct {
	power, log []float64
	limit      float64 // power over the geometric mean of noise
}

// noise of a spectrum. The highest of n/2 means of periodograms of noise, which are distributed as chi squared, is below the
// limit but for false alarms. Pieces that overlap by half count as 1/1.056 of independent ones (Welch, as above).
func (s spectrum) noise() (n noise) {
	c := distuv.ChiSquared{K: 2 * float64(len(s.pieces))}
	if len(s.pieces) > 1 {
		c.K /= 1.056
	}
	n.limit = max(least, c.Quantile(1-2*falseAlarm/float64(s.n))/(2*math.Exp(mathext.Digamma(c.K/2))))
	floor := max(leakage*slices.Max(s.total), s.rounding)
	for k := 0; k < s.n/2; k++ {
		n.power = append(n.power, s.total[padded*k])
		n.log = append(n.log, math.Log(max(s.total[padded*k], floor)))
	}
	return n
}

// below reports whether a peak between two frequencies stands above the noise around it, which is a power of the frequency
// there, fitted to the logarithms from a fourth to four times the frequency without the peak's lobe. On both sides the power
// falls to half: the flank of slower motion is not a peak.
func (n noise) below(at int) bool {
	high := max(n.power[at], n.power[at+1])
	lower := func(part []float64) bool { return slices.Min(part) < high/2 }
	last := len(n.power) - 1
	if !lower(n.power[max(1, at/2):at]) || !lower(n.power[at+1:min(2*at, last)+1]) {
		return false
	}
	var x, y []float64
	for k := max(1, at/4); k <= min(max(4*at, at+16), last); k++ {
		if k < at-2 || k > at+3 {
			x, y = append(x, math.Log(float64(k))), append(y, n.log[k])
		}
	}
	if len(x) < 3 {
		return false
	}
	base, slope := stat.LinearRegression(x, y, nil, false)
	if slope > 0 { // noise of flows falls with the frequency
		base, slope = stat.Mean(y, nil), 0
	}
	return math.Log(high) > base+slope*math.Log(float64(at)+0.5)+math.Log(n.limit)
}

// top interpolates the peak that k leads up to by a parabola through logarithms, which Hann's lobe is close to.
func (s spectrum) top(total []float64, k int) (frequency, power float64) {
	for k > 1 && total[k-1] > total[k] {
		k--
	}
	for k < len(total)-2 && total[k+1] > total[k] {
		k++
	}
	a, b, c := math.Log(total[k-1]), math.Log(total[k]), math.Log(total[k+1])
	shift := 0.0
	if curve := a - 2*b + c; curve < 0 && !math.IsInf(curve, 0) {
		shift = max(-0.5, min((a-c)/(2*curve), 0.5))
	}
	return (float64(k) + shift) / float64(padded*s.n), math.Exp(b - (a-c)*shift/4)
}

func (s spectrum) describe(l lobe) (p Peak) {
	p = Peak{Frequency: l.frequency, Periods: l.frequency * float64(s.all), Pieces: len(s.pieces), Amplitude: math.Sqrt(l.height), Variance: l.power / (2 * hann * padded)}
	p.Half = 0.5 / float64(s.n)
	if len(s.pieces) > 1 {
		p.Half = s.jackknife(l.k) + interpolated/float64(s.n)
	}
	return p
}

// jackknife returns half the width of the 95 % interval of a peak, from how much it moves when one piece is left out.
func (s spectrum) jackknife(k int) float64 {
	var moved Blocking
	rest := make([]float64, len(s.total))
	for _, piece := range s.pieces {
		for i := range rest {
			rest[i] = s.total[i] - piece[i]
		}
		f, _ := s.top(rest, k)
		moved.Add(f)
	}
	n := float64(len(s.pieces))
	return Student95(len(s.pieces)-1) * math.Sqrt(moved.Levels[0].Squares/n*(n-1))
}
