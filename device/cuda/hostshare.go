//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"lbmsim/device"
)

var _ device.HostSharer = (*Device)(nil)

// hostKey is what a process tells others of memory that it shares. It is a file without
// a name, which ends with the processes that hold it, however they end.
type hostKey struct {
	Machine string
	PID, FD int
	Bytes   int
	Mark    []byte // stands behind the memory: other containers have processes of that number too
}

const markBytes = 16

// ShareHost makes page-locked host memory that other processes can open.
func (d *Device) ShareHost(size int) (memory, key []byte, free func(), err error) {
	k := hostKey{Machine: d.Identity().Machine, PID: os.Getpid(), Bytes: size, Mark: make([]byte, markBytes)}
	if _, err := rand.Read(k.Mark); err != nil {
		return nil, nil, nil, err
	}
	if k.FD, err = unix.MemfdCreate("lbmsim ghosts", unix.MFD_CLOEXEC); err != nil {
		return nil, nil, nil, fmt.Errorf("memory to share with other processes: %w", err)
	}
	closeFile := func() { _ = unix.Close(k.FD) }
	// Memory that is not there is an error now, and no signal later.
	if err = unix.Fallocate(k.FD, 0, 0, int64(size+markBytes)); err == nil {
		memory, free, err = d.lockFile(k.FD, size)
	}
	if err != nil {
		closeFile()
		return nil, nil, nil, fmt.Errorf("%.2f GiB of memory to share with other processes: %w", gib(size), err)
	}
	copy(memory[size:size+markBytes], k.Mark)
	if key, err = json.Marshal(k); err != nil {
		free()
		closeFile()
		return nil, nil, nil, err
	}
	return memory[:size:size], key, func() { free(); closeFile() }, nil
}

// OpenHost opens it.
func (d *Device) OpenHost(key []byte) (memory []byte, free func(), err error) {
	var k hostKey
	if err := json.Unmarshal(key, &k); err != nil {
		return nil, nil, err
	}
	if k.Machine != d.Identity().Machine {
		return nil, nil, errors.New("memory of another machine")
	}
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", k.PID, k.FD), os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	// Another process's file of that number may be anything.
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() != int64(k.Bytes+markBytes) {
		return nil, nil, fmt.Errorf("%s is not the memory of process %d (%v)", f.Name(), k.PID, err)
	}
	memory, free, err = d.lockFile(int(f.Fd()), k.Bytes)
	if err == nil && !bytes.Equal(memory[k.Bytes:k.Bytes+markBytes], k.Mark) {
		free()
		err = fmt.Errorf("%s is not the memory of process %d", f.Name(), k.PID)
	}
	if err != nil {
		return nil, nil, err
	}
	return memory[:k.Bytes:k.Bytes], free, nil
}

// lockFile maps memory of that size and the mark, and locks its pages for the GPU.
func (d *Device) lockFile(fd, size int) (memory []byte, free func(), err error) {
	all, err := unix.Mmap(fd, 0, size+markBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	at := unsafe.Pointer(unsafe.SliceData(all))
	err = d.call("locking the pages of shared memory", func() error {
		return check(C.cuMemHostRegister(at, C.size_t(len(all)), C.CU_MEMHOSTREGISTER_PORTABLE))
	})
	if err != nil {
		return nil, nil, errors.Join(err, unix.Munmap(all))
	}
	d.mu.Lock()
	d.pinned[uintptr(at)] = len(all)
	d.mu.Unlock()
	return all, func() {
		d.mu.Lock()
		delete(d.pinned, uintptr(at))
		d.mu.Unlock()
		_ = d.call("unlocking shared memory", func() error { return check(C.cuMemHostUnregister(at)) })
		_ = unix.Munmap(all)
	}, nil
}
