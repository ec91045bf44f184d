// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package study

import (
	"strings"
	"testing"
)

// With Continue each grid but the first starts from the grid before it, and each but the last leaves its flow.
func TestGridsThatGoOn(t *testing.T) {
	const text = `
[domain]
size = ["0.2 m", "0.1 m"]
spacing = "0.01 m"
periodic = ["x", "y"]
[fluid]
viscosity = "1e-3 m2/s"
[scaling]
time_step = "5 ms"
[initial]
velocity = ["0.01*sin(2*pi*y/Ly) m/s", 0]
[run]
steps = 3
[expect.max_speed]
`
	o := Options{Path: "cases/test.toml", Text: []byte(text), Set: []string{`output.dir="elsewhere"`}, Levels: 3, First: 1, Ratio: 2, Formal: 2, Continue: true}
	cases, err := o.Load()
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range cases {
		if from := c.Initial.From; (from != nil) != (k > 0) {
			t.Errorf("grid %d starts from %v", k, from)
		} else if k > 0 && !strings.HasSuffix(from.Path, "elsewhere/study/refined_"+[]string{"", "1", "2"}[k]) {
			t.Errorf("grid %d starts from %s", k, from.Path)
		}
		if c.Fields.On != (k < 2) {
			t.Errorf("grid %d writes fields: %v", k, c.Fields.On)
		}
	}
	o.Continue = false
	if cases, err = o.Load(); err != nil || cases[1].Initial.From != nil || cases[0].Fields.On {
		t.Errorf("grids start from each other unasked: %v", err)
	}
}
