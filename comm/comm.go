// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package comm provides communication between ranks. The message layer is the Interface of
// github.com/btracey/mpi; further abilities of implementations are optional interfaces here, found
// by type assertion. comm/mpi uses the machine's MPI library; Local runs ranks as goroutines of one
// process; Serial is the single rank of a process without a launcher.
//
// The functions Barrier, Broadcast, Gather, Max and Agree work with any Comm:
// through its Collective ability if it has one, by messages otherwise.
package comm

import "github.com/btracey/mpi"

// Raw is a message of bytes. The receiver's slice already has the length of the message.
type Raw = mpi.Raw

// Comm is the ranks of one run. Send and Receive carry Raw and, gob-encoded, anything else
// (the receiver gives a pointer). Unlike btracey/mpi's own network, one goroutine
// (locked to its OS thread) makes all calls of a rank. Send may wait until the message is received,
// so two ranks that both send first deadlock. Messages of one sender, receiver and tag arrive in
// the order they were sent.
type Comm = mpi.Interface

// MaxTag is the largest tag of a caller's message. MPI promises tags up to 32767;
// tags above MaxTag belong to this package.
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
// and to the host's. The addresses come from the GPU's driver. Check GPUAware first: a library
// without GPU support crashes on them.
type DeviceMessages interface {
	IsendFrom(address uintptr, bytes, destination, tag int) (Request, error)
	IrecvTo(address uintptr, bytes, source, tag int) (Request, error)
}

// Collective has operations that are faster in MPI libraries than by messages. Every rank calls
// them in the same order.
type Collective interface {
	Barrier() error
	// Bcast sends root's data to all; every rank passes a slice of the same length.
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

// Node distinguishes ranks by machine.
type Node interface {
	// Local returns this rank's number on its node and the node's number of ranks.
	Local() (rank, size int)
}

// Grouper creates communicators of fewer ranks.
type Grouper interface {
	// Group returns a communicator of the first n ranks, with the same numbers and all abilities of
	// the whole; nil on the other ranks. All ranks call it. Finalize frees a group without effect
	// on the whole.
	Group(n int) (Comm, error)
}

// GPUAware reports whether messages of the MPI library can be sent from and received in GPU memory.
// known is false if the library cannot report it.
type GPUAware interface{ GPUAware() (yes, known bool) }

// Describer names the MPI library.
type Describer interface{ Describe() string }

// Located reports the library's file and how it was found.
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

// Describe names the MPI library, for the table printed at start.
func Describe(c Comm) string {
	if d, ok := c.(Describer); ok {
		return d.Describe()
	}
	return "unknown"
}
