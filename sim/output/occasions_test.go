// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"testing"

	"lbmsim/config"
)

// Each output decides on which occasions it is written in addition to its schedule.
func TestOccasions(t *testing.T) {
	c, err := config.Load("test.toml", []byte(`
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 10
[output.fields]
every = 100
[output.picture]
every = 100
[output.probe.middle]
at = [4, 4]
every = 100
[checkpoint]
every = 100
`))
	if err != nil {
		t.Fatal(err)
	}
	r := (&reports{}).run()
	r.Case = c
	list := New(r).List
	if len(list) != 4 {
		t.Fatalf("%d outputs", len(list))
	}
	for _, o := range list {
		_, saves := o.(*checkpoints)
		_, shows := o.(*fieldFiles)
		end := o.When().End
		for on, want := range map[Occasion]bool{CaseEnds: end, EndsEarly: end || saves, SaveOrder: saves, Unstable: shows} {
			if o.DueOn(on) != want {
				t.Errorf("%T, occasion %d: due is %v", o, on, !want)
			}
		}
	}
}
