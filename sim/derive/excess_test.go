// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"
	"testing"

	"lbmsim/config"
)

// The temperature farthest outside the bounds counts, in fluid cells alone, and the first of equal ones.
func TestTemperatureBeyondBounds(t *testing.T) {
	b := &config.Bounds{Lo: -1, Hi: 2}
	for name, c := range map[string]struct {
		row   []float64
		types []uint8
		want  Excess
	}{
		"within":        {[]float64{-1, 0, 2}, make([]uint8, 3), Excess{}},
		"above":         {[]float64{0, 3, 2.5}, make([]uint8, 3), Excess{1, true, [3]int{1, 4, 5}, 0}},
		"below":         {[]float64{2.5, 0, -3}, make([]uint8, 3), Excess{2, false, [3]int{2, 4, 5}, 0}},
		"the first":     {[]float64{0, 3, -2}, make([]uint8, 3), Excess{1, true, [3]int{1, 4, 5}, 0}},
		"in a solid":    {[]float64{9, 0, -9}, []uint8{1, 0, 2}, Excess{}},
		"not a number":  {[]float64{math.NaN(), 3, math.NaN()}, make([]uint8, 3), Excess{1, true, [3]int{1, 4, 5}, 0}},
		"without bound": {[]float64{math.Inf(-1), 3, 0}, make([]uint8, 3), Excess{math.Inf(1), false, [3]int{0, 4, 5}, 0}},
	} {
		var e Excess
		if e.row(c.row, c.types, b, [3]int{0, 4, 5}); e != c.want {
			t.Errorf("%s: %+v, want %+v", name, e, c.want)
		}
	}
}

// Cells of all levels have an order, in which one is found again.
func TestOrderOfCells(t *testing.T) {
	o := order{{3, 2, 1}, {6, 4, 1}}
	for number := range int64(3*2 + 6*4) {
		e := o.at(number)
		if got := o.number(e); got != number || e.Level == 0 != (number < 6) {
			t.Errorf("cell %d is %v of level %d, which is %d", number, e.At, e.Level, got)
		}
	}
}
