// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// huge is the size of the requested huge pages: a step touches more rows at once than the TLB has
// entries for small pages.
const huge = 2 << 20

// memory is zeroed bytes outside Go's heap, aligned to a huge page or, if small, to a page.
type memory struct {
	mapped []byte
	view   []byte
	author atomic.Pointer[program] // whose steps last wrote cells of the state here; nil: others
}

func newMemory(bytes int) (*memory, error) {
	if bytes <= 0 {
		return &memory{}, nil
	}
	size := bytes
	if bytes >= huge {
		size = (bytes+huge-1)/huge*huge + huge
	}
	mapped, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("cannot get %.4g GiB of memory: %w", float64(bytes)/(1<<30), os.NewSyscallError("mmap", err))
	}
	skip := 0
	if bytes >= huge {
		skip = int(-uintptr(unsafe.Pointer(&mapped[0])) & (huge - 1))
		// Only advice: without huge pages all works, slightly slower.
		_ = syscall.Madvise(mapped[skip:skip+(bytes+huge-1)/huge*huge], 14) // MADV_HUGEPAGE
	}
	return &memory{mapped: mapped, view: mapped[skip : skip+bytes : skip+bytes]}, nil
}

func (m *memory) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(m.view)) }

// Free returns the memory; a second call does nothing.
func (m *memory) Free() {
	if m.mapped != nil {
		_ = syscall.Munmap(m.mapped)
		m.mapped, m.view = nil, nil
	}
}

// Bytes, Host, Read and Write make memory a host-visible device.Buffer. Only ghost cells of a state written by
// steps may be changed through Host.
func (m *memory) Bytes() int   { return len(m.view) }
func (m *memory) Host() []byte { return m.view }

func (m *memory) Read(dst []byte, offset int) error {
	part, err := m.part(offset, len(dst))
	copy(dst, part)
	return err
}

func (m *memory) Write(src []byte, offset int) error {
	m.wrote(offset, len(src))
	part, err := m.part(offset, len(src))
	copy(part, src)
	return err
}

// wrote clears the author of a state unless the bytes belong only to ghost cells.
func (m *memory) wrote(offset, bytes int) {
	if p := m.author.Load(); p != nil && p.interior(offset, bytes) {
		m.author.Store(nil)
	}
}

// part returns a range of the memory, after a check of its bounds.
func (m *memory) part(offset, bytes int) ([]byte, error) {
	if offset < 0 || bytes < 0 || offset > len(m.view)-bytes {
		return nil, fmt.Errorf("bytes %d to %d lie outside a buffer of %d", offset, offset+bytes, len(m.view))
	}
	return m.view[offset : offset+bytes], nil
}

// place copies a slice of plain numbers or structs to offset and returns its address.
func place[T any](m *memory, offset int, items []T) unsafe.Pointer {
	if len(items) == 0 {
		return m.pointer()
	}
	copy(unsafe.Slice((*T)(unsafe.Pointer(&m.view[offset])), len(items)), items)
	return unsafe.Pointer(&m.view[offset])
}

// view copies numbers to offset and returns a slice of the copy.
func view[T float32 | float64](m *memory, offset int, numbers []float64) []T {
	if len(numbers) == 0 {
		return nil
	}
	list := unsafe.Slice((*T)(unsafe.Pointer(&m.view[offset])), len(numbers))
	for i, v := range numbers {
		list[i] = T(v)
	}
	return list
}
