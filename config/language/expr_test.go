// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"sync"
	"testing"
)

func TestExpressions(t *testing.T) {
	e := Env{0.3, 0.7, 1.1, 2, 10, 20, 30}
	x, y, z, tt := e[0], e[1], e[2], e[3]
	for text, want := range map[string]float64{
		"1 + 2*3":                        7,
		"(1 + 2)*3":                      9,
		"-2^2":                           -4,
		"2^-1":                           0.5,
		"2^3^2":                          512,
		"8/4/2":                          1,
		"8 - 4 - 2":                      2,
		"--3":                            3,
		"+x":                             x,
		"2*-x":                           -2 * x,
		"x*y + z - t":                    x*y + z - tt,
		"Lx + 2*Ly + 3*Lz":               140,
		"sin(2*pi*y/Ly)":                 math.Sin(2 * math.Pi * y / 20),
		"0.1*exp(-((x-1)^2 + y^2)/0.04)": 0.1 * math.Exp(-(math.Pow(x-1, 2)+y*y)/0.04),
		"atan2(y, x)":                    math.Atan2(y, x),
		"min(3, x, 2)":                   x,
		"max(1, 4, 2)":                   4,
		"pow(2, 10)":                     1024,
		"if(x < y, 5, 6)":                5,
		"if(x > y, 5, 6)":                6,
		"step(x - 0.3) + step(-1)":       1,
		"(x <= 0.3) + (x >= 0.3)":        2,
		"(x == 0.3) + (x != 0.3)*10":     1,
		"e":                              math.E,
		"log(e)":                         1,
		"sqrt(abs(-4))":                  2,
		"1e3 + 2e-1":                     1000.2,
		"2e":                             2, // then "e", which is not a unit
		"mod(7, 4) + floor(1.9)":         4,
		"tanh(1) + cosh(1) - sinh(1)":    math.Tanh(1) + math.Cosh(1) - math.Sinh(1),
		"asin(1) + acos(1) + atan(1)":    math.Pi/2 + math.Pi/4,
		"tan(x) + cos(x)":                math.Tan(x) + math.Cos(x),
	} {
		f, _, err := parseExpr(text)
		if err != nil {
			t.Errorf("%s: %s", text, err.msg)
			continue
		}
		if got := f.Eval(e); math.Abs(got-want) > 1e-14*math.Abs(want) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

// The text after an expression is its unit.
func TestExpressionEnd(t *testing.T) {
	for text, rest := range map[string]string{
		"0.1 m/s": "m/s", "sin(y) 1/s": "1/s", "2*pi m": "m", "1%": "%", "x": "", "3 (m/s)": "(m/s)", "2 min": "min", "1e-3m": "m",
	} {
		_, n, err := parseExpr(text)
		if err != nil || strings.TrimSpace(text[n:]) != rest {
			t.Errorf("%s: rest %q, %v", text, text[n:], err)
		}
	}
}

func TestBadExpressions(t *testing.T) {
	for text, want := range map[string]struct {
		at  int
		msg string
	}{
		"":                               {0, "ends"},
		"1 +":                            {3, "ends"},
		"1 + * 2":                        {4, "unexpected"},
		"(1 + 2":                         {0, "not closed"},
		"sin":                            {0, "function"},
		"sin()":                          {4, "unexpected"},
		"sin(1, 2)":                      {0, "needs 1 value"},
		"if(1, 2)":                       {0, "needs 3"},
		"max(1)":                         {0, "2 or more"},
		"2*foo":                          {2, "unknown name"},
		"system(1)":                      {0, "unknown name"},
		".":                              {0, "not a number"},
		strings.Repeat("(", 5000):        {50, "nested"},
		strings.Repeat("-", 5000):        {99, "nested"},
		strings.Repeat("1+", 2000) + "1": {0, "more than"},
		"max(" + strings.Repeat("1,", 3000) + "1)": {0, "more than"},
	} {
		_, _, err := parseExpr(text)
		if len(text) > 20 {
			text = text[:20] + "..."
		}
		if err == nil {
			t.Errorf("%s was read", text)
			continue
		}
		if !strings.Contains(err.msg, want.msg) || err.off != want.at && len(text) < 20 {
			t.Errorf("%s: at %d: %s", text, err.off, err.msg)
		}
	}
}

func BenchmarkExpression(b *testing.B) {
	f, _, err := parseExpr("0.1*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)*if(z > 1, 2, max(x, y))")
	if err != nil {
		b.Fatal(err.msg)
	}
	b.ReportAllocs()
	e := Env{0.3, 0.7, 1.1, 2, 10, 20, 30}
	s := 0.0
	for i := 0; i < b.N; i++ {
		e[0] += 1e-9
		s += f.Eval(e)
	}
	_ = s
}

func BenchmarkRowOfAnExpression(b *testing.B) {
	f, _, err := parseExpr("0.1*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)*if(z > 1, 2, max(x, y))")
	if err != nil {
		b.Fatal(err.msg)
	}
	b.ReportAllocs()
	x, values := make([]float64, 512), make([]float64, 512)
	for range b.N {
		f.Row(values, x, Env{0, 0.7, 1.1, 2, 10, 20, 30})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/value")
}

// A row has the bits of its points, in rows of any length and for every operation.
func TestRows(t *testing.T) {
	texts := []string{"3", "x", "y", "-x", "x - y", "y/x", "y*z + t", "x^2 + y^3 + (x + z)^4 + x^5", "if(x > y, sin(x), -cos(y))", "min(x, y, z)*max(Lx, x)", "(x + 1)*(x + 1) - atan2(y, x)", "sqrt(y)*exp(-x^2)*(z <= 1)", "sin(2*pi*x/Lx)*cos(2*pi*x/Ly) + 1/t", "sin(x/Lx)"}
	for _, f := range Functions() {
		switch {
		case f.f1 != nil:
			texts = append(texts, f.Name+"(x) + "+f.Name+"(y)")
		case f.f2 != nil:
			texts = append(texts, f.Name+"(x, y) + "+f.Name+"(y, x)")
		}
	}
	for _, text := range texts {
		e, _, err := parseExpr(text)
		if err != nil {
			t.Fatal(text, err.msg)
		}
		// Rows of the same x share values, which must not outlive another length of the domain. More rows than are kept.
		for k := range 40 {
			n := []int{1, rowPiece, 2*rowPiece + 3}[k%3]
			x, values := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = 0.7*float64(i) - 3 + float64(k/3%(mostKept+1))
			}
			v := Env{99, 0.3 + float64(k), 1, 2, 10 + float64(k/20), 20, 30}
			e.Row(values, x, v)
			for i := range x {
				v[VarX] = x[i]
				if want := e.Eval(v); math.Float64bits(values[i]) != math.Float64bits(want) && !(math.IsNaN(values[i]) && math.IsNaN(want)) {
					t.Fatalf("%s at %g: %g, want %g", text, x[i], values[i], want)
				}
			}
		}
	}
}

// Goroutines compute rows of one expression, some with the same x.
func TestRowsSideBySide(t *testing.T) {
	e, _, err := parseExpr("sin(x)*cos(y) + x")
	if err != nil {
		t.Fatal(err.msg)
	}
	var all sync.WaitGroup
	for k := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := range 500 {
				x, values := []float64{float64(k % 3), float64(j % 7)}, make([]float64, 2)
				v := Env{VarY: float64(j)}
				e.Row(values, x, v)
				for i := range x {
					v[VarX] = x[i]
					if want := e.Eval(v); values[i] != want {
						t.Errorf("%g at %v, want %g", values[i], v, want)
						return
					}
				}
			}
		}()
	}
	all.Wait()
}

// A unit within an expression is reported at its position.
func TestUnitInsideAnExpression(t *testing.T) {
	_, _, err := parseExpr("sin(2*pi*t/0.5 s)")
	if err == nil || err.off != 15 || err.len != 1 || !strings.Contains(err.msg, `an operator or a bracket, not "s"`) || !strings.Contains(err.reason, "in SI units already") {
		t.Errorf("%+v", err)
	}
}

// Small whole powers have the bits of math.Pow.
func TestWholePowers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	list := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e200, -1e200, 1e-80}
	for range 10000 {
		list = append(list, r.NormFloat64(), math.Exp(100*r.NormFloat64()))
	}
	for n := 2; n <= 4; n++ {
		e, _, err := parseExpr(fmt.Sprintf("x^%d", n))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			want := math.Pow(x, float64(n))
			if want != 0 && math.Abs(want) < 1e-307 {
				continue // math.Pow rounds twice there
			}
			if got := e.Eval(Env{x}); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%g^%d = %g, want %g", x, n, got, want)
			}
		}
	}
}

// Equal parts are computed once, and an expression with many different parts is computed, too.
func TestPrograms(t *testing.T) {
	const far = "((x - 1)^2 + (y - 2)^2)"
	e, _, err := parseExpr(far + "*exp(-" + far + ") + sqrt(" + far + ")")
	if err != nil || len(e.program.steps) != 5+3+2 {
		t.Errorf("%d steps (%v)", len(e.program.steps), err)
	}
	if got, want := e.Eval(Env{2, 4}), 5*math.Exp(-5)+math.Sqrt(5); got != want {
		t.Errorf("%g, want %g", got, want)
	}
	var terms []string
	want := 0.
	for i := range manyValues / 2 {
		terms = append(terms, fmt.Sprintf("sin(%d*x)", i))
		want += math.Sin(float64(i) * 0.5)
	}
	if e, _, err = parseExpr(strings.Join(terms, " + ")); err != nil || e.Eval(Env{0.5}) != want || e.Eval(Env{0.5}) != want {
		t.Errorf("many terms: %v, want %g", err, want)
	}
}
