// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"

	"lbmsim/internal/stats"
	"lbmsim/sim/derive"
)

// surfaceSums are the sums of an [output.surface.NAME] with means: on each triangle the mean of each value and the sum of squared
// deviations from it, by the recurrence of the other averages, and the forces on the surface and its solids with their intervals. Rank
// 0 has the triangles and their values, so it has the sums: 64 or 80 bytes for each beside about 0.5 kB.
type surfaceSums struct {
	modelled bool  // there is y+
	samples  int64 // on all ranks
	forces   stats.Vector
	sums     []float64 // on rank 0: [value][triangle] means, then the squares
	scratch  []float64
}

// reset discards all samples.
func (m *surfaceSums) reset() { *m = surfaceSums{modelled: m.modelled} }

// values returns the number of values of a triangle: pressure, traction and, at walls with a model, y+.
func (m *surfaceSums) values() int {
	if m.modelled {
		return 5
	}
	return 4
}

// take continues with a sample.
func (m *surfaceSums) take(values *derive.SurfaceValues) {
	n, all := len(values.Pressure), m.values()
	if m.sums == nil {
		m.sums = make([]float64, 2*all*n)
	}
	if m.scratch == nil {
		m.scratch = make([]float64, n)
	}
	inverse := 1 / float64(m.samples)
	for k := range all {
		for i := range n {
			switch {
			case k == 0:
				m.scratch[i] = values.Pressure[i]
			case k < 4:
				m.scratch[i] = values.Shear[i][k-1]
			default:
				m.scratch[i] = values.Plus[i]
			}
		}
		deviate(m.scratch, m.sums[k*n:][:n], inverse)
		addProducts(m.scratch, m.scratch, m.sums[(all+k)*n:][:n], 1-inverse)
	}
}

// statistics returns the means and the rms of the fluctuations on n triangles, on rank 0; NaN without samples.
func (m *surfaceSums) statistics(n int) (mean, rms *derive.SurfaceValues) {
	all := m.values()
	list := func(value func(k, i int) float64) *derive.SurfaceValues {
		v := &derive.SurfaceValues{Pressure: make([]float64, n), Shear: make([][3]float64, n)}
		if all > 4 {
			v.Plus = make([]float64, n)
		}
		for i := range n {
			v.Pressure[i] = value(0, i)
			for a := range v.Shear[i] {
				v.Shear[i][a] = value(1+a, i)
			}
			if all > 4 {
				v.Plus[i] = value(4, i)
			}
		}
		return v
	}
	if m.samples == 0 {
		none := list(func(int, int) float64 { return math.NaN() })
		return none, none
	}
	mean = list(func(k, i int) float64 { return m.sums[k*n+i] })
	rms = list(func(k, i int) float64 { return math.Sqrt(m.sums[(all+k)*n+i] / float64(m.samples)) })
	return mean, rms
}

// estimates returns the means of forces number from to end, and behind them half the widths of their 95 % intervals; NaN without samples.
func (m *surfaceSums) estimates(from, end int) []float64 {
	list := make([]float64, 2*(end-from))
	for k := range end - from {
		mean, half := math.NaN(), math.NaN()
		if m.samples > 0 {
			e := m.forces.Estimate(from + k)
			mean, half = e.Mean, e.Half
		}
		list[k], list[end-from+k] = mean, half
	}
	return list
}
