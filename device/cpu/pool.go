// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// pool is the worker threads and the queues that they serve. Streams are queues of
// operations; the operation at the head of a queue is open to all workers, task by
// task, urgent queues first. The goroutine that queues work executes none of it, so it is free for
// messages. One lock serves everything: tasks last milliseconds.
type pool struct {
	mu      sync.Mutex
	changed *sync.Cond
	streams []*stream // urgent ones first
	start   time.Time
	closed  bool
	wg      sync.WaitGroup
}

// worker is one thread and its private memory.
type worker struct{ scratch *memory }

// task is one piece of an operation.
type task func(*worker) error

// operation is one entry of a queue: tasks, a mark, or a wait.
type operation struct {
	tasks []task
	next  int // first task not yet started
	left  int // tasks not yet done
	mark  *event
	wait  *event
}

func newPool(threads int) *pool {
	p := &pool{start: time.Now()}
	p.changed = sync.NewCond(&p.mu)
	p.wg.Add(threads)
	for range threads {
		go p.work()
	}
	return p
}

// work runs a worker until the pool is closed.
func (p *pool) work() {
	runtime.LockOSThread()
	w := &worker{scratch: &memory{}}
	defer func() {
		w.scratch.Free()
		p.wg.Done()
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		s, op := p.pick()
		if op == nil {
			if p.closed {
				return
			}
			p.changed.Wait()
			continue
		}
		t, failed := op.tasks[op.next], s.err != nil
		op.next++
		p.mu.Unlock()
		var err error
		if !failed { // after an error the rest of a queue is dropped
			err = guard(t, w)
		}
		p.mu.Lock()
		if err != nil && s.err == nil {
			s.err = err
		}
		if op.left--; op.left == 0 {
			s.queue = s.queue[1:]
			p.settle()
			p.changed.Broadcast()
		}
	}
}

// guard runs a task and turns a panic into an error: it must reach Sync, not end lbmsim from a
// worker thread.
func guard(t task, w *worker) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in CPU work: %v\n%s", r, debug.Stack())
		}
	}()
	return t(w)
}

// pick finds the most urgent open task.
func (p *pool) pick() (*stream, *operation) {
	for _, s := range p.streams {
		if len(s.queue) > 0 && s.queue[0].next < len(s.queue[0].tasks) {
			return s, s.queue[0]
		}
	}
	return nil, nil
}

// settle processes marks and waits at the heads of the queues until no queue advances.
func (p *pool) settle() {
	for moved := true; moved; {
		moved = false
		for _, s := range p.streams {
			for len(s.queue) > 0 {
				op := s.queue[0]
				if op.left > 0 || (op.wait != nil && !op.wait.done) {
					break
				}
				if e := op.mark; e != nil {
					e.done, e.err, e.seconds = true, s.err, time.Since(p.start).Seconds()
				}
				if e := op.wait; e != nil && e.err != nil && s.err == nil {
					s.err = e.err // dependents of failed work fail
				}
				s.queue = s.queue[1:]
				moved = true
			}
		}
	}
}

// push adds an operation to a queue.
func (p *pool) push(s *stream, op *operation) {
	op.left = len(op.tasks)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed && s.err == nil {
		s.err = fmt.Errorf("work queued on a closed CPU device")
	}
	if p.closed {
		op.tasks, op.left = nil, 0
	}
	s.queue = append(s.queue, op)
	p.settle()
	p.changed.Broadcast()
}

// addStream makes a queue.
func (p *pool) addStream(urgent bool) *stream {
	s := &stream{pool: p, urgent: urgent}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := len(p.streams)
	if urgent {
		for at > 0 && !p.streams[at-1].urgent {
			at--
		}
	}
	p.streams = append(p.streams, nil)
	copy(p.streams[at+1:], p.streams[at:])
	p.streams[at] = s
	return s
}

// close ends the workers once pending work is done.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.wg.Wait()
}
