// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"math"
	"strings"
	"testing"

	"lbmsim/model"
)

func TestReadQuantity(t *testing.T) {
	for text, want := range map[string]float64{"40 m/s": 40, "144 km/h": 40, " 2*20 m/s ": 40, "4e4 mm/s": 40} {
		if got, err := ReadQuantity("--speed", text, model.Velocity, Above(0)); err != nil || math.Abs(got/want-1) > 1e-15 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "fast": "fast", "x m/s": "constant", "40": "give a unit", "40 m": "must be a velocity (m/s), not a length",
		"40 furlongs": "furlongs", "1e308*1e308 m/s": "not a finite number", "-1 m/s": "out of range", "0 m/s": "out of range",
	} {
		if _, err := ReadQuantity("--speed", text, model.Velocity, Above(0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
