// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

// #include "shim.h"
import "C"

import (
	"encoding/binary"
	"fmt"

	"lbmsim/comm/internal/wire"
)

// Send implements comm.Comm. Values that are not raw are sent as their length in 8 bytes, then
// their encoding.
func (c *Comm) Send(data any, destination, tag int) error {
	b, raw, err := wire.Encode(data)
	if err == nil {
		err = c.check(destination, tag)
	}
	if err == nil && !raw {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(b)))
		err = c.send(length[:], destination, tag)
	}
	if err == nil {
		err = c.send(b, destination, tag)
	}
	return c.wrap(err, "send %d bytes to rank %d (tag %d)", len(b), destination, tag)
}

func (c *Comm) send(data []byte, destination, tag int) error {
	defer c.heartbeat.Enter()()
	for i := 0; ; i++ {
		p, last := c.part(data, i)
		if code := C.message_send(c.world, pointer(p), C.int(len(p)), C.int(destination), C.int(tag)); code != C.OK {
			return failure(code)
		}
		if last {
			return nil
		}
	}
}

// Receive implements comm.Comm.
func (c *Comm) Receive(data any, source, tag int) error {
	err := c.check(source, tag)
	b, raw := wire.Raw(data)
	if err == nil && !raw {
		var length [8]byte
		if err = c.receive(length[:], source, tag); err == nil {
			b = make([]byte, binary.LittleEndian.Uint64(length[:]))
		}
	}
	if err == nil {
		err = c.receive(b, source, tag)
	}
	if err == nil && !raw {
		err = wire.Decode(b, data)
	}
	return c.wrap(err, "receive from rank %d (tag %d)", source, tag)
}

func (c *Comm) receive(data []byte, source, tag int) error {
	defer c.heartbeat.Enter()()
	for i := 0; ; i++ {
		p, last := c.part(data, i)
		var length C.int
		if code := C.message_receive(c.world, pointer(p), C.int(len(p)), C.int(source), C.int(tag), &length); code != C.OK {
			return failure(code)
		}
		if n := int(length); n != len(p) {
			return c.mismatch(i*c.chunk+n, n == c.chunk, len(data))
		}
		if last {
			return nil
		}
	}
}

// mismatch explains a message that is not what the receiver expected; more says
// that further parts of it follow.
func (c *Comm) mismatch(got int, more bool, want int) error {
	if more {
		return fmt.Errorf("the message has more than %d bytes, expected %d", got-1, want)
	}
	return fmt.Errorf("the message has %d bytes, expected %d", got, want)
}

// tooLong explains a truncated non-blocking message, whose length MPI does not report.
func tooLong(want int) error {
	return fmt.Errorf("the message is longer than the expected %d bytes", want)
}
