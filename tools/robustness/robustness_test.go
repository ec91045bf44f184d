// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"lbmsim/cases/robustness"
	"lbmsim/internal/harness"
	"lbmsim/model"
)

const root = "../.."

// The short form of the map, with the current lbmsim, agrees with the results. Where there is no
// Go, LBMSIM_TEST_PROGRAM names a program.
func TestShortForm(t *testing.T) {
	program, err := harness.Build(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	o := options{program: harness.Program{Path: program, Root: here, Device: os.Getenv("LBMSIM_TEST_DEVICE")}, short: true, check: true, jobs: 2,
		report: func(s string) { reported++; t.Log(s) }}
	if err := o.run(); err != nil {
		t.Error(err)
	}
	if reported < 2*len(model.Collisions) {
		t.Errorf("only %d runs", reported)
	}
}

// The page follows from the results, and these match the plan, in its order.
func TestPageIsOfTheResults(t *testing.T) {
	m := robustness.Measured()
	files, err := page(m)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if held, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(held) != string(b) {
			t.Errorf("%s is not what %s makes: go run ./tools/robustness -draw (%v)", name, resultsFile, err)
		}
	}
	plan, kept := entries(false), map[string]robustness.Point{}
	for _, p := range m {
		kept[name(p)] = p
	}
	again, err := order(plan, kept).Text()
	if text, _ := m.Text(); err != nil || string(again) != string(text) {
		t.Errorf("%s is not in the order of the plan, or has what that has not (%v)", resultsFile, err)
	}
	for _, c := range model.Collisions {
		if words(c.Name) == "" {
			t.Errorf("the page says nothing of %s", c.Name)
		}
	}
}

// Every run has its own name and a case, and the relaxation time that its arguments give.
func TestPlan(t *testing.T) {
	seen := map[string]bool{}
	short := 0
	for _, e := range entries(false) {
		n := name(e.Point)
		if seen[n] {
			t.Errorf("two runs are called %s", n)
		}
		seen[n] = true
		if e.short {
			short++
		}
		if _, err := os.Stat(filepath.Join(root, e.args[1])); err != nil {
			t.Errorf("%s: %v", n, err)
		}
		if !(e.Tau > 0.5) || e.Steps < 1000 || e.cells < 1000 {
			t.Errorf("%s: %+v", n, e)
		}
	}
	for _, want := range []string{
		"uniform-D3Q19-regularized-u0.1-tau0.50001", "taylor_green-D3Q27-cumulant-smagorinsky-u0.1-re1e7",
		"shear_layer-D2Q9-bgk-u0.1-re1e4", "jet-D3Q19-recursive_regularized-u0.1-tau0.5001", "spheres-D3Q19-trt-tau1.5",
	} {
		if !seen[want] {
			t.Errorf("there is no %s", want)
		}
	}
	if short != 4*len(model.Collisions) {
		t.Errorf("%d runs are short", short)
	}
	for _, e := range entries(true) {
		if e.Flow == robustness.Uniform && e.Steps != 20000 {
			t.Errorf("%s: %d steps", name(e.Point), e.Steps)
		}
	}
}

func TestJudge(t *testing.T) {
	noise := func(start, half, end, vorticity float64) map[string][]float64 {
		return map[string][]float64{"max_speed": {1 + start, 1 + half, 1.5 + end}, "mean_velocity x": {1, 1, 1.5}, // rounding moves the mean
			"enstrophy": {0, 0, vorticity * vorticity / 2}}
	}
	energy := func(v ...float64) map[string][]float64 { return map[string][]float64{"kinetic_energy": v} }
	for _, c := range []struct {
		flow   robustness.Flow
		series map[string][]float64
		holds  bool
		got    float64
	}{
		{robustness.Uniform, noise(1e-5, 3e-5, 2e-5, 1e-6), true, 2e-5},
		{robustness.Uniform, noise(1e-5, 1e-6, 9e-6, 0), true, 9e-6},   // rounding
		{robustness.Uniform, noise(1e-5, 1e-3, 9e-4, 0), true, 9e-4},   // it falls
		{robustness.Uniform, noise(1e-5, 1e-4, 2e-4, 0), false, 2e-4},  // it grows
		{robustness.Uniform, noise(1e-5, 0.02, 0.02, 0), false, 0.02},  // it has grown
		{robustness.Uniform, noise(1e-5, 1e-5, 1e-5, 0.1), false, 0.1}, // across the flow
		{robustness.TaylorGreen, energy(2, 2.02, 1), true, 1.01},
		{robustness.Jet, energy(2, 1, 2.1), false, 1.05},
		{robustness.Spheres, map[string][]float64{"mean_velocity x": {0, 11.032 * 1e-7 / 0.784 / 0.1}}, true, 1},
	} {
		p, err := judge(robustness.Point{Flow: c.flow, Tau: 0.8}, c.series)
		if err != nil || p.Holds != c.holds || math.Abs(*p.Got-c.got) > 1e-3*c.got {
			t.Errorf("%s %v: %v %v %v", c.flow, c.series, p.Holds, describe(p), err)
		}
	}
	for _, c := range []struct {
		flow   robustness.Flow
		series map[string][]float64
	}{
		{robustness.Uniform, nil}, {robustness.Jet, energy(1)}, {robustness.Spheres, nil}, {robustness.Jet, energy(1, math.NaN())},
	} {
		if p, err := judge(robustness.Point{Flow: c.flow}, c.series); err == nil {
			t.Errorf("%s %v: %v", c.flow, c.series, describe(p))
		}
	}
	if got := describe(robustness.Point{Flow: robustness.Jet, Lattice: "D2Q9", Model: "bgk", Velocity: 0.1, Tau: 0.505}); got != "jet-D2Q9-bgk-u0.1-tau0.505: unstable, does not hold" {
		t.Error(got)
	}
}

// Several at a time, all of them, and an error of one ends it.
func TestEach(t *testing.T) {
	list := make([]entry, 100)
	var n atomic.Int32
	if err := each(list, 7, func(int, entry) error { n.Add(1); return nil }); err != nil || n.Load() != 100 {
		t.Errorf("%d calls, %v", n.Load(), err)
	}
	for _, jobs := range []int{0, 1, 7} {
		n.Store(0)
		err := each(list, jobs, func(i int, _ entry) error {
			if n.Add(1); i >= 3 {
				return errors.New("broken")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "broken") || n.Load() > 20 {
			t.Errorf("%d jobs: %d calls, %v", jobs, n.Load(), err)
		}
	}
}

// A repeated map runs the missing points, keeps what another machine found, and
// writes the same bytes.
func TestResultsAreKept(t *testing.T) {
	here := t.TempDir()
	one := entries(false)[0].Point
	one.Holds = true
	text, err := robustness.Map{one}.Text()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(here, "other.csv")
	if err := os.WriteFile(other, text, 0o666); err != nil {
		t.Fatal(err)
	}
	o := options{program: harness.Program{Root: here}, add: other, draw: true, report: func(s string) { t.Log(s) }}
	for range 2 {
		if err := o.run(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(here, resultsFile)); err != nil || string(got) != string(text) {
			t.Errorf("%s %v", got, err)
		}
		o.add = ""
	}
	o = options{program: harness.Program{Root: here}, only: "^" + name(one) + "$", missing: true, report: func(s string) { t.Error(s) }}
	if err := o.run(); err != nil { // nothing is to be run
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(here, pageFile)); err != nil || !strings.Contains(string(b), "not run") {
		t.Errorf("%v", err)
	}
}
