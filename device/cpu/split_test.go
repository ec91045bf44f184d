// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"testing"

	"lbmsim/decomp"
	"lbmsim/device/bench"
	"lbmsim/model"
)

// Tasks end at whole lines of memory in every precision: the march writes a line at once, without cells of other tasks.
func TestTasksEndAtWholeLines(t *testing.T) {
	for _, p := range model.Precisions {
		spec := bench.Specs("D3Q19", p, "regularized")[0]
		for nx := 250; nx < 1100; nx += 7 {
			for _, b := range split(decomp.Box{Hi: [3]int{nx, 30, 30}}, ruleFor(spec, 2)) {
				if b.Lo[0]%decomp.Align != 0 {
					t.Fatalf("%s, rows of %d cells: a task begins at cell %d", spec, nx, b.Lo[0])
				}
			}
		}
	}
}
