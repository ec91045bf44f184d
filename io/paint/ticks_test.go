// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package paint

import "testing"

func TestTicks(t *testing.T) {
	got := ""
	for _, k := range ticks(5)(-0.1, 0.32) {
		got += k.Label + " "
	}
	if got != "−0.1 0 0.1 0.2 0.3 " {
		t.Errorf("ticks %q", got)
	}
}
