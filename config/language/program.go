// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

// program computes an expression: numbered values, each from earlier ones. The first ones are the variables. Equal parts
// of an expression are computed once: distances from a point occur many times where a user writes down a flow.
type program struct {
	start  []float64 // values before it runs: constants have theirs
	steps  []step
	result int
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
