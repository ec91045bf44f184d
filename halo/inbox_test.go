// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"slices"
	"testing"

	"lbmsim/decomp"
)

// The pieces of a message are in its order, cut between words, and of about equal sizes that depend on the number of bytes alone.
func TestParts(t *testing.T) {
	rows := []decomp.Range{{Lo: 40, Hi: 64}, {Lo: 100, Hi: 100}, {Lo: 80, Hi: 140}, {Lo: 0, Hi: 8}}
	for _, pieces := range []int{1, 2, 3, 7, 23, 40} {
		var joined []decomp.Range
		for k := range pieces {
			p, same := part(rows, k, pieces), part([]decomp.Range{{Lo: 0, Hi: span(rows)}}, k, pieces)
			if n := span(p); n != span(same) || n%word != 0 || n > (span(rows)/word+pieces-1)/pieces*word {
				t.Errorf("piece %d of %d: %v has %d bytes", k, pieces, p, n)
			}
			for _, r := range p {
				if n := len(joined); n > 0 && joined[n-1].Hi == r.Lo {
					joined[n-1].Hi = r.Hi
				} else {
					joined = append(joined, r)
				}
			}
		}
		if want := []decomp.Range{{Lo: 40, Hi: 64}, {Lo: 80, Hi: 140}, {Lo: 0, Hi: 8}}; !slices.Equal(joined, want) {
			t.Errorf("%d pieces: %v", pieces, joined)
		}
	}
}
