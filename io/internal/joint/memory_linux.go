// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package joint

import (
	"os"
	"runtime"
	"sync"
	"syscall"
)

// tmpfs is the type of file systems in memory, statfs(2).
const tmpfs = 0x01021994

// memory is a file of a file system in memory as memory of this process. Calls that
// write hold the file's lock, so that any number of threads is as fast as one; into a
// mapping they write in parallel. It costs more per byte than a call, because pages are
// cleared before they are filled, so only threads that would wait use it.
type memory struct {
	f    *os.File
	size int64
	mu   sync.RWMutex // writers take the read lock
	b    []byte       // nil until it is needed, and when it cannot be
}

// inMemory returns the memory of a file on tmpfs, nil for a file elsewhere.
func inMemory(f *os.File) *memory {
	if f == nil {
		return nil
	}
	var fs syscall.Statfs_t
	st, err := f.Stat()
	if err != nil || st.Size() == 0 || syscall.Fstatfs(int(f.Fd()), &fs) != nil || fs.Type != tmpfs {
		return nil
	}
	return &memory{f: f, size: st.Size()}
}

// filled is the number of bytes filled at once: their pages are still in the processor's cache when p is copied there.
const filled = 1 << 20

// populate is MADV_POPULATE_WRITE, madvise(2), Linux 5.14: a full disk is an error. A mere
// copy would end the program.
const populate = 23

// write puts p at the offset. False leaves it to a call, which returns the reason if it fails.
func (m *memory) write(p []byte, offset int64) bool {
	if m == nil || offset < 0 || offset+int64(len(p)) > m.size {
		return false
	}
	m.open()
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.b == nil {
		return false
	}
	page := int64(os.Getpagesize())
	for len(p) > 0 {
		n := min(len(p), filled)
		end := offset + int64(n)
		if syscall.Madvise(m.b[offset/page*page:end], populate) != nil {
			return false
		}
		copy(m.b[offset:end], p)
		p, offset = p[n:], end
	}
	return true
}

func (m *memory) open() {
	m.mu.RLock() // the other lock waits for all threads that copy
	mapped := m.b != nil
	m.mu.RUnlock()
	if mapped {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.b == nil {
		m.b, _ = syscall.Mmap(int(m.f.Fd()), 0, int(m.size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	}
}

// close ends the mapping; what was written is in the file.
func (m *memory) close() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.b == nil {
		return
	}
	// Unmapping pages takes a tenth of the time of writing them, and munmap is one
	// thread: a few others unmap ahead of it, because all change the counts of one file and the steps continue. The file
	// keeps its contents, since the mapping is shared.
	threads := min(4, max(1, runtime.GOMAXPROCS(0)-1))
	part := (len(m.b)/threads/os.Getpagesize() + 1) * os.Getpagesize()
	var wg sync.WaitGroup
	for b := m.b; len(b) > 0; b = b[min(part, len(b)):] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = syscall.Madvise(b[:min(part, len(b))], syscall.MADV_DONTNEED)
		}()
	}
	wg.Wait()
	_ = syscall.Munmap(m.b)
	m.b = nil
}
