package halo

import (
	"errors"
	"fmt"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// hostStaged sends one non-blocking message per link from host memory. Where the
// host can address the state and a link is one contiguous range, as all are but the
// faces across y, the message leaves from and arrives in the state itself; elsewhere
// it passes through staging memory. A link of the rank to itself, an axis that is
// periodic and not cut beside one that is, is copied inside the device. Whole rows
// travel. Of D3Q19's populations only
// 5 of 19 cross a face, so sending these alone would save 74% of the bytes at the
// price of a packing copy; of the moments, the default, all are needed.
//
// Ghost planes may be written before ready has fired: only edge cells read them,
// and the edges of the step before are done, since its Finish waited for them.
type hostStaged struct {
	c      comm.Comm
	nb     comm.NonBlocking
	others []message
	self   *local // nil where no link leads back to the rank
	free   []func()

	state   device.Buffer
	ready   device.Event // nil once it has fired and the sends have left
	seen    time.Time    // when ready was seen
	arrived time.Time    // when the last ghost plane arrived
	left    int          // receives in flight
	out     int          // sends in flight
	running bool
	broken  error
	stats   Stats
}

// message is a path to another rank with its two messages.
type message struct {
	path
	direct   bool   // it leaves straight from the state
	from, to []byte // staging memory, nil when direct
	in, out  comm.Request
}

// HostStaged makes the transport by messages through host memory: New says what
// its arguments are. c needs the ability comm.NonBlocking. Without another rank as
// a neighbour it is Local.
func HostStaged(c comm.Comm, plan decomp.Plan, layout decomp.Layout, valueBytes int, dev Memory) (Exchange, error) {
	e := &hostStaged{c: c}
	others, self, err := paths(c, plan, layout, valueBytes)
	if err != nil {
		return nil, fmt.Errorf("rank %d: set up the exchange: %w", c.Rank(), err)
	}
	if len(others) == 0 {
		return Local(c, plan, layout, valueBytes, dev)
	}
	precise()
	var ok bool
	if e.nb, ok = c.(comm.NonBlocking); !ok {
		return nil, fmt.Errorf("rank %d: set up the exchange: %s has no non-blocking messages", c.Rank(), comm.Describe(c))
	}
	visible, err := hostVisible(dev)
	if err != nil {
		return nil, fmt.Errorf("rank %d: set up the exchange: %w", c.Rank(), err)
	}
	if len(self) > 0 {
		e.self = newLocal(c.Rank(), self, dev)
	}
	for _, p := range others {
		m := message{path: p, direct: visible && len(p.send) == 1 && len(p.recv) == 1}
		if !m.direct {
			if m.from, err = e.alloc(dev, p.bytes); err == nil {
				m.to, err = e.alloc(dev, p.bytes)
			}
			if err != nil {
				e.Close()
				return nil, fmt.Errorf("rank %d: %d bytes of staging memory: %w", c.Rank(), p.bytes, err)
			}
		}
		e.others = append(e.others, m)
	}
	return e, nil
}

// hostVisible reports whether the host can address the device's memory, by a look at
// a small buffer.
func hostVisible(dev Memory) (bool, error) {
	b, err := dev.Alloc(64)
	if err != nil {
		return false, err
	}
	defer b.Free()
	_, ok := b.(device.HostVisible)
	return ok, nil
}

func (e *hostStaged) alloc(dev Memory, bytes int) ([]byte, error) {
	h, ok := dev.(HostAllocator)
	if !ok {
		return make([]byte, bytes), nil
	}
	b, free, err := h.AllocHost(bytes)
	if err == nil {
		e.free = append(e.free, free)
	}
	return b, err
}

// Start implements Exchange.
func (e *hostStaged) Start(state device.Buffer, ready device.Event) error {
	if e.broken == nil && e.running {
		e.broken = errors.New("an exchange is running already")
	}
	if e.broken != nil {
		return e.fail("start", e.broken)
	}
	e.state, e.ready, e.running = state, ready, true
	e.left, e.out = len(e.others), len(e.others)
	e.arrived = time.Time{}
	for i := range e.others {
		m := &e.others[i]
		to := m.to
		if m.direct {
			host, err := e.host(m.recv[0])
			if err != nil {
				return e.fail("receive", err)
			}
			to = host
		}
		var err error
		if m.in, err = e.nb.Irecv(to, m.Rank, m.RecvTag); err != nil {
			return e.fail("receive", err)
		}
	}
	if e.self != nil {
		if err := e.self.Start(state, ready); err != nil {
			return e.fail("local copy", err)
		}
	}
	_, err := e.progress()
	return err
}

// host is a range of the state in the host's memory.
func (e *hostStaged) host(r decomp.Range) ([]byte, error) {
	v, ok := e.state.(device.HostVisible)
	if !ok {
		return nil, errors.New("the state is not in the host's memory, unlike other buffers of its device")
	}
	b := v.Host()
	if r.Hi > len(b) {
		return nil, fmt.Errorf("the state has %d bytes, its layout at least %d", len(b), r.Hi)
	}
	return b[r.Lo:r.Hi], nil
}

// Finish implements Exchange.
func (e *hostStaged) Finish() error {
	if e.broken != nil {
		return e.fail("finish", e.broken)
	}
	if !e.running {
		return nil
	}
	for wait := (backoff{}); ; {
		moved, err := e.progress()
		if err != nil {
			return err
		}
		if e.ready == nil && e.left == 0 && e.out == 0 {
			break
		}
		if moved {
			wait = backoff{}
		} else {
			wait.pause()
		}
	}
	if e.self != nil {
		if err := e.self.Finish(); err != nil {
			return e.fail("local copy", err)
		}
	}
	e.running, e.state = false, nil
	e.stats.Exchanges++
	e.stats.Last = max(0, e.arrived.Sub(e.seen).Seconds())
	e.stats.Seconds += e.stats.Last
	e.stats.Longest = max(e.stats.Longest, e.stats.Last)
	return nil
}

// progress does what can be done now and reports whether anything was.
func (e *hostStaged) progress() (moved bool, err error) {
	if e.ready != nil && e.ready.Done() {
		if err := e.sendAll(); err != nil {
			return true, e.fail("send", err)
		}
		moved = true
	}
	for i := range e.others {
		m := &e.others[i]
		if m.in != nil {
			done, err := m.in.Test()
			if err == nil && done {
				err = e.unpack(m)
			}
			if err != nil {
				return true, e.fail("receive", err)
			}
			if done {
				m.in, moved, e.arrived = nil, true, time.Now()
				e.left--
			}
		}
		if m.out != nil {
			done, err := m.out.Test()
			if err != nil {
				return true, e.fail("send", err)
			}
			if done {
				m.out, moved = nil, true
				e.out--
			}
		}
	}
	return moved, nil
}

// sendAll starts the sends; the edges are ready.
func (e *hostStaged) sendAll() error {
	if err := e.ready.Wait(); err != nil {
		return fmt.Errorf("the edge cells: %w", err)
	}
	e.ready, e.seen = nil, time.Now()
	for i := range e.others {
		m := &e.others[i]
		from := m.from
		if m.direct {
			host, err := e.host(m.send[0])
			if err != nil {
				return err
			}
			from = host
		} else {
			at := 0
			for _, r := range m.send {
				if err := e.state.Read(from[at:at+r.Hi-r.Lo], r.Lo); err != nil {
					return fmt.Errorf("read %d bytes of the state: %w", r.Hi-r.Lo, err)
				}
				at += r.Hi - r.Lo
			}
		}
		var err error
		if m.out, err = e.nb.Isend(from, m.Rank, m.SendTag); err != nil {
			return err
		}
		e.stats.Messages++
		e.stats.Bytes += m.bytes
	}
	return nil
}

// unpack brings a message that has arrived to the ghost cells.
func (e *hostStaged) unpack(m *message) error {
	if m.direct {
		return nil
	}
	at := 0
	for _, r := range m.recv {
		if err := e.state.Write(m.to[at:at+r.Hi-r.Lo], r.Lo); err != nil {
			return fmt.Errorf("write %d bytes of the state: %w", r.Hi-r.Lo, err)
		}
		at += r.Hi - r.Lo
	}
	return nil
}

func (e *hostStaged) fail(what string, err error) error {
	if e.broken == nil {
		e.broken = err
	}
	return fmt.Errorf("rank %d: exchange %d, %s: %w", e.c.Rank(), e.stats.Exchanges+1, what, err)
}

// Stats implements Exchange.
func (e *hostStaged) Stats() Stats {
	s := e.stats
	if e.self != nil {
		s.Copied = e.self.stats.Copied
	}
	return s
}

// Describe implements Exchange.
func (e *hostStaged) Describe() string {
	direct := 0
	for _, m := range e.others {
		if m.direct {
			direct++
		}
	}
	text := "messages straight from the state"
	switch {
	case direct == 0:
		text = "messages through host memory"
	case direct < len(e.others):
		text += ", those across y through host memory"
	}
	if e.self != nil {
		text += ", copies inside the device"
	}
	return text
}

// Close implements Exchange.
func (e *hostStaged) Close() {
	for _, free := range e.free {
		free()
	}
	e.free, e.others = nil, nil
	if e.self != nil {
		e.self.Close()
	}
	if e.broken == nil {
		e.broken = errors.New("the exchange is closed")
	}
}
