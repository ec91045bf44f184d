// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package comm

import (
	"fmt"
	"sync"

	"lbmsim/comm/internal/wire"
)

// Local returns n ranks in one process, one per goroutine, for tests. They are as strict as MPI may
// be: Send and Isend complete only once the message is received, so code that runs here does not
// rely on MPI's buffers. Each rank implements every ability of this package. Init and Finalize do
// nothing.
func Local(n int) []Comm {
	w := newWorld(n, &fate{dead: make(chan struct{})})
	ranks := make([]Comm, n)
	for r := range ranks {
		ranks[r] = &local{world: w, rank: r, name: fmt.Sprintf("%d ranks in one process", n), heartbeat: &Heartbeat{}}
	}
	return ranks
}

// Serial returns the only rank of a process that was started without a launcher, with
// every ability of this package.
func Serial() Comm {
	c := Local(1)[0].(*local)
	c.name = "one rank, no MPI"
	return c
}

// RunLocal runs f on n ranks in one process and returns the error of the rank
// that failed first. A rank that fails or panics ends the others' pending calls,
// so that nothing hangs.
func RunLocal(n int, f func(c Comm) error) error {
	ranks := Local(n)
	w := ranks[0].(*local).world
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
	)
	for _, c := range ranks {
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := fmt.Errorf("rank %d ended its goroutine", c.Rank()) // t.FailNow does that
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("rank %d panicked: %v", c.Rank(), p)
				}
				if err != nil {
					once.Do(func() { first = err })
					w.abort(c.Rank(), 1)
				}
			}()
			err = f(c)
		}()
	}
	wg.Wait()
	return first
}

// AbortError is the error of the calls of ranks in one process after an Abort.
type AbortError struct{ Rank, Code int }

func (e *AbortError) Error() string {
	return fmt.Sprintf("rank %d aborted the run with code %d", e.Rank, e.Code)
}

// world is the state shared by the ranks: messages with only one side posted so far.
type world struct {
	size            int
	mu              sync.Mutex
	sends, receives map[address][]*letter
	groups          []*world // in the order of creation
	*fate
}

// fate is shared by all worlds of the same ranks: an abort ends the calls in each.
type fate struct {
	end  sync.Mutex
	dead chan struct{} // closed by abort
	why  *AbortError
}

func newWorld(n int, f *fate) *world {
	return &world{size: n, sends: map[address][]*letter{}, receives: map[address][]*letter{}, fate: f}
}

// group returns the k-th group of these ranks; the first rank that requests it creates it.
func (w *world) group(k, n int) (*world, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if k == len(w.groups) {
		w.groups = append(w.groups, newWorld(n, w.fate))
	}
	if got := w.groups[k].size; got != n {
		return nil, fmt.Errorf("ranks request groups of %d and of %d", got, n)
	}
	return w.groups[k], nil
}

type address struct{ from, to, tag int }

// letter is one side of a message: a sender's data or a receiver's memory.
type letter struct {
	address
	world *world
	op    string // for error texts
	data  []byte
	raw   bool // not raw: the receiver takes any length, in data
	done  chan struct{}
	err   error
}

// post registers one side of a message and, if the other side is posted, moves the data.
func (w *world) post(l *letter, mine, others map[address][]*letter) error {
	if why := w.ended(); why != nil {
		return l.wrap(why)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := others[l.address]
	if len(waiting) == 0 {
		mine[l.address] = append(mine[l.address], l)
		return nil
	}
	other := waiting[0]
	others[l.address] = waiting[1:]
	if l.op == "send" {
		other.take(l)
	} else {
		l.take(other)
	}
	close(l.done)
	close(other.done)
	return nil
}

// take moves the data of sent into the receiver's memory.
func (l *letter) take(sent *letter) {
	switch {
	case l.raw != sent.raw:
		l.err = fmt.Errorf("one side uses raw bytes, the other an encoded value")
	case !l.raw:
		l.data = append([]byte{}, sent.data...)
	case len(l.data) != len(sent.data):
		l.err = fmt.Errorf("the message has %d bytes, expected %d", len(sent.data), len(l.data))
	default:
		copy(l.data, sent.data)
	}
}

func (f *fate) abort(rank, code int) {
	f.end.Lock()
	defer f.end.Unlock()
	if f.why == nil {
		f.why = &AbortError{rank, code}
		close(f.dead)
	}
}

// ended returns the error of the abort, nil if there was none.
func (f *fate) ended() error {
	f.end.Lock()
	defer f.end.Unlock()
	if f.why == nil {
		return nil
	}
	return f.why
}

// Wait implements Request.
func (l *letter) Wait() error {
	select {
	case <-l.done:
	default:
		select {
		case <-l.done:
		case <-l.world.dead:
			return l.wrap(l.world.why)
		}
	}
	return l.wrap(l.err)
}

// Test implements Request.
func (l *letter) Test() (bool, error) {
	select {
	case <-l.done:
		return true, l.wrap(l.err)
	case <-l.world.dead:
		return true, l.wrap(l.world.why)
	default:
		return false, nil
	}
}

func (l *letter) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case l.op == "send":
		return fmt.Errorf("rank %d: send %d bytes to rank %d (tag %d): %w", l.from, len(l.data), l.to, l.tag, err)
	default:
		return fmt.Errorf("rank %d: receive from rank %d (tag %d): %w", l.to, l.from, l.tag, err)
	}
}

// local is one rank of Local.
type local struct {
	world     *world
	rank      int
	name      string
	made      int        // groups
	heartbeat *Heartbeat // shared with its groups
}

func (c *local) Init() error                       { return nil }
func (c *local) Finalize()                         {}
func (c *local) Rank() int                         { return c.rank }
func (c *local) Size() int                         { return c.world.size }
func (c *local) Local() (int, int)                 { return c.rank, c.world.size }
func (c *local) Describe() string                  { return c.name }
func (c *local) Heartbeat() *Heartbeat             { return c.heartbeat }
func (c *local) Abort(code int)                    { c.world.abort(c.rank, code) }
func (c *local) Barrier() error                    { return tree{c}.Barrier() }
func (c *local) MaxInt64(x []int64) error          { return tree{c}.MaxInt64(x) }
func (c *local) Bcast(data []byte, root int) error { return tree{c}.Bcast(data, root) }
func (c *local) Gather(data []byte, root int) ([][]byte, error) {
	return tree{c}.Gather(data, root)
}

// Group implements Grouper.
func (c *local) Group(n int) (Comm, error) {
	if n < 1 || n > c.world.size {
		return nil, fmt.Errorf("rank %d: a group of %d among %d ranks", c.rank, n, c.world.size)
	}
	w, err := c.world.group(c.made, n)
	c.made++
	if err != nil || c.rank >= n {
		return nil, err
	}
	return &local{world: w, rank: c.rank, name: c.name, heartbeat: c.heartbeat}, nil
}

func (c *local) Send(data any, destination, tag int) error {
	b, raw, err := wire.Encode(data)
	if err != nil {
		return fmt.Errorf("rank %d: send to rank %d (tag %d): %w", c.rank, destination, tag, err)
	}
	l, err := c.send(b, raw, destination, tag)
	if err != nil {
		return err
	}
	defer c.heartbeat.Enter()()
	if done, _ := l.Test(); destination == c.rank && !done {
		return l.wrap(fmt.Errorf("a blocking send of a rank to itself never completes; use Isend"))
	}
	return l.Wait()
}

func (c *local) Receive(data any, source, tag int) error {
	b, raw := wire.Raw(data)
	l, err := c.receive(b, raw, source, tag)
	if err != nil {
		return err
	}
	defer c.heartbeat.Enter()()
	if err := l.Wait(); err != nil || raw {
		return err
	}
	return l.wrap(wire.Decode(l.data, data))
}

func (c *local) Isend(data []byte, destination, tag int) (Request, error) {
	return request(c.send(data, true, destination, tag))
}

func (c *local) Irecv(data []byte, source, tag int) (Request, error) {
	return request(c.receive(data, true, source, tag))
}

// request keeps a nil letter from becoming a Request that is not nil.
func request(l *letter, err error) (Request, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (c *local) send(data []byte, raw bool, destination, tag int) (*letter, error) {
	l := &letter{address{c.rank, destination, tag}, c.world, "send", data, raw, make(chan struct{}), nil}
	if err := c.check(destination, tag); err != nil {
		return nil, l.wrap(err)
	}
	return l, c.world.post(l, c.world.sends, c.world.receives)
}

func (c *local) receive(data []byte, raw bool, source, tag int) (*letter, error) {
	l := &letter{address{source, c.rank, tag}, c.world, "receive", data, raw, make(chan struct{}), nil}
	if err := c.check(source, tag); err != nil {
		return nil, l.wrap(err)
	}
	return l, c.world.post(l, c.world.receives, c.world.sends)
}

func (c *local) check(peer, tag int) error {
	if peer < 0 || peer >= c.world.size {
		return fmt.Errorf("there is no rank %d among %d", peer, c.world.size)
	}
	if tag < 0 || tag > tagMax {
		return fmt.Errorf("tag %d is outside 0 to %d", tag, MaxTag)
	}
	return nil
}
