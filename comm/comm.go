// Package comm is the program's view of its ranks. The message layer is the
// Interface of github.com/btracey/mpi; what some implementations can do beyond
// it is an optional interface here, found by type assertion. comm/mpi talks to
// the machine's MPI library; Local runs ranks as goroutines of one process.
package comm

import "github.com/btracey/mpi"

// Comm is the ranks of one run. Send and Receive carry mpi.Raw (bytes, the
// receiver's slice already has the right length) and, gob-encoded, anything else.
// Unlike btracey/mpi's own network, one goroutine (locked to its OS thread) makes
// all calls of a rank.
type Comm = mpi.Interface

// Request is a message in flight; its buffer belongs to it until it is done.
type Request interface {
	Test() (done bool, err error)
	Wait() error
}

// NonBlocking starts messages and returns at once.
type NonBlocking interface {
	Isend(data []byte, destination, tag int) (Request, error)
	Irecv(data []byte, source, tag int) (Request, error)
}

// Collective is the operations that MPI libraries do better than messages.
// Every rank calls them in the same order.
type Collective interface {
	Barrier() error
	// Bcast sends root's data to all; every rank gives a slice of the same length.
	Bcast(data []byte, root int) error
	// Gather concatenates the ranks' slices, which may differ in length, at root.
	Gather(data []byte, root int) ([][]byte, error)
	// MaxInt64 is the element-wise maximum over the ranks, on every rank.
	MaxInt64(x []int64) error
}

// Aborter ends all ranks at once, with the exit code.
type Aborter interface{ Abort(code int) }

// Node tells the ranks of one machine apart.
type Node interface {
	// Local is this rank's number on its node and how many ranks the node has.
	Local() (rank, size int)
}

// Describer names the library behind the ranks.
type Describer interface{ Describe() string }
