// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// wave returns a sine of a frequency in oscillations per sample.
func wave(f, phase float64) func(k int) float64 {
	return func(k int) float64 { return math.Sin(2*math.Pi*f*float64(k) + phase) }
}

func TestPeakOfAnOscillation(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	main, slow, fast := wave(0.0231, 1), wave(0.00077, 2), wave(0.0462, 0.3)
	third := wave(0.0231/3, 0.2)
	drift := 0.0
	for _, c := range []struct {
		name   string
		n      int
		f      func(k int) float64
		within float64 // relative
		second float64
	}{
		{"pure", 3000, main, 1e-4, 0},
		{"pure, ten times as long", 30000, main, 1e-4, 0},
		{"about a mean, with noise of the same size", 3000, func(k int) float64 { return 3 + main(k) + random.NormFloat64() }, 2e-3, 0},
		{"one oscillation in three is weak", 3000, func(k int) float64 { return main(k) + 0.9*third(k) }, 1e-3, 0.0231 / 3},
		{"with a stronger wave of two periods", 3000, func(k int) float64 { return main(k) + 4*slow(k) }, 1e-3, 0},
		{"with its first harmonic", 3000, func(k int) float64 { return main(k) + 0.8*fast(k) }, 1e-3, 0.0462},
		{"in a wandering mean", 6000, func(k int) float64 { drift += 0.02 * random.NormFloat64(); return main(k) + drift }, 3e-3, 0},
		{"with a linear drift", 3000, func(k int) float64 { return main(k) + 0.01*float64(k) }, 1e-3, 0},
		{"after a transient", 3000, func(k int) float64 { return main(k) + 20*math.Exp(-float64(k)/100) }, 1e-3, 0},
		{"that grows", 3000, func(k int) float64 { return main(k) / (1 + math.Exp((1500-float64(k))/150)) }, 1e-3, 0},
		{"of five periods", 216, main, 0.03, 0},
		{"of few samples a period", 300, wave(0.31, 1), 1e-3, 0},
	} {
		var s Series
		var r Record
		for k := range c.n {
			s.Add(float64(k), c.f(k))
			r.Add(c.f(k))
		}
		want := 0.0231
		if c.name == "of few samples a period" {
			want = 0.31
		}
		p, found := r.Peak()
		switch {
		case !found:
			t.Errorf("%s: no peak", c.name)
			continue
		case math.Abs(p.Frequency/want-1) > c.within:
			t.Errorf("%s: %.6g instead of %.6g: %+v", c.name, p.Frequency, want, p)
		case math.Abs(p.Frequency-want) > 2*p.Half+1e-5*want:
			t.Errorf("%s: %.6g +- %.2g is not %.6g", c.name, p.Frequency, p.Half, want)
		case c.second == 0 && p.Share > 0.5 || c.second > 0 && math.Abs(p.Second/c.second-1) > 0.01:
			t.Errorf("%s: the second peak is %+v", c.name, p)
		}
		t.Logf("%s: %.6g +- %.2g of %.4g periods in %d pieces, amplitude %.3g, counted %.6g; second %.4g of %.2g", c.name, p.Frequency, p.Half, p.Periods, p.Pieces, p.Amplitude, s.Frequency(), p.Second, p.Share)
	}
}

// The interval has the frequency of an oscillation whose phase wanders, as wakes' do.
func TestPeakIntervalOfAnIrregularOscillation(t *testing.T) {
	random, outside, width := rand.New(rand.NewPCG(9, 10)), 0, 0.0
	const records, f = 100, 0.02
	for range records {
		var r Record
		phase := 0.0
		for range 4000 {
			phase += f + 0.006*random.NormFloat64()
			r.Add(math.Sin(2*math.Pi*phase) + 0.3*random.NormFloat64())
		}
		p, found := r.Peak()
		if !found || math.Abs(p.Frequency-f) > p.Half {
			outside++
		}
		width += p.Half / f / records
	}
	if outside > 20 || width > 0.1 {
		t.Errorf("%d of %d intervals miss it, of a mean half width of %.2g", outside, records, width)
	}
	t.Logf("%d outside, width %.3g", outside, width)
}

// Records without an oscillation have none.
func TestNoPeak(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	x := 0.0
	for name, f := range map[string]func(k int) float64{
		"white noise":       func(int) float64 { return random.NormFloat64() },
		"noise with memory": func(int) float64 { x = 0.97*x + random.NormFloat64(); return x },
	} {
		found := 0
		const records = 200
		for i := range records {
			var r Record
			for k := range []int{150, 1000, 6000}[i%3] {
				r.Add(f(k))
			}
			if p, ok := r.Peak(); ok {
				t.Log(p, len(r.Means))
				found++
			}
		}
		if found > records/20 {
			t.Errorf("%s: %d of %d records have a peak", name, found, records)
		}
		t.Log(name, found)
	}
	for name, f := range map[string]func(k int) float64{
		"a constant":       func(int) float64 { return 0.1 },
		"a ramp":           func(k int) float64 { return float64(k) },
		"a decay":          func(k int) float64 { return 1 + 5*math.Exp(-float64(k)/60) },
		"a slow decay":     func(k int) float64 { return 1 + 5*math.Exp(-float64(k)/1000) },
		"two periods":      wave(1./1000, 0),
		"a step":           func(k int) float64 { return math.Copysign(1, float64(k-700)) },
		"one long period":  wave(1./3000, 0.4),
		"alternating bits": func(k int) float64 { return float64(k % 2) },
	} {
		var r Record
		for k := range 2000 {
			r.Add(f(k))
		}
		if p, ok := r.Peak(); ok {
			t.Errorf("%s: %+v", name, p)
		}
	}
	var short Record
	for k := range 20 {
		short.Add(math.Sin(float64(k)))
	}
	if p, ok := short.Peak(); ok {
		t.Errorf("of 20 samples: %+v", p)
	}
}
