// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package raw

import "testing"

func TestBytes(t *testing.T) {
	s := []struct{ a, b uint32 }{{1, 2}, {3, 4}}
	b := Bytes(s)
	if len(b) != 16 || b[0]+b[1]+b[2]+b[3] != 1 {
		t.Errorf("the bytes of %v are %v", s, b)
	}
	clear(b[8:])
	if s[1].a != 0 || s[1].b != 0 {
		t.Error("the bytes are a copy")
	}
	if b := Bytes([]float64(nil)); len(b) != 0 {
		t.Errorf("no numbers have the bytes %v", b)
	}
}

func TestCeil(t *testing.T) {
	for _, c := range [][3]int{{0, 8, 0}, {1, 8, 1}, {8, 8, 1}, {9, 8, 2}} {
		if got := Ceil(c[0], c[1]); got != c[2] {
			t.Errorf("%d pieces of %d cover %d, not %d", got, c[1], c[0], c[2])
		}
	}
}
