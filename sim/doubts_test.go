// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"strings"
	"testing"
)

// The doubts of check are in the warnings of the run and in its summary, with y+.
func TestDoubtsOfARun(t *testing.T) {
	const text = `
[domain]
cells = [60, 40]
[fluid]
viscosity = 0.0005
[boundary.in]
type = "velocity"
velocity = [0.05, 0]
faces = ["x-"]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.rod]
shape = "cylinder"
centre = [45, 20]
radius = 5
[run]
steps = 2
`
	for force, want := range map[string]int{"": 1, "[output.force.rod]\n": 2} { // the outlet is near in any case
		s := trial{text: text + force, ranks: 1, dir: t.TempDir()}.must(t)
		if len(s.summary.Doubts) != want {
			t.Fatalf("%q: %q", force, s.summary.Doubts)
		}
		if got := s.summary.Doubts[0].Text; want == 2 && !strings.HasPrefix(got, "[output.force.rod]: y+ ") {
			t.Errorf("%q", got)
		}
	}
}
