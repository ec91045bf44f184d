// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// A scalar that is convected and diffused stays between the smallest and the largest value that
// the case gives it: at the start, at walls and at inflows. The stability watch compares the
// temperature with these bounds.

// Bounds are the smallest and the largest temperature that a case gives, above the reference, and
// where it gives them.
type Bounds struct {
	Lo, Hi     float64
	LoOf, HiOf string
}

// alike is the span below which values count as equal: a fraction of the largest distance from the reference, somewhat more
// than the rounding of float32.
const alike = 1e-3

// Far returns the largest distance from the reference. Density changes the temperature by this times the
// share by which it changes.
func (b *Bounds) Far() float64 { return math.Max(math.Abs(b.Lo), math.Abs(b.Hi)) }

// Span returns the difference between the bounds; where they are alike, their distance from the reference.
func (b *Bounds) Span() float64 {
	if b.Alike() {
		return b.Far()
	}
	return b.Hi - b.Lo
}

// Alike: there is one temperature only.
func (b *Bounds) Alike() bool { return b.Hi-b.Lo <= alike*b.Far() }

// hold extends the bounds by values.
func (b *Bounds) hold(lo, hi float64, of string) {
	if lo < b.Lo {
		b.Lo, b.LoOf = lo, of
	}
	if hi > b.Hi {
		b.Hi, b.HiOf = hi, of
	}
}

// bound finds the bounds of the temperature, once all walls are known. A heat flux may make it any;
// where all temperatures are the reference it is exactly that.
func (r *warmth) bound() {
	if !r.Spec.Scalar || !r.haveTime || !r.haveBox {
		return
	}
	b := &Bounds{Lo: math.Inf(1), Hi: math.Inf(-1)}
	lo, hi, of := r.atStart()
	b.hold(lo, hi, of)
	flux := false
	wall := func(w boundary.ScalarWall, of string) {
		switch w.Law {
		case boundary.ScalarFixed:
			b.hold(w.Value, w.Value, of)
		case boundary.ScalarFlux:
			flux = flux || w.Value != 0
		case boundary.ScalarConducts:
			flux = flux || w.Value != 0
		}
	}
	for _, o := range r.Boundaries {
		wall(o.Temperature, "[boundary."+o.Name+"]")
	}
	for _, o := range r.Bodies {
		wall(o.Temperature, "[body."+o.Name+"]")
	}
	far := b.Far()
	if !(far > 0 && far < math.Inf(1)) {
		return
	}
	if r.halves(far, flux); !flux {
		r.Temperature.Bounds = b
	}
}

// leastHalf and mostHalf are the limits of differences from the reference in 16 bits, in K (kernels/scale16.h), with
// a margin for overshoots.
const leastHalf, mostHalf = 1e-3, 16.

// halves checks that 16 bits hold temperatures up to this distance from the reference, and maybe others.
func (r *warmth) halves(far float64, others bool) {
	if r.Spec.Precision != model.Float16 || far <= mostHalf && (others || far >= leastHalf) {
		return
	}
	r.Add(r.Section("temperature").At, "use precision = \"float32\", or a reference within the range of temperatures",
		"the temperature is up to %s K from the reference of %s K: float16 represents differences of %s to %s K", language.Short(far), language.Short(r.Temperature.Reference), language.Short(leastHalf), language.Short(mostHalf))
}

// atStart returns the range of the initial temperature above the reference, and the key that sets it.
func (r *warmth) atStart() (lo, hi float64, of string) {
	e := r.Section("temperature").Get("initial")
	if e == nil {
		return 0, 0, "[temperature] reference"
	}
	a := e.Values[0]
	if a.Expr == nil {
		v := r.Temperature.Initial.At(0, 0, 0)
		return v, v, "[temperature] initial"
	}
	var first, last [4]float64
	for i, n := range r.Cells {
		first[i], last[i] = 0.5, float64(n)-0.5
	}
	lo, hi = a.Expr.Range(first, last, r.vars())
	scale, reference := a.Scale/r.Units.Factor(model.Temperature), r.Temperature.Reference
	return lo*scale - reference, hi*scale - reference, "[temperature] initial"
}
