// Package parallel cuts work into ranges for all processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Ranges cuts 0 to n into one range per processor, calls work on all of them at once, and returns when they are done.
// It is for preparations of pure arithmetic: no error, no limit on threads, and a panic ends the process (rank.Share has all three).
func Ranges(n int, work func(lo, hi int)) {
	parts := min(n, runtime.GOMAXPROCS(0))
	var done sync.WaitGroup
	for i := range parts {
		done.Add(1)
		go func() {
			defer done.Done()
			work(n*i/parts, n*(i+1)/parts)
		}()
	}
	done.Wait()
}

// Pieces is Ranges with ranges of at most size, which the processors take one after the other: for work that is not spread evenly.
func Pieces(n, size int, work func(lo, hi int)) {
	var next atomic.Int64
	Ranges(min(runtime.GOMAXPROCS(0), Count(n, size)), func(_, _ int) {
		for {
			lo := int(next.Add(1)-1) * size
			if lo >= n {
				return
			}
			work(lo, min(lo+size, n))
		}
	})
}

// Count returns the number of these ranges.
func Count(n, size int) int { return (n + size - 1) / size }
