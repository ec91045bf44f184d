package domain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
)

// Share splits n pieces of work into contiguous ranges, one for each thread of the
// host, and returns when all are done.
func (p *Part) Share(n int, do func(lo, hi int) error) error { return Spread(p.Threads, n, do) }

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

// Float64Bytes packs numbers for the way to other ranks.
func Float64Bytes(values []float64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// Float64At is number i of them.
func Float64At(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}
