// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// program computes an expression: numbered values, each from earlier ones. The first ones are the variables. Equal parts
// of an expression are computed once: distances from a point occur many times where a user writes down a flow.
type program struct {
	start  []float64 // values before it runs: constants have theirs
	steps  []step
	result int
	on     []dependence // of each value, once all steps are known
	plan   plan         // likewise
}

// step computes one value. op is the operation; a call has its function in one of f1 to f3.
type step struct {
	op           operation
	a, b, c, out int
	f1           func(a float64) float64
	f2           func(a, b float64) float64
	f3           func(a, b, c float64) float64
}

type operation byte

const (
	call1 operation = iota
	call2
	call3
	add
	subtract
	multiply
	divide
	negate
	square
	cube
	fourth
)

// Values are on the stack up to these numbers of them: unneeded space costs time.
const (
	fewValues  = 16
	someValues = 64
	manyValues = 256
)

// run computes it for given variables. It allocates nothing unless the expression is very long.
func (g *program) run(e *Env) float64 {
	switch n := len(g.start); {
	case len(g.steps) == 0 && g.result < nVars:
		return e[g.result]
	case len(g.steps) == 0:
		return g.start[g.result]
	case n <= fewValues:
		var v [fewValues]float64
		return g.in(v[:], e)
	case n <= someValues:
		var v [someValues]float64
		return g.in(v[:], e)
	case n <= manyValues:
		var v [manyValues]float64
		return g.in(v[:], e)
	default:
		return g.in(make([]float64, n), e)
	}
}

// in runs the program with v as room for its values.
func (g *program) in(v []float64, e *Env) float64 {
	copy(v, g.start)
	copy(v, e[:])
	for i := range g.steps {
		s := &g.steps[i]
		v[s.out] = s.value(v)
	}
	return v[g.result]
}

// rowPiece is the number of points whose values are computed together: the values of a usual expression fit into the first cache of a CPU.
const rowPiece = 128

// row runs it for each of the x. Steps that do not depend on x run once, and steps of x alone once for all rows with these x; the others are
// loops over a piece of the row.
func (g *program) row(values, x []float64, e *Env, kept *keptRows) {
	w := kept.workspace(g)
	defer kept.free.Put(w)
	v := w.v
	copy(v, g.start)
	copy(v, e[:])
	for _, s := range g.plan.once {
		v[s.out] = s.value(v)
	}
	loops, alone := g.plan.mixed, w.x
	if w.x[VarX] = x; len(x) < leastKept {
		loops = g.plan.onX
	} else {
		alone = kept.find(g, x, v)
	}
	width := min(rowPiece, len(x))
	for _, i := range g.plan.fixed {
		for k := range w.own[i][:width] {
			w.own[i][k] = v[i]
		}
	}
	copy(w.piece, w.own)
	for first := 0; first < len(x); first += width {
		width = min(width, len(x)-first)
		for i, all := range alone {
			if all != nil {
				w.piece[i] = all[first:][:width]
			}
		}
		for _, s := range loops {
			s.loop(w.piece, width)
		}
		copy(values[first:], w.piece[g.result][:width])
	}
}

// plan sorts the steps of a program for rows of points.
type plan struct {
	once       []*step // independent of x
	onX, mixed []*step // dependent on x; of these, dependent on the row as well
	fixed      []int   // values independent of x that these read
}

// workspace is the memory of a row.
type workspace struct {
	v          []float64   // values independent of x
	own, piece [][]float64 // of the other values and of fixed: a piece of the row; piece may be rows of x alone instead
	x          [][]float64 // the variable alone
}

// workspace returns one that no other goroutine uses.
func (r *keptRows) workspace(g *program) *workspace {
	if w, ok := r.free.Get().(*workspace); ok {
		return w
	}
	n := len(g.start)
	w := &workspace{make([]float64, n), make([][]float64, n), make([][]float64, n), make([][]float64, VarX+1)}
	room := make([]float64, (len(g.plan.onX)+len(g.plan.fixed))*rowPiece)
	take := func(i int) { w.own[i], room = room[:rowPiece], room[rowPiece:] }
	for _, s := range g.plan.onX {
		take(s.out)
	}
	for _, i := range g.plan.fixed {
		take(i)
	}
	return w
}

// dependence is a set of what a value depends on.
type dependence byte

const (
	onX dependence = 1 << iota
	onRow
)

// depend finds what each value depends on, and sorts the steps by that. Constants and lengths of the domain depend on nothing.
func (g *program) depend() {
	g.on = make([]dependence, len(g.start))
	g.on[VarX], g.on[VarY], g.on[VarZ], g.on[VarT] = onX, onRow, onRow, onRow
	for i := range g.steps {
		s := &g.steps[i]
		for _, at := range s.operands() {
			g.on[s.out] |= g.on[at]
		}
		if g.on[s.out]&onX == 0 {
			g.plan.once = append(g.plan.once, s)
			continue
		}
		if g.plan.onX = append(g.plan.onX, s); g.on[s.out]&onRow != 0 {
			g.plan.mixed = append(g.plan.mixed, s)
		}
		g.fix(s.a, s.b, s.c) // loop reads all three
	}
	g.fix(g.result)
}

// fix lists values as fixed unless they depend on x.
func (g *program) fix(values ...int) {
	for _, i := range values {
		if g.on[i]&onX == 0 && !slices.Contains(g.plan.fixed, i) {
			g.plan.fixed = append(g.plan.fixed, i)
		}
	}
}

// keptRows are values of x alone, of the last few rows: the rows of a box have the same x, and differences along x use two more. Safe for
// concurrent use.
type keptRows struct {
	list atomic.Pointer[[]keptRow]
	free sync.Pool // of *workspace
}

type keptRow struct {
	x      []float64
	fixed  []float64   // what the values depend on beside x
	values [][]float64 // by the values' numbers; nil: not of x alone
}

// Shorter rows, such as single points, are not kept.
const mostKept, leastKept = 4, 8

// find returns the values of a row, and computes them unless they are known. v has all values that do not depend on x.
func (r *keptRows) find(g *program, x, v []float64) [][]float64 {
	var list []keptRow
	if known := r.list.Load(); known != nil {
		list = *known
	}
	fixed := v[VarLx:nVars]
	for _, k := range list {
		if slices.EqualFunc(k.x, x, alike) && slices.EqualFunc(k.fixed, fixed, alike) {
			return k.values
		}
	}
	k := keptRow{x: slices.Clone(x), fixed: slices.Clone(fixed), values: make([][]float64, len(v))}
	k.values[VarX] = k.x
	all := slices.Clone(k.values) // with constants
	for i := range g.steps {
		s := &g.steps[i]
		if g.on[s.out] != onX {
			continue
		}
		for _, at := range []int{s.a, s.b, s.c} { // loop looks at all three
			if all[at] == nil {
				all[at] = slices.Repeat(v[at:][:1], len(x))
			}
		}
		all[s.out] = make([]float64, len(x))
		s.loop(all, len(x))
		k.values[s.out] = all[s.out]
	}
	list = append([]keptRow{k}, list[:min(len(list), mostKept-1)]...)
	r.list.Store(&list) // another goroutine's row may be lost, and is computed again
	return k.values
}

// alike reports whether two numbers have the same bits: 1/0 and 1/-0 differ.
func alike(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// operands returns the numbers of the values that a step reads.
func (s *step) operands() []int {
	switch s.op {
	case negate, square, cube, fourth, call1:
		return []int{s.a}
	case call3:
		return []int{s.a, s.b, s.c}
	}
	return []int{s.a, s.b}
}

// loop computes the step's first n values, as value does each.
func (s *step) loop(v [][]float64, n int) {
	out, a, b := v[s.out][:n], v[s.a][:n], v[s.b][:n]
	switch s.op {
	case add:
		for i, p := range a {
			out[i] = p + b[i]
		}
	case subtract:
		for i, p := range a {
			out[i] = p - b[i]
		}
	case multiply:
		for i, p := range a {
			out[i] = p * b[i]
		}
	case divide:
		for i, p := range a {
			out[i] = p / b[i]
		}
	case negate:
		for i, p := range a {
			out[i] = -p
		}
	case square:
		for i, p := range a {
			out[i] = p * p
		}
	case cube:
		for i, p := range a {
			out[i] = p * (p * p)
		}
	case fourth:
		for i, p := range a {
			out[i] = (p * p) * (p * p)
		}
	case call1:
		for i, p := range a {
			out[i] = s.f1(p)
		}
	case call2:
		for i, p := range a {
			out[i] = s.f2(p, b[i])
		}
	default:
		for i, p := range a {
			out[i] = s.f3(p, b[i], v[s.c][i])
		}
	}
}

// compact leaves out constants that no step reads: those that were folded.
func (g *program) compact() {
	used := make([]bool, len(g.start))
	used[g.result] = true
	for _, s := range g.steps {
		used[s.a], used[s.b], used[s.c], used[s.out] = true, true, true, true
	}
	at, kept := make([]int, len(g.start)), g.start[:0:0]
	for i, v := range g.start {
		at[i] = len(kept)
		if i < nVars || used[i] {
			kept = append(kept, v)
		}
	}
	for i := range g.steps {
		s := &g.steps[i]
		s.a, s.b, s.c, s.out = at[s.a], at[s.b], at[s.c], at[s.out]
	}
	g.start, g.result = kept, at[g.result]
}

func (s *step) value(v []float64) float64 {
	a := v[s.a]
	switch s.op {
	case add:
		return a + v[s.b]
	case subtract:
		return a - v[s.b]
	case multiply:
		return a * v[s.b]
	case divide:
		return a / v[s.b]
	case negate:
		return -a
	case square:
		return a * a
	case cube:
		return a * (a * a)
	case fourth:
		return (a * a) * (a * a)
	case call1:
		return s.f1(a)
	case call2:
		return s.f2(a, v[s.b])
	default:
		return s.f3(a, v[s.b], v[s.c])
	}
}

// constant adds a constant and returns its number.
func (g *program) constant(v float64) int {
	g.start = append(g.start, v)
	return len(g.start) - 1
}

// append adds a step and returns the number of its value.
func (g *program) append(s step) int {
	s.out = g.constant(0)
	g.steps = append(g.steps, s)
	return s.out
}
