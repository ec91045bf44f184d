// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/internal/raw"
)

// laneCount is the number of transfers awaited side by side: the loop's own and
// one of a goroutine that writes files.
const laneCount = 2

// laneBytes is the size of a piece: large enough for the bus's full speed, small
// enough that one piece is copied by the processor while the next is on its way.
const laneBytes = 16 << 20

// lane is a path between ordinary host memory and the GPU: a stream, and two page-locked pieces
// that alternate. It is created at its first use.
type lane struct {
	d      *Device
	stream cu.Stream
	ready  bool
	half   [2]half
}

// half is one of a lane's two pieces.
type half struct {
	host  []byte
	free  func()
	there *buffer // scratch memory of the GPU for computed fields
	done  cu.Event
}

func (l *lane) open() error {
	if l.ready {
		return nil
	}
	err := l.d.call("making a stream for transfers", func() (err error) {
		if l.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
			return err
		}
		for i := range l.half {
			if l.half[i].done, err = cu.MakeEvent(cu.DisableTiming); err != nil {
				return err
			}
		}
		return nil
	})
	if l.ready = err == nil; !l.ready {
		l.end()
	}
	return err
}

// reserve makes the page-locked pieces, and on request the GPU's, large enough.
func (l *lane) reserve(bytes int, there bool) error {
	for i := range l.half {
		h := &l.half[i]
		if len(h.host) < bytes {
			if h.free != nil {
				h.free()
			}
			h.host, h.free = nil, nil
			var err error
			if h.host, h.free, err = l.d.AllocHost(max(bytes, laneBytes)); err != nil {
				return err
			}
		}
		if there && (h.there == nil || h.there.bytes < bytes) {
			h.there.Free()
			h.there = nil
			b, err := l.d.reserve(max(bytes, laneBytes))
			if err != nil {
				return err
			}
			h.there = b
		}
	}
	return nil
}

func (l *lane) close() {
	for i := range l.half {
		h := &l.half[i]
		if h.free != nil {
			h.free()
		}
		h.there.Free()
	}
	l.end()
	*l = lane{d: l.d}
}

// end frees the resources of open, even if it was incomplete.
func (l *lane) end() {
	_ = l.d.call("ending a stream", func() error {
		for i := range l.half {
			if l.half[i].done != (cu.Event{}) {
				_ = cu.DestroyEvent(&l.half[i].done)
			}
		}
		if l.stream == (cu.Stream{}) {
			return nil
		}
		return l.stream.Destroy()
	})
}

// turns runs count pieces through the two halves: start queues piece k on the
// lane's stream, finish is called when it is done, one piece behind. Either may be nil.
func (l *lane) turns(doing string, count int, start func(k int, h *half) error, finish func(k int, h *half)) error {
	return l.d.call(doing, func() error {
		for k := 0; k < count+len(l.half); k++ {
			h := &l.half[k%len(l.half)]
			if old := k - len(l.half); old >= 0 && old < count {
				if err := h.done.Synchronize(); err != nil {
					return err
				}
				finish(old, h)
			}
			if k >= count {
				continue
			}
			if err := start(k, h); err != nil {
				// Queued work writes to the halves: wait for it.
				_ = l.stream.Synchronize()
				return err
			}
			if err := h.done.Record(l.stream); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyWide copies with a few threads: a single one is several times slower than the bus,
// most of all into memory that has not been touched yet.
func copyWide(dst, src []byte) int {
	const threads, least = 4, 1 << 20
	n := min(len(dst), len(src))
	workers := min(threads, runtime.GOMAXPROCS(0), n/least)
	if workers < 2 {
		return copy(dst, src)
	}
	var wg sync.WaitGroup
	for w := range workers {
		lo, hi := w*n/workers, (w+1)*n/workers
		wg.Add(1)
		go func() {
			defer wg.Done()
			copy(dst[lo:hi], src[lo:hi])
		}()
	}
	wg.Wait()
	return n
}

// read copies from the GPU to host memory of any kind.
func (l *lane) read(dst []byte, from cu.DevicePtr) error {
	if err := l.open(); err != nil {
		return err
	}
	doing := fmt.Sprintf("reading %d bytes", len(dst))
	if l.d.isPinned(dst) {
		return l.d.call(doing, func() error {
			if err := cu.MemcpyDtoHAsync(unsafe.Pointer(&dst[0]), from, int64(len(dst)), l.stream); err != nil {
				return err
			}
			return l.stream.Synchronize()
		})
	}
	if err := l.reserve(min(len(dst), laneBytes), false); err != nil {
		return err
	}
	piece := func(k int) []byte { return dst[k*laneBytes : min((k+1)*laneBytes, len(dst))] }
	return l.turns(doing, raw.Ceil(len(dst), laneBytes), func(k int, h *half) error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&h.host[0]), from+cu.DevicePtr(k*laneBytes), int64(len(piece(k))), l.stream)
	}, func(k int, h *half) { copyWide(piece(k), h.host) })
}

// write copies from host memory of any kind to the GPU.
func (l *lane) write(to cu.DevicePtr, src []byte) error {
	if err := l.open(); err != nil {
		return err
	}
	doing := fmt.Sprintf("writing %d bytes", len(src))
	if l.d.isPinned(src) {
		return l.d.call(doing, func() error {
			if err := cu.MemcpyHtoDAsync(to, unsafe.Pointer(&src[0]), int64(len(src)), l.stream); err != nil {
				return err
			}
			return l.stream.Synchronize()
		})
	}
	if err := l.reserve(min(len(src), laneBytes), false); err != nil {
		return err
	}
	return l.turns(doing, raw.Ceil(len(src), laneBytes), func(k int, h *half) error {
		n := copyWide(h.host, src[k*laneBytes:min((k+1)*laneBytes, len(src))])
		return cu.MemcpyHtoDAsync(to+cu.DevicePtr(k*laneBytes), unsafe.Pointer(&h.host[0]), int64(n), l.stream)
	}, func(int, *half) {})
}
