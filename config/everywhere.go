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

// Where a run evaluates expressions: they are looked at there before it starts.

// sampler looks at expressions in all fluid cells, once the bodies are known.
type sampler struct {
	*frame
	looks []func(*Solids)
}

// centres are those of all cells, at a time.
func (r *sampler) centres(t float64) language.Points {
	n := r.Cells
	return language.Points{First: [4]float64{0.5, 0.5, 0.5, t}, Step: [4]float64{1, 1, 1, 1}, Count: [4]int{n[0], n[1], n[2], 1}}
}

// everywhere looks at an expression of a dimension, whose value of gives in lattice units as wanted.
// whole is false where it has too many points to be looked at and none was found until then.
func (r *sampler) everywhere(a language.Amount, d model.Dimension, l language.Points, of func(v float64) float64, good func(v float64) bool) (s *language.Search, whole bool) {
	scale := a.Scale / r.Units.Factor(d)
	return a.Expr.Everywhere(l, r.vars(), func(v float64) float64 { return of(v * scale) }, good)
}

// sample looks at the values of an expression, or a number, in all fluid cells and reports one that
// cannot be, once the bodies are known. of is as of everywhere.
func (r *sampler) sample(e *language.Entry, a language.Amount, d model.Dimension, l language.Points, of func(v float64) float64, wrong func(v float64) string) {
	r.looks = append(r.looks, func(s *Solids) { r.sampleNow(s, e, a, d, l, of, wrong) })
}

// sampleAll does what sample was asked for.
func (r *sampler) sampleAll(s *Solids) {
	for _, look := range r.looks {
		r.once(func() { look(s) }, s.Bodies...)
	}
}

func (r *sampler) sampleNow(solids *Solids, e *language.Entry, a language.Amount, d model.Dimension, l language.Points, of func(v float64) float64, wrong func(v float64) string) {
	reason := func(v float64) string {
		if v-v != 0 {
			return "the expression must give a finite number in every fluid cell"
		}
		return wrong(v)
	}
	if a.Expr == nil {
		if v := of(r.lattice(a, d)); reason(v) != "" {
			r.Add(a.At, reason(v), "%s is %s (lattice units)", e.Key.Name, language.Short(v))
		}
		return
	}
	bodies := solids.Bodies // what it is inside of a body does not matter, but a temperature where that conducts
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
			why += ", and a thousandth of a cell beside its centre, where the gradient is taken"
		}
		r.Add(a.At, why, "%s is %s (lattice units) in cell %s%s", e.Key.Name, language.Short(s.Bad), r.cellAt(s.At), where)
	case !whole:
		r.unlooked(e)
	}
}

// cellAt is the cell that a point lies in, in words.
func (r *sampler) cellAt(p [4]float64) string {
	text := ""
	for i := range r.dims {
		text += fmt.Sprintf(", %.0f", math.Floor(p[i]))
	}
	return "(" + text[2:] + ")"
}

// unlooked warns that an expression could not be looked at everywhere.
func (r *sampler) unlooked(e *language.Entry) {
	r.warn(finding.ExpressionUnchecked, "%s in %s has too many places where it might be infinite or no number: not all of them were looked at", e.Key.Name, r.Where(e.At))
}
