// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/device/hostmem"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
)

var _ device.Peer = (*Device)(nil)
var _ device.RowCopier = (*stream)(nil)
var _ device.Addressed = (*buffer)(nil)

// Identity distinguishes this GPU from all others.
func (d *Device) Identity() device.Identity {
	return device.Identity{Machine: hostmem.Machine(), Device: d.info.UUID}
}

// sharedGrain is the driver's own unit of memory. Smaller buffers lie together in one,
// and all of it would be shared ("CUDA Driver API", cuIpcGetMemHandle).
const sharedGrain = 2 << 20

// AllocShared returns zeroed memory that other processes may open.
func (d *Device) AllocShared(bytes int) (device.Buffer, error) {
	if bytes <= 0 {
		return d.Alloc(bytes)
	}
	b, err := d.alloc(raw.Ceil(bytes, sharedGrain) * sharedGrain)
	if err != nil {
		return nil, err
	}
	b.bytes = bytes
	return b, nil
}

// sharedHandle is the message by which one process shares a buffer with another.
type sharedHandle struct {
	Bytes int
	IPC   []byte // CUipcMemHandle
}

// Share returns a handle of a buffer.
func (d *Device) Share(b device.Buffer) ([]byte, error) {
	at, err := d.part(b, 0, b.Bytes())
	if err != nil {
		return nil, err
	}
	var h C.CUipcMemHandle
	err = d.call("sharing memory with other processes", func() error {
		return check(C.cuIpcGetMemHandle(&h, C.CUdeviceptr(at)))
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(sharedHandle{b.Bytes(), C.GoBytes(unsafe.Pointer(&h), C.int(unsafe.Sizeof(h)))})
}

// Open gives access to the memory of another process. The GPU that owns it need not be visible
// here; there has to be a path to it (NVLink, or PCIe within a machine).
func (d *Device) Open(handle []byte) (device.Buffer, error) {
	var s sharedHandle
	var h C.CUipcMemHandle
	if err := json.Unmarshal(handle, &s); err != nil || len(s.IPC) != int(unsafe.Sizeof(h)) {
		return nil, fmt.Errorf("GPU %d: a handle of %d bytes is not one of another GPU's memory", d.info.Number, len(handle))
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), s.IPC)
	b := &buffer{d: d, bytes: s.Bytes, opened: true}
	err := d.call("opening the memory of another process's GPU", func() error {
		var at C.CUdeviceptr
		err := check(C.cuIpcOpenMemHandle(&at, h, C.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))
		b.at = cu.DevicePtr(at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Address returns the address of the buffer, for libraries that take CUDA pointers.
func (b *buffer) Address() uintptr { return uintptr(b.at) }

// CopyRows copies rows between this GPU, opened memory and page-locked host memory.
func (s *stream) CopyRows(dst, src device.Rows, bytes, count int) {
	to, err := s.d.rows(dst, bytes, count)
	from, err2 := s.d.rows(src, bytes, count)
	if err == nil {
		err = err2
	}
	if err != nil {
		s.fail(fmt.Errorf("copy of %d rows: %w", count, err))
		return
	}
	if bytes == 0 || count == 0 {
		return
	}
	doing := fmt.Sprintf("copying %d rows of %d bytes", count, bytes)
	const maxPitch = 1<<31 - 1 // CU_DEVICE_ATTRIBUTE_MAX_PITCH of all GPUs
	switch {
	case count == 1 || dst.Stride == bytes && src.Stride == bytes:
		s.queue(doing, func() error {
			return check(C.cuMemcpyAsync(to, from, C.size_t(bytes*count), streamOf(s.s)))
		})
	case dst.Stride > maxPitch || src.Stride > maxPitch:
		for i := range count {
			s.queue(doing, func() error {
				return check(C.cuMemcpyAsync(to+C.CUdeviceptr(i*dst.Stride), from+C.CUdeviceptr(i*src.Stride), C.size_t(bytes), streamOf(s.s)))
			})
		}
	default:
		p := C.CUDA_MEMCPY2D{
			srcMemoryType: C.CU_MEMORYTYPE_UNIFIED, srcDevice: from, srcPitch: C.size_t(src.Stride),
			dstMemoryType: C.CU_MEMORYTYPE_UNIFIED, dstDevice: to, dstPitch: C.size_t(dst.Stride),
			WidthInBytes: C.size_t(bytes), Height: C.size_t(count),
		}
		s.queue(doing, func() error { return check(C.cuMemcpy2DAsync(&p, streamOf(s.s))) })
	}
}

// rows returns the address of the first row, after checking the end of the last one. Page-locked
// host memory has one address for host and GPU (unified addressing).
func (d *Device) rows(r device.Rows, bytes, count int) (C.CUdeviceptr, error) {
	all := bytes
	if count > 1 {
		if r.Stride < bytes {
			return 0, fmt.Errorf("rows of %d bytes, %d bytes apart", bytes, r.Stride)
		}
		all += (count - 1) * r.Stride
	}
	if r.Buffer != nil {
		at, err := d.part(r.Buffer, r.Offset, all)
		return C.CUdeviceptr(at), err
	}
	if r.Offset < 0 || r.Offset+all > len(r.Host) || !d.isPinned(r.Host) {
		return 0, fmt.Errorf("bytes %d to %d of host memory of %d bytes, which has to be page-locked", r.Offset, r.Offset+all, len(r.Host))
	}
	return C.CUdeviceptr(uintptr(unsafe.Pointer(unsafe.SliceData(r.Host)))) + C.CUdeviceptr(r.Offset), nil
}

// barrier is a device.Barrier.
type barrier struct {
	d      *Device
	kernel cu.Function
	table  *buffer // barrierABI
	broken []byte  // page-locked
	free   func()
}

// NewBarrier creates a barrier.
func (d *Device) NewBarrier(parties []device.Party) (device.Barrier, error) {
	if len(parties) > device.MaxParties {
		return nil, fmt.Errorf("a barrier of %d parties: %d at most", len(parties), device.MaxParties)
	}
	m := &barrier{d: d}
	var err error
	if m.kernel, err = d.barrierKernel(); err != nil {
		return nil, err
	}
	table := barrierABI{count: 0, parties: uint64(len(parties))}
	for i, p := range parties {
		signal, err := d.rows(p.Signal, 8, 1)
		await, err2 := d.rows(p.Await, 8, 1)
		if err == nil {
			err = err2
		}
		if err == nil && (signal%8 != 0 || await%8 != 0) {
			err = fmt.Errorf("words at %#x and %#x", signal, await)
		}
		if err != nil {
			return nil, fmt.Errorf("barrier: %w", err)
		}
		table.signal[i], table.await[i] = uint64(signal), uint64(await)
	}
	if m.broken, m.free, err = d.AllocHost(4); err != nil {
		return nil, err
	}
	clear(m.broken)
	table.broken = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.broken))))
	if m.table, err = d.alloc(int(unsafe.Sizeof(table))); err == nil {
		err = m.table.Write(raw.Bytes([]barrierABI{table}), 0)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// barrierKernel returns lbm_barrier, compiled or loaded from the cache at its first use.
func (d *Device) barrierKernel() (cu.Function, error) {
	d.mu.Lock()
	loaded, kernel := d.barriers.loaded, d.barrier
	d.mu.Unlock()
	if loaded {
		return kernel, nil
	}
	var m module
	if err := m.load(d, "loading the kernel of barriers", barrierJob, functions{"lbm_barrier": &kernel}, nil); err != nil {
		return cu.Function{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.barriers.loaded { // by another goroutine meanwhile
		m.unload(d)
	} else {
		d.barriers, d.barrier = m, kernel
	}
	return d.barrier, nil
}

// barrierJob compiles kernels/gpu/barrier.h.
func barrierJob(c *compiler, arch int) (j job, err error) {
	target, real, err := c.target(arch)
	if err != nil {
		return j, err
	}
	j = job{compiler: c, what: "the barrier of neighbours", file: "gpu/barrier.h", options: []string{target, "--std=c++17", "-lineinfo"}, real: real}
	j.text, err = source(kernels.Sources, j.file)
	return j, err
}

// Queue signals the parties, and waits for them, in the order of the stream.
func (m *barrier) Queue(to device.Stream) {
	s := to.(*stream)
	s.queue("waiting for the neighbours", func() error {
		return launch(m.kernel, [3]int{1, 1, 1}, [2]int{32, 1}, 0, s.s, uint64(m.table.at))
	})
}

// Break ends the waits: waiting kernels would prevent the release of the GPU.
func (m *barrier) Break() {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(unsafe.SliceData(m.broken))), 1)
}

// Close frees the barrier.
func (m *barrier) Close() {
	m.table.Free()
	if m.free != nil {
		m.free()
	}
}
