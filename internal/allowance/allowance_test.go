// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package allowance

import (
	"testing"
	"time"
)

// Work that is always pending takes exactly its share of a long time, whatever its pieces cost.
func TestShare(t *testing.T) {
	start := time.Unix(0, 0)
	for _, piece := range []time.Duration{time.Millisecond, 40 * time.Millisecond, 3 * time.Second} {
		a, now, spent := New(100, 300*time.Millisecond, start), start, time.Duration(0)
		if !a.Left(now) {
			t.Fatal("the first piece has to wait")
		}
		for now.Sub(start) < 3000*time.Second {
			now = now.Add(10 * time.Millisecond)
			if a.Left(now) {
				a.Spend(piece)
				spent += piece
				now = now.Add(piece)
			}
		}
		most := now.Sub(start)/100 + 300*time.Millisecond + piece
		if spent > most || spent < most-300*time.Millisecond-2*piece {
			t.Errorf("pieces of %v: %v were spent, want about %v", piece, spent, most)
		}
	}
}
