// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

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
	"lbmsim/model"
)

// town is the memory of CPU devices that write into each other's and record their work, as GPUs of one machine do.
type town struct {
	mu     sync.Mutex
	houses []device.Buffer
	people []*neighbour
}

// neighbour is a device in a town.
type neighbour struct {
	device.Device
	town      *town
	name      int
	recording bool
	work      []func()
	launches  int
	queued    int // calls of Step since the host has waited
	most      int // of these
}

func (t *town) move(d device.Device) device.Device {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := &neighbour{Device: d, town: t, name: len(t.people)}
	t.people = append(t.people, n)
	return n
}

// do runs work now, or with every launch of the recording.
func (n *neighbour) do(work func()) {
	if n.recording {
		n.work = append(n.work, work)
		return
	}
	work()
}

func (n *neighbour) CouplesLevels(s model.Spec) bool {
	return n.Device.(device.LevelCoupler).CouplesLevels(s)
}

func (n *neighbour) Identity() device.Identity {
	return device.Identity{Machine: "town", Device: fmt.Sprint(n.name)}
}

func (n *neighbour) AllocShared(bytes int) (device.Buffer, error) { return n.Alloc(bytes) }

func (n *neighbour) Share(b device.Buffer) ([]byte, error) {
	n.town.mu.Lock()
	defer n.town.mu.Unlock()
	n.town.houses = append(n.town.houses, b)
	return []byte(strconv.Itoa(len(n.town.houses) - 1)), nil
}

func (n *neighbour) Open(handle []byte) (device.Buffer, error) {
	k, err := strconv.Atoi(string(handle))
	if err != nil {
		return nil, err
	}
	n.town.mu.Lock()
	defer n.town.mu.Unlock()
	return visitor{n.town.houses[k]}, nil
}

// visitor is another rank's memory: freeing it only closes the visit.
type visitor struct{ device.Buffer }

func (visitor) Free() {}

func (n *neighbour) Capture(_ device.Stream, body func() error) (device.Graph, error) {
	n.recording, n.work = true, nil
	err := body()
	n.recording = false
	return &graph{n, n.work}, err
}

type graph struct {
	n    *neighbour
	work []func()
}

func (g *graph) Launch(device.Stream) {
	g.n.launches++
	for _, w := range g.work {
		w()
	}
}

func (g *graph) Close() { g.work = nil }

func (n *neighbour) NewStream(urgent bool) device.Stream {
	return &stream{n.Device.NewStream(urgent), n}
}

type stream struct {
	device.Stream
	n *neighbour
}

func own(s device.Stream) device.Stream { return s.(*stream).Stream }

func (s *stream) Copy(dst device.Buffer, to int, src device.Buffer, from, bytes int) {
	if v, ok := dst.(visitor); ok {
		dst = v.Buffer
	}
	s.n.do(func() { s.Stream.Copy(dst, to, src, from, bytes) })
}

func (s *stream) Record() device.Event {
	e := &event{}
	s.n.do(func() { e.Event = s.Stream.Record() })
	return e
}

func (s *stream) After(e device.Event) { s.n.do(func() { s.Stream.After(e.(*event).Event) }) }

func (s *stream) Sync() error {
	if s.n.recording {
		panic("a recording waits for the device")
	}
	s.n.queued = 0
	return s.Stream.Sync()
}

type event struct{ device.Event }

func (n *neighbour) Load(s model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := n.Device.Load(s, l, periodic, cells)
	return &program{p, n}, err
}

type program struct {
	device.Program
	n *neighbour
}

func (p *program) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	p.n.do(func() {
		p.n.queued++
		p.n.most = max(p.n.most, p.n.queued)
		p.Program.Step(own(s), in, out, box, q)
	})
}

func (p *program) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	p.n.do(func() { p.Program.FillFaces(own(s), state, exchanged) })
}

func (p *program) FindEddies(s device.Stream, state device.Buffer, q model.Params) {
	p.n.do(func() { p.Program.(device.EddyKeeper).FindEddies(own(s), state, q) })
}

func (p *program) Eddies() device.Buffer { return p.Program.(device.EddyKeeper).Eddies() }

func (p *program) Schedule(steps []device.Moment) error {
	return p.Program.(device.Timed).Schedule(steps)
}

func (p *program) Advance(s device.Stream) {
	p.n.do(func() { p.Program.(device.Timed).Advance(own(s)) })
}

func (p *program) Couple(lists device.CouplingLists) (device.Coupling, error) {
	c, err := p.Program.(device.Coupler).Couple(lists)
	return &coupling{Coupling: c, n: p.n}, err
}

type coupling struct {
	device.Coupling
	n        *neighbour
	uploaded [2]bool // numbers of Prolong and Restrict
}

// upload notes that numbers go to the device, which a recording cannot do.
func (c *coupling) upload(k int) {
	if c.n.recording && !c.uploaded[k] {
		panic("the numbers of a kernel change while steps are recorded")
	}
	c.uploaded[k] = true
}

func (c *coupling) Gather(s device.Stream, state, buffer device.Buffer) {
	c.n.do(func() { c.Coupling.Gather(own(s), state, buffer) })
}

func (c *coupling) Scatter(s device.Stream, buffer, state device.Buffer) {
	c.n.do(func() { c.Coupling.Scatter(own(s), buffer, state) })
}

func (c *coupling) GatherValues(s device.Stream, state, buffer device.Buffer, p model.Params) {
	c.n.do(func() { c.Coupling.GatherValues(own(s), state, buffer, p) })
}

func (c *coupling) Prolong(s device.Stream, buffer, state device.Buffer, coarse, fine model.Params) {
	c.upload(0)
	c.n.do(func() { c.Coupling.Prolong(own(s), buffer, state, coarse, fine) })
}

func (c *coupling) Restrict(s device.Stream, state, buffer device.Buffer, fine, coarse model.Params) {
	c.upload(1)
	c.n.do(func() { c.Coupling.Restrict(own(s), state, buffer, fine, coarse) })
}

func (c *coupling) Count(s device.Stream, state, sums device.Buffer, add bool) {
	c.n.do(func() { c.Coupling.Count(own(s), state, sums, add) })
}

func (c *coupling) Correct(s device.Stream, coarse, fine, state device.Buffer, p model.Params) {
	c.n.do(func() { c.Coupling.Correct(own(s), coarse, fine, state, p) })
}

func (n *neighbour) NewBarrier(parties []device.Party) (device.Barrier, error) {
	word := func(at device.Rows) *uint64 {
		b := at.Buffer
		if v, ok := b.(visitor); ok {
			b = v.Buffer
		}
		return (*uint64)(unsafe.Pointer(&b.(device.HostVisible).Host()[at.Offset]))
	}
	m := &barrier{n: n}
	for _, other := range parties {
		m.signal = append(m.signal, word(other.Signal))
		m.await = append(m.await, word(other.Await))
	}
	return m, nil
}

// barrier waits on the host, in the order of the stream.
type barrier struct {
	n             *neighbour
	signal, await []*uint64
	count         uint64
	broken        atomic.Bool
}

func (m *barrier) Queue(s device.Stream) {
	m.n.do(func() {
		_ = own(s).Sync()
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

// Steps that no host exchanges are recorded and replayed, alone and on ranks that write into each other's memory, with the bits
// of steps that are queued one by one.
func TestRecordedStepsAreTheSame(t *testing.T) {
	const steps = 13
	for _, lattice := range []string{"D2Q9", "D3Q19"} {
		for name, f := range flows(lattice, "cumulant", 1) {
			if lattice != "D2Q9" && name != "channel" && name != "concave" {
				continue
			}
			t.Run(lattice+" "+name, func(t *testing.T) {
				want, err := f.states(1, 1, steps, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, ranks := range []int{1, 2, 3, 4} {
					town := &town{}
					got, err := f.states(ranks, 1, steps, town.move)
					if err != nil {
						t.Fatalf("%d ranks: %v", ranks, err)
					}
					for key, b := range want {
						if !bytes.Equal(got[key], b) {
							t.Errorf("%d ranks: patch %d of level %d differs", ranks, key[1], key[0])
						}
					}
					for _, n := range town.people {
						if n.launches != 3 { // 8 and two times 2 of 13 steps
							t.Errorf("%d ranks: %d launches in %d steps", ranks, n.launches, steps)
						}
					}
				}
			})
		}
	}
}

// The host waits before a queue has more steps of the finest level than it takes.
func TestQueuesAreBounded(t *testing.T) {
	town, patches := &town{}, 0
	err := flows("D2Q9", "cumulant", 1)["concave"].over(1, 1, town.move, func(g *Grid) error {
		for l := range g.levels {
			patches += len(g.Patches(l))
		}
		return g.Advance(300)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := town.people[0]; n.launches == 0 || n.most > patches*device.MaxScheduled {
		t.Errorf("%d launches, %d steps of %d patches queued at once", n.launches, n.most, patches)
	}
}
