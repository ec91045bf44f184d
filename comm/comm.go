// Package comm is the program's view of its ranks. The message layer is the
// Interface of github.com/btracey/mpi; what some implementations can do beyond
// it is an optional interface here, found by type assertion. comm/mpi talks to
// the machine's MPI library; Local runs ranks as goroutines of one process;
// Serial is the one rank of a program without a launcher.
//
// The functions Barrier, Broadcast, Gather, Max and Agree work with any Comm:
// through its Collective ability if it has one, by messages otherwise.
package comm

import "github.com/btracey/mpi"

// Raw is a message of bytes. The receiver's slice already has the length of the message.
type Raw = mpi.Raw

// Comm is the ranks of one run. Send and Receive carry Raw and, gob-encoded, anything else
// (the receiver gives a pointer). Unlike btracey/mpi's own network, one goroutine
// (locked to its OS thread) makes all calls of a rank. Send may wait until the
// message is received, so two ranks that both send first are a deadlock.
// Messages of one sender, receiver and tag arrive in the order they were sent.
type Comm = mpi.Interface

// MaxTag is the largest tag of a caller's message. MPI promises tags up to 32767;
// the ones above MaxTag belong to this package.
const MaxTag = 31999

// Request is a message in flight; its buffer belongs to it until it is done:
// until Test has returned true or an error, or Wait has returned. The length
// received must be the length expected, otherwise the receiver gets an error.
type Request interface {
	Test() (done bool, err error)
	Wait() error
}

// NonBlocking starts messages and returns at once. A buffer may be Go memory
// (it is pinned while its request lives) or any other memory of the process.
type NonBlocking interface {
	Isend(data []byte, destination, tag int) (Request, error)
	Irecv(data []byte, source, tag int) (Request, error)
}

// DeviceMessages starts messages from and to memory of a GPU, as NonBlocking does from
// and to the host's. The addresses come from the GPU's driver. Ask GPUAware first: a
// library that does not know them ends the program.
type DeviceMessages interface {
	IsendFrom(address uintptr, bytes, destination, tag int) (Request, error)
	IrecvTo(address uintptr, bytes, source, tag int) (Request, error)
}

// Collective is the operations that MPI libraries do better than messages.
// Every rank calls them in the same order.
type Collective interface {
	Barrier() error
	// Bcast sends root's data to all; every rank gives a slice of the same length.
	Bcast(data []byte, root int) error
	// Gather collects the ranks' slices, which may differ in length, at root: one
	// slice per rank there, nil elsewhere.
	Gather(data []byte, root int) ([][]byte, error)
	// MaxInt64 is the element-wise maximum over the ranks, on every rank.
	MaxInt64(x []int64) error
}

// Aborter ends all ranks at once, with the exit code (1 to 255). Over MPI it does
// not return and may be called from any goroutine. Ranks in one process (Local,
// Serial) get an *AbortError from every pending and later call instead, and
// Abort returns: the caller exits by itself.
type Aborter interface{ Abort(code int) }

// Node reports the ranks of one machine apart.
type Node interface {
	// Local is this rank's number on its node and how many ranks the node has.
	Local() (rank, size int)
}

// Grouper makes communicators of fewer ranks.
type Grouper interface {
	// Group is the first n ranks by themselves, with the same numbers and with every
	// ability of the whole; nil on the other ranks. All ranks call it. Finalize frees
	// a group and leaves the whole alone.
	Group(n int) (Comm, error)
}

// GPUAware reports whether messages of the library behind the ranks can leave from and
// arrive in the memory of a GPU. known is false where it has no way to report it.
type GPUAware interface{ GPUAware() (yes, known bool) }

// Describer names the library behind the ranks.
type Describer interface{ Describe() string }

// Located reports which file that library is and how it was found.
type Located interface{ Located() string }

// TakesGPUMemory returns what the library reports: yes, no or unknown.
func TakesGPUMemory(c Comm) string {
	if a, ok := c.(GPUAware); ok {
		switch yes, known := a.GPUAware(); {
		case known && yes:
			return "yes"
		case known:
			return "no"
		}
	}
	return "unknown"
}

// LocalRank returns this rank's number on its node and the number of ranks there.
// The ranks of a Comm without this information are taken to be on one machine.
func LocalRank(c Comm) (rank, size int) {
	if n, ok := c.(Node); ok {
		return n.Local()
	}
	return c.Rank(), c.Size()
}

// Describe names the library behind the ranks, for the table printed at start.
func Describe(c Comm) string {
	if d, ok := c.(Describer); ok {
		return d.Describe()
	}
	return "unknown"
}
