// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// Expressions are checked before the run starts, at the points where the run evaluates them.

// sampler checks expressions in all fluid cells, once the bodies are known.
type sampler struct {
	*frame
	looks []func(*Solids)
}

// centres returns the centres of all cells, at a time.
func (r *sampler) centres(t float64) language.Points {
	n := r.Cells
	return language.Points{First: [4]float64{0.5, 0.5, 0.5, t}, Step: [4]float64{1, 1, 1, 1}, Count: [4]int{n[0], n[1], n[2], 1}}
}

// everywhere checks an expression of a dimension; of converts its value in lattice units to the value that good judges.
// whole is false if there are too many points to evaluate all and no violation was found so far.
func (r *sampler) everywhere(a language.Amount, d model.Dimension, l language.Points, of func(v float64) float64, good func(v float64) bool) (s *language.Search, whole bool) {
	scale := a.Scale / r.Units.Factor(d)
	return a.Expr.Everywhere(l, r.vars(), func(v float64) float64 { return of(v * scale) }, good)
}

// sample checks the values of an expression, or a number, in all fluid cells and reports an
// impossible one, once the bodies are known. of is the same as in everywhere.
func (r *sampler) sample(e *language.Entry, a language.Amount, d model.Dimension, l language.Points, of func(v float64) float64, wrong func(v float64) string) {
	r.looks = append(r.looks, func(s *Solids) { r.sampleNow(s, e, a, d, l, of, wrong) })
}

// sampleAll carries out all calls of sample.
func (r *sampler) sampleAll(s *Solids) {
	for _, look := range r.looks {
		r.once(func() { look(s) }, s.Bodies...)
	}
}

func (r *sampler) sampleNow(solids *Solids, e *language.Entry, a language.Amount, d model.Dimension, l language.Points, of func(v float64) float64, wrong func(v float64) string) {
	reason := func(v float64) string {
		if v-v != 0 {
			return "the expression must be finite in every fluid cell"
		}
		return wrong(v)
	}
	if a.Expr == nil {
		if v := of(r.lattice(a, d)); reason(v) != "" {
			r.Add(a.At, reason(v), "%s is %s (lattice units)", e.Key.Name, language.Short(v))
		}
		return
	}
	bodies := solids.Bodies // values within a body do not matter, except the temperature of conducting bodies
	if d == model.Temperature {
		bodies = slices.DeleteFunc(slices.Clone(bodies), func(b Body) bool { return b.Temperature.Law == boundary.ScalarConducts })
	}
	if shapes := r.knownShapes(bodies); len(shapes) > 0 {
		l.Among = func(p [4]float64) bool {
			return !slices.ContainsFunc(shapes, func(s geometry.Shape) bool { return s.Contains(p[0], p[1], p[2]) })
		}
	}
	s, whole := r.everywhere(a, d, l, of, func(v float64) bool { return wrong(v) == "" })
	switch {
	case s.Found:
		p := r.vars()(s.At[0], s.At[1], s.At[2], s.At[3])
		where := ""
		for i := range r.dims {
			where += ", " + axes()[i] + " = " + r.si(p[i], model.Length)
		}
		why := reason(s.Bad)
		if s.Beside {
			why += ", and a thousandth of a cell from its centre, where the gradient is evaluated"
		}
		r.Add(a.At, why, "%s is %s (lattice units) in cell %s%s", e.Key.Name, language.Short(s.Bad), r.cellAt(s.At), where)
	case !whole:
		r.unlooked(e)
	}
}

// cellAt formats the cell that a point lies in.
func (r *sampler) cellAt(p [4]float64) string {
	text := ""
	for i := range r.dims {
		text += fmt.Sprintf(", %.0f", math.Floor(p[i]))
	}
	return "(" + text[2:] + ")"
}

// unlooked warns of an expression that could not be checked everywhere.
func (r *sampler) unlooked(e *language.Entry) {
	r.warn(finding.ExpressionUnchecked, "%s in %s has too many points where it may be infinite or NaN: not all of them were checked", e.Key.Name, r.Where(e.At))
}
