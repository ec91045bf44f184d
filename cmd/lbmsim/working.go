// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"lbmsim/internal/finding"
	"lbmsim/sim"
)

// Work that is silent for this time shows that it is still running: on a terminal by one rewritten line, otherwise by
// occasional lines.
var (
	workSilent   = 2 * time.Second
	workTerminal = time.Second
	workLog      = 15 * time.Second
)

// working shows on stderr that a piece of work is running until the function that it returns is called, at least once.
func working(what string) (done func()) {
	_, err := unix.IoctlGetWinsize(int(os.Stderr.Fd()), unix.TIOCGWINSZ)
	terminal, every := err == nil, workLog
	if terminal {
		every = workTerminal
	}
	end, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		began, wait := time.Now(), time.NewTimer(workSilent)
		defer wait.Stop()
		for open := false; ; wait.Reset(every) {
			select {
			case <-wait.C:
				text := fmt.Sprintf("%s: %s", what, time.Since(began).Round(time.Second))
				if open = terminal; terminal {
					fmt.Fprint(os.Stderr, "\r\x1b[K"+text)
				} else {
					fmt.Fprintln(os.Stderr, text)
				}
			case <-end:
				if open {
					fmt.Fprint(os.Stderr, "\r\x1b[K")
				}
				return
			}
		}
	}()
	var once sync.Once
	return func() { once.Do(func() { close(end); <-gone }) }
}

// startSign ends the sign of a long start before another reporter writes.
type startSign struct{ done func() } // nil: the start has no sign

func (s *startSign) end() {
	if s.done != nil {
		s.done()
	}
}

func (s *startSign) Start(sim.Start)       { s.end() }
func (s *startSign) Warn(finding.Finding)  { s.end() }
func (s *startSign) Fail(error)            { s.end() }
func (s *startSign) Progress(sim.Progress) {}
func (s *startSign) Wrote(string, string)  {}
func (s *startSign) Finish(sim.Summary)    {}
func (s *startSign) Note(string)           {}
