// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Arithmetic in the file: numbers, + - * / ^, comparisons, functions and the
// variables below; nothing else exists, so an untrusted case file can do no
// harm. An expression is compiled to a program once, and written as C for devices that evaluate it
// themselves.

// Env holds the variables of an expression, in the order of variables.
type Env [nVars]float64

const nVars = 7

// Variables of expressions: the position and the domain's sizes in the user's
// length (metres, or cells in lattice units), and the time (seconds or steps).
func Variables() [nVars]string { return [nVars]string{"x", "y", "z", "t", "Lx", "Ly", "Lz"} }

// Indices of variables.
const (
	VarX, VarY, VarZ, VarT, VarLx = 0, 1, 2, 3, 4
)

// Expr is a compiled expression. It is safe for concurrent use.
type Expr struct {
	program  program
	kept     keptRows
	over     func(*box) interval // all of its values in a box
	Code     string              // the same as C, with {i} for variable i
	constant bool                // no variable in it; value is set
	value    float64
	uses     [nVars]Mark // where each variable occurs first; len 0 when it does not
}

// Eval returns the value of the expression. Equal expressions give equal bits.
func (e *Expr) Eval(v Env) float64 { return e.program.run(&v) }

// Row computes values for a row of points, which have the x and otherwise the variables of v, with the bits of Eval.
func (e *Expr) Row(values, x []float64, v Env) { e.program.row(values, x, &v, &e.kept) }

// DependsOn reports whether a variable is in the expression.
func (e *Expr) DependsOn(v int) bool { return e.uses[v].Len > 0 }

// exprError points into the text of an expression.
type exprError struct {
	off, len int
	msg      string
	reason   string
}

// limits of an expression.
const (
	maxExprDepth = 100
	maxExprNodes = 1000
)

// Function of an expression; whichever of f1 to f3 is set determines the number of arguments.
// Plain signatures keep evaluation free of allocations.
type Function struct {
	Name string
	f1   func(a float64) float64
	f2   func(a, b float64) float64
	fold bool // f2 takes any number of arguments from two on, from the left
	f3   func(a, b, c float64) float64
	Doc  string
	c    string // as C, with its arguments as %[1]s, %[2]s, ...; "": a call by its name
	// The same of intervals: bounded ones, but for o3.
	o1 func(a interval) interval
	o2 func(a, b interval) interval
	o3 func(a, b, c interval) interval
}

// code returns the function's call in C.
func (f Function) code() string {
	switch {
	case f.c != "":
		return f.c
	case f.f2 != nil:
		return f.Name + "(%[1]s, %[2]s)"
	}
	return f.Name + "(%[1]s)"
}

// Functions returns the functions that expressions know.
func Functions() []Function {
	return []Function{
		{Name: "sin", f1: math.Sin, o1: waveOver(math.Pi / 2), Doc: "sine"},
		{Name: "cos", f1: math.Cos, o1: waveOver(0), Doc: "cosine"},
		{Name: "tan", f1: math.Tan, o1: tanOver, Doc: "tangent"},
		{Name: "asin", f1: math.Asin, o1: within(-1, 1, rising(math.Asin)), Doc: "arc sine"},
		{Name: "acos", f1: math.Acos, o1: within(-1, 1, func(a interval) interval { return about(math.Acos(a.hi), math.Acos(a.lo)) }), Doc: "arc cosine"},
		{Name: "atan", f1: math.Atan, o1: rising(math.Atan), Doc: "arc tangent"},
		{Name: "atan2", f2: math.Atan2, o2: func(a, b interval) interval { return interval{-4, 4} }, Doc: "atan2(y, x): the angle of the point (x, y)"},
		{Name: "sinh", f1: math.Sinh, o1: rising(math.Sinh), Doc: "hyperbolic sine"},
		{Name: "cosh", f1: math.Cosh, o1: coshOver, Doc: "hyperbolic cosine"},
		{Name: "tanh", f1: math.Tanh, o1: rising(math.Tanh), Doc: "hyperbolic tangent"},
		{Name: "exp", f1: math.Exp, o1: rising(math.Exp), Doc: "exponential"},
		{Name: "log", f1: math.Log, o1: within(0, inf, rising(math.Log)), Doc: "natural logarithm"},
		{Name: "sqrt", f1: math.Sqrt, o1: within(0, inf, rising(math.Sqrt)), Doc: "square root"},
		{Name: "abs", f1: math.Abs, o1: absOver, Doc: "magnitude", c: "fabs(%[1]s)"},
		{Name: "floor", f1: math.Floor, o1: rising(math.Floor), Doc: "the largest integer not above the argument"},
		{Name: "min", f2: math.Min, fold: true, o2: func(a, b interval) interval { return interval{math.Min(a.lo, b.lo), math.Min(a.hi, b.hi)} }, Doc: "the smallest of two or more arguments", c: "smaller(%[1]s, %[2]s)"},
		{Name: "max", f2: math.Max, fold: true, o2: func(a, b interval) interval { return interval{math.Max(a.lo, b.lo), math.Max(a.hi, b.hi)} }, Doc: "the largest of two or more arguments", c: "larger(%[1]s, %[2]s)"},
		{Name: "pow", f2: math.Pow, o2: powOver, Doc: "power, like ^"},
		{Name: "mod", f2: math.Mod, o2: modOver, Doc: "remainder, with the sign of the first argument", c: "fmod(%[1]s, %[2]s)"},
		{Name: "step", f1: func(x float64) float64 { return truth(x >= 0) }, o1: rising(func(x float64) float64 { return truth(x >= 0) }), Doc: "0 below zero, 1 otherwise", c: "double(%[1]s >= 0)"},
		{Name: "if", f3: func(c, a, b float64) float64 {
			if c != 0 {
				return a
			}
			return b
		}, o3: ifOver, Doc: "if(c, a, b): a if c is not 0 (comparisons give 1 or 0), otherwise b", c: "(%[1]s != 0 ? %[2]s : %[3]s)"},
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

type exprParser struct {
	s     string
	i     int // next byte
	depth int
	nodes int
	uses  [nVars]Mark
	funcs []Function

	program program
	known   map[string]int // numbers of values by what they are, as C
}

// parseExpr compiles the longest expression at the beginning of s; rest is where
// it ends (what follows is a unit).
func parseExpr(s string) (e *Expr, rest int, err *exprError) {
	p := &exprParser{s: s, funcs: Functions(), program: program{start: make([]float64, nVars)}, known: map[string]int{}}
	defer func() {
		// The parser leaves by panicking with its own error type.
		if r := recover(); r != nil {
			x, ok := r.(*exprError)
			if !ok {
				panic(r)
			}
			e, err = nil, x
		}
	}()
	n := p.compare()
	p.program.result = n.at
	p.program.compact()
	p.program.depend()
	e = &Expr{program: p.program, over: n.over, Code: n.code, constant: n.constant, uses: p.uses}
	if e.constant {
		e.value = p.program.start[p.program.result]
	}
	return e, p.i, nil
}

// node is a compiled part; constant parts are folded.
type node struct {
	at       int // number of its value in the compiled expression
	over     func(*box) interval
	code     string
	constant bool
}

func (p *exprParser) fail(off, n int, reason, format string, args ...any) {
	panic(&exprError{off, n, fmt.Sprintf(format, args...), reason})
}

func (p *exprParser) count() {
	if p.nodes++; p.nodes > maxExprNodes {
		p.fail(0, len(p.s), "", "an expression of more than %d terms", maxExprNodes)
	}
}

// node returns the value that a step computes from values already known; equal steps share one.
func (p *exprParser) node(s step, over func(*box) interval, code string, constant bool) node {
	if constant {
		return p.number(s.value(p.program.start))
	}
	p.count()
	at, ok := p.known[code]
	if !ok {
		at = p.program.append(s)
		p.known[code] = at
	}
	return node{at, over, code, false}
}

// number returns the node of a constant.
func (p *exprParser) number(v float64) node {
	p.count()
	code := InC(v)
	at, ok := p.known[code]
	if !ok {
		at = p.program.constant(v)
		p.known[code] = at
	}
	return node{at, func(*box) interval { return exactly(v) }, code, true}
}

// InC writes a constant as C, to the bit.
func InC(v float64) string {
	switch {
	case math.IsNaN(v):
		return "(" + infinite + " - " + infinite + ")"
	case math.IsInf(v, 0):
		return fmt.Sprintf("(%g*%s)", math.Copysign(1, v), infinite)
	}
	return "(" + strconv.FormatFloat(v, 'x', -1, 64) + ")"
}

// infinite is a sum of numbers that overflows a double: compilers have no common word for infinity.
const infinite = "(0x1p+1023 + 0x1p+1023)"

// binary returns the node of an operation or a call of two values; code has them as %[1]s and %[2]s.
func (p *exprParser) binary(a, b node, code string, s step, over func(a, b interval) interval) node {
	u, v := a.over, b.over
	s.a, s.b = a.at, b.at
	return p.node(s, func(e *box) interval {
		i, j := u(e), v(e)
		if !i.bounded() || !j.bounded() {
			return anything()
		}
		return over(i, j)
	}, fmt.Sprintf(code, a.code, b.code), a.constant && b.constant)
}

// power returns the node of a^b. Small whole powers are products: math.Pow gives the same bits, but for results below the
// smallest normal number, which it rounds twice, and takes ten times as long.
func (p *exprParser) power(a, b node) node {
	s := step{op: call2, f2: math.Pow}
	if b.constant {
		switch p.program.start[b.at] {
		case 2:
			s.op = square
		case 3:
			s.op = cube
		case 4:
			s.op = fourth
		}
	}
	return p.binary(a, b, "pow(%[1]s, %[2]s)", s, powOver)
}

// comparison gives 1 or 0, whatever it compares.
func (p *exprParser) comparison(a, b node, op string, f func(a, b float64) float64, over func(a, b interval) interval) node {
	n := p.binary(a, b, "double(%[1]s "+op+" %[2]s)", step{op: call2, f2: f}, over)
	if inner := n.over; !n.constant {
		n.over = func(e *box) interval {
			if i := inner(e); i.bounded() {
				return i
			}
			return interval{0, 1}
		}
	}
	return n
}

func (p *exprParser) blank() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == '\n' || p.s[p.i] == '\r') {
		p.i++
	}
}

// accept takes the first of the operators at this position.
func (p *exprParser) accept(ops ...string) string {
	p.blank()
	for _, op := range ops {
		if len(p.s)-p.i >= len(op) && p.s[p.i:p.i+len(op)] == op {
			p.i += len(op)
			return op
		}
	}
	return ""
}

func (p *exprParser) enter() {
	if p.depth++; p.depth > maxExprDepth {
		p.fail(p.i, 1, "", "an expression nested more than %d levels deep", maxExprDepth)
	}
}

func (p *exprParser) compare() node {
	p.enter()
	defer func() { p.depth-- }()
	a := p.sum()
	switch op := p.accept("<=", ">=", "==", "!=", "<", ">"); op {
	case "<=":
		return p.comparison(a, p.sum(), op, func(a, b float64) float64 { return truth(a <= b) }, func(a, b interval) interval { return truthOver(a.hi <= b.lo, a.lo > b.hi) })
	case ">=":
		return p.comparison(a, p.sum(), op, func(a, b float64) float64 { return truth(a >= b) }, func(a, b interval) interval { return truthOver(a.lo >= b.hi, a.hi < b.lo) })
	case "==":
		return p.comparison(a, p.sum(), op, func(a, b float64) float64 { return truth(a == b) }, func(a, b interval) interval { return truthOver(a.lo == a.hi && a == b, a.lo > b.hi || a.hi < b.lo) })
	case "!=":
		return p.comparison(a, p.sum(), op, func(a, b float64) float64 { return truth(a != b) }, func(a, b interval) interval { return truthOver(a.lo > b.hi || a.hi < b.lo, a.lo == a.hi && a == b) })
	case "<":
		return p.comparison(a, p.sum(), op, func(a, b float64) float64 { return truth(a < b) }, func(a, b interval) interval { return truthOver(a.hi < b.lo, a.lo >= b.hi) })
	case ">":
		return p.comparison(a, p.sum(), op, func(a, b float64) float64 { return truth(a > b) }, func(a, b interval) interval { return truthOver(a.lo > b.hi, a.hi <= b.lo) })
	}
	return a
}

func (p *exprParser) sum() node {
	a := p.product()
	for {
		switch p.accept("+", "-") {
		case "+":
			a = p.binary(a, p.product(), "(%[1]s + %[2]s)", step{op: add}, addOver)
		case "-":
			a = p.binary(a, p.product(), "(%[1]s - %[2]s)", step{op: subtract}, subOver)
		default:
			return a
		}
	}
}

func (p *exprParser) product() node {
	a := p.sign()
	for {
		switch p.accept("*", "/") {
		case "*":
			a = p.binary(a, p.sign(), "(%[1]s * %[2]s)", step{op: multiply}, mulOver)
		case "/":
			a = p.binary(a, p.sign(), "(%[1]s / %[2]s)", step{op: divide}, divOver)
		default:
			return a
		}
	}
}

// sign binds weaker than ^: -x^2 is -(x^2).
func (p *exprParser) sign() node {
	p.enter()
	defer func() { p.depth-- }()
	switch p.accept("+", "-") {
	case "+":
		return p.sign()
	case "-":
		a := p.sign()
		over := a.over
		return p.node(step{op: negate, a: a.at}, func(e *box) interval { i := over(e); return interval{-i.hi, -i.lo} }, "(-"+a.code+")", a.constant)
	}
	a := p.atom()
	if p.accept("^") != "" {
		return p.power(a, p.sign())
	}
	return a
}

func (p *exprParser) atom() node {
	p.blank()
	if p.i >= len(p.s) {
		p.fail(p.i, 1, "", "the expression ends where a number is needed")
	}
	start := p.i
	c := p.s[p.i]
	switch {
	case c == '(':
		p.i++
		n := p.compare()
		p.close(start)
		return n
	case '0' <= c && c <= '9' || c == '.':
		p.i += numberLen(p.s[p.i:])
		v, err := strconv.ParseFloat(p.s[start:p.i], 64)
		if err != nil {
			p.fail(start, max(1, p.i-start), "", "%q is not a number", p.s[start:max(p.i, start+1)])
		}
		return p.number(v)
	case letter(c):
		for p.i < len(p.s) && (letter(p.s[p.i]) || '0' <= p.s[p.i] && p.s[p.i] <= '9') {
			p.i++
		}
		return p.name(p.s[start:p.i], start)
	}
	r, n := utf8.DecodeRuneInString(p.s[p.i:])
	if !unicode.IsPrint(r) {
		r = '?'
	}
	p.fail(start, n, "", "unexpected %q in an expression", string(r))
	return node{}
}

func letter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func (p *exprParser) close(open int) {
	if p.accept(")") != "" {
		return
	}
	if start := p.i; start < len(p.s) && letter(p.s[start]) {
		for p.i < len(p.s) && letter(p.s[p.i]) {
			p.i++
		}
		p.fail(start, p.i-start, "numbers in an expression are in SI units already, t in seconds; a unit appears once, at the end: \"2*sin(t/0.5) m/s\"", "expected an operator or a bracket, not %q", p.s[start:p.i])
	}
	p.fail(open, 1, "", "this bracket is not closed")
}

// name compiles a constant, a variable or a call.
func (p *exprParser) name(name string, start int) node {
	switch name {
	case "pi":
		return p.number(math.Pi)
	case "e":
		return p.number(math.E)
	}
	for i, v := range Variables() {
		if v == name {
			if p.uses[i].Len == 0 {
				p.uses[i] = Mark{start, len(name)}
			}
			p.count()
			return node{i, func(e *box) interval { return e[i] }, fmt.Sprintf("{%d}", i), false}
		}
	}
	for _, f := range p.funcs {
		if f.Name == name {
			return p.call(f, start)
		}
	}
	words := []string{"pi", "e"}
	vars := Variables()
	words = append(words, vars[:]...)
	for _, f := range p.funcs {
		words = append(words, f.Name)
	}
	reason := "known: numbers, " + OneOf(words)
	if _, err := parseUnit(name); err == nil {
		reason = fmt.Sprintf("%s is a unit; a unit appears once, at the end, after a number without an operator: \"2*pi m\", \"10 1/s\"", name)
	}
	p.fail(start, len(name), reason, "unknown name %q in an expression%s", name, Meant(name, words))
	return node{}
}

func (p *exprParser) call(f Function, start int) node {
	if p.accept("(") == "" {
		p.fail(start, len(f.Name), "", "%s is a function: write %s(...)", f.Name, f.Name)
	}
	open := p.i - 1
	var args []node
	constant := true
	for {
		a := p.compare()
		args, constant = append(args, a), constant && a.constant
		if p.accept(",") == "" {
			break
		}
	}
	p.close(open)
	want, least, most := "1 value", 1, 1
	switch {
	case f.fold:
		want, least, most = "2 or more values", 2, len(args)
	case f.f2 != nil:
		want, least, most = "2 values", 2, 2
	case f.f3 != nil:
		want, least, most = "3 values", 3, 3
	}
	if len(args) < least || len(args) > most {
		p.fail(start, p.i-start, "", "%s needs %s, not %d", f.Name, want, len(args))
	}
	a := args[0]
	switch {
	case f.f1 != nil:
		over, u := f.o1, a.over
		return p.node(step{op: call1, f1: f.f1, a: a.at}, func(e *box) interval {
			if i := u(e); i.bounded() {
				return over(i)
			}
			return anything()
		}, fmt.Sprintf(f.code(), a.code), constant)
	case f.f3 != nil:
		b, c := args[1], args[2]
		over, u, v, w := f.o3, a.over, b.over, c.over
		return p.node(step{op: call3, f3: f.f3, a: a.at, b: b.at, c: c.at}, func(e *box) interval { return over(u(e), v(e), w(e)) },
			fmt.Sprintf(f.code(), a.code, b.code, c.code), constant)
	case f.Name == "pow":
		return p.power(a, args[1])
	}
	for _, b := range args[1:] {
		a = p.binary(a, b, f.code(), step{op: call2, f2: f.f2}, f.o2)
	}
	return a
}

// numberLen returns the length of the decimal number at the beginning of s. An e
// belongs to it only when digits follow.
func numberLen(s string) int {
	digits := func(i int) int {
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i
	}
	i := digits(0)
	if i < len(s) && s[i] == '.' {
		i = digits(i + 1)
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k := digits(j); k > j {
			i = k
		}
	}
	return i
}
