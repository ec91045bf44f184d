// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import "testing"

// An implausible drag coefficient gives a warning at the end; without counted samples there is no coefficient.
func TestCoefficientsFarFromAnyBody(t *testing.T) {
	for name, c := range map[string]struct {
		keys string
		want int
	}{
		"a unit that is wrong": {"velocity = 1e-6\nlength = 4.6\n", 1},
		"right":                {"velocity = 0.01\nlength = 4.6\n", 0},
		"creeping":             {"velocity = 1e-4\nlength = 4.6\n", 0},
		"no samples":           {"velocity = 1e-6\nlength = 4.6\nstart = 500\n", 0},
	} {
		s := trial{text: driven + "[run]\nsteps = 400\n[output.force.disc]\nevery = 100\n" + c.keys, ranks: 2, dir: t.TempDir()}
		got := s.must(t)
		if n := got.warnedOf("far outside the range of any body"); n != c.want {
			t.Errorf("%s: %d warnings, want %d: %q", name, n, c.want, got.warned)
		}
	}
}
