// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"math"
	"testing"

	"lbmsim/model"
)

// value reads one text as an amount of a dimension.
func value(t *testing.T, text string) (Amount, error) {
	t.Helper()
	r := &Reader{}
	a := r.amount(Nowhere, &Key{Name: "v", Any: true}, text)
	return a, r.Err()
}

func TestUnits(t *testing.T) {
	d := func(m, s, kg int) model.Dimension { return model.Dimension{M: m, S: s, Kg: kg} }
	for _, c := range []struct {
		text string
		v    float64
		dim  model.Dimension
	}{
		{"0.1 m/s", 0.1, d(1, -1, 0)},
		{"20 mm", 0.02, d(1, 0, 0)},
		{"1e-6 m2/s", 1e-6, d(2, -1, 0)},
		{"1e-6 m^2/s", 1e-6, d(2, -1, 0)},
		{"1e-6 m²/s", 1e-6, d(2, -1, 0)},
		{"1e-6 m2 s-1", 1e-6, d(2, -1, 0)},
		{"1e-6 m² s⁻¹", 1e-6, d(2, -1, 0)},
		{"1e-6 m*m/s", 1e-6, d(2, -1, 0)},
		{"9.81 m/s/s", 9.81, d(1, -2, 0)},
		{"9.81 m·s^-2", 9.81, d(1, -2, 0)},
		{"1000 kg/m3", 1000, d(-3, 0, 1)},
		{"1 g/cm3", 1000, d(-3, 0, 1)},
		{"2 min", 120, d(0, 1, 0)},
		{"1.5 h", 5400, d(0, 1, 0)},
		{"2 d", 172800, d(0, 1, 0)},
		{"36 km/h", 10, d(1, -1, 0)},
		{"1 Pa", 1, d(-1, -2, 1)},
		{"1 mPa s", 1e-3, d(-1, -1, 1)},
		{"3 cP", 3e-3, d(-1, -1, 1)},
		{"1 cSt", 1e-6, d(2, -1, 0)},
		{"1.2 bar", 1.2e5, d(-1, -2, 1)},
		{"1 N/m2", 1, d(-1, -2, 1)},
		{"1 N/(m s)", 1, d(0, -3, 1)},
		{"1 J/m3", 1, d(-1, -2, 1)},
		{"5 1/s", 5, d(0, -1, 0)},
		{"5 Hz", 5, d(0, -1, 0)},
		{"5 um", 5e-6, d(1, 0, 0)},
		{"5 µm", 5e-6, d(1, 0, 0)},
		{"7 nm", 7e-9, d(1, 0, 0)},
		{"1 L", 1e-3, d(3, 0, 0)},
		{"1 %", 0.01, d(0, 0, 0)},
		{"-3 mm", -0.003, d(1, 0, 0)},
		{"2*pi m", 2 * math.Pi, d(1, 0, 0)},
		{"(1 + 1)/4 m", 0.5, d(1, 0, 0)},
		{".5 m", 0.5, d(1, 0, 0)},
		{"1E2 m", 100, d(1, 0, 0)},
	} {
		a, err := value(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if a.Bare || a.Dim != c.dim || math.Abs(a.Value-c.v) > 1e-15*math.Abs(c.v) {
			t.Errorf("%s: %v %v, want %v %v", c.text, a.Value, a.Dim, c.v, c.dim)
		}
		// Written back and read again it is the same to the bit.
		var raw any = a.TOML()
		if s := a.TOML(); s[0] == '"' {
			raw = s[1 : len(s)-1]
		}
		b, err := value(t, raw.(string))
		if err != nil || b.Value != a.Value || b.Dim != a.Dim {
			t.Errorf("%s: written back as %s, read as %v %v %v", c.text, a.TOML(), b.Value, b.Dim, err)
		}
	}
}

// Decimal prefixes are exact: 20 mm is the number 0.02, not 20 * 0.001.
func TestDecimalExact(t *testing.T) {
	for text, want := range map[string]float64{"20 mm": 0.02, "0.1 mm": 1e-4, "3.3 um": 3.3e-6, "70 mm": 0.07, "1.1 kPa": 1100} {
		if a, err := value(t, text); err != nil || a.Value != want {
			t.Errorf("%s = %v, want %v (%v)", text, a.Value, want, err)
		}
	}
}

func TestBadUnits(t *testing.T) {
	for _, text := range []string{
		"1 furlong", "1 m s/kg m", "1 kg/m s", "1 m/", "1 /s", "1 m^", "1 m^99", "1 (m", "1 m)", "1 m2s", "1 xm",
		"1 m m m m m m m m m m", "1e400 m", "", " ", "m", "1 2 m", "1 m\x00", "1 m^-", "1 ((((m))))", "0/0 m", "1e999999999999 m",
	} {
		if a, err := value(t, text); err == nil {
			t.Errorf("%q was read as %v %v", text, a.Value, a.Dim)
		}
	}
}

func TestSymbol(t *testing.T) {
	for _, f := range model.Fields {
		if u, err := parseUnit(Symbol(f.Dim)); err != nil || u.dim != f.Dim || u.factor() != 1 {
			t.Errorf("%s: the unit %s reads as %v %v", f.Name, Symbol(f.Dim), u, err)
		}
	}
	for _, d := range []model.Dimension{{}, {M: 3, S: -1}, {S: -1}, {S: -2}, {M: -1, S: -1, Kg: 1}, {M: 1, S: -2, Kg: 1}, {M: -2, S: -2, Kg: 1}, {M: -4, S: -3, Kg: -2}} {
		if u, err := parseUnit(Symbol(d)); err != nil || u.dim != d {
			t.Errorf("%v: the unit %s reads as %v %v", d, Symbol(d), u, err)
		}
	}
}
