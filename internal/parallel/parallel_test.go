package parallel

import (
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
