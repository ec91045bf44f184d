// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stats

import (
	"encoding/json"
	"math"
	"math/rand"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// AR(1), x' = p x + sqrt(1-p^2) noise, has the variance 1, and the variance of its mean
// is known exactly. The interval must have the right width, and must hold the true mean
// in about 95 of 100 series.
func TestIntervalOfAR1(t *testing.T) {
	const n, series = 1 << 14, 400
	for _, p := range []float64{-0.5, 0, 0.5, 0.9, 0.95} {
		random := rand.New(rand.NewSource(7))
		exact := ((1+p)/(1-p) - 2*p*(1-math.Pow(p, n))/(n*(1-p)*(1-p))) / n
		held, width, inefficiency := 0, 0.0, 0.0
		for range series {
			var b Blocking
			x := random.NormFloat64()
			for range n {
				b.Add(3 + 2*x)
				x = p*x + math.Sqrt(1-p*p)*random.NormFloat64()
			}
			e := b.Estimate()
			if math.Abs(e.Mean-3) <= e.Half {
				held++
			}
			width += e.Half / series
			inefficiency += e.Inefficiency / series
		}
		if share := float64(held) / series; share < 0.91 || share > 0.98 {
			t.Errorf("p = %v: %.1f %% of the intervals hold the mean", p, 100*share)
		}
		if want := 1.96 * 2 * math.Sqrt(exact); math.Abs(width/want-1) > 0.08 {
			t.Errorf("p = %v: half a width of %.4g instead of %.4g", p, width, want)
		}
		if want := (1 + p) / (1 - p); math.Abs(inefficiency/want-1) > 0.12 {
			t.Errorf("p = %v: an inefficiency of %.4g instead of %.4g", p, inefficiency, want)
		}
	}
}

// The reason for all this: formulas for independent samples give an interval that is far too narrow.
func TestNaiveIntervalWouldBeWrong(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	var b Blocking
	x := 0.0
	for range 1 << 14 {
		b.Add(x)
		x = 0.98*x + random.NormFloat64()
	}
	if e := b.Estimate(); e.Half < 5*1.96*e.Std/math.Sqrt(float64(e.N)) {
		t.Errorf("half a width of %.4g is as of independent samples", e.Half)
	}
}

// The mean of oscillations is known better than their amplitude suggests.
func TestIntervalOfAnOscillation(t *testing.T) {
	var b Blocking
	for i := range 20000 {
		b.Add(1 + math.Sin(2*math.Pi*float64(i)/137.3))
	}
	if e := b.Estimate(); math.Abs(e.Mean-1) > e.Half || e.Half > 0.01 {
		t.Errorf("mean %v +- %v", e.Mean, e.Half)
	}
}

// A series that is too short has no interval; one that still drifts has the interval of
// one sample, and one that has come to rest the interval of its remaining changes.
func TestUnknownIntervals(t *testing.T) {
	var few, ramp, rest, constant Blocking
	for i := range 1000 {
		if i < Fewest-1 {
			few.Add(float64(i % 2))
		}
		ramp.Add(float64(i))
		rest.Add(5 + math.Exp(-7-float64(i)/300))
		constant.Add(0.1)
	}
	if e := ramp.Estimate(); e.Half < 499 || e.Half > 1000 || e.Inefficiency != 1000 {
		t.Errorf("a ramp: %+v", e)
	}
	if e := rest.Estimate(); e.Half > 2e-3 || math.Abs(e.Mean-5) > e.Half {
		t.Errorf("coming to rest: %+v", e)
	}
	for name, b := range map[string]*Blocking{"empty": {}, "few": &few} {
		if e := b.Estimate(); !math.IsInf(e.Half, 1) {
			t.Errorf("%s: mean %v +- %v", name, e.Mean, e.Half)
		}
	}
	if e := constant.Estimate(); e.Half != 0 || e.Mean != 0.1 || e.N != 1000 {
		t.Errorf("a constant: %+v", e)
	}
}

// Table of percentage points, Abramowitz & Stegun (1964) table 26.10, two-sided 95 %.
func TestStudent(t *testing.T) {
	for n, want := range map[int]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 15: 2.131, 30: 2.042, 60: 2.000, 120: 1.980, 1000: 1.962, 1001: 1.962, 1 << 40: 1.960} {
		if got := Student95(n); math.Abs(got-want) > 6e-4 {
			t.Errorf("%d degrees of freedom: %.5f instead of %.3f", n, got, want)
		}
	}
}

// A stored series continues to the same bits, and does not grow with its samples.
func TestStorage(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	var whole, part Series
	for i := range 30000 {
		if i%4567 == 0 {
			b, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > 4096 {
				t.Fatalf("%d samples take %d bytes", i, len(b))
			}
			part = Series{}
			if err := json.Unmarshal(b, &part); err != nil {
				t.Fatal(err)
			}
		}
		x, at := math.Sin(float64(i)/50)+0.3*random.NormFloat64(), float64(i)*0.1
		whole.Add(at, x)
		part.Add(at, x)
	}
	if !reflect.DeepEqual(whole, part) {
		t.Errorf("whole %+v\npart %+v", whole, part)
	}
}

// Frequencies of a noisy oscillation about a mean that the series has to estimate.
func TestFrequency(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	var pure, noisy, still Series
	const f = 0.2871
	for i := range 4000 {
		at := float64(i) * 0.05
		x := 3 + math.Cos(2*math.Pi*f*at)
		pure.Add(at, x)
		noisy.Add(at, x+0.02*random.NormFloat64())
		still.Add(at, 3)
	}
	if got := pure.Frequency(); math.Abs(got/f-1) > 5e-4 {
		t.Errorf("pure: %v instead of %v", got, f)
	}
	if got := noisy.Frequency(); math.Abs(got/f-1) > 2e-3 {
		t.Errorf("noisy: %v instead of %v", got, f)
	}
	// Few oscillations, whatever phase they begin with.
	for phase := range 12 {
		var few Series
		for i := range 120 { // six of 20 samples
			few.Add(float64(i), math.Sin(2*math.Pi*(float64(i)/20+float64(phase)/12)))
		}
		if got := few.Frequency(); math.Abs(20*got-1) > 2e-3 {
			t.Errorf("six oscillations from phase %d/12 have the frequency %v instead of %v", phase, got, 1./20)
		}
	}
	// Sound beside it, whose oscillations count, too, makes the periods scatter.
	var rings Series
	for i := range 4000 {
		at := float64(i) * 0.05
		rings.Add(at, math.Cos(2*math.Pi*f*at)+0.8*math.Cos(2*math.Pi*3.3*f*at))
	}
	if a, b, c := pure.Scatter(), noisy.Scatter(), rings.Scatter(); a > 1e-3 || b > 0.02 || c < 0.3 || !math.IsNaN(still.Scatter()) {
		t.Errorf("periods scatter by %v, %v with noise, %v with sound, %v of a constant", a, b, c, still.Scatter())
	}
	if got := still.Frequency(); !math.IsNaN(got) || !math.IsNaN(still.FrequencyHalf()) {
		t.Errorf("a constant has the frequency %v +- %v", got, still.FrequencyHalf())
	}
	// Alternating periods of 9 and 11: 32 of them, with a standard deviation of a tenth.
	var uneven Series
	for i := range 8000 {
		at := float64(i) * 0.05
		round := math.Mod(at, 20)
		phase := round / 9
		if round >= 9 {
			phase = (round - 9) / 11
		}
		uneven.Add(at, math.Sin(2*math.Pi*phase))
	}
	if got, half := uneven.Frequency(), uneven.FrequencyHalf(); math.Abs(10*got-1) > 5e-3 || math.Abs(10*half/(Student95(31)*0.1016/math.Sqrt(32))-1) > 0.02 {
		t.Errorf("uneven: %v +- %v", got, half)
	}
	// A state of an older version, which kept other numbers of its rises, counts those to come.
	var old Series
	state := `{"levels":[{"n":2,"mean":0,"squares":1}],"cycles":{"before":[1000,-0.1],"low":true,"rise":999.5,"risen":true,"rose":true,"times":[990,995]}}`
	if err := json.Unmarshal([]byte(state), &old); err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		old.Add(1000+float64(i+1)*0.05, math.Sin(2*math.Pi*f*float64(i)*0.05))
	}
	if got := old.Frequency(); math.Abs(got/f-1) > 5e-3 {
		t.Errorf("after a state of an older version: %v instead of %v", got, f)
	}
	if pure.Max > 4.000001 || pure.Max < 3.999 || pure.Min < 1.999999 || pure.Min > 2.001 || math.Abs(pure.Last-(3+math.Cos(2*math.Pi*f*3999*0.05))) > 1e-9 {
		t.Errorf("extremes %v to %v, last %v", pure.Min, pure.Max, pure.Last)
	}
}

// Many series at once have the bits of each alone, also when they have been stored in between.
func TestVectorIsManySeries(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	var v Vector
	alone := make([]Blocking, 3)
	for n := range 1000 {
		x := []float64{random.NormFloat64(), float64(n), 4}
		v.Add(x)
		for i := range alone {
			alone[i].Add(x[i])
		}
		if n%77 == 0 {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			v = Vector{}
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range alone {
		if got, want := v.Estimate(i), alone[i].Estimate(); got != want {
			t.Errorf("series %d: %+v instead of %+v", i, got, want)
		}
	}
	if v.Samples() != 1000 || (&Vector{}).Samples() != 0 {
		t.Errorf("%d samples", v.Samples())
	}
	var f Floats
	for _, bad := range []string{`3`, `"###"`, `"AAAA"`} {
		if json.Unmarshal([]byte(bad), &f) == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// The expansion for many samples is the distribution's own quantile.
func TestStudent95(t *testing.T) {
	for _, n := range []int{1, 15, 63, 64, 65, 100, 1000, 1e6} {
		want := distuv.StudentsT{Sigma: 1, Nu: float64(n)}.Quantile(0.975)
		if got := Student95(n); math.Abs(got-want) > 2e-9 {
			t.Errorf("n = %d: %v instead of %v", n, got, want)
		}
	}
}
