// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package postmortem

import "testing"

// Copies are made if memory suffices, and rarely enough.
func TestCopiesAreSeldom(t *testing.T) {
	s := &keep{room: true}
	for _, c := range []struct {
		since, cost int64
		want        bool
	}{{int64(copyEvery) - 1, 0, false}, {int64(copyEvery), 0, true}, {99e9, 1e9, false}, {100e9, 1e9, true}} {
		if got := s.due(c.since, c.cost); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
		if (&keep{}).due(c.since, c.cost) {
			t.Error("a copy without room for it")
		}
	}
}
