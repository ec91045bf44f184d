// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"lbmsim/internal/parallel"
)

// Turbulence is the fluctuation that a velocity face adds to its mean velocity: waves that the mean flow
// carries through the face, all at one speed (Taylor's hypothesis). It is a function of space and time alone,
// so that it does not depend on the decomposition or on restarts.
type Turbulence struct {
	Modes []Mode
	Sheet
	// RMS of each component at a position with a mean speed, in lattice units; and the same as C of x, y, z and speed, in
	// double.
	RMS  func(p [3]float64, speed float64) float64
	Code string

	rows  [2][][]circle          // along u and v, for each cell centre, the factors of all modes
	share []circle               // share of each mode in the flux through the face
	last  atomic.Pointer[moment] // latest queried moment
}

// Sheet is cells beside a face.
type Sheet struct {
	Axis, U, V int     // across the face, and the two along it
	First, N   [2]int  // cells along U and V
	At         float64 // where the face is
}

// place of the centre of a cell of the sheet, on the face.
func (s Sheet) place(i, j int) (p [3]float64) {
	p[s.Axis], p[s.U], p[s.V] = s.At, float64(s.First[0]+i)+0.5, float64(s.First[1]+j)+0.5
	return p
}

// Mode is one wave, Amplitude cos(2 pi (Wave.p - Rate t + Phase)): perpendicular to its wave number, so it has no
// divergence.
type Mode struct {
	Wave      [3]float64 // waves per cell along each axis
	Rate      float64    // waves that pass per step
	Phase     float64    // in waves
	Amplitude [3]float64 // of a field whose components have rms 1
}

// moment holds the time-dependent factors of all modes on the face, and their common part there.
type moment struct {
	time, at, level float64
	factors         []circle
}

// NewTurbulence returns the field of a face. The factors of the cells of own are stored: the caller needs them often.
func NewTurbulence(modes []Mode, own Sheet, rms func(p [3]float64, speed float64) float64, code string) *Turbulence {
	f := &Turbulence{Modes: modes, Sheet: own, RMS: rms, Code: code, share: make([]circle, len(modes))}
	for k, axis := range []int{own.U, own.V} {
		f.rows[k] = make([][]circle, own.N[k])
		for i := range f.rows[k] {
			f.rows[k][i] = f.factors(axis, float64(own.First[k]+i)+0.5)
		}
	}
	return f
}

// Weigh sums the flux of each mode through cells of the sheet, followed by the weights. A weight is a component's rms in the
// flux through a cell, RMS, or 0 where the face is blocked, and below 8. Sums are of integers, wide enough for a whole face,
// so its parts add up in any order.
func (f *Turbulence) Weigh(cells int, weight func(p [3]float64) float64) []int64 {
	unit := math.Ldexp(1, 59-bits.Len(uint(cells)))
	whole := func(v float64) int64 { return int64(math.RoundToEven(v * unit)) }
	sums := make([]int64, 2*len(f.Modes)+1)
	var mu sync.Mutex
	parallel.Ranges(f.N[1], func(lo, hi int) {
		part := make([]int64, len(sums))
		for j := lo; j < hi; j++ {
			for i, row := range f.rows[0] {
				w := weight(f.place(i, j))
				if w == 0 {
					continue
				}
				for n, c := range row {
					c = c.times(f.rows[1][j][n])
					part[2*n] += whole(w * c.re)
					part[2*n+1] += whole(w * c.im)
				}
				part[len(part)-1] += whole(w)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for k, v := range part {
			sums[k] += v
		}
	})
	return sums
}

// Balance receives the sums of all parts of the face, before the first query of a velocity.
func (f *Turbulence) Balance(sums []int64) {
	all := float64(sums[len(sums)-1])
	for n := range f.share {
		if f.share[n] = (circle{}); all != 0 {
			f.share[n] = circle{float64(sums[2*n]) / all, float64(sums[2*n+1]) / all}
		}
	}
	f.last.Store(nil)
}

// FinerModes returns the waves in units of cells and steps scaled by a factor.
func FinerModes(modes []Mode, width float64) []Mode {
	modes = slices.Clone(modes)
	for k := range modes {
		m := &modes[k]
		m.Rate *= width
		for a := range m.Wave {
			m.Wave[a] *= width
		}
	}
	return modes
}

// Add adds the fluctuation at a position and a time to the velocity of the mean flow.
func (f *Turbulence) Add(u [3]float64, p [3]float64, t float64) [3]float64 {
	rms := f.RMS(p, math.Sqrt(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]))
	now := f.moment(p[f.Axis], t)
	one, two, three := f.row(0, p[f.U]), f.row(1, p[f.V]), now.factors
	two, three = two[:len(one)], three[:len(one)]
	var x, y, z float64
	for n := range one {
		a, b, c := &one[n], &two[n], &three[n]
		v := (a.re*b.re-a.im*b.im)*c.re - (a.re*b.im+a.im*b.re)*c.im
		size := &f.Modes[n].Amplitude
		x += size[0] * v
		y += size[1] * v
		z += size[2] * v
	}
	sum := [3]float64{x, y, z}
	sum[f.Axis] -= now.level
	for a := range u {
		u[a] += rms * sum[a]
	}
	return u
}

// Level returns the common part of all waves over the face at a time, weighted as by Weigh. Add subtracts
// it, so that the flux through the face does not fluctuate, which would emit sound.
func (f *Turbulence) Level(t float64) (level float64) {
	for n := range f.Modes {
		c := f.phase(n, f.At, t)
		level += f.Modes[n].Amplitude[f.Axis] * (f.share[n].re*c.re - f.share[n].im*c.im)
	}
	return level
}

// moment of a time and a position normal to the face: all callers in a step need the same one.
func (f *Turbulence) moment(at, t float64) *moment {
	if last := f.last.Load(); last != nil && last.time == t && last.at == at {
		return last
	}
	m := &moment{time: t, at: at, level: f.Level(t), factors: make([]circle, len(f.Modes))}
	for n := range m.factors {
		m.factors[n] = f.phase(n, at, t)
	}
	f.last.Store(m)
	return m
}

// phase returns a mode's factor for the time and a position normal to the face.
func (f *Turbulence) phase(n int, at, t float64) circle {
	w := &f.Modes[n]
	return turned(w.Wave[f.Axis]*at + (w.Phase - w.Rate*t))
}

// row returns the factors at a coordinate along the face.
func (f *Turbulence) row(k int, at float64) []circle {
	i := math.Floor(at)
	if n := int(i) - f.First[k]; at == i+0.5 && n >= 0 && n < len(f.rows[k]) {
		return f.rows[k][n]
	}
	return f.factors([]int{f.U, f.V}[k], at)
}

// factors of all modes at a coordinate.
func (f *Turbulence) factors(axis int, at float64) []circle {
	list := make([]circle, len(f.Modes))
	for n := range f.Modes {
		list[n] = turned(f.Modes[n].Wave[axis] * at)
	}
	return list
}

// circle is a number on the unit circle.
type circle struct{ re, im float64 }

// turned returns e^(2 pi i turns).
func turned(turns float64) circle {
	sin, cos := math.Sincos(2 * math.Pi * (turns - math.RoundToEven(turns)))
	return circle{cos, sin}
}

func (c circle) times(d circle) circle {
	return circle{c.re*d.re - c.im*d.im, c.re*d.im + c.im*d.re}
}
