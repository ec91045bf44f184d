// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"testing"

	"lbmsim/internal/raw"
)

func TestMarches(t *testing.T) {
	for _, c := range []struct{ n, most, columns, slots, want int }{
		{512, 80, 320, 132, 7},               // 16.97 rounds of 74 planes
		{128, 80, 20, 132, 6},                // one round
		{1, 80, 320, 132, 1},                 // an edge plane
		{100, 40, 1000, 132, 3},              // as long as allowed
		{16, 80, 1, 132, 16},                 // too few columns for the GPU
		{maxGrid * 32, 32, 1, 2112, maxGrid}, // as many as a grid has
	} {
		if got := marches(c.n, c.most, c.columns, c.slots); got != c.want {
			t.Errorf("marches(%d planes, at most %d, %d columns, %d slots) = %d, want %d", c.n, c.most, c.columns, c.slots, got, c.want)
		}
	}
}

// No block is without planes: its first would be behind the state's last.
func TestMarchesAreShared(t *testing.T) {
	for n := 1; n < 300; n++ {
		for _, most := range []int{1, 32, 40, 80} {
			for _, columns := range []int{1, 7, 100, 5000} {
				k := marches(n, most, columns, 132)
				if each := raw.Ceil(n, k); (k-1)*each >= n || each > most {
					t.Errorf("marches(%d planes, at most %d, %d columns): %d blocks of %d planes", n, most, columns, k, each)
				}
			}
		}
	}
}

// Where blocks of fewer rows fill the processors better, and where longer paths to memory do not pay.
func TestFittingRows(t *testing.T) {
	for n, want := range map[int]int{64: 11, 96: 12, 128: 12, 192: 12, 100: 13, 256: 13} {
		if got := fittingRows(n, n, 80, raw.Ceil(n, 64), 132); got != want {
			t.Errorf("a box of %d^3 is computed by blocks of %d rows, want %d", n, got, want)
		}
	}
}
