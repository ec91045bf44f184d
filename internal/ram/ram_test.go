// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ram

import "testing"

// The library has the tests of control groups; this one tests the results that runs rely on.
func TestLeft(t *testing.T) {
	left, available, limit := Left(), Available(), Limit()
	if available <= 0 || left <= 0 || limit < 0 {
		t.Errorf("left %d, available %d, limit %d bytes", left, available, limit)
	}
	if limit > 0 && left > limit {
		t.Errorf("left: %d bytes, more than the limit of %d", left, limit)
	}
}
