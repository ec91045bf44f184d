// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import "math"

// Expressions are checked at all points where they are evaluated. Most of them are finite over a
// whole box, and their interval proves it at once; otherwise the box is cut in two,
// again and again, down to single points.

// Points are the places and times at which an expression is evaluated, in cells and steps
// along x, y, z, t: first, first + step, ...
type Points struct {
	First, Step [4]float64
	Count       [4]int
	// Around: the expression is also evaluated so far before and behind each point, along each axis.
	Around float64
	// Among are the ones that count; nil: all.
	Among func(p [4]float64) bool
}

// mostEvaluations of one expression: a second.
const mostEvaluations = 1 << 22

// Search finds the first point where an expression has an impossible value.
type Search struct {
	Points
	vars  func(x, y, z, t float64) Env
	f     *Expr
	value func(v float64) float64 // of the expression's, which rises with it
	good  func(v float64) bool    // in a range
	left  int

	At    [4]float64
	Bad   float64
	Found bool
	// Beside: it is not the point itself, but around it.
	Beside bool
}

// Everywhere checks an expression at some points, of which vars gives its variables. good reports
// whether a value is allowed; value converts the expression's values first, and never decreases.
// whole is false if there are too many points to evaluate all and no violation was found so far.
func (e *Expr) Everywhere(l Points, vars func(x, y, z, t float64) Env, value func(v float64) float64, good func(v float64) bool) (s *Search, whole bool) {
	s = &Search{Points: l, vars: vars, f: e, left: mostEvaluations, good: good, value: value}
	for i, v := range []int{VarX, VarY, VarZ, VarT} {
		if !e.DependsOn(v) && (l.Among == nil || v == VarT) { // they are all alike
			s.Count[i] = 1
		}
	}
	s.look([4]int{}, s.Count)
	return s, s.Found || s.left > 0
}

// mostCuts of a box, one in another, on the way to a range.
const mostCuts = 12

// Range holds all values of an expression over the box from one point to another, in cells and steps,
// of which vars gives its variables. It is infinite where nothing is known. The box is cut in two,
// again and again: intervals of parts are tighter than the interval of the whole.
func (e *Expr) Range(first, last [4]float64, vars func(x, y, z, t float64) Env) (lo, hi float64) {
	var within func(first, last [4]float64, cuts int) interval
	within = func(first, last [4]float64, cuts int) interval {
		longest := -1
		for i, v := range []int{VarX, VarY, VarZ, VarT} {
			if e.DependsOn(v) && last[i] > first[i] && (longest < 0 || last[i]-first[i] > last[longest]-first[longest]) {
				longest = i
			}
		}
		if cuts == 0 || longest < 0 {
			over := boxOf(vars(first[0], first[1], first[2], first[3]), vars(last[0], last[1], last[2], last[3]))
			if i := e.over(&over); i.bounded() {
				return i
			}
			return anything()
		}
		before, behind := last, first
		before[longest] = (first[longest] + last[longest]) / 2
		behind[longest] = before[longest]
		a, b := within(first, before, cuts-1), within(behind, last, cuts-1)
		return interval{math.Min(a.lo, b.lo), math.Max(a.hi, b.hi)}
	}
	i := within(first, last, mostCuts)
	return i.lo, i.hi
}

// boxOf returns the box between two points.
func boxOf(a, b Env) (over box) {
	for i := range over {
		over[i] = interval{math.Min(a[i], b[i]), math.Max(a[i], b[i])}
	}
	return over
}

// few points are evaluated one by one.
const few = 16

// look checks the points from lo to hi.
func (s *Search) look(lo, hi [4]int) {
	number, longest := 1.0, 0
	for i := range lo {
		number *= float64(hi[i] - lo[i])
		if hi[i]-lo[i] > hi[longest]-lo[longest] {
			longest = i
		}
	}
	if s.Found || s.left <= 0 || number == 0 {
		return
	}
	if number <= few {
		for t := lo[3]; t < hi[3]; t++ {
			for z := lo[2]; z < hi[2]; z++ {
				for y := lo[1]; y < hi[1]; y++ {
					for x := lo[0]; x < hi[0] && !s.Found; x++ {
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
		from[i], to[i] = from[i]-s.Around, to[i]+s.Around
	}
	over := boxOf(s.vars(from[0], from[1], from[2], from[3]), s.vars(to[0], to[1], to[2], to[3]))
	if i := s.f.over(&over); i.bounded() && s.fine(s.value(i.lo)) && s.fine(s.value(i.hi)) {
		return
	}
	mid := (lo[longest] + hi[longest]) / 2
	first, second := hi, lo
	first[longest], second[longest] = mid, mid
	s.look(lo, first)
	s.look(second, hi)
}

func (s *Search) place(k [4]int) (p [4]float64) {
	for i := range p {
		p[i] = s.First[i] + s.Step[i]*float64(k[i])
	}
	return p
}

func (s *Search) fine(v float64) bool { return v-v == 0 && s.good(v) }

// point checks a single point.
func (s *Search) point(p [4]float64) {
	s.left--
	if s.Among != nil && !s.Among(p) {
		return
	}
	s.try(p)
	for i := range 3 {
		for _, d := range []float64{-s.Around, s.Around} {
			if q := p; d != 0 && s.f.DependsOn(i) {
				q[i] += d
				before := s.Found
				s.try(q)
				s.Beside = s.Beside || s.Found && !before
			}
		}
	}
}

func (s *Search) try(p [4]float64) {
	if v := s.value(s.f.Eval(s.vars(p[0], p[1], p[2], p[3]))); !s.Found && !s.fine(v) {
		s.At, s.Bad, s.Found = p, v, true
	}
}
