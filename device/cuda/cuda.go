// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

// Package cuda is an NVIDIA GPU as a device: the kernels of package kernels,
// specialised for the case at hand by NVIDIA's run-time compiler (NVRTC), launched
// through gorgonia.org/cu. What cu lacks is called directly: page-locked memory,
// graphs, attributes of functions.
//
// The program starts on machines without a GPU (driver.c) and without NVRTC.
// Buffers, snapshots and host memory may be used from any goroutine; streams and
// programs belong to one, as for every device.
package cuda

//go:generate go run ../../tools/trampolines

// #include <cuda.h>
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/model"
)

// Device is one GPU.
type Device struct {
	info    Info
	gpu     cu.Device
	context cu.CUContext // the primary one, shared with a GPU-aware MPI library
	cache   string       // folder of compiled kernels; empty: none
	lanes   chan *lane
	copies  *stream // copies snapshots to the host
	slots   int     // for tests: marches are cut as if this number of blocks ran at once; 0: the actual number
	kept    compilations

	closing   sync.Mutex
	closed    atomic.Bool
	recording atomic.Bool // between the ends of Capture

	mu       sync.Mutex      // of what follows
	events   []cu.Event      // for reuse
	pinned   map[uintptr]int // memory of AllocHost: address and size
	roofline map[model.Precision]kernelSet
	barriers module
	barrier  cu.Function // lbm_barrier
	base     *event      // the clock's zero ...
	baseAt   float64
}

var _ interface {
	device.Device
	device.Recorder
	device.Roofline
} = (*Device)(nil)

// Option configures New.
type Option func(*Device) error

// WithCache caches compiled kernels in this folder instead of $LBMSIM_CACHE or the user's cache
// folder; an empty name disables the cache.
func WithCache(dir string) Option {
	return func(d *Device) error {
		d.cache = dir
		return nil
	}
}

// cacheDir returns the default folder of compiled kernels, which an option overrides.
func cacheDir() string {
	if dir := os.Getenv("LBMSIM_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "lbmsim")
}

// New opens the device of GPU number (Info.Number).
func New(number int, options ...Option) (*Device, error) {
	all, err := Devices()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(all) {
		return nil, fmt.Errorf("there is no GPU %d: this process sees %d, counted from 0", number, len(all))
	}
	d := &Device{info: all[number], cache: cacheDir(), pinned: map[uintptr]int{}, roofline: map[model.Precision]kernelSet{}, lanes: make(chan *lane, laneCount)}
	for i := 0; i < laneCount; i++ {
		d.lanes <- &lane{d: d}
	}
	for _, o := range options {
		if err := o(d); err != nil {
			return nil, err
		}
	}
	if d.gpu, err = cu.GetDevice(number); err == nil {
		d.context, err = d.gpu.RetainPrimaryCtx()
	}
	if err != nil {
		return nil, failure(fmt.Sprintf("opening GPU %d (%s)", number, d.info.Name), err)
	}
	d.copies = d.newStream(false)
	d.base = d.copies.Record().(*event)
	if err := d.base.Wait(); err != nil {
		_ = d.Close() // the first error is the one to know
		return nil, err
	}
	return d, nil
}

// call runs driver calls with this GPU's context. The context belongs to the system's thread, and
// Go moves goroutines between threads: it is set each time, which takes a fraction of a
// microsecond.
func (d *Device) call(doing string, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if d.closed.Load() {
		return fmt.Errorf("GPU %d: %s: the device is closed", d.info.Number, doing)
	}
	err := cu.SetCurrentContext(d.context)
	if err == nil {
		err = f()
	}
	return failure(fmt.Sprintf("GPU %d: %s", d.info.Number, doing), err)
}

// Info describes the device.
func (d *Device) Info() device.Info {
	return device.Info{
		Name: fmt.Sprintf("cuda:%d", d.info.Number), Model: d.info.Name,
		Detail: fmt.Sprintf("%s, sm_%d%d, %.0f GiB", d.info.PCI, d.info.Major, d.info.Minor, float64(d.info.Memory)/(1<<30)),
	}
}

// Alloc returns zeroed memory.
func (d *Device) Alloc(bytes int) (device.Buffer, error) {
	b, err := d.alloc(bytes)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (d *Device) alloc(bytes int) (*buffer, error) {
	b, err := d.reserve(bytes)
	if err != nil || bytes == 0 {
		return b, err
	}
	l := <-d.lanes
	defer func() { d.lanes <- l }()
	if err = l.open(); err == nil {
		err = d.call("clearing memory", func() error {
			if err := cu.MemsetD8Async(b.at, 0, int64(bytes), l.stream); err != nil {
				return err
			}
			return l.stream.Synchronize()
		})
	}
	if err != nil {
		b.Free()
		return nil, err
	}
	return b, nil
}

// reserve returns uninitialized memory.
func (d *Device) reserve(bytes int) (*buffer, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("cannot allocate %d bytes", bytes)
	}
	b := &buffer{d: d, bytes: bytes}
	if bytes == 0 {
		return b, nil
	}
	err := d.call(fmt.Sprintf("allocating %d bytes", bytes), func() (err error) {
		b.at, err = cu.MemAlloc(int64(bytes))
		return err
	})
	if isCode(err, C.CUDA_ERROR_OUT_OF_MEMORY) {
		var free, total int64
		if d.call("asking for free memory", func() (err error) { free, total, err = cu.MemInfo(); return err }) == nil {
			err = fmt.Errorf("GPU %d (%s) has no room for %.2f GiB more: %.2f of %.2f GiB are free", d.info.Number, d.info.Name, gib(bytes), gib(free), gib(total))
		}
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// FreeMemory of the GPU in bytes; other processes use it, too.
func (d *Device) FreeMemory() (free int64, err error) {
	err = d.call("asking for free memory", func() (err error) { free, _, err = cu.MemInfo(); return err })
	return free, err
}

func gib[T int | int64](bytes T) float64 { return float64(bytes) / (1 << 30) }

// AllocHost returns page-locked host memory, which the GPU reads and writes at the
// full speed of the bus (halo.HostAllocator).
func (d *Device) AllocHost(bytes int) (memory []byte, free func(), err error) {
	if bytes <= 0 {
		return nil, func() {}, nil
	}
	var p unsafe.Pointer
	err = d.call(fmt.Sprintf("allocating %.2f GiB of page-locked host memory", gib(bytes)), func() error {
		return check(C.cuMemHostAlloc(&p, C.size_t(bytes), C.CU_MEMHOSTALLOC_PORTABLE))
	})
	if err != nil {
		return nil, nil, err
	}
	d.mu.Lock()
	d.pinned[uintptr(p)] = bytes
	d.mu.Unlock()
	var once sync.Once
	free = func() {
		once.Do(func() {
			d.mu.Lock()
			delete(d.pinned, uintptr(p))
			d.mu.Unlock()
			_ = d.call("freeing host memory", func() error { return cu.MemFreeHost(p) })
		})
	}
	return unsafe.Slice((*byte)(p), bytes), free, nil
}

// isPinned reports whether a slice lies in memory of AllocHost.
func (d *Device) isPinned(p []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
	d.mu.Lock()
	defer d.mu.Unlock()
	for start, bytes := range d.pinned {
		if start <= at && at+uintptr(len(p)) <= start+uintptr(bytes) {
			return true
		}
	}
	return false
}

// Close releases the GPU; a second call does nothing. Buffers and programs have been freed before.
func (d *Device) Close() error {
	d.closing.Lock()
	defer d.closing.Unlock()
	if d.closed.Load() {
		return nil
	}
	d.kept.close()
	err := d.call("waiting for the last work", cu.Synchronize)
	lanes := make([]*lane, laneCount)
	for i := range lanes {
		lanes[i] = <-d.lanes
		lanes[i].close()
	}
	d.copies.close()
	d.mu.Lock()
	defer d.mu.Unlock()
	// Others hold the context too, and with it all memory that is not released.
	_ = d.call("ending events", func() error {
		for i := range d.events {
			_ = cu.DestroyEvent(&d.events[i])
		}
		return nil
	})
	d.events = nil
	for _, k := range d.roofline {
		k.unload(d)
	}
	d.barriers.unload(d)
	d.closed.Store(true)
	for _, l := range lanes { // late callers get an error and do not wait
		d.lanes <- l
	}
	if e := d.gpu.ReleasePrimaryCtx(); err == nil {
		err = failure(fmt.Sprintf("closing GPU %d", d.info.Number), e)
	}
	return err
}

// Wraps reports that programs read the other end of a periodic axis by themselves.
func (d *Device) Wraps() bool { return true }
