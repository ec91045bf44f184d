package config

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// Whatever stands in a case file, Load answers: no panic, no endless work, and what
// it accepts it accepts again when written back.
func FuzzLoad(f *testing.F) {
	for _, p := range []string{"../examples/*.toml", "testdata/messages/*.toml"} {
		files, _ := filepath.Glob(p)
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := Load("fuzz.toml", src)
		if err != nil {
			list, ok := err.(Errors)
			if !ok || len(list) == 0 || c != nil {
				t.Fatalf("%T", err)
			}
			if s := err.Error(); s == "" || !utf8.ValidString(s) {
				t.Fatalf("%q", s)
			}
			return
		}
		if len(c.Source) != len(src) || c.Run.Steps < 1 || !(c.Tau > 0.5) || !(c.Units.Time > 0) || c.Box().Cells() < 1 {
			t.Fatalf("%+v", c)
		}
		c.Forecast(1)
		c.Forecast(c.Planes())
		d, err := Load("fuzz.toml", []byte(c.Resolved))
		if err != nil {
			t.Fatalf("the resolved copy is refused: %v\n%s", err, c.Resolved)
		}
		if c.Resolved != d.Resolved {
			t.Fatalf("not a fixed point: %q", Diff(c.Resolved, d.Resolved, nil))
		}
		if c.Units != d.Units || c.Tau != d.Tau || c.Cells != d.Cells || c.Run != d.Run {
			t.Fatalf("%+v\n%+v", c, d)
		}
	})
}

// Expressions and units alone, where the fuzzer gets deeper.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"0.1*sin(2*pi*y/Ly) m/s", "20 mm", "1e-6 m²/s", "if(x<1, 2, max(3,4,5)) N/(m s)", "1 %", "-2^-x^2 1/s", "2 kg·m^-1 s⁻²"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := &reader{}
		k := &key{name: "v", kind: kFormula, any: true, time: true}
		a := r.dimensioned(nowhere, k, s)
		if r.err() != nil {
			return
		}
		if a.f != nil {
			a.f.eval(env{1, 2, 3, 4, 5, 6, 7})
			return
		}
		text := a.toml()
		if text[0] != '"' {
			return
		}
		b := r.dimensioned(nowhere, k, text[1:len(text)-1])
		if err := r.err(); err != nil || b.v != a.v || b.dim != a.dim {
			t.Fatalf("%q: %v %v, written as %s, read as %v %v: %v", s, a.v, a.dim, text, b.v, b.dim, err)
		}
	})
}
