// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package paint

import (
	"math"
	"testing"
)

func TestBrightnessFollowsTheValue(t *testing.T) {
	s, err := NewScale(0, 1, nil, Auto)
	if err != nil {
		t.Fatal(err)
	}
	last := -1.0
	for i := 0; i <= 50; i++ {
		c := s.Colour(float64(i) / 50)
		y := 0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)
		if y < last {
			t.Errorf("colour %d is darker than the one before", i)
		}
		last = y
	}
}

func TestColoursFollowTheValues(t *testing.T) {
	s, err := NewScale(0, 2, nil, Auto)
	if err != nil {
		t.Fatal(err)
	}
	if s.Colour(0) == s.Colour(2) || s.Colour(-5) != s.Colour(0) || s.Colour(math.Inf(1)) != s.Colour(2) || s.Colour(math.NaN()) != Solid {
		t.Error("the colours do not follow the values")
	}
}

// Fixed ends count whatever the values are, and values of both signs get a scale about zero.
func TestEndsOfAScale(t *testing.T) {
	for name, c := range map[string]struct {
		lo, hi, least, most float64
		fixed               *[2]float64
	}{
		"values":   {1, 3, 1, 3, nil},
		"fixed":    {-1, 3, 0.5, 2, &[2]float64{0.5, 2}},
		"signed":   {-1, 3, -3, 3, nil},
		"no value": {math.Inf(1), math.Inf(-1), 0, 1, nil},
	} {
		s, err := NewScale(c.lo, c.hi, c.fixed, Auto)
		if err != nil {
			t.Fatal(err)
		}
		if s.colours.Min() != c.least || s.colours.Max() != c.most {
			t.Errorf("%s: a scale from %g to %g, want %g to %g", name, s.colours.Min(), s.colours.Max(), c.least, c.most)
		}
	}
}
