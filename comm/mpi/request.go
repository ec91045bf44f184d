// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"runtime"
	"unsafe"

	"lbmsim/comm"
)

// request is one message in flight: one allocation, plus a slice for the parts of
// messages above the chunk. MPI's handles are C memory, which Comm keeps for reuse.
type request struct {
	c       *Comm
	first   *C.message_t
	more    []*C.message_t // parts after the first
	left    int            // parts in flight, done in order
	data    []byte
	peer    int
	tag     int
	receive bool
	failed  error          // known before any wait
	pin     runtime.Pinner // pins data while MPI uses it
}

// Isend implements comm.NonBlocking.
func (c *Comm) Isend(data []byte, destination, tag int) (comm.Request, error) {
	return c.start(data, destination, tag, false)
}

// Irecv implements comm.NonBlocking.
func (c *Comm) Irecv(data []byte, source, tag int) (comm.Request, error) {
	return c.start(data, source, tag, true)
}

// IsendFrom implements comm.DeviceMessages.
func (c *Comm) IsendFrom(address uintptr, bytes, destination, tag int) (comm.Request, error) {
	return c.start(at(address, bytes), destination, tag, false)
}

// IrecvTo implements comm.DeviceMessages.
func (c *Comm) IrecvTo(address uintptr, bytes, source, tag int) (comm.Request, error) {
	return c.start(at(address, bytes), source, tag, true)
}

// at returns memory outside Go's heap that this package does not read.
func at(address uintptr, bytes int) []byte {
	return unsafe.Slice((*byte)(C.pointer_at(C.uintptr_t(address))), bytes)
}

func (c *Comm) start(data []byte, peer, tag int, receive bool) (comm.Request, error) {
	r := &request{c: c, data: data, peer: peer, tag: tag, receive: receive}
	if err := c.check(peer, tag); err != nil {
		return nil, r.wrap(err)
	}
	if len(data) > 0 {
		r.pin.Pin(&data[0])
	}
	for i := 0; ; i++ {
		p, last := c.part(data, i)
		m := c.message()
		if i == 0 {
			r.first = m
		} else {
			r.more = append(r.more, m)
		}
		var code C.int
		if receive {
			code = C.message_irecv(c.world, pointer(p), C.int(len(p)), C.int(peer), C.int(tag), m)
		} else {
			code = C.message_isend(c.world, pointer(p), C.int(len(p)), C.int(peer), C.int(tag), m)
		}
		if code != C.OK {
			// Parts already in flight keep the pin: MPI may still access them.
			if i > 0 {
				c.lost = append(c.lost, r)
				return nil, r.wrap(failure(code))
			}
			r.pin.Unpin()
			c.spare = append(c.spare, m)
			if receive && C.error_is_truncate(code) != 0 {
				// MPICH 3 reports it immediately, other libraries in the wait: the caller gets the same error.
				r.failed = r.wrap(tooLong(len(data)))
				return r, nil
			}
			return nil, r.wrap(failure(code))
		}
		r.left++
		if last {
			return r, nil
		}
	}
}

// message takes a handle from the pool, which grows to the largest number of messages in flight.
func (c *Comm) message() *C.message_t {
	if n := len(c.spare); n > 0 {
		m := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return m
	}
	return (*C.message_t)(C.calloc(1, C.sizeof_message_t))
}

// current returns the number of the next part to finish, and its handle.
func (r *request) current() (int, *C.message_t) {
	if i := len(r.more) + 1 - r.left; i > 0 {
		return i, r.more[i-1]
	}
	return 0, r.first
}

// Test implements comm.Request and lets MPI make progress.
func (r *request) Test() (bool, error) {
	if r.failed != nil {
		return true, r.failed
	}
	for r.left > 0 {
		_, m := r.current()
		code := C.message_test(r.c.world, m)
		there := code != C.OK || m.done != 0
		if r.c.heartbeat.Look(there); !there {
			return false, nil
		}
		if err := r.finish(code); err != nil {
			return true, err
		}
	}
	return true, nil
}

// Wait implements comm.Request.
func (r *request) Wait() error {
	if r.failed != nil {
		return r.failed
	}
	defer r.c.heartbeat.Enter()()
	for r.left > 0 {
		_, m := r.current()
		if err := r.finish(C.message_wait(r.c.world, m)); err != nil {
			return err
		}
	}
	return nil
}

// finish closes the current part, which ended with code.
func (r *request) finish(code C.int) error {
	if code == C.WRONG_THREAD {
		return r.wrap(failure(code)) // still in flight
	}
	i, m := r.current()
	received := int(m.received)
	r.c.spare = append(r.c.spare, m)
	r.left--
	if r.left == 0 {
		r.pin.Unpin()
	}
	if code != C.OK {
		if r.receive && C.error_is_truncate(code) != 0 {
			return r.wrap(tooLong(len(r.data)))
		}
		return r.wrap(failure(code))
	}
	if !r.receive {
		return nil
	}
	p, _ := r.c.part(r.data, i)
	if received != len(p) {
		return r.wrap(r.c.mismatch(i*r.c.chunk+received, received == r.c.chunk, len(r.data)))
	}
	return nil
}

func (r *request) wrap(err error) error {
	if r.receive {
		return r.c.wrap(err, "receive %d bytes from rank %d (tag %d)", len(r.data), r.peer, r.tag)
	}
	return r.c.wrap(err, "send %d bytes to rank %d (tag %d)", len(r.data), r.peer, r.tag)
}
