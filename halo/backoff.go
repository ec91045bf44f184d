// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"runtime"
	"time"
)

// backoff waits between polls of messages in flight. The threads that compute the
// bulk want the same cores, so it soon sleeps. The sleep grows with the time waited so far, so that an arrival is detected
// at most an eighth late, and stays short enough for MPI to move the next piece of a long message.
//
// With sleeps between, Open MPI took 43 ms for 10 MiB in a virtual machine; presumably a library that copies through small
// pieces of shared memory moves one or two per poll. So if a GPU computes and the core is idle, it sleeps only once a
// neighbour is really late.
type backoff struct {
	awake bool
	start time.Time
}

const (
	spin     = 20 * time.Microsecond // first without sleep: small messages are this fast
	vigil    = 50 * time.Millisecond // the same beside a GPU
	minSleep = 20 * time.Microsecond
	maxSleep = 500 * time.Microsecond
)

func (b *backoff) pause() {
	now := time.Now()
	if b.start.IsZero() {
		b.start = now
	}
	waited := now.Sub(b.start)
	if waited < spin || b.awake && waited < vigil {
		runtime.Gosched()
		return
	}
	sleep(min(max(waited/8, minSleep), maxSleep))
}
