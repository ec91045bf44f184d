// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package handlers keeps Go's signal handlers in place where libraries of C replace them.
package handlers

// #cgo CFLAGS: -D_GNU_SOURCE
// #include "handlers.h"
import "C"

import "time"

// Handlers are the signal handlers of the process at one moment.
type Handlers struct{ of C.signals_t }

// Save returns the current handlers.
func Save() *Handlers {
	h := &Handlers{}
	C.signals_save(&h.of)
	return h
}

// Changed returns the number of signals that have other handlers now.
func (h *Handlers) Changed() int { return int(C.signals_restore(&h.of, 1)) }

// Restore puts the handlers back.
func (h *Handlers) Restore() { C.signals_restore(&h.of, 0) }

// patience is the time for which a library's own handlers may be in place while During runs.
const patience = 5 * time.Millisecond

// During calls work, which may replace handlers at any moment, and puts them back meanwhile and afterwards.
func (h *Handlers) During(work func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(patience)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				h.Restore()
			}
		}
	}()
	defer func() {
		close(done)
		<-ended
		h.Restore()
	}()
	work()
}
