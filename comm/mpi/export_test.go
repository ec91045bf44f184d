// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

// SetChunk cuts messages into parts of n bytes.
func SetChunk(c *Comm, n int) { c.chunk = n }

// Compile makes a shared object of a C text.
var Compile = compile
