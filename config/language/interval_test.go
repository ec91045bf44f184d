// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Whatever the expression: its values in a box lie in the interval of the box, or the interval
// is not bounded.
func TestIntervalsHoldAllValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var make func(depth int) string
	make = func(depth int) string {
		if depth == 0 {
			return pick("x", "y", "z", "t", "1", "2", "0.3", "pi", "Lx", "0", "(-1.5)")
		}
		arg := func() string { return make(depth - 1 - random.IntN(depth)) }
		switch random.IntN(4) {
		case 0:
			return "(" + arg() + pick("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=") + arg() + ")"
		case 1:
			return "(-" + arg() + "^" + pick("2", "3", "0.5", "(-1)", "(-2)", "y", "0") + ")"
		case 2:
			f := Functions()[random.IntN(len(Functions()))]
			switch {
			case f.f1 != nil:
				return f.Name + "(" + arg() + ")"
			case f.f3 != nil:
				return f.Name + "(" + arg() + "," + arg() + "," + arg() + ")"
			}
			return f.Name + "(" + arg() + "," + arg() + ")"
		}
		return pick("sin", "cos", "exp", "sqrt", "abs", "tanh") + "(" + arg() + ")"
	}
	bounded, known := 0, 0
	for range 200000 {
		text := make(1 + random.IntN(4))
		e, _, err := parseExpr(text)
		if err != nil {
			t.Fatal(text, err.msg)
		}
		var b box
		for i := range b {
			lo := math.Round(20*random.NormFloat64()) / 8
			b[i] = interval{lo, lo + math.Round(8*random.ExpFloat64())/8}
		}
		over := e.over(&b)
		if over.bounded() {
			bounded++
		}
		for k := range 30 {
			var p Env
			for i := range p {
				p[i] = b[i].lo + float64(k%4)/3*(b[i].hi-b[i].lo)
				if k > 3 {
					p[i] = b[i].lo + random.Float64()*(b[i].hi-b[i].lo)
				}
			}
			v := e.Eval(p)
			if over.bounded() && !(v >= over.lo && v <= over.hi) {
				t.Fatalf("%s at %v is %v, not in %v over %v", text, p, v, over, b)
			}
		}
		known++
	}
	if bounded < known/2 {
		t.Errorf("only %d of %d intervals are bounded", bounded, known)
	}
}
