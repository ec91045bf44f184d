// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package parallel

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

func TestRangesCoverAllOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		seen := make([]atomic.Int32, n)
		Ranges(n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				seen[i].Add(1)
			}
		})
		for i := range seen {
			if got := seen[i].Load(); got != 1 {
				t.Errorf("item %d of %d is in %d ranges", i, n, got)
			}
		}
	}
}

// A list is the same for any number of threads, which a limit lowers.
func TestListKeepsItsOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	defer Limit(0)
	for _, n := range []int{0, 1, 2, 7, 1000} {
		var want []int
		for i := range n {
			want = append(want, make([]int, i%3)...) // ranges list as much as they like
			want = append(want, i)
		}
		for _, threads := range []int{0, 1, 2, 5} {
			Limit(threads)
			for _, size := range []int{1, 3, 2000} {
				got := List(n, size, func(lo, hi int) (list []int) {
					for i := lo; i < hi; i++ {
						list = append(append(list, make([]int, i%3)...), i)
					}
					return list
				})
				if !slices.Equal(got, want) {
					t.Errorf("%d items in ranges of %d by %d threads are in another order", n, size, threads)
				}
			}
			var ranges atomic.Int32
			Ranges(n, func(_, _ int) { ranges.Add(1) })
			if most := min(n, 5); threads > 0 && int(ranges.Load()) != min(most, threads) || threads == 0 && int(ranges.Load()) != most {
				t.Errorf("%d ranges of %d items with a limit of %d threads of 5", ranges.Load(), n, threads)
			}
		}
	}
}

func TestPiecesCoverAllOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		for _, size := range []int{1, 3, 2000} {
			seen := make([]atomic.Int32, n)
			Pieces(n, size, func(lo, hi int) {
				if lo%size != 0 || hi-lo > size || lo >= hi {
					t.Errorf("a range from %d to %d of at most %d", lo, hi, size)
				}
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if got := seen[i].Load(); got != 1 {
					t.Errorf("item %d of %d is in %d ranges", i, n, got)
				}
			}
		}
	}
}
