// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

// #cgo LDFLAGS: -ldl
// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"lbmsim/comm"
)

// Comm is the ranks of an MPI job. New creates it, Init starts it.
type Comm struct {
	world     *C.world_t // C memory; nil before Init and after Finalize
	rank      int
	size      int
	chunk     int  // bytes of a message's parts, see parts.go
	group     bool // made by Group: MPI continues after its Finalize
	spare     []*C.message_t
	lost      []*request      // that failed with parts in flight: their memory is kept
	heartbeat *comm.Heartbeat // of its groups too
	library   Library
}

var _ interface {
	comm.Comm
	comm.NonBlocking
	comm.DeviceMessages
	comm.Collective
	comm.Aborter
	comm.Node
	comm.Describer
	comm.Located
	comm.GPUAware
	comm.Grouper
	comm.Watched
} = (*Comm)(nil)

// New returns a communicator without a rank yet (Rank is -1).
func New() *Comm { return &Comm{rank: -1, chunk: maxChunk, heartbeat: &comm.Heartbeat{}} }

// Init finds the MPI library (see Find), starts it, once per process, and locks the calling goroutine to its OS
// thread: that goroutine makes all later calls but Abort; others get an error.
// Go's signal handlers are restored where MPI replaced them, so signal.Notify works before and after. It fails
// if the launcher reports several ranks and the library one, as for a library of another launcher.
func (c *Comm) Init() error {
	if c.world != nil {
		return errors.New("start MPI: already running")
	}
	if taken {
		return errors.New("start MPI: a process can do this only once")
	}
	launch, _ := launched(parents(), os.LookupEnv)
	library, err := Find(launch, os.LookupEnv)
	if err == nil {
		err = library.take()
	}
	if err != nil {
		return fmt.Errorf("start MPI: %w", err)
	}
	c.library = library
	runtime.LockOSThread()
	w := (*C.world_t)(C.calloc(1, C.sizeof_world_t))
	defer c.impatient(launch).Stop() // until the ranks have communicated
	switch code := C.world_start(w); code {
	case C.OK:
	case C.ALREADY_STARTED:
		return errors.New("start MPI: a process can do this only once")
	case C.NO_THREADS:
		return fmt.Errorf("start MPI: %s does not support threads (level FUNNELED)", library)
	default:
		return fmt.Errorf("start MPI: %w", failure(code))
	}
	c.world, c.rank, c.size = w, int(w.rank), int(w.size)
	if (launch.Ranks > 1 || launch.Rank > 0) && c.size == 1 {
		return fmt.Errorf("start MPI: %s launched %s, but each of them would run alone with %s: use that library's mpirun, or srun with a type of --mpi that it supports (srun --mpi=list); or set %s to the launcher's own library",
			launch.By, some(launch.Ranks), library, insists)
	}
	return c.oneLibrary()
}

// some returns a number of ranks in words.
func some(n int) string {
	if n < 2 {
		return "several ranks"
	}
	return fmt.Sprintf("%d ranks", n)
}

// patience is the time that MPI may take to start before a message is printed. A rank that has
// failed before MPI, or has another library, leaves the others waiting there, and launchers
// such as srun do not end them.
const patience = 60 * time.Second

// impatient prints to rank 0's stderr that MPI is still starting; there is no reporter yet.
func (c *Comm) impatient(l comm.Launch) *time.Timer {
	return time.AfterFunc(patience, func() {
		if l.Rank > 0 {
			return // one line, not one per rank; if rank 0 failed, it has reported this
		}
		host, _ := os.Hostname()
		fmt.Fprintf(os.Stderr, "lbmsim: rank %d on %s: MPI is still waiting for the other ranks after %v, with %s; a rank may have failed or use another MPI library (srun --kill-on-bad-exit=1 ends a job when a rank fails)\n",
			l.Rank, host, patience, c.library)
	})
}

// oneLibrary returns an error on every rank if not all have the same version of one library. Such
// ranks may exchange messages for some time.
func (c *Comm) oneLibrary() error {
	sum := int64(crc32.ChecksumIEEE([]byte(c.library.Version)))
	x := []int64{sum, -sum}
	if err := c.MaxInt64(x); err != nil {
		return err
	}
	if x[0] != -x[1] {
		return fmt.Errorf("start MPI: not all ranks have the same MPI library; rank %d has %s: set %s to the same library on all ranks", c.rank, c.library, insists)
	}
	return nil
}

// Finalize ends MPI, or frees a group; all ranks call it, after their last message.
// Ranks of an unfinished job would wait indefinitely: after an error call Abort instead.
func (c *Comm) Finalize() {
	if c.world == nil {
		return
	}
	// No error is returned here because the interface has none; no remedy would be possible either.
	if c.group {
		C.world_drop(c.world)
	} else {
		C.world_stop(c.world)
	}
	for _, m := range c.spare {
		C.free(unsafe.Pointer(m))
	}
	c.spare = nil
	C.free(unsafe.Pointer(c.world))
	c.world, c.rank, c.size = nil, -1, 0
	if !c.group {
		runtime.UnlockOSThread()
	}
}

// Group implements comm.Grouper.
func (c *Comm) Group(n int) (comm.Comm, error) {
	if err := c.ready(); err != nil {
		return nil, c.wrap(err, "group of %d ranks", n)
	}
	if n < 1 || n > c.size {
		return nil, c.wrap(fmt.Errorf("there are %d ranks", c.size), "group of %d ranks", n)
	}
	defer c.heartbeat.Enter()()
	w := (*C.world_t)(C.calloc(1, C.sizeof_world_t))
	var mine C.int
	if code := C.world_part(c.world, C.int(n), w, &mine); code != C.OK {
		C.free(unsafe.Pointer(w))
		return nil, c.wrap(failure(code), "group of %d ranks", n)
	}
	if mine == 0 {
		C.free(unsafe.Pointer(w))
		return nil, nil
	}
	return &Comm{world: w, rank: int(w.rank), size: int(w.size), chunk: c.chunk, group: true, heartbeat: c.heartbeat, library: c.library}, nil
}

// Rank of this process, -1 before Init.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks, 0 before Init.
func (c *Comm) Size() int { return c.size }

// Abort ends all ranks of the job with the exit code and does not return. It may
// be called from any goroutine, also before Init and after Finalize: then it ends this process.
func (c *Comm) Abort(code int) {
	// The only place below cmd that ends the process, which is its purpose.
	C.world_abort(C.int(code))
}

// Exit ends the process, after Finalize, if it has used MPI; otherwise it returns. MPICH 5 signs
// off from its launcher in an atexit handler, which os.Exit does not call; the launcher treats a
// rank that did not as failed and kills the others.
func Exit(code int) {
	if taken {
		C.process_exit(C.int(code))
	}
}

// Local implements comm.Node.
func (c *Comm) Local() (rank, size int) {
	if c.world == nil {
		return -1, 0
	}
	return int(c.world.local_rank), int(c.world.local_size)
}

// Heartbeat implements comm.Watched.
func (c *Comm) Heartbeat() *comm.Heartbeat { return c.heartbeat }

// Describe names the MPI library, such as "Open MPI v4.1.4"; "" before Init.
func (c *Comm) Describe() string { return c.library.Version }

// Located implements comm.Located.
func (c *Comm) Located() string { return c.library.Path + ", " + c.library.How }

// GPUAware implements comm.GPUAware.
func (c *Comm) GPUAware() (yes, known bool) {
	if c.world == nil {
		return false, false
	}
	says := C.library_takes_cuda()
	return says > 0, says >= 0
}

// failure returns the text of an MPI error code as an error.
func failure(code C.int) error {
	if code == C.WRONG_THREAD {
		return errors.New("not called from the OS thread of Init: one goroutine must make all calls")
	}
	var text [1024]C.char
	C.error_text(code, &text[0], C.int(len(text)))
	return errors.New(strings.Join(strings.Fields(C.GoString(&text[0])), " "))
}

// ready returns an error unless MPI runs.
func (c *Comm) ready() error {
	if c.world == nil {
		return errors.New("MPI is not running")
	}
	return nil
}

// check verifies the arguments that MPI libraries explain poorly.
func (c *Comm) check(peer, tag int) error {
	if err := c.ready(); err != nil {
		return err
	}
	if peer < 0 || peer >= c.size {
		return fmt.Errorf("there is no rank %d among %d", peer, c.size)
	}
	if limit := int(c.world.max_tag); tag < 0 || tag > limit {
		return fmt.Errorf("tag %d is outside 0 to %d", tag, limit)
	}
	return nil
}

// wrap adds to an error which call failed.
func (c *Comm) wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rank %d: %s: %w", c.rank, fmt.Sprintf(format, args...), err)
}
