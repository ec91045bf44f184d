// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package stats computes confidence intervals of the means of correlated samples,
// as all series from a flow are.
//
// It keeps numbers, not samples: its memory grows with the logarithm of their count,
// it can be stored as JSON in a checkpoint, and continues from there to the same bits.
// (gonum/stat, the usual package, wants whole series in memory and has no error of a
// correlated mean. Its distributions are used.)
package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Blocking estimates the error of a mean by blocking: samples are averaged in pairs,
// pairs in pairs of pairs and so on, and the error that the variance of the blocks'
// means claims grows with the blocks until they are longer than the memory of the
// series (Flyvbjerg & Petersen, J. Chem. Phys. 91 (1989) 461). The blocks that count
// are the shortest ones of B samples with B^3 > 2 N s^2, where N is the number of samples
// and s the ratio of the blocks' squared error to the squared error of independent samples
// (Lee, Needs, Towler et al., Phys. Rev. E 83 (2011) 066706, section III B).
//
// The zero value is an empty series. Its fields are there to be stored.
type Blocking struct {
	Levels []Level `json:"levels"`
}

// Level is the blocks of 2^k samples: their number, mean and sum of squared deviations
// by Welford's recurrence (Technometrics 4 (1962) 419), and the first half of a block
// that is not complete yet.
type Level struct {
	N       int64   `json:"n"`
	Mean    float64 `json:"mean"`
	Squares float64 `json:"squares"`
	Half    float64 `json:"half"`
}

// Add adds the next sample.
func (b *Blocking) Add(x float64) {
	for k := 0; ; k++ {
		if k == len(b.Levels) {
			b.Levels = append(b.Levels, Level{})
		}
		l := &b.Levels[k]
		l.N++
		d := x - l.Mean
		l.Mean += d / float64(l.N)
		l.Squares += d * (x - l.Mean)
		if l.N%2 == 1 {
			l.Half = x
			return
		}
		x = (l.Half + x) / 2
	}
}

// Estimate holds the estimated mean of a series.
type Estimate struct {
	N    int64   // samples
	Mean float64 // 0 without samples
	Std  float64 // standard deviation of the samples
	// Half is half the width of the interval that holds the true mean in 95 of 100
	// cases; +Inf with fewer than 16 samples.
	Half float64
	// Inefficiency is the number of samples that count as one independent sample: twice
	// the integrated autocorrelation time in samples. As long as the series is too short
	// to show how far its memory reaches, this is all of them, and Half is a single
	// sample's: a flow that becomes steady is known to within its remaining change.
	Inefficiency float64
}

// Fewest is the number of blocks from which a variance is trusted: the variance of 16 is known to 40 %
// with the same confidence, and Student's factor takes account of it.
const Fewest = 16

// Estimate of the samples so far.
func (b *Blocking) Estimate() Estimate {
	e := Estimate{Half: math.Inf(1), Inefficiency: math.NaN()}
	if len(b.Levels) == 0 {
		return e
	}
	l := b.Levels[0]
	e.N, e.Mean = l.N, l.Mean
	if l.N < Fewest {
		return e
	}
	e.Std = math.Sqrt(l.Squares / float64(l.N-1))
	alone := l.error2()
	if alone == 0 { // all samples are one number
		e.Half, e.Inefficiency = 0, 1
		return e
	}
	for k, l := range b.Levels {
		if l.N < Fewest {
			break
		}
		e.Half, e.Inefficiency = Student95(int(l.N-1))*math.Sqrt(l.Squares/float64(l.N-1)), float64(e.N)
		s := l.error2() / alone
		if block := math.Ldexp(1, k); block*block*block > 2*float64(e.N)*s*s {
			e.Half, e.Inefficiency = Student95(int(l.N-1))*math.Sqrt(l.error2()), s
			break
		}
	}
	return e
}

// error2 returns the squared error of the mean if blocks were independent.
func (l Level) error2() float64 { return l.Squares / float64(l.N-1) / float64(l.N) }

// Student95 returns the number of standard errors of n+1 independent samples that covers, on both
// sides of the mean, 95 % of Student's distribution with n degrees of freedom.
func Student95(n int) float64 {
	if n < len(few()) {
		return few()[n]
	}
	// Abramowitz & Stegun, Handbook of Mathematical Functions (1964), 26.7.5. The next term is below 1e-9. gonum's takes a
	// hundred microseconds, and a sample needs many of them.
	z, v := normal95, float64(n)
	z2 := z * z
	return z + z*(z2+1)/(4*v) + z*((5*z2+16)*z2+3)/(96*v*v) + z*(((3*z2+19)*z2+17)*z2-15)/(384*v*v*v) +
		z*((((79*z2+776)*z2+1482)*z2-1920)*z2-945)/(92160*v*v*v*v)
}

// normal95 is the 97.5 % quantile of the normal distribution.
const normal95 = 1.959963984540054

// few are the quantiles of few samples, by the degrees of freedom.
var few = sync.OnceValue(func() (list [64]float64) {
	for n := 1; n < len(list); n++ {
		list[n] = distuv.StudentsT{Sigma: 1, Nu: float64(n)}.Quantile(0.975)
	}
	return list
})
