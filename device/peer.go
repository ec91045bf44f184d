package device

// Peer is a device whose memory the devices of other processes on its machine can
// write, as if it were their own, and that can wait for what they write. Found by
// type assertion.
type Peer interface {
	Identity() Identity
	// AllocShared is Alloc for memory that other processes may open.
	AllocShared(bytes int) (Buffer, error)
	// Share makes a handle of such memory, to be sent to other processes.
	Share(b Buffer) (handle []byte, err error)
	// Open gives access to memory that another process has shared, for Copy, CopyRows
	// and NewBarrier. Free ends the access; the owner frees the memory after that.
	Open(handle []byte) (Buffer, error)
	// NewBarrier makes a barrier of this device with others. Each party has a word of
	// 8 bytes in the other's shared memory, zero at first; words do not share
	// BarrierWord bytes.
	NewBarrier(parties []Party) (Barrier, error)
}

// BarrierWord is the distance between the words of barriers, in bytes: a line of any cache.
const BarrierWord = 128

// MaxParties is the largest number of parties of a barrier: the neighbours of a box, and ranks on the same machine that read listed
// cells of it.
const MaxParties = 26

// Identity distinguishes devices.
type Identity struct {
	Machine string // whose processes can share memory
	Device  string // one of all machines
}

// Party is the other side of a barrier.
type Party struct {
	Signal     Buffer // opened: this device writes here
	SignalWord int    // offset in bytes
	Await      Buffer // shared: the other device writes here
	AwaitWord  int
}

// Barrier is a point in the streams of several devices that each passes when all its
// parties have come to it, as often as it is queued; it waits on the device, without
// the host. What the streams did before is done then, and seen by what follows, also
// in memory of the others. The device counts, so a recording of it can be repeated.
type Barrier interface {
	Queue(s Stream)
	// Break ends all waiting, now and later: a party will not come. Any goroutine
	// may call it.
	Break()
	// Close frees the barrier; it is in no queue any more.
	Close()
}

// Rows is a place of rows of bytes, in a device's memory or the host's.
type Rows struct {
	Buffer Buffer // of the device, or opened; nil:
	Host   []byte // page-locked, of this device: AllocHost (halo.HostAllocator), ShareHost, OpenHost
	Offset int    // of the first row
	Stride int    // from one row to the next
}

// RowCopier is a Stream that copies rows in one piece of work, between the device,
// others and the host, and does not wait. Found by type assertion.
type RowCopier interface {
	// CopyRows copies count rows of so many bytes. Host memory belongs to it until the
	// stream has passed.
	CopyRows(dst, src Rows, bytes, count int)
}

// HostSharer is a device that copies to and from host memory which processes of one
// machine share. Found by type assertion.
type HostSharer interface {
	// ShareHost makes such memory, zeroed, and a key to it for others. The key is good
	// until free.
	ShareHost(bytes int) (memory, key []byte, free func(), err error)
	// OpenHost gives access to memory of another process. It fails where there is none
	// to be had, as on another machine.
	OpenHost(key []byte) (memory []byte, free func(), err error)
}

// Addressed is a buffer with an address that libraries of messages understand. Found
// by type assertion.
type Addressed interface{ Address() uintptr }
