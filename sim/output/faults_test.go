// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"testing"

	"lbmsim/config"
	"lbmsim/sim/derive"
)

// on_error of [checkpoint] decides about all files of a checkpoint, and on_error of [output] about the others; rows that a checkpoint
// counts need both.
func TestOnErrorOfKinds(t *testing.T) {
	for _, kind := range []string{aCheckpoint, aPatch, besideCheckpoint, besidePatch, besideSurface, rowsOfCheckpoint, "fields"} {
		for _, on := range []struct{ output, checkpoint bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
			c := &config.Case{}
			c.Continue, c.Checkpoint.Continue = on.output, on.checkpoint
			want := on.checkpoint
			switch kind {
			case rowsOfCheckpoint:
				want = on.output && on.checkpoint
			case "fields":
				want = on.output
			}
			if got := NewFiles(derive.View{Case: c}, nil).continues(kind); got != want {
				t.Errorf("%s with %+v: the run continues %v, want %v", kind, on, got, want)
			}
		}
	}
}
