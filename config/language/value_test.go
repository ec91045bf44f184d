// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import "testing"

// Expressions and units alone, where the fuzzer gets deeper.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"0.1*sin(2*pi*y/Ly) m/s", "20 mm", "1e-6 m²/s", "if(x<1, 2, max(3,4,5)) N/(m s)", "1 %", "-2^-x^2 1/s", "2 kg·m^-1 s⁻²"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := &Reader{}
		k := &Key{Name: "v", Kind: Formula, Any: true, Time: true}
		a := r.dimensioned(Nowhere, k, s)
		if r.Err() != nil {
			return
		}
		if a.Expr != nil {
			a.Expr.Eval(Env{1, 2, 3, 4, 5, 6, 7})
			return
		}
		text := a.TOML()
		if text[0] != '"' {
			return
		}
		b := r.dimensioned(Nowhere, k, text[1:len(text)-1])
		if err := r.Err(); err != nil || b.Value != a.Value || b.Dim != a.Dim {
			t.Fatalf("%q: %v %v, written as %s, read as %v %v: %v", s, a.Value, a.Dim, text, b.Value, b.Dim, err)
		}
	})
}
