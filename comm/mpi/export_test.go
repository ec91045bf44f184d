package mpi

// SetChunk cuts messages into parts of n bytes.
func SetChunk(c *Comm, n int) { c.chunk = n }
