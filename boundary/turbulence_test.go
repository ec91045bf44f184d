// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"fmt"
	"math"
	"testing"
)

// unit returns a field of rms 1 behind a face across x.
func unit(s Spectrum) *Turbulence {
	one := func([3]float64, float64) float64 { return 1 }
	f := NewTurbulence(s.Draw(), Sheet{Axis: 0, U: 1, V: 2, N: [2]int{64, 64}}, one, "1")
	f.Balance(f.Weigh(64*64, func([3]float64) float64 { return 1 }))
	return f
}

func (s Spectrum) String() string {
	return fmt.Sprintf("%dD, length %g, seed %d, periods %v, planes %v", s.Dims, s.Length, s.Seed, s.Period, s.Planes)
}

// walled returns spectra beside impermeable planes.
func walled() []Spectrum {
	both := []float64{0, 64}
	return []Spectrum{
		{Length: 6, Modes: 600, Seed: 1, Dims: 3, Planes: [3][]float64{2: {0}}, Period: [3]float64{1: 64}, Mean: [3]float64{0.05, 0, 0}},
		{Length: 6, Modes: 601, Seed: 2, Dims: 3, Planes: [3][]float64{1: {64}, 2: {0}}, Mean: [3]float64{0.05, 0, 0}},
		{Length: 6, Modes: 600, Seed: 3, Dims: 3, Planes: [3][]float64{2: both}, Mean: [3]float64{0.05, 0.01, 0}},
		{Length: 6, Modes: 599, Seed: 4, Dims: 3, Planes: [3][]float64{1: both, 2: both}, Mean: [3]float64{0.05, 0, 0}},
		{Length: 6, Modes: 400, Seed: 5, Dims: 2, Planes: [3][]float64{1: both}, Mean: [3]float64{0.05, 0, 0}},
	}
}

// square returns the mean square of each component at a place over all phases: a wave and its images share one random phase.
func square(s Spectrum, p [3]float64) (mean [3]float64) {
	modes := s.Draw()
	for n := 0; n < len(modes); n += s.images() {
		var sum [3]circle
		for _, m := range modes[n : n+s.images()] {
			c := turned(m.Wave[0]*p[0] + m.Wave[1]*p[1] + m.Wave[2]*p[2] + m.Phase)
			for a, size := range m.Amplitude {
				sum[a].re, sum[a].im = sum[a].re+size*c.re, sum[a].im+size*c.im
			}
		}
		for a, c := range sum {
			mean[a] += (c.re*c.re + c.im*c.im) / 2
		}
	}
	return mean
}

// Also in narrow gaps and ducts the mean square of tangential components is twice the prescribed value beside a wall, and
// the prescribed value in the middle: waves that are their own images count in full. Narrow ones have less, about the values
// expected here, which were set after measurement.
func TestNarrowGapsOfTurbulence(t *testing.T) {
	const width, seeds = 32, 10
	both := []float64{0, width}
	for _, c := range []struct {
		planes       [3][]float64
		lengths      float64 // lengths per width
		wall, middle float64 // expected rms of u
	}{
		{[3][]float64{2: both}, 2, 2, 0.95},
		{[3][]float64{2: both}, 4, 2, 1},
		{[3][]float64{1: both, 2: both}, 4, 1.9, 0.9},
		{[3][]float64{1: both, 2: both}, 6, 2, 1},
	} {
		wall, middle := 0.0, 0.0
		for seed := range uint64(seeds) {
			s := Spectrum{Length: width / c.lengths, Modes: 2000, Seed: seed, Dims: 3, Planes: c.planes}
			wall += square(s, [3]float64{0, width / 2, 0})[0] / seeds
			middle += square(s, [3]float64{0, width / 2, width / 2})[0] / seeds
		}
		if math.Abs(wall/c.wall-1) > 0.06 || math.Abs(middle/c.middle-1) > 0.06 {
			t.Errorf("%g lengths between %v: the mean square is %.3f at the wall and %.3f in the middle, expected %g and %g", c.lengths, c.planes, wall, middle, c.wall, c.middle)
		} else {
			t.Logf("%g lengths between %v: the mean square is %.3f at the wall and %.3f in the middle", c.lengths, c.planes, wall, middle)
		}
	}
}

// Beside an impermeable plane the normal component vanishes at all times, and the mean square of the others is twice its
// value far away, where all have the prescribed rms.
func TestPlanesOfTurbulence(t *testing.T) {
	for _, s := range walled() {
		f := unit(s)
		if n := len(f.Modes); n != s.Waves() || n < s.Modes || n >= s.Modes+4 {
			t.Errorf("%v: %d waves for %d", s, n, s.Modes)
		}
		for axis, planes := range s.Planes {
			for _, plane := range planes {
				along := [3]float64{}
				const n = 2000
				for k := range n {
					p := [3]float64{0, 22 + float64(7*k%20), 22 + float64(13*k%20)} // 3 lengths away from others
					if p[axis] = plane; s.Dims == 2 {
						p[2] = 0.5
					}
					u := f.Add([3]float64{}, p, float64(k)*s.Length/s.Mean[0])
					if math.Abs(u[axis]) > 1e-10 {
						t.Fatalf("%v: %g passes the plane %g across axis %d", s, u[axis], plane, axis)
					}
					for a := range u {
						along[a] += u[a] * u[a] / n
					}
				}
				for a := range s.Dims {
					if rms := math.Sqrt(along[a] / 2); a != axis && math.Abs(rms-1) > 0.1 {
						t.Errorf("%v: at the plane %g across axis %d the rms of component %d is %.3f sqrt(2)", s, plane, axis, a, rms)
					}
				}
			}
		}
		middle := [3]float64{}
		const n = 2000
		for k := range n {
			p := [3]float64{0, 22 + float64(7*k%20), 22 + float64(13*k%20)}
			if s.Dims == 2 {
				p[2] = 0.5
			}
			u := f.Add([3]float64{}, p, float64(k)*s.Length/s.Mean[0])
			for a := range u {
				middle[a] += u[a] * u[a] / n
			}
		}
		for a := range s.Dims {
			if rms := math.Sqrt(middle[a]); math.Abs(rms-1) > 0.1 {
				t.Errorf("%v: in the middle the rms of component %d is %.3f", s, a, rms)
			}
		}
	}
}

func spectra() (list []Spectrum) {
	for seed := range uint64(4) {
		list = append(list,
			Spectrum{Length: 8, Modes: 200, Seed: seed, Dims: 3, Mean: [3]float64{0.05, 0, 0}},
			Spectrum{Length: 8, Modes: 200, Seed: seed, Dims: 3, Period: [3]float64{0, 64, 64}, Mean: [3]float64{0.05, 0.01, 0}},
			Spectrum{Length: 4, Modes: 150, Seed: seed, Dims: 3, Period: [3]float64{0, 64, 0}, Mean: [3]float64{0.05, 0, 0}},
			Spectrum{Length: 6, Modes: 200, Seed: seed, Dims: 2, Mean: [3]float64{0.05, 0, 0}})
	}
	return list
}

// Averaged over time and many positions the field has no mean, the prescribed rms of each component, and no
// correlation between them.
func TestStatisticsOfTurbulence(t *testing.T) {
	for _, s := range spectra() {
		f := unit(s)
		const places, times = 500, 40
		step := 3 * s.Length / s.Mean[0] // almost uncorrelated moments
		var sum, square [3]float64
		cross := 0.0
		for n := range times {
			for k := range places {
				u := f.Add([3]float64{}, [3]float64{0, float64(7*k%64) + 0.5, float64(13*(k/64)%64) + 0.5}, float64(n)*step)
				for a := range u {
					sum[a], square[a] = sum[a]+u[a], square[a]+u[a]*u[a]
				}
				cross += u[0] * u[1]
			}
		}
		const all = places * times
		for a := range s.Dims {
			if mean := sum[a] / all; math.Abs(mean) > 0.08 {
				t.Errorf("%v: the mean of component %d is %.3f", s, a, mean)
			}
			if rms := math.Sqrt(square[a] / all); math.Abs(rms-1) > 0.08 {
				t.Errorf("%v: the rms of component %d is %.3f", s, a, rms)
			}
		}
		if c := cross / all; math.Abs(c) > 0.1 {
			t.Errorf("%v: components correlate with %.3f", s, c)
		}
	}
}

// Over all times the waves have the rms of each component and, along the flow, the correlation of the spectrum: its integral
// over three lengths, 0.97 of the whole.
func TestLengthOfTurbulence(t *testing.T) {
	for _, s := range spectra() {
		length, energy := 0.0, [3]float64{}
		for _, m := range s.Draw() {
			for a, size := range m.Amplitude {
				energy[a] += size * size / 2
			}
			k := 2 * math.Pi * m.Wave[0]
			length += m.Amplitude[0] * m.Amplitude[0] / 2 * math.Sin(k*3*s.Length) / k
		}
		for a := range s.Dims {
			if rms := math.Sqrt(energy[a]); math.Abs(rms-1) > 0.04 {
				t.Errorf("%v: the rms of component %d is %.3f", s, a, rms)
			}
		}
		if length /= energy[0]; math.Abs(length/s.Length-1) > 0.12 {
			t.Errorf("%v: the integral length is %.2f", s, length)
		}
	}
}

// The energy of waves up to a wave number follows von Karman's formula, and none is shorter than four cells.
func TestSpectrumOfTurbulence(t *testing.T) {
	s := Spectrum{Length: 20, Modes: 400, Seed: 3, Dims: 3}
	peak := 0.7468 / s.Length // without the omitted waves; Pope, Turbulent Flows, eq. 6.249
	total, part := 0.0, map[float64]float64{}
	for k := 0.001; k < math.Pi/2; k += 0.001 {
		q := k / peak
		e := q * q * q * q / math.Pow(1+q*q, 17./6) * 0.001
		total += e
		for _, limit := range []float64{1, 2, 5, 10} {
			if q < limit {
				part[limit] += e
			}
		}
	}
	for limit, want := range part {
		below := 0
		for _, m := range s.Draw() {
			f := math.Hypot(math.Hypot(m.Wave[0], m.Wave[1]), m.Wave[2])
			if 2*math.Pi*f < limit*peak {
				below++
			}
			if f > 0.25 {
				t.Fatalf("a wave of %g cells", 1/f)
			}
		}
		if got := float64(below) / 400; math.Abs(got-want/total) > 0.05 {
			t.Errorf("up to %g k_e lies %.3f of the energy, by the formula %.3f", limit, got, want/total)
		}
	}
}

// Waves are perpendicular to their wave numbers, so the field stays free of divergence as the flow carries it.
func TestDivergenceOfTurbulence(t *testing.T) {
	plain := spectra()[1]
	plain.Mean = [3]float64{0.05, 0, 0}
	for _, s := range append(walled()[:2], plain) {
		if got := divergence(unit(s)); got > 1e-4 {
			t.Errorf("%v: the divergence is %.2g of a gradient", s, got)
		}
	}
}

// divergence of a field convected along x, relative to its gradients.
func divergence(f *Turbulence) float64 {
	const h = 0.01
	all, gradients := 0.0, 0.0
	for k := range 200 {
		p := [3]float64{0, float64(7*k%64) + 0.5, float64(13*k%64) + 0.5}
		for a := range 3 {
			for b := range 3 {
				if a == b {
					continue
				}
				lo, hi := p, p
				lo[b], hi[b] = lo[b]-h, hi[b]+h
				d := (f.Add([3]float64{}, hi, 30)[a] - f.Add([3]float64{}, lo, 30)[a]) / (2 * h)
				gradients += d * d / 6
			}
		}
		sum := 0.0
		for a := range 3 {
			lo, hi := p, p
			lo[a], hi[a] = lo[a]-h, hi[a]+h
			sum += (f.Add([3]float64{}, hi, 30)[a] - f.Add([3]float64{}, lo, 30)[a]) / (2 * h)
		}
		all += sum * sum
	}
	return math.Sqrt(all / gradients)
}

// The flux through the face does not fluctuate, for any distribution of rms, beside a body and summed in parts; and a
// face's ends match across a periodic axis.
func TestBalanceOfTurbulence(t *testing.T) {
	for _, s := range append(spectra(), walled()...) {
		rms := func(p [3]float64, _ float64) float64 { return 0.1 + p[2]/40 }
		n := [2]int{64, 20}
		if s.Dims == 2 {
			n[1] = 1
		}
		open := func(p [3]float64) bool { return p[1] < 20 || p[1] > 33 }
		f := NewTurbulence(s.Draw(), Sheet{Axis: 0, U: 1, V: 2, N: n}, rms, "")
		var sums []int64
		for _, part := range [][2]int{{0, 30}, {30, 34}} {
			g := NewTurbulence(f.Modes, Sheet{Axis: 0, U: 1, V: 2, First: [2]int{part[0], 0}, N: [2]int{part[1], n[1]}}, rms, "")
			own := g.Weigh(n[0]*n[1], func(p [3]float64) float64 {
				if !open(p) {
					return 0
				}
				return rms(p, 0)
			})
			if sums == nil {
				sums = make([]int64, len(own))
			}
			for k, v := range own {
				sums[k] += v
			}
		}
		f.Balance(sums)
		sum, most := 0.0, 0.0
		for i := range n[0] * n[1] {
			p := [3]float64{0, float64(i%64) + 0.5, float64(i/64) + 0.5}
			if !open(p) {
				continue
			}
			u := f.Add([3]float64{}, p, 777.5)
			sum, most = sum+u[0], most+math.Abs(u[0])
		}
		if math.Abs(sum) > 1e-12*most {
			t.Errorf("%v: %.3g passes the face, the waves have %.3g", s, sum, most)
		}
		a, b := f.Add([3]float64{}, [3]float64{0, 0.5, 3.5}, 9), f.Add([3]float64{}, [3]float64{0, 64.5, 3.5}, 9)
		if d := math.Abs(a[2] - b[2]); s.Period[1] > 0 && d > 1e-12 {
			t.Errorf("%v: the ends of the face differ by %.3g", s, d)
		}
	}
}

// A seed gives the same waves on any machine; another seed gives others.
func TestSeedOfTurbulence(t *testing.T) {
	s := Spectrum{Length: 10, Modes: 50, Seed: 1, Dims: 3, Mean: [3]float64{0.05, 0, 0}}
	m := s.Draw()[7]
	if got := fmt.Sprintf("%.6f %.6f %.6f", m.Wave, m.Phase, m.Amplitude); got != "[-0.007243 0.020687 0.001660] 0.599855 [0.007258 -0.025175 0.345418]" {
		t.Errorf("wave 7 is %s", got)
	}
	s.Seed = 2
	if s.Draw()[7] == m {
		t.Error("two seeds have the same waves")
	}
}

func BenchmarkTurbulence(b *testing.B) {
	f := unit(spectra()[0])
	for n := range b.N {
		f.Add([3]float64{}, [3]float64{0, float64(n%64) + 0.5, 3.5}, 7)
	}
}
