// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halotest

import (
	"errors"
	"fmt"
	"time"

	"lbmsim/device"
	"lbmsim/halo"
)

// Device is memory with streams and without kernels. Its streams are deliberately slow, and a
// queue's work runs on another goroutine: a transport that does not wait for an event reads old
// values, and the race detector reports it.
type Device struct {
	// Visible reports whether the host may address buffers; otherwise only Read and Write access
	// them.
	Visible bool
	Delay   time.Duration // of each copy
	start   time.Time
}

// NewDevice returns a Device whose copies take 50 us each.
func NewDevice(visible bool) *Device {
	return &Device{Visible: visible, Delay: 50 * time.Microsecond, start: time.Now()}
}

var _ halo.Memory = (*Device)(nil)

// Alloc implements halo.Memory.
func (d *Device) Alloc(bytes int) (device.Buffer, error) {
	b := &hidden{data: make([]byte, bytes)}
	if d.Visible {
		return &visible{b}, nil
	}
	return b, nil
}

type hidden struct {
	data []byte
}

type visible struct{ *hidden }

func (b *visible) Host() []byte { return b.data }

func (b *hidden) Bytes() int { return len(b.data) }
func (b *hidden) Free()      {}

func (b *hidden) Read(dst []byte, offset int) error {
	if offset < 0 || offset+len(dst) > len(b.data) {
		return fmt.Errorf("read [%d, %d) of %d bytes", offset, offset+len(dst), len(b.data))
	}
	copy(dst, b.data[offset:])
	return nil
}

func (b *hidden) Write(src []byte, offset int) error {
	if offset < 0 || offset+len(src) > len(b.data) {
		return fmt.Errorf("write [%d, %d) of %d bytes", offset, offset+len(src), len(b.data))
	}
	copy(b.data[offset:], src)
	return nil
}

func (b *hidden) bytes() []byte { return b.data }

func bytesOf(b device.Buffer) []byte { return b.(interface{ bytes() []byte }).bytes() }

// NewStream implements halo.Memory.
func (d *Device) NewStream(bool) device.Stream { return d.stream() }

func (d *Device) stream() *stream {
	done := make(chan struct{})
	close(done)
	return &stream{device: d, last: done}
}

// stream chains goroutines: each piece of work waits for the one before.
type stream struct {
	device *Device
	last   chan struct{}
	err    error // of the work so far; read and written in the chain's order
}

func (s *stream) then(work func()) {
	before, done := s.last, make(chan struct{})
	s.last = done
	go func() {
		<-before
		work()
		close(done)
	}()
}

func (s *stream) Copy(dst device.Buffer, dstOffset int, src device.Buffer, srcOffset, bytes int) {
	s.rows(bytesOf(dst), bytesOf(src), dstOffset, srcOffset, bytes, bytes, bytes, 1)
}

// rows copies rows from one memory to another, with a delay.
func (s *stream) rows(to, from []byte, toOffset, fromOffset, toStride, fromStride, bytes, count int) {
	s.then(func() {
		time.Sleep(s.device.Delay)
		last := count - 1
		if toOffset < 0 || fromOffset < 0 || toOffset+last*toStride+bytes > len(to) || fromOffset+last*fromStride+bytes > len(from) {
			s.err = errors.Join(s.err, errors.New("a copy beyond the end of a buffer"))
			return
		}
		for i := range count {
			copy(to[toOffset+i*toStride:][:bytes], from[fromOffset+i*fromStride:])
		}
	})
}

func (s *stream) Record() device.Event {
	e := &event{done: make(chan struct{})}
	s.then(func() {
		e.seconds, e.err = time.Since(s.device.start).Seconds(), s.err
		close(e.done)
	})
	return e
}

func (s *stream) After(e device.Event) {
	s.then(func() { s.err = errors.Join(s.err, e.Wait()) })
}

func (s *stream) Sync() error {
	<-s.last
	return s.err
}

type event struct {
	done    chan struct{}
	seconds float64
	err     error
}

func (e *event) Done() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

func (e *event) Wait() error {
	<-e.done
	return e.err
}

func (e *event) Seconds() float64 { return e.seconds }
