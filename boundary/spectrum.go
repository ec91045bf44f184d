// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"math/rand/v2"

	"lbmsim/internal/vector"
)

// Spectrum is the distribution from which the turbulent modes of a face are drawn: the spectrum of von Karman (Proc. Natl.
// Acad. Sci. 34 (1948) 530),
//
//	E(k) ~ k^4 / (1 + (k/k_e)^2)^(17/6)
//
// without waves that the grid cannot resolve. Random Fourier modes are Kraichnan's (Phys. Fluids 13 (1970) 22); at inlets
// Lee, Lele & Moin, Phys. Fluids A 4 (1992) 1521.
type Spectrum struct {
	Length float64 // the integral length along the velocity, in cells
	Modes  int     // waves, with their images; rounded up to whole groups of these
	Seed   uint64
	Dims   int
	// Period of the axes along which waves have to fit into the domain, in cells; 0: no restriction.
	Period [3]float64
	// Impermeable planes normal to each axis: up to two, by their position in cells.
	Planes [3][]float64
	Mean   [3]float64 // the velocity that carries them
}

// ShortestWave is the length of the shortest, in cells.
const ShortestWave = 4

// LeastLength is the smallest integral length that waves of ShortestWave and longer can have, in cells.
const LeastLength = 15 * ShortestWave / 32.

// stream of the generator, beside the seed.
const stream = 0x7475726275 // "turbu"

// Draw draws the waves. All have the same energy, so they are dense where the spectrum is high. Each length is from one of
// as many parts of the spectrum, and the directions are from a sequence that covers the sphere evenly. Phases are random.
//
// An impermeable plane mirrors each wave: beside it the normal component vanishes, without divergence, and the mean square
// of tangential components is twice its value far away. Without images the first cells would turn motion towards a wall into
// a jet along it.
func (s Spectrum) Draw() []Mode {
	source := rand.NewPCG(s.Seed, stream)
	random := func() float64 { return float64(source.Uint64()>>11) / (1 << 53) }
	quantile := s.quantiles()
	// Roberts' sequence in three dimensions: powers of the root of x^4 = x + 1.
	const g = 1.2207440846057596
	way := [3]float64{random(), random(), random()}
	drawn, all := s.drawn(), s.Waves()
	modes := make([]Mode, 0, all)
	for n := range drawn {
		k := quantile((float64(n)+random())/float64(drawn)) / (2 * math.Pi)
		for a := range way {
			_, way[a] = math.Modf(way[a] + math.Pow(g, -float64(a+1)))
		}
		m := Mode{Wave: s.fitted(direction(way, s.Dims), k)}
		m.Amplitude = across(m.Wave, way[2], s.Dims)
		for a := range m.Amplitude {
			m.Amplitude[a] *= math.Sqrt(2 * float64(s.Dims) / float64(all))
			m.Rate += m.Wave[a] * s.Mean[a]
		}
		m.Phase = random()
		modes = append(modes, s.mirrored(m)...)
	}
	return modes
}

// images returns the number of waves that each drawn wave becomes, itself included.
func (s Spectrum) images() int {
	n := 1
	for _, planes := range s.Planes {
		if len(planes) > 0 {
			n *= 2
		}
	}
	return n
}

// drawn returns the number of waves drawn.
func (s Spectrum) drawn() int { return (s.Modes + s.images() - 1) / s.images() }

// Waves returns the number of waves, with their images.
func (s Spectrum) Waves() int { return s.drawn() * s.images() }

// mirrored returns a wave and its images. Between two planes the wave fits, so that its images at both are the same. One
// without a wave number across them is its own image, and the two add up, as the images of all waves do at a plane: summed over
// the wave numbers that fit, the mean square is then 1 + r, r the correlation with the place behind the plane.
func (s Spectrum) mirrored(m Mode) []Mode {
	list := []Mode{m}
	for a, planes := range s.Planes {
		if len(planes) == 0 {
			continue
		}
		for n := range list {
			image := list[n]
			image.Phase += 2 * image.Wave[a] * planes[0]
			image.Wave[a], image.Amplitude[a] = -image.Wave[a], -image.Amplitude[a]
			list = append(list, image)
		}
	}
	return list
}

// direction returns a unit vector: all directions are equally likely if way is uniform in the unit cube.
func direction(way [3]float64, dims int) [3]float64 {
	if dims == 2 {
		c := turned(way[0])
		return [3]float64{c.re, c.im, 0}
	}
	z := 2*way[0] - 1
	r, c := math.Sqrt(1-z*z), turned(way[1])
	return [3]float64{r * c.re, r * c.im, z}
}

// periods returns the axes' periods and, between two planes, the period of a wave that coincides with its image.
func (s Spectrum) periods() [3]float64 {
	periods := s.Period
	for a, planes := range s.Planes {
		if len(planes) == 2 {
			periods[a] = 2 * (planes[1] - planes[0])
		}
	}
	return periods
}

// fitted returns a wave number, in waves per cell, whose waves fit into the periods.
func (s Spectrum) fitted(way [3]float64, k float64) [3]float64 {
	wave, length := way, 0.0
	periods := s.periods()
	for a, period := range periods {
		if wave[a] *= k; period > 0 {
			wave[a] = math.RoundToEven(wave[a]*period) / period
		}
		length += wave[a] * wave[a]
	}
	if length*ShortestWave*ShortestWave > 1 { // rounding has made it too short
		for a, period := range periods {
			if period > 0 {
				wave[a] = math.Trunc(way[a]*k*period) / period
			}
		}
	}
	return wave
}

// across returns a unit vector perpendicular to a wave number, all of them equally likely if turns is uniform; 0 for wave
// number 0.
func across(wave [3]float64, turns float64, dims int) [3]float64 {
	k := math.Sqrt(wave[0]*wave[0] + wave[1]*wave[1] + wave[2]*wave[2])
	if k == 0 {
		return [3]float64{}
	}
	if dims == 2 {
		return [3]float64{-wave[1] / k, wave[0] / k, 0}
	}
	least := 0 // the axis most nearly normal to the wave number
	for a := range wave {
		if math.Abs(wave[a]) < math.Abs(wave[least]) {
			least = a
		}
	}
	var axis, e [3]float64
	axis[least] = 1
	one := vector.Cross(wave, axis)
	two := vector.Cross(wave, one)
	c := turned(turns)
	size := math.Sqrt(one[0]*one[0] + one[1]*one[1] + one[2]*one[2])
	for a := range e {
		e[a] = (c.re*one[a] + c.im*two[a]/k) / size
	}
	return e
}

// number of quadrature points of the spectrum.
const points = 400

// numbers returns wave numbers, evenly spaced on a logarithmic scale, up to the wave number of ShortestWave.
func (s Spectrum) numbers() []float64 {
	k := make([]float64, points+1)
	most := 2 * math.Pi / ShortestWave
	least := math.Min(most, 1/s.Length) / 1000
	for n := range k {
		k[n] = least * math.Pow(most/least, float64(n)/points)
	}
	return k
}

// energy returns the integral of E(k) up to each of these wave numbers, and the integral length.
func (s Spectrum) energy(numbers []float64, peak float64) (sums []float64, length float64) {
	sums = make([]float64, len(numbers))
	of := func(k float64) float64 {
		q := k / peak
		return q * q * q * q / math.Pow(1+q*q, 17./6)
	}
	// The length is the mean of 3 pi/(4 k), in 2D of 2/k, as for isotropic waves.
	each := 3 * math.Pi / 4
	if s.Dims == 2 {
		each = 2
	}
	for n := 1; n < len(numbers); n++ {
		e := (of(numbers[n-1]) + of(numbers[n])) / 2 * (numbers[n] - numbers[n-1])
		sums[n] = sums[n-1] + e
		length += e * each * 2 / (numbers[n-1] + numbers[n])
	}
	return sums, length / sums[len(sums)-1]
}

// quantiles of the energy as a function: the wave number below which a given part of it lies. k_e is chosen to give
// the integral length without the omitted waves.
func (s Spectrum) quantiles() func(part float64) float64 {
	numbers := s.numbers()
	lo, hi := math.Log(0.01/s.Length), math.Log(100.)
	for range 40 {
		mid := (lo + hi) / 2
		if _, length := s.energy(numbers, math.Exp(mid)); length > s.Length {
			lo = mid
		} else {
			hi = mid
		}
	}
	sums, _ := s.energy(numbers, math.Exp(hi))
	at := 1
	return func(part float64) float64 { // called with rising parts
		wanted := part * sums[points]
		for at < points && sums[at] < wanted {
			at++
		}
		return numbers[at-1] + (numbers[at]-numbers[at-1])*(wanted-sums[at-1])/(sums[at]-sums[at-1])
	}
}

// Longest returns the length of the longest wave, in cells, at the middle of its part of the spectrum.
func (s Spectrum) Longest() float64 { return 2 * math.Pi / s.quantiles()(0.5/float64(s.drawn())) }

// Carried returns the share of von Karman's spectrum with this integral length in waves of ShortestWave and longer.
func (s Spectrum) Carried() float64 {
	// k_e without a shortest wave (Pope, Turbulent Flows, Cambridge 2000, eq. 6.249 ff.).
	peak := math.Sqrt(math.Pi) * math.Gamma(5./6) / math.Gamma(1./3) / s.Length
	numbers := s.numbers()
	sums, _ := s.energy(numbers, peak)
	of := func(k float64) float64 { q := k / peak; return q * q * q * q / math.Pow(1+q*q, 17./6) }
	rest := 0.0
	last := numbers[points]
	for range points { // up to a million times that number, where the energy is negligible
		next := last * math.Pow(1e6, 1./points)
		rest += (of(last) + of(next)) / 2 * (next - last)
		last = next
	}
	return sums[points] / (sums[points] + rest)
}
