// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import "testing"

// Whole numbers are read by people: none is rounded or written with an exponent.
func TestWholeNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 1000: "1000", 10000: "10,000", 1 << 20: "1,048,576", 1 << 40: "1,099,511,627,776", -12345: "-12345"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := Counts(2, 1<<20).String(); got != "at least 2 and at most 1,048,576" {
		t.Error(got)
	}
}

func TestNearest(t *testing.T) {
	words := []string{"viscosity", "velocity", "density", "every", "every_wall"}
	for in, want := range map[string]string{
		"viscocity": "viscosity", "Velocity": "velocity", "desnity": "density",
		"evry": "every", "everywall": "every_wall", "x": "", "temperature": "", "velosity": "velocity",
	} {
		if got := nearest(in, words); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
