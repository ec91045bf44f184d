// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"bytes"
	"sync"
)

// lines keeps the last lines of a log.
type lines struct {
	mu    sync.Mutex
	list  []string
	first int // number of list[0]
	part  []byte
}

const (
	mostLines   = 2000
	longestLine = 4 << 10 // bytes
)

// Write takes pieces of lines.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		line, rest, ok := bytes.Cut(l.part, []byte("\n"))
		if !ok {
			break
		}
		l.list = append(l.list, string(line[:min(len(line), longestLine)]))
		l.part = rest
	}
	l.part = append([]byte(nil), l.part[:min(len(l.part), longestLine)]...)
	if more := len(l.list) - mostLines; more > 0 {
		l.list = append([]string(nil), l.list[more:]...)
		l.first += more
	}
	return len(b), nil
}

// after returns the lines from a number on.
func (l *lines) after(from int) ([]string, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := min(max(from-l.first, 0), len(l.list))
	return append([]string{}, l.list[k:]...), l.first + len(l.list)
}

// history keeps samples of a whole run at increasing distance: when it is full, every second one is
// dropped.
type history struct {
	list  []Sample
	every int // samples per kept sample
	seen  int
}

const mostSamples = 2000

func (h *history) add(s Sample) {
	h.every = max(h.every, 1)
	if h.seen++; (h.seen-1)%h.every != 0 {
		return
	}
	if h.list = append(h.list, s); len(h.list) < mostSamples {
		return
	}
	for k := range mostSamples / 2 {
		h.list[k] = h.list[2*k]
	}
	h.list = h.list[:mostSamples/2]
	h.every *= 2
}
