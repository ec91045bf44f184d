package boundary

import (
	"math"
	"sync/atomic"
)

// Turbulence is what a velocity face adds to its mean velocity: waves that the mean flow carries through the
// face, all at one speed (Taylor's hypothesis). It is a function of the place and the time alone, so
// that no cut and no restart changes it.
type Turbulence struct {
	Modes []Mode
	Sheet
	// RMS of each component at a place where the mean flow has a speed, in lattice units; and the same as C of x, y, z and
	// speed, in double.
	RMS  func(p [3]float64, speed float64) float64
	Code string

	rows  [2][][]circle          // along u and v, of each of the cells' centres the factors of all modes
	share []circle               // of each mode in what passes the face
	last  atomic.Pointer[moment] // that was asked for
}

// Sheet is the cells beside a face, or those that hold a part of it.
type Sheet struct {
	Axis, U, V int    // across the face, and the two along it
	First, N   [2]int // cells along U and V
	At         float64
}

// place of the centre of a cell of the sheet, on the face.
func (s Sheet) place(i, j int) (p [3]float64) {
	p[s.Axis], p[s.U], p[s.V] = s.At, float64(s.First[0]+i)+0.5, float64(s.First[1]+j)+0.5
	return p
}

// Each visits the centres of the cells.
func (s Sheet) Each(visit func(p [3]float64)) {
	for j := range s.N[1] {
		for i := range s.N[0] {
			visit(s.place(i, j))
		}
	}
}

// Mode is one wave, Amplitude cos(2 pi (Wave.p - Rate t + Phase)): across its wave number, so it has no divergence.
type Mode struct {
	Wave      [3]float64 // waves in a cell along each axis
	Rate      float64    // waves that pass in a step
	Phase     float64    // in waves
	Amplitude [3]float64 // of a field whose components have the rms 1
}

// moment is the factors of all modes that the time gives, on the face, and what they have in common there.
type moment struct {
	time, at, level float64
	factors         []circle
}

// NewTurbulence makes the field of a face. weight is what a component's rms counts for in what passes a cell of the
// sheet: RMS, or 0 outside of the face.
func NewTurbulence(modes []Mode, face Sheet, rms func(p [3]float64, speed float64) float64, code string, weight func(p [3]float64) float64) *Turbulence {
	f := &Turbulence{Modes: modes, Sheet: face, RMS: rms, Code: code}
	for k, axis := range []int{face.U, face.V} {
		f.rows[k] = make([][]circle, face.N[k])
		for i := range f.rows[k] {
			f.rows[k][i] = f.factors(axis, float64(face.First[k]+i)+0.5)
		}
	}
	f.share = make([]circle, len(modes))
	all, along := 0.0, make([]circle, len(modes))
	for j := range face.N[1] {
		clear(along)
		for i := range face.N[0] {
			w := weight(face.place(i, j))
			all += w
			for n, c := range f.rows[0][i] {
				along[n].re += w * c.re
				along[n].im += w * c.im
			}
		}
		for n, c := range f.rows[1][j] {
			row := along[n].times(c)
			f.share[n].re += row.re
			f.share[n].im += row.im
		}
	}
	for n, s := range f.share {
		if f.share[n] = (circle{s.re / all, s.im / all}); all == 0 {
			f.share[n] = circle{}
		}
	}
	return f
}

// Add adds the velocity at a place and a time to that of the mean flow.
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

// Level is what all waves have in common across the face at a time, weighted by RMS. Add takes it off, so
// that what flows through the face does not fluctuate: that would be sound.
func (f *Turbulence) Level(t float64) float64 { return f.moment(f.At, t).level }

// moment of a time, and a place across the face: all who ask for a step ask for the same one.
func (f *Turbulence) moment(at, t float64) *moment {
	if last := f.last.Load(); last != nil && last.time == t && last.at == at {
		return last
	}
	m := &moment{time: t, at: at, factors: make([]circle, len(f.Modes))}
	for n := range f.Modes {
		w := &f.Modes[n]
		c := turned(w.Wave[f.Axis]*at + (w.Phase - w.Rate*t))
		m.factors[n] = c
		m.level += w.Amplitude[f.Axis] * (f.share[n].re*c.re - f.share[n].im*c.im)
	}
	f.last.Store(m)
	return m
}

// row is the factors at a coordinate along the face.
func (f *Turbulence) row(k int, at float64) []circle {
	i := math.Floor(at)
	if n := int(i) - f.First[k]; at == i+0.5 && n >= 0 && n < len(f.rows[k]) {
		return f.rows[k][n]
	}
	return f.factors([]int{f.U, f.V}[k], at)
}

// factors that a coordinate gives all modes.
func (f *Turbulence) factors(axis int, at float64) []circle {
	list := make([]circle, len(f.Modes))
	for n := range f.Modes {
		list[n] = turned(f.Modes[n].Wave[axis] * at)
	}
	return list
}

// circle is a number on the unit circle.
type circle struct{ re, im float64 }

// turned is e^(2 pi i turns).
func turned(turns float64) circle {
	sin, cos := math.Sincos(2 * math.Pi * (turns - math.RoundToEven(turns)))
	return circle{cos, sin}
}

func (c circle) times(d circle) circle {
	return circle{c.re*d.re - c.im*d.im, c.re*d.im + c.im*d.re}
}
