// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package brief serves tests that do less in a short run (go test -short).
package brief

import "testing"

// Fewer skips, in a short run, a subtest that names the omitted parts of its test, so that `make test-long` runs the whole test.
func Fewer(t *testing.T, what string) {
	t.Helper()
	if testing.Short() {
		t.Run("rest", func(t *testing.T) { t.Skipf("fewer %s than there are: make test-all runs all of them", what) })
	}
}
