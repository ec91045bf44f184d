// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

// Peer is a device whose memory can be written by devices of other processes on the same machine,
// and that can wait for their writes. Found by type assertion.
type Peer interface {
	Identity() Identity
	// AllocShared is Alloc for memory that other processes may open.
	AllocShared(bytes int) (Buffer, error)
	// Share returns a handle of such memory, to be sent to other processes.
	Share(b Buffer) (handle []byte, err error)
	// Open gives access to memory shared by another process, for Copy, CopyRows and NewBarrier.
	// Free ends the access; the owner frees the memory after that.
	Open(handle []byte) (Buffer, error)
	// NewBarrier creates a barrier of this device with others. Each party has a word of 8 bytes in
	// memory that the other can access, initially zero; words do not share BarrierWord bytes.
	NewBarrier(parties []Party) (Barrier, error)
}

// BarrierWord is the distance between the words of barriers, in bytes: at least a cache line.
const BarrierWord = 128

// MaxParties is the largest number of parties of a barrier: the neighbours of a box, and ranks on the same machine that read listed
// cells of it.
const MaxParties = 26

// Identity distinguishes devices.
type Identity struct {
	Machine string // whose processes can share memory
	Device  string // unique over all machines
}

// Party is the other side of a barrier.
type Party struct {
	Signal Rows // the word at its Offset, which this device writes
	Await  Rows // the word that the other device writes
}

// Barrier is a point in the streams of several devices that each passes once all its parties have
// reached it, each time it is queued; the wait is on the device, without the host. Earlier work of
// the streams is then complete and visible to later work, also in memory of the others. The device
// counts, so a recording of it can be replayed.
type Barrier interface {
	Queue(s Stream)
	// Break ends all waits, now and later, because a party will not arrive. Any goroutine may call
	// it.
	Break()
	// Close frees the barrier, which must no longer be queued.
	Close()
}

// Rows locates rows of bytes in a device's memory or the host's.
type Rows struct {
	Buffer Buffer // of the device, or opened; nil:
	Host   []byte // page-locked, of this device: AllocHost (halo.HostAllocator), ShareHost, OpenHost
	Offset int    // of the first row
	Stride int    // from one row to the next
}

// RowCopier is a Stream that copies rows in one operation, between the device, others and the host,
// without waiting. Found by type assertion.
type RowCopier interface {
	// CopyRows copies count rows of bytes each. Host memory must not change until the stream has
	// passed.
	CopyRows(dst, src Rows, bytes, count int)
}

// HostSharer is a device that copies to and from host memory which processes of one
// machine share. Found by type assertion.
type HostSharer interface {
	// ShareHost allocates such memory, zeroed, and returns a key to it for others. The key is valid
	// until free.
	ShareHost(bytes int) (memory, key []byte, free func(), err error)
	// OpenHost gives access to memory of another process. It fails if that is impossible, as on
	// another machine.
	OpenHost(key []byte) (memory []byte, free func(), err error)
}

// Addressed is a buffer with an address that MPI libraries understand. Found by type assertion.
type Addressed interface{ Address() uintptr }
