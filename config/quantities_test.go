// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"testing"
)

// Every quantity of the catalogue can be expected.
func TestQuantities(t *testing.T) {
	c := load(t, plain+`
[scaling]
tau = 0.65
[output.probe.p]
at = ["0.5 m", "0.25 m"]
[expect]
mass_error = 1e-6
[expect.max_speed]
value = "0.1 m/s"
within = "5 %"
[expect.kinetic_energy]
value = "1 Pa"
within = "0.1 J/m3"
[expect.mean_velocity]
component = "y"
value = 0
within = "1 um/s"
[expect.velocity]
reference = ["0.1 m/s", 0]
l2 = 0.1
linf = 0.2
[output.force.walls]
velocity = "0.1 m/s"
length = "1 m"
[expect.force.walls]
value = 1
within = "1 %"
[expect.probe.p]
field = "pressure"
value = "1 Pa"
within = "1 %"
[expect.line.a]
along = "x"
through = [0, "0.25 m"]
extremum = "min"
value = "1 m/s"
within = "1 %"
[expect.line.b]
along = "x"
through = [0, "0.25 m"]
extremum = "max"
field = "density"
value = "1000 kg/m3"
within = "1 %"
[expect.line.c]
along = "x"
through = [0, "0.25 m"]
extremum = "min"
measure = "position"
value = "0.4 m"
within = "1 %"
[expect.line.d]
along = "x"
through = [0, "0.25 m"]
extremum = "max"
measure = "position"
value = "0.4 m"
within = "1 cm"
[expect.line.e]
along = "x"
through = [0, "0.25 m"]
from = "0.2 m"
to = "0.405 m"
component = "y"
crossing = "last"
direction = "falling"
value = "0.3 m"
within = "1 cm"
[output.series.s]
lines = ["e", "a"]
`)
	asked := map[string]Expectation{}
	for _, e := range c.Expect {
		asked[e.Quantity] = e
	}
	for _, q := range Quantities() {
		e, ok := asked[q.Name]
		if !ok {
			t.Errorf("%s is missing", q.Name)
			continue
		}
		want := q.Dim
		if q.PerField {
			want = e.Field.Dim
		}
		if e.Dim != want || !(e.Tolerance > 0) || e.Name == "" {
			t.Errorf("%+v", e)
		}
	}
	if len(asked) != len(Quantities()) {
		t.Errorf("%d quantities, %d in the catalogue", len(asked), len(Quantities()))
	}
	if e := asked[MaxSpeed]; e.Value != 0.1 || e.Tolerance < 0.00499 || e.Tolerance > 0.00501 {
		t.Errorf("%+v", e)
	}
	if e := asked[LineCrossing]; e.Span != [2]int{20, 41} || !e.Last || e.Direction != -1 {
		t.Errorf("%+v", e)
	}
	if s := c.Series[0]; len(s.Quantities) != 0 || len(s.Lines) != 2 || s.Lines[0].Name != "e" || s.Lines[0].Of.Quantity != LineCrossing || s.Lines[1].Of.Quantity != LineMin {
		t.Errorf("%+v", s)
	}
	if e := asked[ProbeValue]; e.Probe != "p" || e.Cell != [3]int{50, 25, 0} {
		t.Errorf("%+v", e)
	}
}

// A sign changes between two values, at a single zero, and over none in a row.
func TestCrossing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		samples   []float64
		last      bool
		direction int
		want      float64
	}{
		{[]float64{-1, 3}, false, 0, 0.25},
		{[]float64{3, -1}, false, 0, 0.75},
		{[]float64{3, -1}, false, 1, nan},
		{[]float64{3, -1}, true, -1, 0.75},
		{[]float64{1, 2, 3}, false, 0, nan},
		{[]float64{0, 0, 0}, true, 0, nan},
		{[]float64{0, 1, 2}, false, 0, nan},
		{[]float64{-7, 0, 2}, false, 1, 1},
		{[]float64{-7, 0, -2, 1}, false, 0, 2 + 2./3},
		{[]float64{-7, 0, 0, 2}, false, 0, nan},
		{[]float64{-7, 0, 0, 2, -2}, false, 0, 3.5},
		{[]float64{-1, 1, -1, 1, -1}, false, -1, 1.5},
		{[]float64{-1, 1, -1, 1, -1}, true, 1, 2.5},
		{[]float64{-1, nan, 1, -1}, false, 0, 2.5},
		{[]float64{-1e-300, 1e-300}, false, 0, 0.5},
		{nil, false, 0, nan},
	} {
		got := Crossing(c.samples, []float64{0, 1, 2, 3, 4}, c.last, c.direction)
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v, last %v, direction %d: %v instead of %v", c.samples, c.last, c.direction, got, c.want)
		}
	}
	if got := Crossing([]float64{-2, 1, 4}, []float64{3, 4.5, 5}, false, 0); got != 4 {
		t.Errorf("%v between samples at 3 and 4.5", got)
	}
}
