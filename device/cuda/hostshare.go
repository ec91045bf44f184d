// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/device/hostmem"
)

var _ device.HostSharer = (*Device)(nil)

// hostPointers is CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM.
const hostPointers = cu.DeviceAttribute(91)

// ShareHost allocates page-locked host memory that other processes can open.
func (d *Device) ShareHost(bytes int) (memory, key []byte, free func(), err error) {
	if same, err := d.gpu.Attribute(hostPointers); err != nil || same == 0 {
		return nil, nil, nil, errors.Join(errors.New("kernels do not reach such memory by its address on the host"), err)
	}
	memory, key, release, err := hostmem.Share(bytes)
	if err == nil {
		free, err = d.lockPages(memory, release)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return memory, key, free, nil
}

// OpenHost opens it.
func (d *Device) OpenHost(key []byte) (memory []byte, free func(), err error) {
	memory, release, err := hostmem.Open(key)
	if err == nil {
		free, err = d.lockPages(memory, release)
	}
	if err != nil {
		return nil, nil, err
	}
	return memory, free, nil
}

// lockPages lets the GPU copy to and from memory at full speed. The memory is released
// when that ends, or at once if it fails.
func (d *Device) lockPages(memory []byte, release func()) (free func(), err error) {
	at := unsafe.Pointer(unsafe.SliceData(memory))
	err = d.call("locking the pages of shared memory", func() error {
		return check(C.cuMemHostRegister(at, C.size_t(len(memory)), C.CU_MEMHOSTREGISTER_PORTABLE))
	})
	if err != nil {
		release()
		return nil, err
	}
	d.mu.Lock()
	d.pinned[uintptr(at)] = len(memory)
	d.mu.Unlock()
	return func() {
		d.mu.Lock()
		delete(d.pinned, uintptr(at))
		d.mu.Unlock()
		_ = d.call("unlocking shared memory", func() error { return check(C.cuMemHostUnregister(at)) })
		release()
	}, nil
}
