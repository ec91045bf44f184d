// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
)

// Transports between devices are tested before use: both states are exchanged with known numbers, and each received byte is
// checked. A wrong byte would otherwise be a wrong flow.

// verify tries both states on all ranks: it is collective. It leaves zeros where it wrote.
func (b *builder) verify() error {
	used := []int64{0, 0, 0, 0} // per transport: 1 if some rank uses it
	for _, r := range b.e.routes {
		used[r.Transport] = 1
	}
	if used[Host] = 0; b.e.inboxes != nil { // otherwise only a library moves the bytes
		used[Host] = 1
	}
	if err := comm.Max(b.Comm, used); err != nil {
		return err
	}
	b.e.shares = used[Peer] > 0
	if used[Peer]+used[GPU]+used[Host] == 0 {
		return nil
	}
	me := b.Comm.Rank()
	nothing := func(int, int) uint32 { return ^uint32(0) }
	err := b.fill(func(state, at int) uint32 { return known(me, state, at) }, nothing)
	// Neighbours write as soon as they are ready.
	if err := comm.Agree(b.Comm, err); err != nil {
		return err
	}
	for _, state := range b.States {
		switch err := b.try(state); {
		case err != nil && b.e.messages != nil:
			return &midway{err}
		case err != nil:
			return err
		}
	}
	for i := range b.States {
		for k, p := range b.others {
			if err := b.compare(i, p, unspan(b.theirs[k].Send)); err != nil {
				return fmt.Errorf("transport %v does not work: %w; use another one (--transport)", b.e.routes[k].Transport, err)
			}
		}
	}
	zero := func(int, int) uint32 { return 0 }
	return b.fill(zero, zero)
}

// midway is the error of a rank whose messages others wait for: they could never agree on it.
type midway struct{ error }

func (m *midway) Unwrap() error { return m.error }

// tryLimit is the time limit of the first exchange with neighbours.
const tryLimit = 30 * time.Second

// try exchanges one state. It does not wait indefinitely on a device: if writes to neighbours'
// memory fail, no signal arrives, and each rank ends here.
func (b *builder) try(state device.Buffer) error {
	e := b.e
	if err := e.Start(state, b.Device.NewStream(true).Record()); err != nil {
		return err
	}
	if e.peers != nil || e.inboxes != nil {
		for wait, start := (backoff{}), time.Now(); !e.copied.Done(); wait.pause() {
			if time.Since(start) > tryLimit {
				var used []string
				if e.inboxes != nil {
					used = append(used, Host.String())
					e.inboxes.barrier.Break()
				}
				if e.peers != nil {
					used = append(used, Peer.String())
					e.peers.barrier.Break()
				}
				return fmt.Errorf("transport %s does not work: no answer from a neighbour within %v; use another one (--transport)", strings.Join(used, " or "), tryLimit)
			}
			if e.messages != nil { // they do not wait for the end of this
				if _, _, err := e.messages.progress(); err != nil {
					return err
				}
			}
		}
	}
	return e.Finish()
}

// known returns the number at a place of a rank's state (splitmix64, Steele et
// al. 2014, doi.org/10.1145/2660193.2660195: neighbouring places are uncorrelated).
func known(rank, state, at int) uint32 {
	z := (uint64(rank)<<40 ^ uint64(at)<<1 ^ uint64(state)) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32(z ^ z>>31)
}

// word is the unit in which messages are verified: rows (decomp.Align) and items (TrafficSetup.ItemBytes) are multiples of it.
const word = 4

// fill writes numbers to what the links send, and others to what they receive.
func (b *builder) fill(sent, received func(state, at int) uint32) error {
	for i, state := range b.States {
		for _, p := range b.others {
			for _, part := range []struct {
				list []decomp.Range
				of   func(state, at int) uint32
			}{{p.send, sent}, {p.recv, received}} {
				for _, r := range part.list {
					memory := make([]byte, 0, r.Hi-r.Lo)
					for at := r.Lo; at < r.Hi; at += word {
						memory = binary.LittleEndian.AppendUint32(memory, part.of(i, at))
					}
					if err := state.Write(memory, r.Lo); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// compare checks the data that a link received from these places of the neighbour's state.
func (b *builder) compare(state int, p path, from []decomp.Range) error {
	sent := make([]int, 0, p.recvBytes/word)
	for _, r := range from {
		for at := r.Lo; at < r.Hi; at += word {
			sent = append(sent, at)
		}
	}
	for _, r := range p.recv {
		memory := make([]byte, r.Hi-r.Lo)
		if err := b.States[state].Read(memory, r.Lo); err != nil {
			return err
		}
		for i := 0; i < len(memory); i += word {
			got, want := binary.LittleEndian.Uint32(memory[i:]), known(p.Rank, state, sent[0])
			if sent = sent[1:]; got != want {
				return fmt.Errorf("rank %d sent %#x, received %#x, at byte %d of the state", p.Rank, want, got, r.Lo+i)
			}
		}
	}
	return nil
}
