// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"lbmsim/comm"
	"lbmsim/comm/commtest"
	"lbmsim/comm/mpi"
	"lbmsim/comm/mpi/mpitest"
)

// The checks that ranks in one process pass hold for the MPI library, with and
// without its collective operations.
func TestConformance(t *testing.T) {
	mpitest.Run(t, []int{1, 2, 3, 5}, func(c comm.Comm) error {
		for _, check := range commtest.Checks {
			if err := check.Run(c); err != nil {
				return fmt.Errorf("%s: %w", check.Name, err)
			}
			if err := check.Run(commtest.Bare(c)); err != nil {
				return fmt.Errorf("%s, with messages only: %w", check.Name, err)
			}
		}
		return nil
	})
}

// Messages in many parts: the limit of 2^31 bytes is tested with small parts.
func TestParts(t *testing.T) {
	mpitest.Run(t, []int{2, 3}, func(c comm.Comm) error {
		mpi.SetChunk(c.(*mpi.Comm), 1000)
		for _, check := range commtest.Checks {
			if err := check.Run(c); err != nil {
				return fmt.Errorf("%s: %w", check.Name, err)
			}
		}
		// A length wrong by whole parts is detected, too.
		if c.Rank() == 0 {
			return c.Send(comm.Raw(make([]byte, 3000)), 1, 0)
		}
		if c.Rank() > 1 {
			return nil
		}
		err := c.Receive(comm.Raw(make([]byte, 2000)), 0, 0)
		if err == nil || !strings.Contains(err.Error(), "expected 2000") {
			return fmt.Errorf("3000 bytes for 2000: %v", err)
		}
		return c.Receive(comm.Raw{}, 0, 0) // the empty part that ends the message
	})
}

// More than 2^31 bytes at once, for machines with 10 GiB to spare.
func TestHuge(t *testing.T) {
	if os.Getenv("LBMSIM_HUGE_TESTS") != "1" {
		t.Skip("needs 10 GiB of memory: set LBMSIM_HUGE_TESTS=1")
	}
	mpitest.Run(t, []int{2}, func(c comm.Comm) error {
		const n = 1<<31 + 12345
		b := make([]byte, n)
		places := []int{0, 1<<30 - 1, 1 << 30, 1<<31 - 1, 1 << 31, n - 1}
		check := func(what string, b []byte) error {
			if len(b) != n {
				return fmt.Errorf("%s: %d bytes", what, len(b))
			}
			for i, p := range places {
				if b[p] != byte(i+1) {
					return fmt.Errorf("%s: byte %d is %d", what, p, b[p])
				}
				b[p] = 0
			}
			return nil
		}
		mark := func() {
			for i, p := range places {
				b[p] = byte(i + 1)
			}
		}
		nb := c.(comm.NonBlocking)
		if c.Rank() == 0 {
			mark()
			if err := c.Send(comm.Raw(b), 1, 1); err != nil {
				return err
			}
			q, err := nb.Isend(b, 1, 2)
			if err != nil {
				return err
			}
			if err := q.Wait(); err != nil {
				return err
			}
		} else {
			if err := c.Receive(comm.Raw(b), 0, 1); err != nil {
				return err
			}
			if err := check("send", b); err != nil {
				return err
			}
			q, err := nb.Irecv(b, 0, 2)
			if err != nil {
				return err
			}
			if err := q.Wait(); err != nil {
				return err
			}
			if err := check("isend", b); err != nil {
				return err
			}
		}
		if c.Rank() == 0 {
			mark()
		}
		if err := c.(comm.Collective).Bcast(b, 0); err != nil {
			return err
		}
		if err := check("broadcast", b); err != nil {
			return err
		}
		if c.Rank() == 1 {
			mark()
			_, err := comm.Gather(c, b)
			return err
		}
		parts, err := comm.Gather(c, nil)
		if err != nil {
			return err
		}
		return check("gather", parts[1])
	})
}

// Messages by address: memory that is not Go's, as a GPU's is not. In many parts, too.
func TestDeviceMessages(t *testing.T) {
	mpitest.Run(t, []int{2, 3}, func(c comm.Comm) error {
		const n = 100_000
		next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		for _, chunk := range []int{1 << 30, 1000} {
			mpi.SetChunk(c.(*mpi.Comm), chunk)
			b, err := syscall.Mmap(-1, 0, 2*n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			if err != nil {
				return err
			}
			for i := range n {
				b[i] = byte(i + c.Rank())
			}
			d, at := c.(comm.DeviceMessages), uintptr(unsafe.Pointer(&b[0]))
			in, err := d.IrecvTo(at+n, n, last, 5)
			if err != nil {
				return err
			}
			out, err := d.IsendFrom(at, n, next, 5)
			if err != nil {
				return err
			}
			if err := errors.Join(in.Wait(), out.Wait()); err != nil {
				return err
			}
			for i := range n {
				if want := byte(i + last); b[n+i] != want {
					return fmt.Errorf("byte %d from rank %d is %d, want %d", i, last, b[n+i], want)
				}
			}
			if err := syscall.Munmap(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// One goroutine makes all calls; another one gets an error, not a crash.
func TestWrongThread(t *testing.T) {
	mpitest.Run(t, []int{1}, func(c comm.Comm) error {
		result := make(chan error)
		go func() { result <- comm.Barrier(c) }()
		if err := <-result; err == nil || !strings.Contains(err.Error(), "OS thread") {
			return fmt.Errorf("a barrier from another thread: %v", err)
		}
		return nil
	})
}

// Go's signal handlers survive MPI_Init, both those set before and after it.
func TestSignals(t *testing.T) {
	early := make(chan os.Signal, 1)
	signal.Notify(early, syscall.SIGUSR1)
	defer signal.Stop(early)
	mpitest.Run(t, []int{1, 2}, func(c comm.Comm) error {
		late := make(chan os.Signal, 1)
		signal.Notify(late, syscall.SIGUSR2, syscall.SIGTERM)
		for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTERM} {
			if err := syscall.Kill(os.Getpid(), s); err != nil {
				return err
			}
			select {
			case <-early:
			case <-late:
			case <-time.After(5 * time.Second):
				return fmt.Errorf("%v was not delivered", s)
			}
		}
		return nil
	})
}

// A rank that aborts ends the job with its code, wherever the others are.
func TestAbort(t *testing.T) {
	ends(t, "2 aborts with code 7", 7, func(c comm.Comm) error {
		time.Sleep(200 * time.Millisecond)
		c.(comm.Aborter).Abort(7)
		return nil
	})
}

// Abort works from a goroutine that is not MPI's, while MPI waits in a call.
func TestAbortFromAnotherGoroutine(t *testing.T) {
	ends(t, "2 aborts with code 9", 9, func(c comm.Comm) error {
		go func() {
			time.Sleep(200 * time.Millisecond)
			c.(comm.Aborter).Abort(9)
		}()
		return comm.Barrier(c)
	})
}

// A panic, here by a nil pointer (a signal, which MPI libraries like to catch),
// can be recovered and turned into Abort.
func TestPanic(t *testing.T) {
	ends(t, "2 panics", 3, func(c comm.Comm) error {
		time.Sleep(200 * time.Millisecond)
		var cells *[4]int
		cells[c.Rank()] = 1
		return nil
	})
}

// A rank that dies silently does not leave the others behind.
func TestDeath(t *testing.T) {
	ends(t, "2 is killed", -1, func(c comm.Comm) error {
		time.Sleep(200 * time.Millisecond)
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	})
}

// ends runs a function on rank 2 of 4 while the others wait, and requires that mpirun returns code
// (-1: any but 0) and all ranks end soon.
func ends(t *testing.T, name string, code int, what func(c comm.Comm) error) {
	t.Helper()
	if mpitest.Rank(t, func(c comm.Comm) error {
		fmt.Printf("pid=%d;\n", os.Getpid())
		if c.Rank() == 2 {
			return what(c)
		}
		if c.Rank() == 3 {
			time.Sleep(time.Minute) // not in MPI
		}
		return c.Receive(comm.Raw{0}, (c.Rank()+1)%2, 0) // never sent
	}) {
		return
	}
	job := mpitest.Launch(t, t.Name(), 4)
	if job.Code == 0 || (code >= 0 && job.Code != code) {
		t.Errorf("rank %s: mpirun's exit code is %d, want %d:\n%s", name, job.Code, code, job.Output)
	}
	if job.Time > 15*time.Second {
		t.Errorf("rank %s: the job took %v to end", name, job.Time)
	}
	pids := 0
	for _, s := range strings.Split(job.Output, "pid=")[1:] {
		digits, _, _ := strings.Cut(s, ";")
		pid, err := strconv.Atoi(digits)
		if err != nil {
			t.Fatalf("output %q", job.Output)
		}
		pids++
		for wait := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
				break
			}
			if time.Since(wait) > 5*time.Second {
				t.Errorf("rank %s: process %d lives on", name, pid)
				break
			}
		}
	}
	if pids == 0 {
		t.Errorf("no rank said its pid:\n%s", job.Output)
	}
	t.Logf("rank %s: code %d after %v", name, job.Code, job.Time.Round(10*time.Millisecond))
}

// With a library that is not the launcher's, independent copies start: refused.
func TestForeignLibrary(t *testing.T) {
	if mpitest.Rank(t, func(c comm.Comm) error { return nil }) {
		return
	}
	foreign := "libmpi.so.40"
	if launcher, _ := mpitest.Mpirun(t); mpitest.OpenMPI(launcher[0]) {
		foreign = "libmpich.so.12"
	}
	job := mpitest.Launch(t, t.Name(), 2, "LBMSIM_MPI="+foreign)
	if strings.Contains(job.Output, "cannot open shared object file") && os.Getenv("LBMSIM_REQUIRE_MPI") != "1" {
		t.Skipf("no %s: this test needs the other library", foreign)
	}
	if job.Code == 0 || !strings.Contains(job.Output, "launched 2 ranks") || !strings.Contains(job.Output, "LBMSIM_MPI") {
		t.Errorf("exit code %d:\n%s", job.Code, job.Output)
	}
}

// A library whose atexit handler crashes does not change how the ranks end. The handler reports
// that it was called.
func TestCrashAtExit(t *testing.T) {
	if mpitest.Rank(t, func(c comm.Comm) error { return nil }) {
		return
	}
	library := mpi.Compile(t, "libcrash.so", `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char *program_invocation_short_name;
static void crash(void) { printf("crashes now\n"); fflush(stdout); *(volatile int *)0 = 1; }
__attribute__((constructor)) static void start(void) { if (strstr(program_invocation_short_name, ".test")) atexit(crash); }
`)
	job := mpitest.Launch(t, t.Name(), 2, "LD_PRELOAD="+library)
	if job.Code != 0 || strings.Count(job.Output, "crashes now") != 2 {
		t.Errorf("exit code %d:\n%s", job.Code, job.Output)
	}
}

func TestBeforeInit(t *testing.T) {
	c := mpi.New()
	if c.Rank() != -1 || c.Size() != 0 || c.Describe() != "" {
		t.Errorf("rank %d of %d, %q", c.Rank(), c.Size(), c.Describe())
	}
	if err := c.Send(comm.Raw{1}, 0, 0); err == nil || !strings.Contains(err.Error(), "not running") {
		t.Errorf("send: %v", err)
	}
	if _, err := c.Gather(nil, 0); err == nil {
		t.Error("gather went through")
	}
	c.Finalize()
}
