// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/device"
)

// stream is a device.Stream.
type stream struct {
	d *Device
	s cu.Stream

	mu  sync.Mutex
	err error // the first error of its work, kept
}

// NewStream returns a queue; an urgent one has the GPU's highest priority.
func (d *Device) NewStream(urgent bool) device.Stream { return d.newStream(urgent) }

func (d *Device) newStream(urgent bool) *stream {
	s := &stream{d: d}
	// Non-blocking: it must not wait for work of others (MPI libraries) on CUDA's default stream.
	s.fail(d.call("making a stream", func() error {
		least, greatest, err := cu.StreamPriorityRange()
		if err != nil {
			return err
		}
		priority := least
		if urgent {
			priority = greatest
		}
		s.s, err = cu.MakeStreamWithPriority(priority, cu.NonBlocking)
		return err
	}))
	runtime.SetFinalizer(s, (*stream).close)
	return s
}

// close ends the stream when its work is done.
func (s *stream) close() {
	runtime.SetFinalizer(s, nil)
	if s.s != (cu.Stream{}) {
		_ = s.d.call("ending a stream", s.s.Destroy)
	}
}

// fail keeps the first error.
func (s *stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *stream) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// queue makes calls that add work. After an error no work is added.
func (s *stream) queue(doing string, f func() error) {
	if s.failed() == nil {
		s.fail(s.d.call(doing, f))
	}
}

// Copy moves bytes inside the device, in the order of the stream.
func (s *stream) Copy(dst device.Buffer, dstOffset int, src device.Buffer, srcOffset, bytes int) {
	to, err := s.d.part(dst, dstOffset, bytes)
	from, err2 := s.d.part(src, srcOffset, bytes)
	if err == nil {
		err = err2
	}
	if err != nil {
		s.fail(fmt.Errorf("copy: %w", err))
		return
	}
	if bytes > 0 {
		s.queue(fmt.Sprintf("copying %d bytes", bytes), func() error { return cu.MemcpyDtoDAsync(to, from, int64(bytes), s.s) })
	}
}

// part returns the address of a range of a buffer of this device.
func (d *Device) part(b device.Buffer, offset, bytes int) (cu.DevicePtr, error) {
	own, ok := b.(*buffer)
	if !ok || own.d != d {
		return 0, fmt.Errorf("a buffer of another device (%T)", b)
	}
	return own.part(offset, bytes)
}

// Record marks this point of the queue.
func (s *stream) Record() device.Event {
	e := &event{d: s.d}
	s.queue("marking a point of a stream", func() (err error) {
		if e.e, err = s.d.takeEvent(); err == nil {
			err = e.e.Record(s.s)
		}
		return err
	})
	e.err = s.failed()
	if e.e != (cu.Event{}) {
		runtime.SetFinalizer(e, func(e *event) { s.d.returnEvent(e.e) })
	}
	return e
}

// After makes later work of this stream wait for the event.
func (s *stream) After(e device.Event) {
	own, ok := e.(*event)
	if !ok || own.d != s.d {
		s.fail(fmt.Errorf("wait for an event of another device (%T)", e))
		return
	}
	if own.err != nil {
		s.fail(own.err)
		return
	}
	s.queue("waiting for another stream", func() error { return s.s.Wait(own.e, 0) })
	runtime.KeepAlive(own)
}

// Sync waits for the whole queue and returns the first error of its work.
func (s *stream) Sync() error {
	if s.s != (cu.Stream{}) {
		s.fail(s.d.call("waiting for a stream", s.s.Synchronize))
	}
	return s.failed()
}

// event is a device.Event.
type event struct {
	d   *Device
	e   cu.Event
	err error // of the stream, before this point
}

// takeEvent finds a used event or makes one. Steps make a few each; the driver takes
// longer to make one than to mark one.
func (d *Device) takeEvent() (e cu.Event, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.events); n > 0 {
		e, d.events = d.events[n-1], d.events[:n-1]
		return e, nil
	}
	return cu.MakeEvent(cu.DefaultEvent)
}

func (d *Device) returnEvent(e cu.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

// Done reports whether the point was reached, or never will be, as Wait reports.
func (e *event) Done() bool {
	if e.err != nil {
		return true
	}
	err := e.d.call("asking for an event", e.e.Query)
	runtime.KeepAlive(e)
	return !isCode(err, C.CUDA_ERROR_NOT_READY)
}

func (e *event) Wait() error {
	if e.err != nil {
		return e.err
	}
	err := e.d.call("waiting for an event", e.e.Synchronize)
	runtime.KeepAlive(e)
	return err
}

// rebase is the age in seconds at which the clock's zero is moved: the driver gives
// times in float32 milliseconds, which have microseconds up to 16 s.
const rebase = 8

// Seconds returns the time at which the point was reached, on the device's clock; 0 after an error.
func (e *event) Seconds() float64 {
	if e.err != nil {
		return 0
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	var ms float64
	err := e.d.call("reading the GPU's clock", func() (err error) {
		ms, err = e.d.base.e.Elapsed(e.e)
		return err
	})
	if err != nil {
		return 0
	}
	at := e.d.baseAt + ms/1e3
	if ms > rebase*1e3 {
		e.d.base, e.d.baseAt = e, at
	}
	return at
}

// Capture records what body queues on s, and on streams that it joins to s.
func (d *Device) Capture(to device.Stream, body func() error) (device.Graph, error) {
	s, ok := to.(*stream)
	if !ok || s.d != d {
		return nil, fmt.Errorf("recording on a stream of another device (%T)", to)
	}
	if err := s.failed(); err != nil {
		return nil, err
	}
	// The mark of the recording is on the thread: calls of other goroutines (files
	// being written) must not break it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var recorded C.CUgraph
	err := d.call("beginning to record", func() error {
		return check(C.cuStreamBeginCapture(streamOf(s.s), C.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
	})
	if err != nil {
		return nil, err
	}
	d.recording.Store(true)
	err = body()
	d.recording.Store(false)
	end := d.call("ending the recording", func() error {
		return check(C.cuStreamEndCapture(streamOf(s.s), &recorded))
	})
	if err == nil {
		err = s.failed()
	}
	if err == nil {
		err = end
	}
	g := &graph{d: d}
	if err == nil {
		err = d.call("making a graph", func() error {
			return check(C.cuGraphInstantiateWithFlags(&g.exec, recorded, 0))
		})
	}
	if recorded != nil {
		_ = d.call("freeing a recording", func() error { return check(C.cuGraphDestroy(recorded)) })
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// graph is a device.Graph.
type graph struct {
	d    *Device
	exec C.CUgraphExec
}

// Launch queues the recorded work.
func (g *graph) Launch(to device.Stream) {
	s, ok := to.(*stream)
	if !ok || s.d != g.d {
		panic(fmt.Sprintf("launching a graph on a stream of another device (%T)", to))
	}
	s.queue("launching a graph", func() error {
		return check(C.cuGraphLaunch(g.exec, streamOf(s.s)))
	})
}

// Close frees the recording.
func (g *graph) Close() {
	if g.exec != nil {
		_ = g.d.call("freeing a graph", func() error { return check(C.cuGraphExecDestroy(g.exec)) })
		g.exec = nil
	}
}

// streamOf returns the driver's handle of a stream of cu.
func streamOf(s cu.Stream) C.CUstream { return C.CUstream(unsafe.Pointer(s.C())) }
