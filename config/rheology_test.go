// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"strings"
	"testing"

	"lbmsim/model"
)

func loadTwice(t *testing.T, text string) *Case {
	t.Helper()
	c, err := Load("case.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load("resolved.toml", []byte(c.Resolved))
	if err != nil {
		t.Fatalf("the resolved copy: %v", err)
	}
	if again.Params() != c.Params() || again.Spec.String() != c.Spec.String() {
		t.Errorf("the resolved copy has %+v of %s, the case %+v of %s", again.Params(), again.Spec, c.Params(), c.Spec)
	}
	return c
}

const rheologyHead = `
[domain]
cells = [32, 32]
size = ["32 mm", "32 mm"]
periodic = ["x", "y"]
[scaling]
time_step = "10 ms"
[run]
steps = 10
`

// The relaxation times of a case match its laws in SI, at any shear rate.
func TestLawsInUnits(t *testing.T) {
	const nu, step = 1e-5, 0.01
	tau := func(viscosity float64) float64 { return 0.5 + 3*viscosity*step/1e-6 }
	for _, test := range []struct {
		name, text string
		law        model.ViscosityLaw
		viscosity  func(rate float64) float64 // in SI
	}{
		{"smagorinsky", "viscosity = \"1e-5 m2/s\"\n[turbulence]\nmodel = \"smagorinsky\"\nconstant = 0.15", model.Smagorinsky,
			func(rate float64) float64 { return nu + 0.15*0.15*1e-6*rate }},
		{"default constant", "viscosity = \"1e-5 m2/s\"\n[turbulence]\nmodel = \"smagorinsky\"", model.Smagorinsky,
			func(rate float64) float64 { return nu + 0.1*0.1*1e-6*rate }},
		{"power law", "viscosity = \"1e-5 m2/s\"\nviscosity_law = \"power_law\"\nindex = 0.6\nshear_rate = \"2 1/s\"\nviscosity_max = \"3e-5 m2/s\"", model.PowerLaw,
			func(rate float64) float64 { return math.Min(math.Max(nu*math.Pow(rate/2, -0.4), nu/100), 3e-5) }},
		{"carreau", "viscosity = \"1e-5 m2/s\"\nviscosity_law = \"carreau\"\nindex = 0.4\ntime_constant = \"3 s\"\nviscosity_infinite = \"1e-6 m2/s\"", model.Carreau,
			func(rate float64) float64 { return 1e-6 + 9e-6*math.Pow(1+9*rate*rate, -0.3) }},
	} {
		c := loadTwice(t, rheologyHead+"[fluid]\n"+test.text)
		if c.Spec.Viscosity != test.law {
			t.Errorf("%s: the law is %s", test.name, c.Spec.Viscosity)
		}
		for _, rate := range []float64{0.01, 0.1, 1, 10, 100} {
			if got, want := c.Params().Tau(c.Spec.Viscosity, rate*step), tau(test.viscosity(rate)); math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s: tau is %g at the shear rate %g/s, want %g", test.name, got, rate, want)
			}
		}
	}
}

// The bulk viscosity is 2/D cs^2 (1/omega - 1/2): with bgk 2/D times the shear viscosity.
func TestBulkViscosity(t *testing.T) {
	c := loadTwice(t, rheologyHead+"[fluid]\nviscosity = \"1e-5 m2/s\"\nbulk_viscosity = \"1e-5 m2/s\"")
	if p := c.Params(); math.Abs(p.OmegaBulk-p.Omega) > 1e-14 || !c.Spec.Bulk {
		t.Errorf("in 2D the same viscosity gives the rates %g and %g", p.OmegaBulk, p.Omega)
	}
	for name, bulk := range map[string]float64{"bgk": 0, "regularized": 0, "cumulant": 1} { // 0: the rate of the shear stress
		c := loadTwice(t, rheologyHead+"[fluid]\nviscosity = \"1e-5 m2/s\"\n[collision]\nmodel = \""+name+"\"")
		if c.Spec.Local() || c.Params().OmegaBulk != bulk {
			t.Errorf("%s has rates of the cells' own, bulk %g, want %g", c.Spec, c.Params().OmegaBulk, bulk)
		}
	}
}

// All viscosities of a case may be dynamic ones where the density is given; without it the error names the key.
func TestDynamicViscosities(t *testing.T) {
	const density = "density = \"1050 kg/m3\"\n"
	pairs := map[string][2]string{
		"carreau": {
			"viscosity = \"0.056 Pa s\"\nviscosity_law = \"carreau\"\nindex = 0.3568\ntime_constant = \"3.313 s\"\nviscosity_infinite = \"3.45 mPa s\"\nbulk_viscosity = \"0.1 Pa s\"",
			"viscosity = \"5.333333333333333e-5 m2/s\"\nviscosity_law = \"carreau\"\nindex = 0.3568\ntime_constant = \"3.313 s\"\nviscosity_infinite = \"3.285714285714286e-6 m2/s\"\nbulk_viscosity = \"9.523809523809524e-5 m2/s\""},
		"power law": {
			"viscosity = \"0.0105 Pa s\"\nviscosity_law = \"power_law\"\nindex = 0.6\nshear_rate = \"2 1/s\"\nviscosity_min = \"2.1 mPa s\"\nviscosity_max = \"0.021 Pa s\"",
			"viscosity = \"1e-5 m2/s\"\nviscosity_law = \"power_law\"\nindex = 0.6\nshear_rate = \"2 1/s\"\nviscosity_min = \"2e-6 m2/s\"\nviscosity_max = \"2e-5 m2/s\""},
	}
	for name, p := range pairs {
		a, b := loadTwice(t, rheologyHead+"[fluid]\n"+density+p[0]), loadTwice(t, rheologyHead+"[fluid]\n"+density+p[1])
		got, want := a.Rheology, b.Rheology
		for _, v := range [][2]float64{{got.Min, want.Min}, {got.Max, want.Max}, {got.Infinite, want.Infinite}, {got.Bulk, want.Bulk}, {a.Tau, b.Tau}} {
			if math.Abs(v[0]-v[1]) > 1e-12*v[1] {
				t.Errorf("%s: %g, want %g", name, v[0], v[1])
			}
		}
	}
	_, err := Load("case.toml", []byte(rheologyHead+"[fluid]\nviscosity = \"1e-5 m2/s\"\nviscosity_law = \"carreau\"\nindex = 0.4\ntime_constant = \"3 s\"\nviscosity_infinite = \"1 mPa s\""))
	if err == nil || !strings.Contains(err.Error(), "a dynamic viscosity needs the density") || !strings.Contains(err.Error(), "viscosity_infinite =") {
		t.Errorf("without a density: %v", err)
	}
}
