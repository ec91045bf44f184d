// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

import "unsafe"

// MPI counts bytes in an int, so a long message is sent in parts of chunk bytes. A message ends
// with its first part shorter than chunk (possibly empty): the receiver, which splits the expected
// length in the same way, detects every difference in length, and messages below the chunk size,
// almost all, have one part.

// maxChunk is copied to each Comm so that tests can split small messages.
const maxChunk = 1 << 30

// part returns part i of data and whether it is the last one.
func (c *Comm) part(data []byte, i int) (p []byte, last bool) {
	lo := i * c.chunk
	hi := min(lo+c.chunk, len(data))
	return data[lo:hi], hi-lo < c.chunk
}

// pointer returns the address of the first byte; MPI takes nil for an empty message.
func pointer(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}
