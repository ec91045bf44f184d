// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package study

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"lbmsim/model"
)

// grids samples f at spacings 1, 1/2, 1/4, ...
func grids(n int, f func(h float64) float64) (v []float64) {
	for k := range n {
		v = append(v, f(math.Pow(2, -float64(k))))
	}
	return v
}

// The order of an error that is a power of the spacing is found, and the error extrapolated to
// zero; the index covers it with the factor of safety.
func TestPowersAreExact(t *testing.T) {
	for _, n := range []int{3, 5} {
		v := grids(n, func(h float64) float64 { return 3 + 0.2*h*h })
		r := Analyse("q", v, 2, 2, false, model.Float64)
		left := v[n-1] - 3
		if math.Abs(float64(r.Order)-2) > 1e-9 || math.Abs(float64(r.Extrapolated)-3) > 1e-12 || len(r.Warnings) > 0 {
			t.Errorf("%d grids: %+v", n, r)
		}
		if want := 1.25 * left / v[n-1]; math.Abs(float64(r.GCI)-want) > 1e-9*want {
			t.Errorf("%d grids: GCI %g, want %g", n, r.GCI, want)
		}
		if math.Abs(float64(r.Ratio)-1) > 0.02 {
			t.Errorf("%d grids: ratio %g", n, r.Ratio)
		}
	}
	r := Analyse("e", grids(3, func(h float64) float64 { return 0.2 * h * h }), 2, 2, true, model.Float64)
	if math.Abs(float64(r.Order)-2) > 1e-9 || math.Abs(float64(r.Orders[1])-2) > 1e-9 || r.Extrapolated != 0 || len(r.Warnings) > 0 {
		t.Errorf("%+v", r)
	}
}

// Convergence that misses the formal order is reported, and the index grows.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name  string
		v     []float64
		exact bool
		want  string
	}{
		{"first order", grids(3, func(h float64) float64 { return 1 + h }), false, "observed order 1.00 is not 2"},
		{"first order of an error", grids(3, func(h float64) float64 { return h }), true, "observed order 1.00 is not 2"},
		{"oscillating", []float64{1, 1.2, 1.1}, false, "not monotone"},
		{"growing", []float64{1, 1.1, 1.3}, false, "no convergence"},
		{"two", []float64{1, 1.1}, false, "two grids"},
		{"one", []float64{1}, false, "a single grid"},
		{"rounding", []float64{1, 1, 1}, false, "rounding"},
		{"no error", []float64{0, 0, 0}, true, "rounding"},
		{"NaN", []float64{1, math.NaN(), 1}, false, "not a number"},
	} {
		r := Analyse("q", c.v, 2, 2, c.exact, model.Float64)
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], c.want) {
			t.Errorf("%s: %q, want %q", c.name, r.Warnings, c.want)
		}
		if b, err := json.Marshal(r); err != nil || !json.Valid(b) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// First order, taken as such: f = 1 + h at 1, 1/2, 1/4 has 1/4 left, times 3.
	r := Analyse("q", []float64{2, 1.5, 1.25}, 2, 2, false, model.Float64)
	if math.Abs(float64(r.GCI)-3*0.25/1.25) > 1e-12 || math.Abs(float64(r.Extrapolated)-1) > 1e-12 {
		t.Errorf("%+v", r)
	}
}

// Where results no longer converge because float32 rounds, nothing is extrapolated. The values are from Poiseuille
// flow with bgk, l2 error and largest speed, on 16 to 128 cells.
func TestRoundingIsNotExtrapolated(t *testing.T) {
	l2, speed := []float64{0.0051129037, 0.00093504143, 0.00017041297, 0.00034385642}, []float64{0.019848158, 0.019970649, 0.019995259, 0.019988753}
	for _, c := range []struct {
		name      string
		values    []float64
		exact     bool
		precision model.Precision
		want      string
	}{
		{"an error", l2, true, model.Float32, "rounding in float32"},
		{"a value", speed, false, model.Float32, "rounding in float32"},
		{"an error that grows in float64", l2, true, model.Float64, "no convergence"},
		{"a large error", []float64{0.1, 0.05, 0.2}, true, model.Float32, "no convergence"},
		{"large differences", []float64{1, 1.1, 1.3}, false, model.Float32, "no convergence"},
		{"growing differences", []float64{1, 1.00001, 1.00003}, false, model.Float32, "rounding in float32"},
	} {
		r := Analyse("q", c.values, 2, 2, c.exact, c.precision)
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], c.want) {
			t.Errorf("%s: %q, want %q", c.name, r.Warnings, c.want)
		}
		for _, v := range []Number{r.Extrapolated, r.GCI, r.Used} {
			if !math.IsNaN(float64(v)) {
				t.Errorf("%s: %g where there is nothing to extrapolate", c.name, v)
			}
		}
	}
	if r := Analyse("q", l2[:3], 2, 2, true, model.Float32); r.Extrapolated != 0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "observed order") {
		t.Errorf("while it falls: %+v", r)
	}
}
