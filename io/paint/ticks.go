// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package paint

// Numbers on axes: round steps, as few digits as distinguish the ticks, and one
// common power of ten instead of one per number.

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks marks about n intervals at multiples of 1, 2 or 5 times a power of ten.
func ticks(n int) plot.TickerFunc {
	return func(lo, hi float64) []plot.Tick {
		raw := (hi - lo) / float64(max(n, 1))
		if !(raw > 0) || math.IsInf(raw, 0) {
			return nil
		}
		step := math.Pow(10, math.Floor(math.Log10(raw)))
		for _, f := range []float64{1, 2, 5, 10} {
			if f*step >= raw*0.999 {
				step *= f
				break
			}
		}
		digits := int(max(0, -math.Floor(math.Log10(step)+1e-9)))
		var t []plot.Tick
		for k := math.Ceil(lo/step - 1e-6); k*step <= hi+1e-6*step && len(t) < 100; k++ {
			label := strconv.FormatFloat(k*step, 'f', digits, 64)
			if k == 0 {
				label = "0"
			}
			t = append(t, plot.Tick{Value: math.Max(lo, math.Min(hi, k*step)), Label: strings.Replace(label, "-", "−", 1)})
		}
		return t
	}
}

// Length returns the unit of length that suits a size in metres, and how many of it
// are a metre.
func Length(metres float64) (unit string, factor float64) {
	for _, u := range []struct {
		unit   string
		factor float64
	}{{"km", 1e-3}, {"m", 1}, {"cm", 1e2}, {"mm", 1e3}, {"µm", 1e6}} {
		if metres*u.factor >= 0.5 {
			return u.unit, u.factor
		}
	}
	return "nm", 1e9
}

// exponent returns the power of ten, a multiple of 3, to take out of numbers up to v;
// 0 while they are easy to read.
func exponent(v float64) int {
	if v == 0 || (v >= 0.01 && v < 1e4) {
		return 0
	}
	return int(math.Floor(math.Log10(v)/3)) * 3
}
