// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"lbmsim/internal/allowance"
	"lbmsim/io/picture"
	"lbmsim/sim/output"
)

// requestQueue holds the pictures of the present state that viewers wait for. Each is painted once for all viewers of the
// same picture, and one at a time per account: a large view at rest must not delay another viewer's rotating camera.
type requestQueue struct {
	mu       sync.Mutex
	wishes   []*wish
	painting [output.Budgets]bool
	accounts [output.Budgets]*allowance.Allowance
	ended    chan struct{}
}

// wish is a picture that viewers wait for.
type wish struct {
	of      output.Request
	viewers int
	done    chan struct{} // closed when the following fields are set
	shown   picture.Bare
	err     error
}

const mostWishes = 32

// tariffs are the time shares of painting, one part in a number, on a CPU, whose cores the run needs, and beside a GPU,
// where they are idle; and the largest accumulated budget.
var tariffs = [output.Budgets]struct {
	cpu, gpu int
	most     time.Duration
}{output.Slices: {160, 4, 200 * time.Millisecond}, output.Views: {50, 4, 2 * time.Second}, output.Turns: {50, 2, 2 * time.Second}}

func newRequestQueue() *requestQueue {
	q := &requestQueue{ended: make(chan struct{})}
	q.start(true)
	return q
}

func (s *requestQueue) start(cpu bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, t := range tariffs {
		share := t.gpu
		if cpu {
			share = t.cpu
		}
		s.accounts[k] = allowance.New(share, t.most, time.Now())
	}
}

// end releases all viewers.
func (s *requestQueue) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended:
	default:
		close(s.ended)
	}
}

var (
	errNotBegun = errors.New("the run has not begun")
	errEnded    = errors.New("the run has ended")
	errLate     = errors.New("no picture for 30 s: earlier ones have used the time that they may take, the run is busy with its files, or its steps take long")
	errMany     = errors.New("too many pictures are waited for")
)

// wait returns a picture of the run's present state, once the run has computed it. A disconnected viewer does not wait.
func (s *requestQueue) wait(ctx context.Context, of output.Request) (picture.Bare, error) {
	w, err := s.wishFor(of)
	if err != nil {
		return picture.Bare{}, err
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-w.done:
		return w.shown, w.err
	case <-s.ended:
		err = errEnded
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-late.C:
		err = errLate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.viewers--
	return picture.Bare{}, err
}

func (s *requestQueue) wishFor(of output.Request) (*wish, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.wishes {
		if w.of == of {
			w.viewers++
			return w, nil
		}
	}
	if len(s.wishes) >= mostWishes {
		return nil, errMany
	}
	w := &wish{of: of, viewers: 1, done: make(chan struct{})}
	s.wishes = append(s.wishes, w)
	return w, nil
}

// Wanted implements sim.Viewer. A request whose account is empty does not block later requests of other accounts.
func (s *requestQueue) Wanted(left func(output.Budget) bool) output.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wishes = slices.DeleteFunc(s.wishes, func(w *wish) bool { return w.viewers == 0 })
	now := time.Now()
	for _, w := range s.wishes {
		if b := w.of.Budget(); !s.painting[b] && s.accounts[b].Left(now) && left(b) {
			return w.of
		}
	}
	return nil
}

// Show implements sim.Viewer: a goroutine paints the picture while the run continues, unless all its viewers have
// disconnected.
func (s *requestQueue) Show(of output.Request, p output.Painter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, w := range s.wishes {
		if w.of == of {
			s.wishes = slices.Delete(s.wishes, k, k+1)
			if w.viewers > 0 {
				s.painting[of.Budget()] = true
				go s.paint(w, p)
			}
			return
		}
	}
}

func (s *requestQueue) paint(w *wish, p output.Painter) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	w.shown, w.err = painted(p.Bare)
	took := threadTime() - before
	s.mu.Lock()
	b := w.of.Budget()
	s.painting[b] = false
	s.accounts[b].Spend(took)
	s.mu.Unlock()
	close(w.done)
}

// painted paints a picture. The run continues meanwhile: a painter's error must not end it.
func painted(paint func() (picture.Bare, error)) (b picture.Bare, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("painting the picture met an error of the program: %v", v)
		}
	}()
	return paint()
}

// threadTime returns the time that a core has spent on this thread: on a busy machine wall time is not a measure of the cost
// of a picture.
func threadTime() time.Duration {
	var u syscall.Rusage
	const ofThread = 1 // RUSAGE_THREAD of Linux
	if err := syscall.Getrusage(ofThread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
