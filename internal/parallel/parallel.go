// Package parallel cuts work into ranges for all processors.
package parallel

import (
	"runtime"
	"sync"
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
