// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"slices"
	"testing"

	"lbmsim/device"
)

// Due passes are queued in their order. A recording repeats the passes of its steps, so it begins and ends where
// the same ones are due.
func TestPassesAreQueuedWhenDue(t *testing.T) {
	var queued []int
	every := func(k int) pass { return pass{k, func(device.Buffer) { queued = append(queued, k) }} }
	list := passes{every(1), every(4), every(6)}
	for n, want := range map[int][]int{0: {1, 4, 6}, 1: {1}, 4: {1, 4}, 6: {1, 6}, 12: {1, 4, 6}} {
		queued = nil
		list.queue(n, nil)
		if !slices.Equal(queued, want) {
			t.Errorf("before step %d: passes %v instead of %v", n, queued, want)
		}
	}
	for _, c := range []struct {
		list passes
		k, n int
		can  bool
	}{
		{list, 12, 0, true}, {list, 24, 36, true}, {list, 8, 0, false}, {list, 12, 4, false},
		{passes{every(1)}, 2, 3, true}, {nil, 2, 3, true},
	} {
		if got := c.list.recordable(c.k, c.n); got != c.can {
			t.Errorf("a recording of %d steps from step %d, passes again after %d: %v", c.k, c.n, c.list.period(), got)
		}
	}
}
