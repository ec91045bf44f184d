// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"bytes"
	"math/rand"
	"testing"
)

// copyWide is copy, whatever the lengths: none, a thread's least, pieces that do not
// divide evenly, a source or a target that is longer.
func TestCopyWide(t *testing.T) {
	src := make([]byte, 9<<20)
	rand.New(rand.NewSource(1)).Read(src)
	for _, n := range []int{0, 1, 1 << 20, 2<<20 - 1, 2 << 20, 3<<20 + 7, 5<<20 + 3, 9 << 20} {
		for _, more := range []int{0, 5} {
			dst := make([]byte, n+more)
			if got := copyWide(dst[:n], src); got != n || !bytes.Equal(dst[:n], src[:n]) || !bytes.Equal(dst[n:], make([]byte, more)) {
				t.Errorf("%d bytes: %d copied, or others", n, got)
			}
			if got := copyWide(dst, src[:n]); got != n || !bytes.Equal(dst[:n], src[:n]) {
				t.Errorf("%d bytes into %d: %d copied, or others", n, len(dst), got)
			}
		}
	}
}
