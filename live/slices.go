package live

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"time"

	"lbmsim/internal/allowance"
	"lbmsim/io/picture"
	"lbmsim/sim/output"
)

// sliceQueue holds the slices that viewers wait for. They are computed one at a time, each for all its viewers.
type sliceQueue struct {
	mu       sync.Mutex
	wishes   []*wish
	painting bool
	time     *allowance.Allowance
	ended    chan struct{}
}

// wish is a slice that viewers wait for.
type wish struct {
	of      output.Slice
	viewers int
	done    chan struct{} // closed when what follows is there
	shown   Shown
	err     error
}

const (
	mostWishes = 32
	// Painting takes 1/share of the time. A CPU run needs the painting cores; with a GPU they are idle.
	paintShareCPU = 160
	paintShareGPU = 4
	paintSaved    = 200 * time.Millisecond
)

func newSliceQueue() *sliceQueue {
	return &sliceQueue{ended: make(chan struct{}), time: allowance.New(paintShareCPU, paintSaved, time.Now())}
}

func (s *sliceQueue) start(cpu bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !cpu {
		s.time = allowance.New(paintShareGPU, paintSaved, time.Now())
	}
}

// end releases all viewers.
func (s *sliceQueue) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended:
	default:
		close(s.ended)
	}
}

var (
	errEnded = errors.New("the run has ended")
	errLate  = errors.New("no slice for 30 s: earlier slices have used the time that they may take, the run is busy with its files, or its steps take long")
	errMany  = errors.New("too many slices are waited for")
)

// wait returns a slice of the run's present state, once the run has computed it.
func (s *sliceQueue) wait(of output.Slice, gone <-chan struct{}) (Shown, error) {
	w, err := s.wishFor(of)
	if err != nil {
		return Shown{}, err
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-w.done:
		return w.shown, w.err
	case <-s.ended:
		err = errEnded
	case <-gone:
		err = errEnded
	case <-late.C:
		err = errLate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.viewers--
	return Shown{}, err
}

func (s *sliceQueue) wishFor(of output.Slice) (*wish, error) {
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

// Wanted implements sim.Viewer.
func (s *sliceQueue) Wanted() (output.Slice, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.wishes) > 0 && s.wishes[0].viewers == 0 {
		s.wishes = s.wishes[1:]
	}
	if len(s.wishes) == 0 || s.painting || !s.time.Left(time.Now()) {
		return output.Slice{}, false
	}
	return s.wishes[0].of, true
}

// Show implements sim.Viewer: a goroutine paints the slice while the run continues.
func (s *sliceQueue) Show(of output.Slice, p picture.Picture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, w := range s.wishes {
		if w.of == of {
			s.wishes = append(s.wishes[:k:k], s.wishes[k+1:]...)
			s.painting = true
			go s.paint(w, p)
			return
		}
	}
}

func (s *sliceQueue) paint(w *wish, p picture.Picture) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	w.shown.Step = p.Step
	w.shown.Bare, w.err = painted(p.Bare)
	took := threadTime() - before
	s.mu.Lock()
	s.painting = false
	s.time.Spend(took)
	s.mu.Unlock()
	close(w.done)
}

// painted paints a slice. The run continues meanwhile: an error of the painter must not end it.
func painted(paint func() (picture.Bare, error)) (b picture.Bare, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("painting the slice met an error of the program: %v", v)
		}
	}()
	return paint()
}

// threadTime returns the time that a core has spent on this thread: on a busy machine the time until a slice is painted says little.
func threadTime() time.Duration {
	var u syscall.Rusage
	const ofThread = 1 // RUSAGE_THREAD of Linux
	if err := syscall.Getrusage(ofThread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
