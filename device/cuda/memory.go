// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"fmt"

	"gorgonia.org/cu"
)

// buffer is memory of the GPU.
type buffer struct {
	d     *Device
	at    cu.DevicePtr
	bytes int

	opened bool // of another process (Open)
}

// Bytes returns the size.
func (b *buffer) Bytes() int { return b.bytes }

// Free releases the memory once the GPU no longer uses it (the driver waits); a second call does
// nothing.
func (b *buffer) Free() {
	if b == nil || b.at == 0 {
		return
	}
	if b.opened {
		_ = b.d.call("closing another process's memory", func() error { return check(C.cuIpcCloseMemHandle(C.CUdeviceptr(b.at))) })
	} else {
		_ = b.d.call("freeing memory", func() error { return cu.MemFree(b.at) })
	}
	b.at, b.bytes = 0, 0
}

// part returns the address of a range of the memory, after a check of its bounds.
func (b *buffer) part(offset, bytes int) (cu.DevicePtr, error) {
	if offset < 0 || bytes < 0 || offset > b.bytes-bytes {
		return 0, fmt.Errorf("bytes %d to %d lie outside a buffer of %d", offset, offset+bytes, b.bytes)
	}
	return b.at + cu.DevicePtr(offset), nil
}

// Read copies to the host.
func (b *buffer) Read(dst []byte, offset int) error {
	from, err := b.part(offset, len(dst))
	if err != nil || len(dst) == 0 {
		return err
	}
	l := <-b.d.lanes
	defer func() { b.d.lanes <- l }()
	return l.read(dst, from)
}

// Write copies from the host.
func (b *buffer) Write(src []byte, offset int) error {
	to, err := b.part(offset, len(src))
	if err != nil || len(src) == 0 {
		return err
	}
	l := <-b.d.lanes
	defer func() { b.d.lanes <- l }()
	return l.write(to, src)
}
