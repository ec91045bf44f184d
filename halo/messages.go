// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"fmt"
	"time"

	"lbmsim/comm"
	"lbmsim/device"
)

// messages are the links served by non-blocking messages, one in each direction. A link's carrier
// moves the bytes between the state and the library's memory: hoststaged.go and gpuaware.go.
//
// Ghost planes may be written before the edges are ready: only edge cells read them, and the edges
// of the previous step are done, since its Finish waited for them.
type messages struct {
	list      []*message
	awake     bool // no thread computes on the host's cores
	heartbeat *comm.Heartbeat

	state   device.Buffer
	ready   device.Event // nil once it was seen
	seen    time.Time    // when it was
	arrived time.Time    // arrival of the last ghost plane

	computed func() // is called once ready has fired
}

// message is a path to another rank with its two messages.
type message struct {
	path
	carrier carrier
	packed  device.Event // nil once the message is sent
	landed  device.Event // fires when received data are in the state, or nil
	in, out comm.Request
}

// carrier moves a link's bytes from the state to the MPI library and back.
type carrier interface {
	// pack queues, after ready, the work that makes the message ready to send, and returns its
	// event; nil if the link does not send.
	pack(state device.Buffer, ready device.Event) (device.Event, error)
	isend(state device.Buffer) (comm.Request, error)
	irecv(state device.Buffer) (comm.Request, error) // nil if the link does not receive
	// unpack moves received data to the state: at once (nil), or when the event fires.
	unpack(state device.Buffer) (device.Event, error)
	close()
}

// start posts the receives and sends the ready messages. Errors name the attempt, what.
func (e *messages) start(state device.Buffer, ready device.Event) (what string, err error) {
	e.state, e.ready, e.arrived = state, ready, time.Time{}
	e.computed = e.heartbeat.Own()
	for _, m := range e.list {
		if m.in, err = m.carrier.irecv(state); err != nil {
			return "receive", err
		}
	}
	for _, m := range e.list {
		if m.packed, err = m.carrier.pack(state, ready); err != nil {
			return "send", err
		}
	}
	_, what, err = e.progress()
	return what, err
}

// finish waits for all messages and returns the seconds from the edges to the last
// arrival.
func (e *messages) finish() (seconds float64, what string, err error) {
	for wait := (backoff{awake: e.awake}); !e.done(); {
		moved, what, err := e.progress()
		if err != nil {
			return 0, what, err
		}
		if moved {
			wait = backoff{awake: e.awake}
		} else {
			wait.pause()
		}
	}
	e.state = nil
	return max(0, e.arrived.Sub(e.seen).Seconds()), "", nil
}

func (e *messages) done() bool {
	for _, m := range e.list {
		if m.packed != nil || m.out != nil || m.in != nil || m.landed != nil {
			return false
		}
	}
	return e.ready == nil
}

// progress does all work possible now and reports whether there was any.
func (e *messages) progress() (moved bool, what string, err error) {
	if e.ready != nil && e.ready.Done() {
		if err := e.ready.Wait(); err != nil {
			return true, "send", fmt.Errorf("the edge cells: %w", err)
		}
		e.ready, e.seen, moved = nil, time.Now(), true
		e.computed()
	}
	for _, m := range e.list {
		sent, err := e.send(m)
		if err != nil {
			return true, "send", err
		}
		got, err := e.receive(m)
		if err != nil {
			return true, "receive", err
		}
		moved = moved || sent || got
	}
	return moved, "", nil
}

func (e *messages) send(m *message) (moved bool, err error) {
	if m.packed != nil && e.ready == nil && m.packed.Done() {
		if err := m.packed.Wait(); err != nil {
			return true, fmt.Errorf("read %d bytes of the state: %w", m.sendBytes, err)
		}
		m.packed = nil
		m.out, err = m.carrier.isend(e.state)
		return true, err
	}
	if m.out == nil {
		return false, nil
	}
	done, err := m.out.Test()
	if done && err == nil {
		m.out = nil
	}
	return done, err
}

func (e *messages) receive(m *message) (moved bool, err error) {
	switch {
	case m.in != nil:
		done, err := m.in.Test()
		if !done || err != nil {
			return done, err
		}
		m.in = nil
		m.landed, err = m.carrier.unpack(e.state)
		if err == nil && m.landed == nil {
			e.arrived = time.Now()
		}
		return true, err
	case m.landed != nil && m.landed.Done():
		if err := m.landed.Wait(); err != nil {
			return true, fmt.Errorf("write %d bytes of the state: %w", m.recvBytes, err)
		}
		m.landed, e.arrived = nil, time.Now()
		return true, nil
	}
	return false, nil
}

func (e *messages) close() {
	for _, m := range e.list {
		m.carrier.close()
	}
}
