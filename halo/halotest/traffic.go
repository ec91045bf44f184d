// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halotest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/internal/brief"
)

// BuildTraffic returns the exchange of items under test, such as halo.NewTraffic.
type BuildTraffic func(halo.TrafficSetup) (halo.Exchange, error)

// Nest is a refined domain.
type Nest struct {
	Dims      int
	Cells     [3]int
	Periodic  [3]bool
	Along     int // as in Case
	ItemBytes int // of a cell
	Seed      uint64
}

func (n Nest) String() string {
	return fmt.Sprintf("%dD %v periodic %v %d along y, %d bytes, seed %d", n.Dims, n.Cells, n.Periodic, n.Along, n.ItemBytes, n.Seed)
}

// Nests returns small domains of both dimensions with walls and periodic axes, slabs and pencils, and items of float32 and float64
// values of which some are an odd number of 4 bytes. Their boxes are random, with seeds 1 to 6.
func Nests() []Nest {
	return []Nest{
		{2, [3]int{16, 40, 1}, [3]bool{true, false, false}, 0, 24, 1},
		{2, [3]int{20, 32, 1}, [3]bool{false, true, false}, 0, 56, 2},
		{3, [3]int{12, 16, 20}, [3]bool{}, 0, 40, 3},
		{3, [3]int{10, 12, 16}, [3]bool{true, true, true}, 2, 44, 4},
		{3, [3]int{8, 20, 16}, [3]bool{false, true, false}, 3, 80, 5},
		{3, [3]int{12, 14, 14}, [3]bool{false, false, true}, 2, 44, 6},
	}
}

// hierarchy returns boxes of two levels, some of which touch or overlap, distributed over ranks.
func (n Nest) hierarchy(ranks int) (*decomp.Hierarchy, error) {
	var plan decomp.Plan
	var err error
	if n.Along == 0 || ranks%n.Along != 0 {
		plan, err = decomp.Slabs(n.Cells, n.Periodic, n.Dims, ranks)
	} else {
		plan, err = decomp.Pencils(n.Cells, n.Periodic, n.Along, ranks/n.Along)
	}
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(n.Seed, 0))
	for range 10000 {
		var boxes []decomp.Refinement
		for k, level := range []int{1, 1, 1, 2, 2} {
			b := decomp.Refinement{Name: fmt.Sprint(k), Level: level, To: [3]float64{1, 1, 1}}
			for a := range n.Dims {
				from := r.IntN(n.Cells[a] - 1)
				to := from + 1 + r.IntN(n.Cells[a]-from)
				if level == 1 && r.IntN(2) == 0 {
					from, to = 0, n.Cells[a]
				}
				b.From[a], b.To[a] = float64(from), float64(to)
			}
			boxes = append(boxes, b)
		}
		h, err := decomp.NewHierarchy(plan, boxes)
		if err == nil && len(h.Levels[1].Patches) > 1 && h.Levels[1].Patches[0].Owned.Size() != h.Levels[1].N {
			return h, nil
		}
	}
	return nil, errors.New("no hierarchy was found")
}

// RunTraffic checks exchanges of items with 1, 2, 3, 4 and 7 ranks in one process, each on its own device.
func RunTraffic(t *testing.T, build BuildTraffic, newDevice func(rank int) halo.Memory, over func(comm.Comm) comm.Comm) {
	t.Helper()
	brief.Fewer(t, "numbers of ranks")
	numbers := []int{1, 2, 3, 4, 7}
	if testing.Short() {
		numbers = []int{1, 3, 7} // halo's TestTrafficMPI has the others
	}
	for _, n := range Nests() {
		for _, ranks := range numbers {
			t.Run(fmt.Sprintf("%v/%d ranks", n, ranks), func(t *testing.T) {
				t.Parallel() // they mostly wait
				err := comm.RunLocal(ranks, func(c comm.Comm) error {
					return CheckTraffic(over(c), build, newDevice(c.Rank()), n)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// CheckTraffic runs all exchanges of a domain's levels, all kinds of all levels at once, and checks every value each time;
// it is collective. Like a run, it reads the items of the previous exchange, and then writes the rank's own items of the
// next one. It repeats all of it queued and recorded, as Check does.
func CheckTraffic(c comm.Comm, build BuildTraffic, dev halo.Memory, n Nest) (err error) {
	h, err := n.hierarchy(c.Size())
	if err != nil {
		return err
	}
	var all traders
	defer func() {
		if err == nil { // otherwise others may wait for this rank: its error first
			all.close()
		}
	}()
	for l := range h.Levels {
		for kind := decomp.Shells; kind <= decomp.Siblings; kind++ {
			bytes := n.ItemBytes
			if kind == decomp.Fluxes {
				bytes = 8 * (1 + n.Dims)
			}
			s, err := newTrader(c, build, dev, h.Traffic(kind, l, c.Rank()), bytes)
			if err != nil {
				return fmt.Errorf("kind %d of level %d: %w", kind, l, err)
			}
			all = append(all, s)
		}
	}
	if err := comm.Barrier(c); err != nil { // others write to the buffers from now on
		return err
	}
	stream, delay := dev.NewStream(true), rand.New(rand.NewPCG(uint64(c.Rank()), 0))
	for _, take := range []func(step int) error{
		func(step int) error { return all.waited(delay, step) },
		func(step int) error { return all.queued(stream, step) },
	} {
		for step := 1; step <= steps; step++ {
			if delay.IntN(3) == 0 {
				time.Sleep(time.Duration(delay.IntN(1000)) * time.Microsecond) // ranks are not in step
			}
			if err := take(step); err != nil {
				return fmt.Errorf("rank %d, step %d: %w", c.Rank(), step, err)
			}
		}
	}
	for _, s := range all {
		if err := s.stats(2 * steps); err != nil {
			return fmt.Errorf("rank %d: %w", c.Rank(), err)
		}
	}
	r, ok := dev.(device.Recorder)
	can := []int64{0}
	if !ok || !all.queue() {
		can[0] = 1
	}
	if err := comm.Max(c, can); err != nil || can[0] > 0 {
		return err
	}
	return all.recorded(stream, r)
}

// trader is one rank's exchange of items under test.
type trader struct {
	*decomp.Traffic
	e       halo.Exchange
	bytes   int
	buffers [2]device.Buffer
	source  [2]device.Buffer // results of kernels, alternately
	seen    [2]device.Buffer // values read by kernels
	own     []decomp.Range   // slots written by kernels
	on      device.Stream
	images  map[view][]byte
}

// view is what an image shows: the items after a step, all of them or the rank's own alone.
type view struct {
	step int
	all  bool
}

func newTrader(c comm.Comm, build BuildTraffic, dev halo.Memory, t *decomp.Traffic, bytes int) (s *trader, err error) {
	s = &trader{Traffic: t, bytes: bytes, on: dev.NewStream(true), images: map[view][]byte{}}
	if s.buffers, err = halo.AllocTraffic(dev, t, 0, bytes); err != nil {
		return nil, err
	}
	if s.e, err = build(halo.TrafficSetup{Comm: c, Traffic: t, ItemBytes: bytes, Device: dev, Buffers: s.buffers}); err != nil {
		return nil, err
	}
	for i := range s.buffers {
		for _, b := range []*device.Buffer{&s.source[i], &s.seen[i]} {
			if *b, err = dev.Alloc(s.buffers[i].Bytes()); err != nil {
				return nil, err
			}
		}
	}
	t.Sources(func(_ decomp.Item, slot int) {
		if n := len(s.own); n > 0 && s.own[n-1].Hi == slot {
			s.own[n-1].Hi++
		} else {
			s.own = append(s.own, decomp.Range{Lo: slot, Hi: slot + 1})
		}
	})
	return s, nil
}

// image returns a buffer after a step, which callers only read: with all items, or with the rank's own alone. It is computed once.
func (s *trader) image(step int, all bool) []byte {
	if b, ok := s.images[view{step, all}]; ok {
		return b
	}
	b := make([]byte, s.buffers[0].Bytes())
	put := func(i decomp.Item, slot int) {
		v := uint32(step*7919+s.Tag*31) ^ uint32(i.Patch*64+i.Axis*4+i.Side+1)<<24
		for _, x := range i.Cell {
			v = v*2654435761 + uint32(x)
		}
		for at := b[slot*s.bytes : (slot+1)*s.bytes]; len(at) > 0; at = at[4:] {
			binary.LittleEndian.PutUint32(at, v)
			v = v*1664525 + 1013904223
		}
	}
	s.Sources(put)
	if all {
		s.Needed(func(i decomp.Item, slot, _ int) { put(i, slot) })
	}
	s.images[view{step, all}] = b
	return b
}

// compute represents the kernels of a step: they read the items of the previous step, and write the rank's own items.
func (s *trader) compute(on device.Stream, step int) (out device.Buffer) {
	on.Copy(s.seen[step%2], 0, s.buffers[(step+1)%2], 0, s.Needs*s.bytes)
	for _, r := range s.own {
		on.Copy(s.buffers[step%2], r.Lo*s.bytes, s.source[step%2], r.Lo*s.bytes, (r.Hi-r.Lo)*s.bytes)
	}
	return s.buffers[step%2]
}

// check compares the buffer after a step, and the values read from the previous one.
func (s *trader) check(step int) error {
	for _, part := range []struct {
		b     device.Buffer
		step  int
		bytes int
	}{{s.buffers[step%2], step, s.Slots * s.bytes}, {s.seen[step%2], step - 1, s.Needs * s.bytes}} {
		if part.step == 0 {
			continue
		}
		got, want := make([]byte, part.bytes), s.image(part.step, true)
		if err := part.b.Read(got, 0); err != nil {
			return err
		}
		if bytes.Equal(got, want[:len(got)]) {
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				return fmt.Errorf("%s, tag %d, slot %d of %d, byte %d of step %d: %#x, want %#x", s.e.Describe(), s.Tag, i/s.bytes, s.Slots, i%s.bytes, part.step, got[i], want[i])
			}
		}
	}
	return nil
}

func (s *trader) stats(exchanges int) error {
	got, want := s.e.Stats(), halo.Stats{Exchanges: exchanges}
	for _, p := range s.Peers {
		if n := p.Send.Hi - p.Send.Lo; n > 0 {
			want.Messages += exchanges
			want.Bytes += exchanges * n * s.bytes
		}
	}
	got.Seconds, got.Last, got.Longest = 0, 0, 0
	if got != want {
		return fmt.Errorf("stats %+v, want %+v", got, want)
	}
	return nil
}

// traders is all exchanges of a rank.
type traders []*trader

func (all traders) close() {
	for _, s := range all {
		s.e.Close()
		for i := range s.buffers {
			for _, b := range []device.Buffer{s.buffers[i], s.source[i], s.seen[i]} {
				b.Free()
			}
		}
	}
}

// queue reports whether all exchanges can be queued.
func (all traders) queue() bool {
	for _, s := range all {
		if _, ok := s.e.(halo.Queued); !ok {
			return false
		}
	}
	return true
}

// prepare computes the results of a step's kernels.
func (all traders) prepare(step int) error {
	for _, s := range all {
		if err := s.source[step%2].Write(s.image(step, false), 0); err != nil {
			return err
		}
	}
	return nil
}

func (all traders) check(step int) error {
	for _, s := range all {
		if err := s.check(step); err != nil {
			return err
		}
	}
	return nil
}

// waited takes a step in which the host waits for all exchanges, which are in flight at once: some are sent late, after
// others that started later.
func (all traders) waited(delay *rand.Rand, step int) error {
	if err := all.prepare(step); err != nil {
		return err
	}
	for _, s := range all {
		when := delay.IntN(3)
		for range 4 * when { // it is overwritten by compute
			s.on.Copy(s.seen[step%2], 0, s.source[step%2], 0, s.Needs*s.bytes)
		}
		out := s.compute(s.on, step)
		ready := s.on.Record()
		if when == 0 { // sent at once
			if err := ready.Wait(); err != nil {
				return err
			}
		}
		if err := s.e.Start(out, ready); err != nil {
			return err
		}
	}
	for _, s := range all {
		if err := errors.Join(s.e.Finish(), s.on.Sync()); err != nil {
			return err
		}
	}
	return all.check(step)
}

// queued takes a step by queueing the exchanges that can be.
func (all traders) queued(on device.Stream, step int) error {
	if err := all.prepare(step); err != nil {
		return err
	}
	for _, s := range all {
		out := s.compute(on, step)
		q, ok := s.e.(halo.Queued)
		if ok {
			q.Queue(on, out)
			continue
		}
		if err := s.e.Start(out, on.Record()); err != nil {
			return err
		}
		if err := s.e.Finish(); err != nil {
			return err
		}
	}
	if err := on.Sync(); err != nil {
		return err
	}
	return all.check(step)
}

// recorded takes pairs of steps from one recording.
func (all traders) recorded(on device.Stream, r device.Recorder) error {
	g, err := r.Capture(on, func() error {
		for step := 1; step <= 2; step++ {
			for _, s := range all {
				s.e.(halo.Queued).Queue(on, s.compute(on, step))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer g.Close()
	for step := 2; step <= 2*steps; step += 2 {
		for _, k := range []int{step - 1, step} {
			if err := all.prepare(k); err != nil {
				return err
			}
		}
		g.Launch(on)
		if err := on.Sync(); err != nil {
			return err
		}
		if err := all.check(step); err != nil {
			return fmt.Errorf("step %d, recorded: %w", step, err)
		}
	}
	return nil
}
