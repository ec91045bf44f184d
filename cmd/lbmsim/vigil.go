package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"lbmsim/comm"
	"lbmsim/sim"
)

// A rank that is killed says nothing to the others: they wait for its messages, or their
// GPUs for its GPU, as long as somebody lets them. Launchers end the job when a process
// of it dies, most of them and in their own time. So each rank also watches the process
// of the next one on its machine, names it if it ends, and ends all ranks. Only a launcher
// that kills all at once, as MPICH's does, may be faster than the name; it tells by itself
// that a process was killed.

// vigil is one rank's watch over another.
type vigil struct {
	stop int // eventfd: written to when the run is over
	done chan struct{}
}

// whereabouts is where a rank's process is.
type whereabouts struct {
	Machine, Names, Host string // the names of processes are those of a PID namespace
	PID                  int
}

// keepVigil is collective. A nil *vigil watches nobody.
func keepVigil(c comm.Comm) (*vigil, error) {
	if c.Size() == 1 {
		return nil, nil
	}
	mine := whereabouts{Host: hostname(), PID: os.Getpid()}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err == nil {
		mine.Machine = string(boot)
		mine.Names, err = os.Readlink("/proc/self/ns/pid")
	}
	if err != nil {
		mine.Machine = "" // cannot be watched
	}
	all, err := comm.Together(c, mine)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(all); i++ {
		rank := (c.Rank() + i) % len(all)
		if p := all[rank]; p.Machine != "" && p.Machine == mine.Machine && p.Names == mine.Names {
			return watch(p.PID, func() {
				fmt.Fprintf(os.Stderr, "lbmsim: rank %d (process %d on %s) has ended before the run did: ending all ranks\n", rank, p.PID, p.Host)
				abort(c, sim.ExitFailure)
			}), nil
		}
	}
	return nil, nil
}

// watch calls gone once, on another goroutine, when the process has ended; not after
// end. Where the system has no way to watch (before Linux 5.3), the launcher's is left.
func watch(pid int, gone func()) *vigil {
	process, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		gone()
		return nil
	}
	if err != nil {
		return nil
	}
	v := &vigil{done: make(chan struct{})}
	if v.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		_ = unix.Close(process)
		return nil
	}
	go func() {
		defer close(v.done)
		defer unix.Close(process)
		fds := []unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}, {Fd: int32(v.stop), Events: unix.POLLIN}}
		for {
			_, err := unix.Poll(fds, -1)
			switch {
			case fds[1].Revents != 0:
				return
			case fds[0].Revents != 0:
				gone()
				return
			case err != nil && !errors.Is(err, unix.EINTR):
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return v
}

// end stops the watch; then all ranks may go, which they do together. Collective.
func (v *vigil) end(c comm.Comm) error {
	if v != nil {
		_, _ = unix.Write(v.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		<-v.done
		_ = unix.Close(v.stop)
	}
	return comm.Barrier(c)
}
