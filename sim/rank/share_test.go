// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package rank

import (
	"strings"
	"sync/atomic"
	"testing"

	"lbmsim/comm"
)

// Each piece belongs to one thread, and a thread's panic is returned as the caller's error.
func TestShareSplitsAllPieces(t *testing.T) {
	for _, threads := range []int{1, 3, 50} {
		r := New(comm.Serial(), threads, nil)
		var done [20]atomic.Int32
		err := r.Share(len(done), func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				done[i].Add(1)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d threads: piece %d was done %d times", threads, i, n)
			}
		}
		err = r.Share(len(done), func(lo, hi int) error {
			if hi == len(done) {
				panic("the last piece")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "the last piece") {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}
