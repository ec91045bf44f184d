// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package rank

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Share splits n pieces of work into contiguous ranges, one for each thread of the
// host, and returns when all are done.
func (r *Rank) Share(n int, do func(lo, hi int) error) error { return Spread(r.Threads, n, do) }

// Spread does the same with that many goroutines.
func Spread(workers, n int, do func(lo, hi int) error) error {
	workers = max(1, min(n, workers))
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[w] = Guarded(func() error { return do(w*n/workers, (w+1)*n/workers) })
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Guarded turns a panic into an error, which reaches every rank; in a goroutine it
// would end the program.
func Guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error, please report it: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
