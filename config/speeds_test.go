// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/internal/finding"
)

// The largest initial speed is found where it is: beside a cylinder in a potential flow, in a narrow jet.
func TestLargestInitialSpeed(t *testing.T) {
	const text = `
[domain]
cells = [%d, %d]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[initial]
velocity = [%q, %q]
[body.cylinder]
shape = "cylinder"
centre = [%g, %g]
radius = %g
[run]
steps = 1
`
	for _, n := range []int{60, 600} {
		c, r := float64(n)/2, float64(n)/12
		d := fmt.Sprintf("((x-%[1]g)^2 + (y-%[1]g)^2)", c)
		u := fmt.Sprintf("0.05*(1 - %[1]g*((x-%[2]g)^2 - (y-%[2]g)^2)/%[3]s^2)", r*r, c, d)
		v := fmt.Sprintf("-0.1*%[1]g*(x-%[2]g)*(y-%[2]g)/%[3]s^2", r*r, c, d)
		loaded := load(t, fmt.Sprintf(text, n, n, u, v, c, c, r))
		if want := 0.1; loaded.Given > want || loaded.Given < want*(1-2.2/r) {
			t.Errorf("%d cells: %g, want %g at the surface", n, loaded.Given, want)
		}
		jet := fmt.Sprintf("0.08*exp(-((y-%g)/%g)^2)", 0.3*float64(n)+0.5, float64(n)/60)
		loaded = load(t, fmt.Sprintf(text, n, n, jet, "0", c, c, r))
		if math.Abs(loaded.Given-0.08) > 0.002 {
			t.Errorf("%d cells: a jet of %g, want 0.08", n, loaded.Given)
		}
		if w := strings.Join(loaded.Warnings.Texts(), "\n"); !strings.Contains(w, "of the initial velocity is above 0.1") {
			t.Errorf("%d cells: %q", n, w)
		}
	}
}

// The map of robustness has two bulk viscosities: a case between them, or between one and the model's own, is judged by the worse.
func TestRobustnessWithABulkViscosity(t *testing.T) {
	const text = "[domain]\ncells = [32, 32]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = %g\n%s\n[collision]\nmodel = %q\n[initial]\nvelocity = [0.1, 0]\n[run]\nsteps = 10\n"
	for _, c := range []struct {
		model string
		tau   float64
		bulk  string
		want  string // a part of the warning; "": none
	}{
		{"bgk", 0.5001, "", ""},
		{"bgk", 0.5001, "bulk_viscosity = 0.02", ""},
		{"bgk", 0.5001, "bulk_viscosity = 0.1", `with "bgk" on D2Q9 with a bulk viscosity of 0.2 cells^2/step, noise grows`},
		{"bgk", 0.5001, "bulk_viscosity = 0.5", "is close to 1/2"}, // beyond the map
		{"regularized", 0.505, "", `with "regularized" on D2Q9, noise grows`},
		{"regularized", 0.505, "bulk_viscosity = 0.01", `with "regularized" on D2Q9 with its own bulk viscosity, noise grows`},
		{"regularized", 0.505, "bulk_viscosity = 0.02", `with "regularized" on D2Q9 with a bulk viscosity of 0.02 cells^2/step, noise grows`},
		{"recursive_regularized", 0.5001, "bulk_viscosity = 0.02", ""},
		{"recursive_regularized", 0.5001, "bulk_viscosity = 0.2", ""},
		{"trt", 0.5001, "bulk_viscosity = 0.02", "is close to 1/2"}, // not measured
	} {
		viscosity := (c.tau - 0.5) / 3 * (1 + 1e-9)
		list := load(t, fmt.Sprintf(text, viscosity, c.bulk, c.model)).Warnings.Of(finding.UniformNoise, finding.TauNearHalf)
		if got := strings.Join(list.Texts(), "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, tau %g, %s: %q, want %q", c.model, c.tau, c.bulk, got, c.want)
		}
	}
}
