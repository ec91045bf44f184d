// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package hostmem provides host memory shared by the processes of one machine. It is an anonymous
// file, which exists as long as processes have it open, and which a small /dev/shm does not limit
// (memfd_create(2)).
package hostmem

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Machine identifies the machine whose processes can share memory: the boot ID of its kernel, since
// containers have their own names.
func Machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		host, _ := os.Hostname()
		return host
	}
	return strings.TrimSpace(string(boot))
}

// key is the message by which a process shares memory with others.
type key struct {
	Machine string
	Names   string // the namespace of PID: other containers have processes with that number, too
	PID, FD int
	Bytes   int
	Mark    []byte // follows the memory
}

const markBytes = 16

// names returns the PID namespace of this process.
func names() string {
	ns, _ := os.Readlink("/proc/self/ns/pid")
	return ns
}

// Share allocates zeroed memory and returns a key to it for other processes, valid until free.
func Share(size int) (memory, handle []byte, free func(), err error) {
	k := key{Machine: Machine(), Names: names(), PID: os.Getpid(), Bytes: size, Mark: make([]byte, markBytes)}
	if _, err := rand.Read(k.Mark); err != nil {
		return nil, nil, nil, err
	}
	if k.FD, err = unix.MemfdCreate("lbmsim ghosts", unix.MFD_CLOEXEC); err != nil {
		return nil, nil, nil, fmt.Errorf("memory to share with other processes: %w", err)
	}
	// Missing memory is an error now instead of a signal later.
	if err = unix.Fallocate(k.FD, 0, 0, int64(size+markBytes)); err == nil {
		memory, err = view(k.FD, size)
	}
	if err == nil {
		copy(memory[size:], k.Mark)
		handle, err = json.Marshal(k)
	}
	if err != nil {
		return nil, nil, nil, errors.Join(fmt.Errorf("%d bytes of memory to share with other processes: %w", size, err), unix.Close(k.FD))
	}
	return memory[:size:size], handle, func() {
		_ = unix.Munmap(memory)
		_ = unix.Close(k.FD)
	}, nil
}

// Open gives access to another process's memory, or to one's own.
func Open(handle []byte) (memory []byte, free func(), err error) {
	var k key
	if err := json.Unmarshal(handle, &k); err != nil {
		return nil, nil, err
	}
	if k.Machine != Machine() || k.Names != names() {
		return nil, nil, errors.New("memory of another machine, or of a container with processes of its own")
	}
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", k.PID, k.FD), os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	// The number of an ended process may be reused.
	st, err := f.Stat()
	if err == nil && (!st.Mode().IsRegular() || st.Size() != int64(k.Bytes+markBytes)) {
		err = fmt.Errorf("%s is not the memory of process %d", f.Name(), k.PID)
	}
	if err == nil {
		memory, err = view(int(f.Fd()), k.Bytes)
	}
	if err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(memory[k.Bytes:], k.Mark) {
		return nil, nil, errors.Join(fmt.Errorf("%s is not the memory of process %d", f.Name(), k.PID), unix.Munmap(memory))
	}
	return memory[:k.Bytes:k.Bytes], func() { _ = unix.Munmap(memory) }, nil
}

// view maps memory of that size and the mark.
func view(fd, size int) ([]byte, error) {
	return unix.Mmap(fd, 0, size+markBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}
