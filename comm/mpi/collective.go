// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// tagLargeGather is beyond the tags of callers and of package comm's trees.
const tagLargeGather = 32767

// Barrier implements comm.Collective.
func (c *Comm) Barrier() error {
	return c.wrap(c.do(func() C.int { return C.world_barrier(c.world) }), "barrier")
}

// Bcast implements comm.Collective.
func (c *Comm) Bcast(data []byte, root int) error {
	for rest := data; ; {
		part := rest[:min(len(rest), c.chunk)]
		err := c.do(func() C.int { return C.world_bcast(c.world, pointer(part), C.int(len(part)), C.int(root)) })
		if err != nil {
			return c.wrap(err, "broadcast %d bytes from rank %d", len(data), root)
		}
		if rest = rest[len(part):]; len(rest) == 0 {
			return nil
		}
	}
}

// Gather implements comm.Collective.
func (c *Comm) Gather(data []byte, root int) ([][]byte, error) {
	out, err := c.gather(data, root)
	return out, c.wrap(err, "gather %d bytes at rank %d", len(data), root)
}

func (c *Comm) gather(data []byte, root int) ([][]byte, error) {
	// Every rank learns every length, so that all choose the same way below.
	lengths := make([]C.longlong, max(c.size, 1))
	err := c.do(func() C.int { return C.world_lengths(c.world, C.longlong(len(data)), &lengths[0]) })
	if err != nil {
		return nil, err
	}
	total := 0
	for _, n := range lengths {
		total += int(n)
	}
	if total > min(math.MaxInt32, c.chunk) {
		return c.gatherLarge(data, lengths, root)
	}
	var all []byte
	counts, offsets := make([]C.int, c.size), make([]C.int, c.size)
	if c.rank == root {
		all = make([]byte, total)
		for r, n := range lengths {
			counts[r] = C.int(n)
			if r > 0 {
				offsets[r] = offsets[r-1] + counts[r-1]
			}
		}
	}
	err = c.do(func() C.int {
		return C.world_gather(c.world, pointer(data), C.int(len(data)), pointer(all), &counts[0], &offsets[0], C.int(root))
	})
	if err != nil || c.rank != root {
		return nil, err
	}
	out := make([][]byte, c.size)
	for r := range out {
		lo, n := int(offsets[r]), int(counts[r])
		out[r] = all[lo : lo+n : lo+n]
	}
	return out, nil
}

// gatherLarge gathers more bytes than MPI_Gatherv can count, with one message per rank.
func (c *Comm) gatherLarge(data []byte, lengths []C.longlong, root int) ([][]byte, error) {
	if c.rank != root {
		return nil, c.send(data, root, tagLargeGather)
	}
	out := make([][]byte, c.size)
	for r := range out {
		out[r] = make([]byte, lengths[r])
		if r == root {
			copy(out[r], data)
		} else if err := c.receive(out[r], r, tagLargeGather); err != nil {
			return nil, fmt.Errorf("from rank %d: %w", r, err)
		}
	}
	return out, nil
}

// MaxInt64 implements comm.Collective.
func (c *Comm) MaxInt64(x []int64) error {
	if len(x) == 0 {
		return nil
	}
	err := c.do(func() C.int {
		return C.world_max(c.world, (*C.longlong)(unsafe.Pointer(&x[0])), C.int(len(x)))
	})
	return c.wrap(err, "maximum over the ranks")
}

// do executes a collective call.
func (c *Comm) do(call func() C.int) error {
	if err := c.ready(); err != nil {
		return err
	}
	defer c.heartbeat.Enter()()
	if code := call(); code != C.OK {
		return failure(code)
	}
	return nil
}
