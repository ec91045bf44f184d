// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"math"
	"testing"
)

// The range of an expression contains its values, tightly where the box can be cut, and is infinite
// where values may be infinite.
func TestRangeOfExpressions(t *testing.T) {
	at := func(x, y, z, t float64) Env { return Env{x, y, z, t, 10, 20, 30} }
	inf := math.Inf(1)
	for text, want := range map[string][2]float64{
		"3":                     {3, 3},
		"Lx":                    {10, 10},
		"x/Lx":                  {0.05, 0.95},
		"0.5 - x/Lx + 0*y":      {-0.45, 0.45},
		"x*(10 - x)":            {0.5 * 9.5, 25},
		"tanh(y - 10)":          {-1, 1},
		"sin(x)^2 + cos(x)^2":   {1, 1},
		"1/(x + y)":             {1. / 29, 1},
		"1/(x - 5)":             {-inf, inf},
		"sqrt(x - 5)":           {-inf, inf},
		"if(x > 5, 2, -1)":      {-1, 2},
		"exp(-((x-5)^2)/2) + 1": {1, 2},
	} {
		e, _, err := parseExpr(text)
		if err != nil {
			t.Fatal(text, err.msg)
		}
		lo, hi := e.Range([4]float64{0.5, 0.5, 0.5}, [4]float64{9.5, 19.5, 0.5}, at)
		const rounding, wider = 1e-4, 0.05
		holds := lo <= want[0]+rounding && hi >= want[1]-rounding
		if close := lo >= want[0]-wider && hi <= want[1]+wider; !holds && lo != want[0] || !close && !math.IsInf(want[1], 0) {
			t.Errorf("%s: %g to %g, want %v", text, lo, hi, want)
		}
	}
}
