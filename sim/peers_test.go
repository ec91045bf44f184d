// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/brief"
	"lbmsim/model"
)

// town is the memory of CPU devices that write into each other's, as GPUs of one machine
// do: so that steps of several ranks are queued and recorded where there is no GPU.
type town struct {
	mu     sync.Mutex
	houses []device.Buffer
	peers  []*peer
}

// peer is a recorder in a town.
type peer struct {
	*recorder
	town *town
	name int
}

func (t *town) move(d device.Device) device.Device {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &peer{&recorder{Device: d}, t, len(t.peers)}
	t.peers = append(t.peers, p)
	return p
}

func (p *peer) Identity() device.Identity {
	return device.Identity{Machine: "town", Device: fmt.Sprint(p.name)}
}

func (p *peer) AllocShared(bytes int) (device.Buffer, error) { return p.Alloc(bytes) }

func (p *peer) Share(b device.Buffer) ([]byte, error) {
	p.town.mu.Lock()
	defer p.town.mu.Unlock()
	p.town.houses = append(p.town.houses, b)
	return []byte(strconv.Itoa(len(p.town.houses) - 1)), nil
}

// visitor is another rank's memory: freeing it only closes the access.
func (p *peer) Open(handle []byte) (device.Buffer, error) {
	n, err := strconv.Atoi(string(handle))
	if err != nil {
		return nil, err
	}
	p.town.mu.Lock()
	defer p.town.mu.Unlock()
	return visitor{p.town.houses[n]}, nil
}

type visitor struct{ device.Buffer }

func (visitor) Free() {}

func (p *peer) NewStream(urgent bool) device.Stream {
	return &peerStream{recStream{p.Device.NewStream(urgent), p.recorder}}
}

// peerStream copies to visited memory.
type peerStream struct{ recStream }

func (s *peerStream) Copy(dst device.Buffer, to int, src device.Buffer, from, n int) {
	if v, ok := dst.(visitor); ok {
		dst = v.Buffer
	}
	s.recStream.Copy(dst, to, src, from, n)
}

// Load gives kernels the streams that they know.
func (p *peer) Load(s model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	q, err := p.recorder.Load(s, l, periodic, cells)
	return &peerProgram{q.(*recProgram)}, err
}

type peerProgram struct{ *recProgram }

func (p *peerProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	p.recProgram.Step(&s.(*peerStream).recStream, in, out, box, q)
}

func (p *peerProgram) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	p.recProgram.FillFaces(&s.(*peerStream).recStream, state, exchanged)
}

func (p *peerProgram) Advance(s device.Stream) { p.recProgram.Advance(&s.(*peerStream).recStream) }

func (p *peer) Capture(s device.Stream, body func() error) (device.Graph, error) {
	return p.recorder.Capture(s, body)
}

func (p *peer) NewBarrier(parties []device.Party) (device.Barrier, error) {
	word := func(at device.Rows) *uint64 {
		b := at.Buffer
		if v, ok := b.(visitor); ok {
			b = v.Buffer
		}
		return (*uint64)(unsafe.Pointer(&b.(device.HostVisible).Host()[at.Offset]))
	}
	m := &barrier{p: p}
	for _, other := range parties {
		m.signal = append(m.signal, word(other.Signal))
		m.await = append(m.await, word(other.Await))
	}
	return m, nil
}

// barrier waits on the host, in the order of the stream.
type barrier struct {
	p             *peer
	signal, await []*uint64
	count         uint64
	broken        atomic.Bool
}

func (m *barrier) Queue(s device.Stream) {
	m.p.do(func() {
		_ = s.(*peerStream).Stream.Sync()
		m.count++
		for _, w := range m.signal {
			atomic.StoreUint64(w, m.count)
		}
		for _, w := range m.await {
			for start := time.Now(); atomic.LoadUint64(w) < m.count && !m.broken.Load(); time.Sleep(10 * time.Microsecond) {
				if time.Since(start) > time.Minute {
					panic("a neighbour does not come")
				}
			}
		}
	})
}

func (m *barrier) Break() { m.broken.Store(true) }
func (m *barrier) Close() {}

// Ranks that write into each other's memory go through their steps without the host, from
// hook to hook and recorded, and leave the files of one rank: slabs, pencils, and a rank
// that is above and below itself.
func TestQueuedRanksAreTheSame(t *testing.T) {
	brief.Fewer(t, "numbers of ranks and steps")
	for name, text := range variety {
		for i, steps := range []int{41, 64} {
			if testing.Short() && i != len(name)%2 {
				continue
			}
			text := withPoint(text + ending("regularized", "float64", steps))
			plain := t.TempDir()
			stepByStep(t, text, plain)
			want := files(t, plain)
			for _, ranks := range []int{2, 3, 4} {
				if testing.Short() && ranks != 2+len(name)%3 {
					continue
				}
				dir, town := t.TempDir(), &town{}
				report := on(t, text, dir, ranks, "", town.move)
				if len(report.start.Routes) != 1 || report.start.Routes[0].Transport != "peer" {
					t.Errorf("%s, %d ranks: routes %+v", name, ranks, report.start.Routes)
				}
				got := files(t, dir)
				if len(got) != len(want) {
					t.Errorf("%s, %d steps, %d ranks: %d files, want %d", name, steps, ranks, len(got), len(want))
				}
				for file, b := range want {
					if !bytes.Equal(got[file], b) {
						t.Errorf("%s, %d steps, %d ranks: %s differs", name, steps, ranks, file)
					}
				}
				for _, p := range town.peers {
					if p.launches < 2 { // slow steps meet for their clocks between: how many steps a recording has follows the time they take
						t.Errorf("%s, %d ranks: %d launches in %d steps", name, ranks, p.launches, steps)
					}
				}
			}
		}
	}
}
