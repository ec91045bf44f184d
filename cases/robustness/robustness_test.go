// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package robustness

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func point(model, lattice string, u, tau float64, holds bool) Point {
	return Point{Flow: Uniform, Model: model, Lattice: lattice, Velocity: u, Tau: tau, Holds: holds}
}

// sample returns the map of a model that fails below 0.51 where it is fast and below 0.505 where it is slow.
func sample() Map {
	m := Map{
		point("cumulant", "D3Q27", 0.1, 0.5001, true),
		point("recursive_regularized", "D3Q19", 0.1, 0.501, true),
		point("recursive_regularized", "D3Q19", 0.1, 0.5001, false),
	}
	for _, tau := range []float64{0.5001, 0.505, 0.51, 0.52} { // in no special order
		m = append(m, point("regularized", "D3Q19", 0.1, tau, tau >= 0.51), point("regularized", "D3Q19", 0.05, tau, tau >= 0.505))
	}
	return m
}

// A case is judged by a point that asks at least as much of the model.
func TestNearestAsksNoLess(t *testing.T) {
	for _, c := range []struct {
		u, tau      float64
		found       bool
		atU, atTau  float64
		holds, eddy bool
	}{
		{u: 0.05, tau: 0.507, found: true, atU: 0.05, atTau: 0.505, holds: true},
		{u: 0.051, tau: 0.507, found: true, atU: 0.1, atTau: 0.505},
		{u: 0.05 * (1 + 1e-12), tau: 0.505 - 1e-14, found: true, atU: 0.05, atTau: 0.505, holds: true}, // out of units
		{u: 0.01, tau: 0.52, found: true, atU: 0.05, atTau: 0.52, holds: true},
		{u: 0.3, tau: 0.515, found: true, atU: 0.1, atTau: 0.51, holds: true}, // beyond the map: its end
		{u: 0.05, tau: 0.500001, found: true, atU: 0.05, atTau: 0.5001},
		{u: 0.05, tau: 0.53}, // resolved
		{u: 0.05, tau: 0.8},
		{u: 0.05, tau: 0.5001, eddy: true}, // not measured
		{u: math.SmallestNonzeroFloat64, tau: 0.5002, found: true, atU: 0.05, atTau: 0.5001},
	} {
		p, found := sample().Nearest("D3Q19", "regularized", c.eddy, c.u, c.tau)
		if found != c.found || found && (p.Velocity != c.atU || p.Tau != c.atTau || p.Holds != c.holds) {
			t.Errorf("%+v: %+v %v", c, p, found)
		}
	}
	if _, found := (Map{}).Nearest("D2Q9", "bgk", false, 0.1, 0.51); found {
		t.Error("an empty map knows something")
	}
}

func TestInstead(t *testing.T) {
	for _, c := range []struct {
		lattice string
		tau     float64
		want    string
	}{
		{"D3Q19", 0.501, "recursive_regularized"}, // on the lattice that the case has
		{"D3Q19", 0.5001, "cumulant"},             // on D3Q27
		{"D2Q9", 0.501, ""},
		{"D3Q19", 0.50005, ""}, // closer to 1/2 than anything that was measured
	} {
		p, found := sample().Instead(c.lattice, false, 0.08, c.tau)
		if p.Model != c.want || found != (c.want != "") {
			t.Errorf("%+v: %+v %v", c, p, found)
		}
	}
}

// What holds at the end of the map says nothing of a case beyond it.
func TestBeyondTheMap(t *testing.T) {
	for _, c := range []struct {
		u, tau float64
		asks   bool
	}{{0.1, 0.5001, true}, {0.08, 0.6, true}, {0.1 * (1 + 1e-12), 0.5001 - 1e-15, true}, {0.11, 0.51, false}, {0.08, 0.50009, false}} {
		if got := point("cumulant", "D3Q27", 0.1, 0.5001, true).Asks(c.u, c.tau); got != c.asks {
			t.Errorf("%+v: %v", c, got)
		}
		if _, found := sample().Instead("D3Q27", false, c.u, c.tau); c.tau < 0.52 && found != c.asks {
			t.Errorf("instead, %+v: %v", c, found)
		}
	}
}

func TestWall(t *testing.T) {
	m := append(sample(), point("bgk", "D2Q9", 0.1, 0.52, false), point("bgk", "D2Q9", 0.1, 0.51, true))
	for _, c := range []struct {
		model, lattice string
		u, tau         float64
		holds          bool
	}{
		{"regularized", "D3Q19", 0.1, 0.51, true},
		{"regularized", "D3Q19", 0.05, 0.505, true},
		{"bgk", "D2Q9", 0.1, 0.52, false}, // what holds below one that does not counts for nothing
	} {
		if p, found := m.Wall(Uniform, c.lattice, c.model, false, c.u); !found || p.Tau != c.tau || p.Holds != c.holds {
			t.Errorf("%+v: %+v %v", c, p, found)
		}
	}
	if _, found := m.Wall(Jet, "D3Q19", "regularized", false, 0.1); found {
		t.Error("a jet that was not run")
	}
	for model, want := range map[string]string{
		"regularized": "keeps a uniform flow of 0.1 cells per step from tau 0.51 on D3Q19",
		"bgk":         "keeps a uniform flow of 0.1 cells per step from above tau 0.52 on D2Q9",
		"trt":         "",
	} {
		if got := m.Quiet(model); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The file is what Text writes, so that a run that changes nothing leaves no difference.
func TestText(t *testing.T) {
	m := Measured()
	if len(m) == 0 {
		t.Fatal("the map is empty")
	}
	b, err := m.Text()
	if err != nil || !bytes.Equal(b, results) {
		t.Errorf("results.csv is not what Text writes (%v)", err)
	}
	columns := strings.Join(header, ",") + "\n"
	for _, wrong := range []string{"", "[", "flow,lattice\n", columns + "jet,D2Q9\n", columns + "jet,D2Q9,bgk,,,0.1,0.51,,12,maybe,\n",
		columns + "jet,D2Q9,bgk,,,0.1,x,,12,yes,\n"} {
		if _, err := Parse([]byte(wrong)); err == nil {
			t.Errorf("read without an error: %q", wrong)
		}
	}
}

// A bulk viscosity is judged by the two of the map around it, of which 0 is the model's own.
func TestBulkViscosities(t *testing.T) {
	slow := point("bgk", "D2Q9", 0.1, 0.51, true)
	thick := point("bgk", "D2Q9", 0.1, 0.51, false)
	thick.Bulk = 0.2
	m := Map{slow, thick}
	for _, c := range []struct {
		bulk, below, above float64
		found              bool
	}{{0.1, 0, 0.2, true}, {0.2, 0.2, 0.2, true}, {0.3, 0.2, math.Inf(1), false}} {
		if below, above, found := m.Around("D2Q9", "bgk", c.bulk); below != c.below || above != c.above || found != c.found {
			t.Errorf("%+v: %g, %g, %v", c, below, above, found)
		}
	}
	for bulk, holds := range map[float64]bool{0: true, 0.2: false} {
		if p, found := m.With(bulk).Nearest("D2Q9", "bgk", false, 0.1, 0.51); !found || p.Holds != holds {
			t.Errorf("bulk viscosity %g: %+v, %v", bulk, p, found)
		}
	}
	if p, found := m.Nearest("D2Q9", "bgk", false, 0.1, 0.51); !found || !p.Holds {
		t.Errorf("without: %+v, %v", p, found)
	}
}
