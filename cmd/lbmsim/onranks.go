// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/internal/watchdog"
	"lbmsim/sim"
)

// onRanks starts the ranks, runs the work on them and ends them in any case. The device opened by the work is closed last.
// An agreed error is passed to fail on rank 0; an error of a single rank ends the others, and that rank passes it to lost,
// as for a lost rank.
func onRanks(work func(comm.Comm, *device.Device) error, fail func(error), lost func(text string)) (err error) {
	c, err := ranks()
	if err != nil {
		return err
	}
	var watched *watchdog.Dog
	defer func() {
		if p := recover(); p != nil {
			watched.Spoken()
			lost(fmt.Sprintf("rank %d: internal error: %v", c.Rank(), p))
			fmt.Fprintf(os.Stderr, "lbmsim: rank %d: internal error, please report it: %v\n%s", c.Rank(), p, debug.Stack())
			abort(c, sim.ExitFailure)
			err = alreadyPrinted{sim.ExitFailure}
		}
	}()
	var dev device.Device
	var warning string
	watched, warning, err = watchdog.Start(c, watchdog.Options{
		Speak: func(text string) {
			fmt.Fprintln(os.Stderr, "lbmsim:", text)
			lost(text)
		},
		End: func() { abort(c, sim.ExitFailure); os.Exit(sim.ExitFailure) }, // where there is no MPI, abort returns
	})
	if warning != "" {
		fmt.Fprintln(os.Stderr, "lbmsim: warning:", warning)
	}
	if err == nil {
		err = work(c, &dev)
	}
	code, agreed := sim.ExitCode(err)
	if err != nil && !agreed {
		// The other ranks do not know of it and may wait for this one.
		watched.Spoken()
		fmt.Fprintf(os.Stderr, "lbmsim: rank %d: %v\n", c.Rank(), err)
		lost(fmt.Sprintf("rank %d: %v", c.Rank(), err))
		abort(c, code)
		return alreadyPrinted{code}
	}
	if err != nil && c.Rank() == 0 {
		fail(err)
	}
	if e := watched.Done(); e != nil {
		fmt.Fprintf(os.Stderr, "lbmsim: rank %d: shutdown: %v\n", c.Rank(), e)
		abort(c, sim.ExitFailure)
	}
	c.Finalize()
	if e := closeLast(c, dev); e != nil && err == nil {
		return alreadyPrinted{sim.ExitFailure}
	}
	if err != nil {
		return alreadyPrinted{code}
	}
	return nil
}

// closeLast closes the device, which may be nil. A GPU-aware MPI library holds handles of GPU
// memory until its own end, and complains if the GPU is closed earlier.
func closeLast(c comm.Comm, dev device.Device) error {
	if dev == nil {
		return nil
	}
	err := dev.Close()
	if err != nil {
		fmt.Fprintf(os.Stderr, "lbmsim: rank %d: shutdown: %v\n", c.Rank(), err)
	}
	return err
}

func abort(c comm.Comm, code int) {
	if a, ok := c.(comm.Aborter); ok {
		a.Abort(code)
	}
}
