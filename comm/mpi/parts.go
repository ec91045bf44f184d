package mpi

import "unsafe"

// MPI counts bytes in an int, so a long message travels in parts of chunk bytes.
// A message ends with its first part that is shorter than chunk (maybe empty): the
// receiver, which cuts the length that it expects in the same way, sees every
// difference in length, and messages below the chunk, nearly all, stay one.

// maxChunk is a variable of each Comm so that tests can cut small messages.
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
