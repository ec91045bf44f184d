// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package parallel cuts work into ranges for the processors of the process.
package parallel

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// most is the limit on threads; 0: all processors.
var most atomic.Int64

// Limit makes all later work use at most so many threads: other ranks of a machine have its other processors. 0 removes the limit.
func Limit(threads int) { most.Store(int64(threads)) }

// workers returns the number of threads for n items.
func workers(n int) int {
	n = min(n, runtime.GOMAXPROCS(0))
	if limit := int(most.Load()); limit > 0 {
		n = min(n, limit)
	}
	return n
}

// Ranges cuts 0 to n into one range per thread, calls work on all of them at once, and returns when they are done.
// It is for preparations of pure arithmetic: no error, and a panic ends the process (rank.Share has both).
func Ranges(n int, work func(lo, hi int)) {
	parts := workers(n)
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

// Pieces is Ranges with ranges of at most size, which the threads take one after the other: for work that is not spread evenly.
func Pieces(n, size int, work func(lo, hi int)) {
	var next atomic.Int64
	Ranges(workers(Count(n, size)), func(_, _ int) {
		for {
			lo := int(next.Add(1)-1) * size
			if lo >= n {
				return
			}
			work(lo, min(lo+size, n))
		}
	})
}

// List joins what work lists for ranges of at most size, in their order: the list does not depend on the number of threads.
func List[T any](n, size int, work func(lo, hi int) []T) []T {
	pieces := make([][]T, Count(n, size))
	Pieces(n, size, func(lo, hi int) { pieces[lo/size] = work(lo, hi) })
	return slices.Concat(pieces...)
}

// Count returns the number of these ranges.
func Count(n, size int) int { return (n + size - 1) / size }
