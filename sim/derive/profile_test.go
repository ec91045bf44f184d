// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"
	"testing"

	"lbmsim/config"
	"lbmsim/device"
)

// Temperatures within twice the bounds are below one, of a case that is at its reference everywhere too.
func TestWarmth(t *testing.T) {
	for _, c := range []struct {
		bounds *config.Bounds
		far    float64
	}{{nil, 1024}, {&config.Bounds{}, 1024}, {&config.Bounds{Lo: -3, Hi: 2}, 6}, {&config.Bounds{Lo: 0, Hi: 1e-3}, 2e-3}} {
		if got := warmthOf(c.bounds) * c.far; !(got >= 0.5 && got < 1) {
			t.Errorf("%+v: %v", c.bounds, got)
		}
	}
}

// A cell with a NaN, or a value too large for the sums, marks its plane as bad.
func TestBadCellsOfAProfile(t *testing.T) {
	const unit = 1 << 40
	for _, c := range []struct {
		fields []float64
		bad    bool
	}{
		{[]float64{0.1, -0.2, 0.3, 2}, false}, {[]float64{0.1, math.NaN(), 0.3, 2}, true}, {[]float64{0.1, 2.9, 0.3, 2}, true},
		{[]float64{math.Inf(-1), 0, 0, 0}, true}, {[]float64{0, 0, 0, 3}, true},
	} {
		to := make([]int64, device.ProfileValues(2, true))
		addCell(to, c.fields, 1, 2, unit, 1)
		if got := to[device.ProfileCells] >= device.ProfileBad; got != c.bad || !got && to[device.ProfileCells] != 1 {
			t.Errorf("%v: %d cells", c.fields, to[device.ProfileCells])
		}
		if want := int64(math.RoundToEven(0.1 * unit)); !c.bad && to[device.ProfileDensity] != want {
			t.Errorf("%v: %d", c.fields, to)
		}
	}
}
