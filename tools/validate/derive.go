// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"lbmsim/internal/harness"
)

// Quantities derived from the numbers of a run.

// against holds a number to a value, within a part of it.
func against(what string, got, want, part float64) check {
	return check{What: what, Got: number(got), Want: number(want), Tolerance: number(part * math.Abs(want)), OK: math.Abs(got-want) <= part*math.Abs(want)}
}

// informative returns a number without a tolerance.
func informative(what string, got float64) check {
	return check{What: what, Got: number(got), OK: true, Free: true}
}

// columns of a CSV file in the folder of a run.
func columns(dir, name string) (map[string][]float64, error) {
	return harness.Columns(filepath.Join(dir, name))
}

// pressureDrop between the front and the back of the cylinder of Schaefer & Turek, case
// 2D-1, with cells of that size in metres, within a part of its value: the parabola
// through the first three cells in front of the surface, whose centres are 1/2, 3/2 and
// 5/2 cells away.
func pressureDrop(cell, within float64) func([]check, string) ([]check, error) {
	return func(_ []check, dir string) ([]check, error) {
		var end [2]float64
		for i, side := range []struct {
			name    string
			surface float64
		}{{"front", 0.15}, {"back", 0.25}} {
			name := "line_" + side.name + ".csv" // of the end alone
			line, err := columns(dir, name)
			if err != nil {
				return nil, err
			}
			for k, weight := range []float64{15. / 8, -10. / 8, 3. / 8} {
				at := slices.IndexFunc(line["x"], func(x float64) bool {
					return math.Abs(math.Abs(x-side.surface)-(float64(k)+0.5)*cell) < 1e-6*cell
				})
				if at < 0 {
					return nil, fmt.Errorf("%s has no point %g cells from the surface", filepath.Join(dir, name), float64(k)+0.5)
				}
				end[i] += weight * line["pressure"][at]
			}
		}
		return []check{against("drop of pressure", end[0]-end[1], 0.11752016697, within)}, nil
	}
}

// shedding holds the Strouhal number of Schaefer & Turek, case 2D-2, from its lift since
// t = 6 s, within a part of its value.
func shedding(within float64) func([]check, string) ([]check, error) {
	return func(_ []check, dir string) ([]check, error) {
		const start, diameter, velocity = 6, 0.1, 1
		f, err := columns(dir, "force_cylinder.csv")
		if err != nil {
			return nil, err
		}
		first, _ := slices.BinarySearch(f["time"], start)
		t, lift := f["time"][first:], f["lift"][first:]
		period, err := periodOf(t, lift)
		if err != nil {
			return nil, err
		}
		return []check{
			against("Strouhal number", diameter/(period*velocity), 0.301841, within),
			informative("largest lift", floats.Max(lift)),
		}, nil
	}
}

// periodOf a series: the time between its first and its last rise through its mean over
// the number of periods between them.
func periodOf(t, v []float64) (float64, error) {
	mean := floats.Sum(v) / float64(max(1, len(v)))
	var rises []float64
	for i := 1; i < len(v); i++ {
		if v[i-1] < mean && v[i] >= mean {
			rises = append(rises, t[i-1]+(t[i]-t[i-1])*(mean-v[i-1])/(v[i]-v[i-1]))
		}
	}
	n := len(rises)
	if n < 3 {
		return 0, fmt.Errorf("%d rises through the mean give no period", n)
	}
	return (rises[n-1] - rises[0]) / float64(n-1), nil
}

// slopes of a series: of the cubic that fits the points within half a window best
// (Savitzky & Golay, Anal. Chem. 36 (1964) 1627, for any distances), so that sound does
// not show. Times nearer than that to an end have none.
func slopes(t, v []float64, half float64) (at, slope []float64, err error) {
	if len(t) != len(v) {
		return nil, nil, fmt.Errorf("%d times of %d values", len(t), len(v))
	}
	for i := range t {
		if t[i]-t[0] < half || t[len(t)-1]-t[i] < half {
			continue
		}
		lo, hi := i, i
		for t[i]-t[lo] < half {
			lo--
		}
		for t[hi]-t[i] < half {
			hi++
		}
		n := hi - lo + 1
		if n < 5 {
			return nil, nil, fmt.Errorf("%d values around t = %g: too few", n, t[i])
		}
		powers, values := mat.NewDense(n, 4, nil), mat.NewVecDense(n, nil)
		for k := range n {
			x := t[lo+k] - t[i]
			powers.SetRow(k, []float64{1, x, x * x, x * x * x})
			values.SetVec(k, v[lo+k]-v[i])
		}
		var fit mat.VecDense
		if err := fit.SolveVec(powers, values); err != nil {
			return nil, nil, err
		}
		at, slope = append(at, t[i]), append(slope, fit.AtVec(1))
	}
	if len(at) == 0 {
		return nil, nil, fmt.Errorf("%d values are too few for slopes", len(t))
	}
	return at, slope, nil
}

// maximum of samples, by the parabola through the largest and its neighbours.
func maximum(t, v []float64) (value, at float64) {
	i := floats.MaxIdx(v)
	if i == 0 || i == len(v)-1 {
		return v[i], t[i]
	}
	rise, fall := (v[i]-v[i-1])/(t[i]-t[i-1]), (v[i+1]-v[i])/(t[i+1]-t[i])
	bend := (fall - rise) / (t[i+1] - t[i-1])
	if bend == 0 {
		return v[i], t[i]
	}
	slope := rise + bend*(t[i]-t[i-1])
	return v[i] - slope*slope/(4*bend), t[i] - slope/(2*bend)
}
