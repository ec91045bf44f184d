// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package watchdog

import (
	"bufio"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"lbmsim/comm"
)

const (
	fan       = 16               // machines below one
	dialTime  = 2 * time.Second  // for one address
	helpTime  = 10 * time.Second // for all that a rank tries
	longest   = 16 << 10         // bytes of a line
	mostDoing = 500              // bytes of it that describe a rank's work; JSON may need six for one
)

// peer is a rank at the other end of a connection.
type peer struct {
	rank  int
	place place
	name  string
	conn  net.Conn
	in    *bufio.Reader
	try   int // its hello's

	out    sync.Mutex
	jammed bool // a line has not left whole

	// guarded by the dog's lock:
	heard time.Time
	last  beat
}

// beat is a line from a rank to one beside it in the tree.
type beat struct {
	Self report
	// Of the sender and all ranks below it, on the way up:
	Ranks  int           `json:",omitempty"`
	Idle   time.Duration `json:",omitempty"` // since any of them made progress
	Behind *report       `json:",omitempty"` // the one that is furthest behind

	Accuse string `json:",omitempty"` // on the way up: why all ranks must end
	End    bool   `json:",omitempty"` // a rank has reported why; all end
}

// report is a rank's progress.
type report struct {
	Name    string `json:",omitempty"`
	Step    int
	Doing   string
	Waiting bool `json:",omitempty"`
}

func (r report) text() string {
	text := fmt.Sprintf("at step %d", r.Step)
	if r.Doing != "" {
		text += ", " + r.Doing
	}
	if r.Waiting {
		text += ", waiting for other ranks"
	}
	return text
}

// report returns this rank's report. The caller holds the lock.
func (d *Dog) report() report {
	s := d.own.last
	return report{Step: s.Step, Doing: s.Doing[:min(len(s.Doing), mostDoing)], Waiting: s.Waiting}
}

// sum returns the beat of this rank and all ranks below it. The caller holds the lock.
func (d *Dog) sum(now time.Time) beat {
	b := beat{Self: d.report(), Ranks: 1, Idle: now.Sub(d.own.moved)}
	behind := b.Self
	behind.Name = d.self.name(d.c.Rank())
	b.Behind = &behind
	for _, p := range d.down {
		b.Ranks += p.last.Ranks
		b.Idle = min(b.Idle, p.last.Idle+now.Sub(p.heard))
		if o := p.last.Behind; o != nil && o.Step < b.Behind.Step {
			b.Behind = o
		}
	}
	return b
}

// parents gives each rank the one above it in the tree, -1 for rank 0.
func parents(all []place) []int {
	above := make([]int, len(all))
	hub := map[string]int{} // by machine
	var hubs []int
	for rank, p := range all {
		h, known := hub[p.Machine]
		if known && p.Machine != "" {
			above[rank] = hubs[h]
			continue
		}
		above[rank] = -1
		if n := len(hubs); n > 0 {
			above[rank] = hubs[(n-1)/fan]
		}
		hub[p.Machine] = len(hubs)
		hubs = append(hubs, rank)
	}
	return above
}

// connect makes the tree. Collective. The warning, on rank 0, names a rank that is not in it.
func (d *Dog) connect() (warning string, err error) {
	listener, cannot := net.Listen("tcp", ":0")
	if cannot == nil {
		defer listener.Close()
		d.self.Port = listener.Addr().(*net.TCPAddr).Port
	}
	if d.root {
		var token [16]byte
		if _, err := rand.Read(token[:]); err != nil {
			return "", err
		}
		d.self.Token = hex.EncodeToString(token[:])
	}
	all, err := comm.Together(d.c, d.self)
	if err != nil {
		return "", err
	}
	rank, above := d.c.Rank(), parents(all)
	if cannot == nil {
		go d.accept(listener, all, above)
	}
	var failed []byte
	if up := above[rank]; up >= 0 {
		if d.up, err = dial(d.self, all[up], hello{Token: all[0].Token, Rank: rank}); err != nil {
			failed = fmt.Appendf(nil, "%s cannot reach %s by TCP: %v", d.self.name(rank), all[up].name(up), err)
		} else {
			d.up.rank, d.up.name = up, all[up].name(up)
		}
		for _, other := range above[:rank] {
			if other == up {
				d.turn++
			}
		}
		if above[up] >= 0 {
			d.turn++ // the rank above that one speaks first
		}
	}
	parts, err := comm.Gather(d.c, failed)
	if err == nil {
		err = comm.Barrier(d.c) // before any rank stops listening
	}
	parts = slices.DeleteFunc(parts, func(b []byte) bool { return len(b) == 0 })
	if len(parts) > 0 {
		warning = string(parts[0])
		if n := len(parts) - 1; n > 0 {
			warning += fmt.Sprintf(" (likewise for %d more ranks)", n)
		}
		warning += ": stopped ranks and lost nodes will not be detected there"
	}
	return warning, err
}

// hello is the first line of a rank that connects.
type hello struct {
	Token string
	Rank  int
	Try   int // which of its connections this is: the last one counts
}

// dial connects to the rank above, at the first of its addresses that answers.
func dial(self, up place, first hello) (*peer, error) {
	if up.Port == 0 {
		return nil, errors.New("it has no port to listen on")
	}
	addresses := up.Addresses
	if up.Machine != "" && up.Machine == self.Machine {
		addresses = append([]string{"127.0.0.1", "::1"}, addresses...)
	}
	failed := errors.New("it has no address")
	for end := time.Now().Add(helpTime); len(addresses) > 0 && time.Now().Before(end); addresses = addresses[1:] {
		first.Try++
		address := net.JoinHostPort(addresses[0], strconv.Itoa(up.Port))
		conn, err := net.DialTimeout("tcp", address, dialTime)
		if err == nil {
			p := &peer{place: up, conn: conn, in: bufio.NewReaderSize(conn, longest)}
			_ = conn.SetDeadline(time.Now().Add(dialTime))
			if err = json.NewEncoder(conn).Encode(first); err == nil {
				_, err = p.read() // a peer that knows the token answers
			}
			if err == nil {
				return p, conn.SetDeadline(time.Time{})
			}
			_ = conn.Close()
		}
		failed = fmt.Errorf("%s: %w", address, err)
	}
	return nil, failed
}

// accept lets the ranks below connect, until the listener is closed.
func (d *Dog) accept(listener net.Listener, all []place, above []int) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			p := &peer{conn: conn, in: bufio.NewReaderSize(conn, longest), heard: time.Now()}
			_ = conn.SetDeadline(time.Now().Add(dialTime))
			var h hello
			line, err := p.in.ReadSlice('\n')
			if err == nil {
				err = json.Unmarshal(line, &h)
			}
			if err != nil || subtle.ConstantTimeCompare([]byte(h.Token), []byte(all[0].Token)) == 0 ||
				h.Rank < 0 || h.Rank >= len(all) || above[h.Rank] != d.c.Rank() {
				_ = conn.Close()
				return
			}
			p.rank, p.place, p.name = h.Rank, all[h.Rank], all[h.Rank].name(h.Rank)
			p.try = h.Try
			if !d.take(p) {
				_ = conn.Close()
				return
			}
			p.send(beat{})
			_ = conn.SetDeadline(time.Time{})
		}()
	}
}

// take adds a peer, in the place of an earlier connection of the same rank, which that one
// has given up; false if there is a later one.
func (d *Dog) take(p *peer) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, other := range d.down {
		if other.rank == p.rank {
			if other.try > p.try {
				return false
			}
			_ = other.conn.Close()
			d.down[i] = p
			return true
		}
	}
	d.down = append(d.down, p)
	return true
}

// read waits for the next line.
func (p *peer) read() (b beat, err error) {
	line, err := p.in.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &b)
	}
	return b, err
}

// send writes a line and reports whether it has left. A peer that does not read must not block
// this rank: its silence is sufficient evidence.
func (p *peer) send(b beat) bool {
	line, err := json.Marshal(b)
	p.out.Lock()
	defer p.out.Unlock()
	if err != nil || p.jammed {
		return false
	}
	_ = p.conn.SetWriteDeadline(time.Now().Add(tick / 10))
	_, err = p.conn.Write(append(line, '\n'))
	p.jammed = err != nil
	return err == nil
}

// listen reads from a peer until the connection ends.
func (d *Dog) listen(p *peer) {
	for {
		b, err := p.read()
		if err != nil {
			d.lost(p, err)
			return
		}
		d.mu.Lock()
		p.heard = time.Now()
		if b.Accuse == "" && !b.End {
			p.last = b
		}
		d.mu.Unlock()
		switch {
		case b.End:
			d.obey(p)
		case b.Accuse != "":
			d.accuse(b.Accuse, nil)
		}
	}
}

// lost handles the end of a connection. The connection of a process that has ended is closed, or reset
// where it had not read all. Any other failure appears as silence.
func (d *Dog) lost(p *peer, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		d.mu.Lock()
		where := p.last.Self.text()
		d.mu.Unlock()
		d.accuse(fmt.Sprintf("%s ended before the run; last heard of %s", p.name, where), p)
	}
}
