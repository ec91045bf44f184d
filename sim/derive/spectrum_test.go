package derive

import (
	"math"
	"math/rand"
	"testing"
)

// Each wave has half the square of its amplitude, at its wave number alone. The shortest of an even number of cells has all of it:
// its sine is not seen.
func TestSpectrumOfKnownWaves(t *testing.T) {
	for _, n := range []int{2, 3, 16, 25, 30} {
		amplitude, dk := make([]float64, n/2), 2*math.Pi/float64(n)
		line := make([]float64, n)
		for i := range line {
			line[i] = 7 // the mean has no part in it
		}
		for k := range amplitude {
			amplitude[k] = 1 / float64(k+1)
			phase := float64(3 * k)
			if 2*(k+1) == n {
				phase = 0
			}
			for i := range line {
				line[i] += amplitude[k] * math.Cos(dk*float64((k+1)*i)+phase)
			}
		}
		got := make([]float64, n/2)
		newTransform(n).spectrum(got, line)
		for k, a := range amplitude {
			want := a * a / 2 / dk
			if 2*(k+1) == n {
				want *= 2
			}
			if math.Abs(got[k]-want) > 1e-12 {
				t.Errorf("%d cells, wave %d: %v instead of %v", n, k+1, got[k], want)
			}
		}
	}
}

// The sum of a spectrum is the variance (Parseval), of lines of even and odd lengths.
func TestSpectrumSumsUpToTheVariance(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	for _, n := range []int{2, 3, 8, 27, 100, 121} {
		line, mean, variance, sum := make([]float64, n), 0.0, 0.0, 0.0
		for i := range line {
			line[i] = 3 + random.NormFloat64()
			mean += line[i] / float64(n)
		}
		for _, v := range line {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		e := make([]float64, n/2)
		newTransform(n).spectrum(e, line)
		for _, v := range e {
			sum += v * 2 * math.Pi / float64(n)
		}
		if math.Abs(sum-variance) > 1e-13*variance*float64(n) {
			t.Errorf("%d cells: %v instead of %v", n, sum, variance)
		}
	}
}
