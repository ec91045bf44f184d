// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"

	"lbmsim/device"
)

// stream is a device.Stream: a queue of the pool.
type stream struct {
	pool   *pool
	urgent bool
	queue  []*operation
	err    error // the first error of its work, kept
}

// own returns a stream of this device. It panics for a stream of another device, with the work in the message.
func (d *Device) own(s device.Stream, what string) *stream {
	own, ok := s.(*stream)
	if !ok || own.pool != d.pool {
		panic(fmt.Sprintf("%s on a stream of another device (%T)", what, s))
	}
	return own
}

// piece is the bytes that one task copies.
const piece = 1 << 20

// Copy moves bytes inside the device, in the order of the stream.
func (s *stream) Copy(dst device.Buffer, dstOffset int, src device.Buffer, srcOffset, bytes int) {
	to, err := parts(dst, dstOffset, bytes)
	from, err2 := parts(src, srcOffset, bytes)
	if err == nil {
		err = err2
	}
	if err != nil {
		s.fail(fmt.Errorf("copy: %w", err))
		return
	}
	dst.(*memory).wrote(dstOffset, bytes)
	var tasks []task
	for at := 0; at < bytes; at += piece {
		end := min(at+piece, bytes)
		tasks = append(tasks, func(*worker) error {
			copy(to[at:end], from[at:end])
			return nil
		})
	}
	s.pool.push(s, &operation{tasks: tasks})
}

// parts returns a range of a buffer of this device.
func parts(b device.Buffer, offset, bytes int) ([]byte, error) {
	m, ok := b.(*memory)
	if !ok {
		return nil, fmt.Errorf("a buffer of another device (%T)", b)
	}
	return m.part(offset, bytes)
}

// fail queues an error, so that it arrives in the order of the work.
func (s *stream) fail(err error) {
	s.pool.push(s, &operation{tasks: []task{func(*worker) error { return err }}})
}

// Record marks this point of the queue.
func (s *stream) Record() device.Event {
	e := &event{pool: s.pool}
	s.pool.push(s, &operation{mark: e})
	return e
}

// After makes later work of this stream wait for the event.
func (s *stream) After(e device.Event) {
	if own, ok := e.(*event); ok && own.pool == s.pool {
		s.pool.push(s, &operation{wait: own})
		return
	}
	s.fail(fmt.Errorf("wait for an event of another device (%T)", e))
}

// Sync waits for the whole queue and returns the first error of its work.
func (s *stream) Sync() error {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	for len(s.queue) > 0 {
		s.pool.changed.Wait()
	}
	return s.err
}

// event is a device.Event: a mark in a queue.
type event struct {
	pool    *pool
	done    bool
	err     error
	seconds float64
}

func (e *event) Done() bool {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	return e.done
}

func (e *event) Wait() error {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	for !e.done {
		e.pool.changed.Wait()
	}
	return e.err
}

func (e *event) Seconds() float64 {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	return e.seconds
}
