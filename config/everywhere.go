package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/geometry"
	"lbmsim/model"
)

// Expressions are looked at everywhere where a run evaluates them. Most of them are finite over
// the whole domain, and their interval says so at once; where it does not, the domain is cut in two,
// again and again, down to single points.

// lattice is the points at which an expression is evaluated, in cells and steps along x, y, z, t:
// first, first + step, ...
type lattice struct {
	first, step [4]float64
	count       [4]int
	// around: the expression is also evaluated so far before and behind each point, along each axis.
	around float64
	// among tells which of them count; nil: all.
	among func(p [4]float64) bool
}

// centres are those of all cells, at a time.
func (r *resolver) centres(t float64) lattice {
	n := r.c.Cells
	return lattice{first: [4]float64{0.5, 0.5, 0.5, t}, step: [4]float64{1, 1, 1, 1}, count: [4]int{n[0], n[1], n[2], 1}}
}

// mostEvaluations of one expression: a second.
const mostEvaluations = 1 << 22

// search is for the first point where an expression has a value that cannot be.
type search struct {
	lattice
	vars  func(x, y, z, t float64) env
	f     *expr
	value func(v float64) float64 // of the expression's, which rises with it
	good  func(v float64) bool    // in a range
	left  int

	at    [4]float64
	bad   float64
	found bool
	// beside: it is not the point itself, but around it.
	beside bool
}

// everywhere looks at an expression of a dimension, whose value of gives in lattice units as wanted.
// whole is false where it has too many points to be looked at and none was found until then.
func (r *resolver) everywhere(a amount, d model.Dimension, l lattice, of func(v float64) float64, good func(v float64) bool) (s *search, whole bool) {
	scale := a.scale / r.c.Units.Factor(d)
	s = &search{lattice: l, vars: r.vars(), f: a.f, left: mostEvaluations, good: good, value: func(v float64) float64 { return of(v * scale) }}
	for i, v := range []int{varX, varY, varZ, varT} {
		if a.f.uses[v].len == 0 && (l.among == nil || v == varT) { // they are all alike
			s.count[i] = 1
		}
	}
	s.look([4]int{}, s.count)
	return s, s.found || s.left > 0
}

// few points are looked at one by one.
const few = 16

// look looks at the points from lo to hi.
func (s *search) look(lo, hi [4]int) {
	points, longest := 1.0, 0
	for i := range lo {
		points *= float64(hi[i] - lo[i])
		if hi[i]-lo[i] > hi[longest]-lo[longest] {
			longest = i
		}
	}
	if s.found || s.left <= 0 || points == 0 {
		return
	}
	if points <= few {
		for t := lo[3]; t < hi[3]; t++ {
			for z := lo[2]; z < hi[2]; z++ {
				for y := lo[1]; y < hi[1]; y++ {
					for x := lo[0]; x < hi[0] && !s.found; x++ {
						s.point(s.place([4]int{x, y, z, t}))
					}
				}
			}
		}
		return
	}
	s.left--
	from, to := s.place(lo), s.place([4]int{hi[0] - 1, hi[1] - 1, hi[2] - 1, hi[3] - 1})
	for i := range 3 {
		from[i], to[i] = from[i]-s.around, to[i]+s.around
	}
	a, b := s.vars(from[0], from[1], from[2], from[3]), s.vars(to[0], to[1], to[2], to[3])
	var over box
	for i := range over {
		over[i] = interval{math.Min(a[i], b[i]), math.Max(a[i], b[i])}
	}
	if i := s.f.over(&over); i.bounded() && s.fine(s.value(i.lo)) && s.fine(s.value(i.hi)) {
		return
	}
	mid := (lo[longest] + hi[longest]) / 2
	first, second := hi, lo
	first[longest], second[longest] = mid, mid
	s.look(lo, first)
	s.look(second, hi)
}

func (s *search) place(k [4]int) (p [4]float64) {
	for i := range p {
		p[i] = s.first[i] + s.step[i]*float64(k[i])
	}
	return p
}

func (s *search) fine(v float64) bool { return v-v == 0 && s.good(v) }

// point looks at one.
func (s *search) point(p [4]float64) {
	s.left--
	if s.among != nil && !s.among(p) {
		return
	}
	s.try(p)
	for i := range 3 {
		for _, d := range []float64{-s.around, s.around} {
			if q := p; d != 0 && s.f.uses[i].len > 0 {
				q[i] += d
				before := s.found
				s.try(q)
				s.beside = s.beside || s.found && !before
			}
		}
	}
}

func (s *search) try(p [4]float64) {
	if v := s.value(s.f.eval(s.vars(p[0], p[1], p[2], p[3]))); !s.found && !s.fine(v) {
		s.at, s.bad, s.found = p, v, true
	}
}

// sample looks at the values of an expression, or a number, in all fluid cells and reports one that
// cannot be, once the bodies are known. of is as of everywhere.
func (r *resolver) sample(e *entry, a amount, d model.Dimension, l lattice, of func(v float64) float64, wrong func(v float64) string) {
	r.samples = append(r.samples, func() { r.sampleNow(e, a, d, l, of, wrong) })
}

// sampleAll does what sample was asked for.
func (r *resolver) sampleAll() {
	for _, look := range r.samples {
		look()
	}
}

func (r *resolver) sampleNow(e *entry, a amount, d model.Dimension, l lattice, of func(v float64) float64, wrong func(v float64) string) {
	reason := func(v float64) string {
		if v-v != 0 {
			return "the expression must give a finite number in every fluid cell"
		}
		return wrong(v)
	}
	if a.f == nil {
		if v := of(r.lattice(a, d)); reason(v) != "" {
			r.add(a.at, reason(v), "%s is %s (lattice units)", e.key.name, short(v))
		}
		return
	}
	if shapes := r.wholeShapes(); len(shapes) > 0 { // nobody asks for what it is in a body
		l.among = func(p [4]float64) bool {
			return !slices.ContainsFunc(shapes, func(s geometry.Shape) bool { return s.Contains(p[0], p[1], p[2]) })
		}
	}
	s, whole := r.everywhere(a, d, l, of, func(v float64) bool { return wrong(v) == "" })
	switch {
	case s.found:
		p := r.vars()(s.at[0], s.at[1], s.at[2], s.at[3])
		where := ""
		for i := range r.dims {
			where += ", " + axes()[i] + " = " + r.si(p[i], model.Length)
		}
		why := reason(s.bad)
		if s.beside {
			why += ", and a thousandth of a cell beside its centre, where the gradient is taken"
		}
		message := fmt.Sprintf("%s is %s (lattice units) in cell %s%s", e.key.name, short(s.bad), r.cellAt(s.at), where)
		for _, b := range r.c.Bodies {
			if !b.Whole() {
				r.warn("%s, unless [body.%s] covers it: %s", message, b.Name, why)
				return
			}
		}
		r.add(a.at, why, "%s", message)
	case !whole:
		r.unlooked(e)
	}
}

// cellAt is the cell that a point lies in, in words.
func (r *resolver) cellAt(p [4]float64) string {
	text := ""
	for i := range r.dims {
		text += fmt.Sprintf(", %.0f", math.Floor(p[i]))
	}
	return "(" + text[2:] + ")"
}

// unlooked tells that an expression could not be looked at everywhere.
func (r *resolver) unlooked(e *entry) {
	r.warn("%s in %s has too many places where it might be infinite or no number: not all of them were looked at", e.key.name, r.where(e.at))
}

// onFace are the points of a boundary's own part of a face where a run asks for its velocity: cells'
// centres and, where links end, half a cell beside them, in the middle of steps.
func (r *resolver) onFace(i int, f Face) lattice {
	lo, hi, mine := r.partOf(i, f)
	l := lattice{first: [4]float64{0.5, 0.5, 0.5, 0.5}, step: [4]float64{0.5, 0.5, 0.5, 1}, count: [4]int{1, 1, 1, max(r.c.Run.Steps, 1)}}
	l.first[f.Axis] = float64(f.Side * r.c.Cells[f.Axis])
	u, v := geometry.Along(f.Axis)
	for _, a := range []int{u, v} {
		if a < r.dims {
			l.first[a], l.count[a] = float64(lo[a]), 2*(hi[a]-lo[a])+1
		}
	}
	l.among = func(p [4]float64) bool {
		for _, du := range []float64{-0.25, 0.25} { // a point between two cells belongs to both
			for _, dv := range []float64{-0.25, 0.25} {
				var cell [3]int
				cell[u], cell[v] = int(math.Floor(p[u]+du)), int(math.Floor(p[v]+dv))
				if cell[u] >= lo[u] && cell[u] < hi[u] && cell[v] >= lo[v] && cell[v] < hi[v] && mine(cell) {
					return true
				}
			}
		}
		return false
	}
	return l
}
