// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"lbmsim/comm"
	"lbmsim/internal/slurm"
)

// insist is the time after the first signal from which another one ends the run at once:
// launchers repeat a signal, or send SIGTERM after it, within a shorter time.
const insist = 2 * time.Second

// signals catches the signals that end a run. While it computes they end it with a checkpoint, and Ctrl-C or SIGTERM some time
// later ends it at once. Before the first step there is nothing to save, and reading a large surface takes a minute: any of
// them ends the process at once, with the shell's exit code, unless the job is to be requeued.
type signals struct {
	caught   chan os.Signal
	stepping atomic.Bool
	requeue  bool
}

// catch delivers the signals. MPI's start can leave handlers of C libraries behind, which Notify
// alone would not replace. A lost terminal sends SIGHUP, unless nohup blocks it, which is hidden by
// libraries that catch the signal when loaded; a lost reader of the output costs only the output.
func catch(c comm.Comm, requeue bool) *signals {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	signal.Ignore(syscall.SIGPIPE)
	signal.Ignore(list...)
	s := &signals{caught: make(chan os.Signal, 8), requeue: requeue}
	in := make(chan os.Signal, 8)
	signal.Notify(in, list...)
	go s.watch(c, in)
	return s
}

// Stepping sets the effect of a signal: true from the first step on.
func (s *signals) Stepping(yes bool) { s.stepping.Store(yes) }

func (s *signals) watch(c comm.Comm, in <-chan os.Signal) {
	first := <-in
	if !s.stepping.Load() && (!s.requeue || first == os.Interrupt) {
		code := 128 + int(first.(syscall.Signal))
		fmt.Fprintf(os.Stderr, "lbmsim: rank %d: signal (%v) before the first step: nothing to save\n", c.Rank(), first)
		abort(c, code)
		os.Exit(code)
	}
	s.caught <- first
	began := time.Now()
	// SLURM itself sends SIGTERM again: ahead of a preemption and at its time, and after
	// a signal before the limit. The checkpoint may still complete before SLURM kills.
	_, patient := slurm.Here()
	for again := range in {
		insists := again == os.Interrupt || again == syscall.SIGTERM && !patient
		if insists && time.Since(began) >= insist {
			fmt.Fprintf(os.Stderr, "lbmsim: rank %d: second signal (%v), ending without a checkpoint\n", c.Rank(), again)
			os.Exit(128 + int(again.(syscall.Signal))) // the shell's exit code
		}
	}
}
