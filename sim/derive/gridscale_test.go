// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"
	"testing"

	"lbmsim/model"
)

// The share at the scale of the grid follows its definition: 1 for a checkerboard,
// sin(k/2)^4 for a wave, 0 for a uniform flow; triples with a solid cell do not count.
func TestGridScaleOfWaves(t *testing.T) {
	const n = 64
	free, dense := make([]uint8, n), make([]float64, n)
	row := func(of func(x int) float64) []float64 {
		u := make([]float64, 2*n)
		for x := range n {
			u[x], u[n+x] = of(x), 2*of(x)
		}
		return u
	}
	wave := func(waves float64) float64 { return 2 * math.Pi * waves / n }
	for name, c := range map[string]struct {
		of   func(x int) float64
		want float64
	}{
		"checkerboard": {func(x int) float64 { return float64(1 - x%2*2) }, 1},
		"uniform":      {func(int) float64 { return 0.1 }, 0},
		"16 cells":     {func(x int) float64 { return math.Sin(wave(4) * float64(x)) }, math.Pow(math.Sin(wave(4)/2), 4)},
		"64 cells":     {func(x int) float64 { return math.Cos(wave(1) * float64(x)) }, math.Pow(math.Sin(wave(1)/2), 4)},
	} {
		s := sumsOfRow(dense, row(c.of), free)
		if got := s[0] / s[1]; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
	types := make([]uint8, n)
	for x := range types {
		types[x] = uint8(x % 3 / 2) // no triple is fluid
	}
	if s := sumsOfRow(dense, row(func(int) float64 { return 1 }), types); s[0] != 0 || s[1] != 0 {
		t.Errorf("between solid cells: %v", s)
	}
}

// sumsOfRow returns the sums of a whole row.
func sumsOfRow(r, u []float64, types []uint8) (s [gridSums]float64) {
	gridRow(s[:], r, u, types, 0, len(types))
	return s
}

// Rounding noise counts as a share of zero: velocities of a few units in the last place of the stored values. Noise that
// grows beyond them counts, however slow.
func TestGridScaleOfRounding(t *testing.T) {
	const n = 64
	for _, c := range []struct {
		precision      model.Precision
		density, speed float64
		want           float64
	}{
		{model.Float64, 1e-3, 4e-14, 0},
		{model.Float64, 1e-3, 1e-8, 1},
		{model.Float64, 0, 2e-15, 0},
		{model.Float64, 0, 1e-14, 1},
		{model.Float32, 1e-3, 6e-10, 0},
		{model.Float32, 1e-3, 1e-8, 1},
		{model.Float32, 0, 1e-8, 1},
		{model.Float16, 1e-3, 5e-7, 0},
		{model.Float16, 1e-3, 1e-4, 1},
	} {
		r, u := make([]float64, n), make([]float64, n)
		for x := range n {
			r[x], u[x] = c.density, c.speed*float64(1-x%2*2)
		}
		if got := gridShare(sumsOfRow(r, u, make([]uint8, n)), c.precision); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s, %g beside a density of %g: a share of %g, want %g", c.precision, c.speed, c.density, got, c.want)
		}
	}
}

func TestGridStride(t *testing.T) {
	for _, c := range []struct{ cells, planes, want int }{{64 * 64, 64, 1}, {1 << 18, 64, 1}, {100 * 100 * 100, 100, 3}, {1 << 27, 512, 32}, {4096 * 4096, 4096, 64}} {
		if got := gridStride(c.cells, c.planes); got != c.want {
			t.Errorf("%d cells in %d planes: every %d-th, want every %d-th", c.cells, c.planes, got, c.want)
		}
	}
}
