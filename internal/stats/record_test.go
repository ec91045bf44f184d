// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// recorded returns a series and its record.
func recorded(n int, f func(k int) float64) (s Series, r Record) {
	for k := range n {
		s.Add(float64(k), f(k))
		r.Add(f(k))
	}
	return s, r
}

func TestRecordSeparatesSettledFromDriftingSeries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shedding := func(k int) float64 { return 2 + 0.1*math.Sin(float64(k)/3) + 0.01*random.NormFloat64() }
	for _, c := range []struct {
		name            string
		n               int
		f               func(k int) float64
		steady, settles bool
	}{
		{"shedding", 3000, shedding, true, true},
		{"shedding that drifts", 3000, func(k int) float64 { return shedding(k) + 2e-4*float64(k) }, false, false},
		{"a transient of a tenth", 3000, func(k int) float64 { return shedding(k) + 3*math.Exp(-float64(k)/60) }, false, true},
		{"a pure oscillation of many periods", 2000, func(k int) float64 { return 0.33 * math.Sin(float64(k)*2*math.Pi/97) }, true, false},
		{"a pure oscillation of a few periods and a half", 2000, func(k int) float64 { return 0.33 * math.Sin(1+float64(k)*2*math.Pi/310) }, true, false},
		{"a pure oscillation that drifts", 2000, func(k int) float64 { return 0.33*math.Sin(float64(k)*2*math.Pi/97) + 1e-4*float64(k) }, false, false},
		{"a ramp", 3000, func(k int) float64 { return float64(k) }, false, false},
		{"steady flow after a transient", 3000, func(k int) float64 { return 1 + 5*math.Exp(-float64(k)/60) }, false, true},
		{"steady flow", 3000, func(int) float64 { return 1 }, true, true},
		{"few samples", 10, shedding, false, false},
	} {
		s, r := recorded(c.n, c.f)
		if got := r.Steady(s.Estimate(), 1e-3); got != c.steady {
			t.Errorf("%s: steady %v; %+v, drift %v", c.name, got, s.Estimate(), r.Drift())
		}
		discard, e, got := r.Settled(1e-3)
		if got != c.settles {
			t.Errorf("%s: settles %v after %d: %+v", c.name, got, discard, e)
		}
		if want := mean(r.Means[len(r.Means)*3/4:]); got && math.Abs(e.Mean-want) > 2*e.Half+1e-3 {
			t.Errorf("%s: %v +- %v after %d, the last quarter has %v", c.name, e.Mean, e.Half, discard, want)
		}
	}
}

// A series that wanders within a band has its spread, which contains its last quarter; one with a trend or a wide band has none.
func TestRecordFindsBands(t *testing.T) {
	for _, c := range []struct {
		name    string
		f       func(k int) float64
		found   bool
		discard int64 // at most
	}{
		{"a slow swing", func(k int) float64 { return 1.2 + 0.004*math.Cos(float64(k)/450) }, true, 0},
		{"a slow swing after a transient", func(k int) float64 { return 1.2 + 0.004*math.Cos(float64(k)/300) + 0.2*math.Exp(-float64(k)/100) }, true, 800},
		{"a wide swing", func(k int) float64 { return 1.2 + 0.05*math.Sin(2+float64(k)/450) }, false, 0},
		{"a slow ramp", func(k int) float64 { return 1.2 + 4e-6*float64(k) }, false, 0},
		{"a ramp below an oscillation", func(k int) float64 { return 1.2 + 4e-6*float64(k) + 0.004*math.Sin(float64(k)/130) }, false, 0},
		{"a slow decay below an oscillation", func(k int) float64 { return 1.2 + 0.05*math.Exp(-float64(k)/12000) + 0.004*math.Sin(float64(k)/130) }, false, 0},
		{"a slow decay", func(k int) float64 { return 1.2 + 0.02*math.Exp(-float64(k)/1500) }, false, 0},
	} {
		const n = 3000
		_, r := recorded(n, c.f)
		b, found := r.Confined(0.012)
		if found != c.found || b.Discard > c.discard {
			t.Errorf("%s: found %v: %+v", c.name, found, b)
		}
		if last := mean(r.Means[len(r.Means)*3/4:]); found && (math.Abs(b.Mean-last) > b.Half || b.Half > 0.012 || b.Discard+b.N > n || b.Discard+b.N < n-r.Width*n/settlingBlocks) {
			t.Errorf("%s: %+v, the last quarter has %v", c.name, b, last)
		}
	}
	if _, r := recorded(4*Fewest-1, func(int) float64 { return 1.2 }); len(r.Means) > 0 {
		if b, found := r.Confined(0.012); found {
			t.Errorf("few samples: %+v", b)
		}
	}
}

// Of 300 stationary records with memory at most a few count as drifting.
func TestStationarySeriesSeldomDrift(t *testing.T) {
	random, wrong := rand.New(rand.NewPCG(3, 4)), 0
	for range 300 {
		x := 0.0
		s, r := recorded(4000, func(int) float64 { x = 0.9*x + random.NormFloat64(); return x })
		if !r.Steady(s.Estimate(), 0) {
			wrong++
		}
	}
	if wrong > 6 {
		t.Errorf("%d of 300 are said to drift", wrong)
	}
}

func TestRecordContinuesFromJSON(t *testing.T) {
	var whole, part Record
	const n = 20 * recordBlocks
	for k := range n {
		if k == n/4+7 {
			text, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			part = Record{}
			if err := json.Unmarshal(text, &part); err != nil {
				t.Fatal(err)
			}
		}
		x := math.Sin(float64(k))
		whole.Add(x)
		part.Add(x)
	}
	if len(whole.Means) < recordBlocks/2 || whole.Width != 32 || part.Width != whole.Width || part.Drift() != whole.Drift() || part.Sum != whole.Sum {
		t.Errorf("%+v\n%+v", whole, part)
	}
}
