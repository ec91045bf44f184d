// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package halotest is the conformance suite of the transports of package halo, with devices for
// tests. Each value of the state is a number computed from the step and the global cell, so that a
// ghost cell filled from a wrong place, from a wrong step or too early differs.
package halotest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/internal/brief"
)

// Build returns the exchange under test, such as halo.New.
type Build func(halo.Setup) (halo.Exchange, error)

// With returns a Build that calls New with one transport.
func With(want halo.Transport) Build {
	return func(s halo.Setup) (halo.Exchange, error) {
		s.Want = want
		return halo.New(s)
	}
}

// Case is one domain to cut.
type Case struct {
	Dims       int
	Cells      [3]int
	Periodic   bool // along the decomposed axes
	Components int
	ValueBytes int
	Along      int // number of parts along y, if the ranks allow it; 0: slabs
	Listed     int // cells exchanged one by one between each two ranks: the largest number of rows
}

func (k Case) String() string {
	ends, cut := "walls", ""
	if k.Periodic {
		ends = "periodic"
	}
	if k.Along > 0 {
		cut = fmt.Sprintf(" %d along y", k.Along)
	}
	if k.Listed > 0 {
		cut += " with listed cells"
	}
	return fmt.Sprintf("%dD %v %s %d x %d bytes%s", k.Dims, k.Cells, ends, k.Components, k.ValueBytes, cut)
}

// listed returns the numbers of cells exchanged one by one.
func (k Case) listed(rank, ranks int) (list []decomp.Listed) {
	for other := range ranks {
		if other != rank && k.Listed > 0 {
			count := func(from, to int) int { return (from + 3*to) % (k.Listed * decomp.Align) }
			list = append(list, decomp.Listed{Rank: other, Send: count(rank, other), Recv: count(other, rank)})
		}
	}
	return list
}

// plan cuts the domain.
func (k Case) plan(ranks int) (decomp.Plan, error) {
	var periodic [3]bool
	periodic[k.Dims-1] = k.Periodic
	if k.Along == 0 || ranks%k.Along != 0 {
		return decomp.Slabs(k.Cells, periodic, k.Dims, ranks)
	}
	periodic[1] = k.Periodic
	return decomp.Pencils(k.Cells, periodic, k.Along, ranks/k.Along)
}

// Cases returns small domains of both dimensions, schemes and all precisions, with slabs of
// one and two planes and uneven ones, pencils, some with listed cells, and one with messages
// beyond MPI's eager limit.
func Cases() []Case {
	var cases []Case
	for _, periodic := range []bool{true, false} {
		cases = append(cases,
			Case{2, [3]int{33, 5, 1}, periodic, 9, 4, 0, 0},
			Case{2, [3]int{7, 12, 1}, periodic, 6, 8, 0, 2},
			Case{3, [3]int{33, 3, 5}, periodic, 10, 4, 0, 0},
			Case{3, [3]int{33, 4, 6}, periodic, 10, 2, 0, 0},
			Case{3, [3]int{16, 4, 7}, periodic, 19, 8, 0, 0},
			Case{3, [3]int{64, 40, 6}, periodic, 10, 4, 0, 0},
			Case{3, [3]int{33, 5, 7}, periodic, 10, 4, 2, 3}, // on 2 ranks one is above and below itself
			Case{3, [3]int{8, 5, 5}, periodic, 19, 2, 3, 0},
		)
	}
	return cases
}

// Run checks the transport with 1 to 5 ranks in one process, each on its own device.
func Run(t *testing.T, build Build, newDevice func(rank int) halo.Memory) {
	t.Helper()
	RunWith(t, build, newDevice, func(c comm.Comm) comm.Comm { return c })
}

// RunWith is Run with communicators wrapped by a function.
func RunWith(t *testing.T, build Build, newDevice func(rank int) halo.Memory, over func(comm.Comm) comm.Comm) {
	t.Helper()
	brief.Fewer(t, "numbers of ranks")
	numbers := []int{1, 2, 3, 4, 5}
	if testing.Short() {
		numbers = []int{1, 3, 5} // halo's TestMPI has the others
	}
	for _, k := range Cases() {
		for _, ranks := range numbers {
			t.Run(fmt.Sprintf("%v/%d ranks", k, ranks), func(t *testing.T) {
				t.Parallel() // they mostly wait
				err := comm.RunLocal(ranks, func(c comm.Comm) error {
					return Check(over(c), build, newDevice(c.Rank()), k)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

const (
	steps = 6
	stale = 0xdeadbeef // value of cells that were not computed
)

// Check exchanges the two states of a run alternately and checks every value each time; it is collective. While data is in
// flight the bulk is written, as in a run; and like a run's edge cells, it reads the ghost cells of the previous step. Then
// it repeats this: if an exchange can be queued, without waits of the host; and if all ranks can also record, a third time
// from a recording.
func Check(c comm.Comm, build Build, dev halo.Memory, k Case) (err error) {
	s, err := newTrial(c, build, dev, k)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			return // the others may wait for this rank: its error first
		}
		s.e.Close()
		for _, b := range s.memory {
			b.Free()
		}
	}()
	if err := s.waited(); err != nil {
		return fmt.Errorf("rank %d, %s: %w", c.Rank(), s.e.Describe(), err)
	}
	if err := s.stats(steps); err != nil {
		return err
	}
	// Some ranks queue their steps, while others may have messages to move.
	again := s.waited
	if q, ok := s.e.(halo.Queued); ok {
		again = func() error { return s.queued(q) }
	}
	if err := again(); err != nil {
		return fmt.Errorf("rank %d, %s, once more: %w", c.Rank(), s.e.Describe(), err)
	}
	if err := s.stats(2 * steps); err != nil {
		return err
	}
	q, all := s.e.(halo.Queued)
	r, ok := dev.(device.Recorder)
	can := []int64{1}
	if all && ok {
		can[0] = 0
	}
	if err := comm.Max(c, can); err != nil || can[0] > 0 {
		return err
	}
	if err := s.recorded(q, r); err != nil {
		return fmt.Errorf("rank %d, %s, recorded: %w", c.Rank(), s.e.Describe(), err)
	}
	return nil
}

// trial is one rank's exchange under test; it can compute the expected value everywhere.
type trial struct {
	c          comm.Comm
	plan       decomp.Plan
	layout     decomp.Layout
	links      []decomp.Link
	listed     []decomp.Link // the last of them
	valueBytes int
	dev        halo.Memory
	e          halo.Exchange
	states     [2]device.Buffer
	memory     []device.Buffer // all allocated buffers
	images     map[int][]byte  // by step; 0: of cells that were not computed

	urgent, slow device.Stream
	delay        *rand.Rand
}

func newTrial(c comm.Comm, build Build, dev halo.Memory, k Case) (s *trial, err error) {
	s = &trial{c: c, dev: dev, valueBytes: k.ValueBytes, images: map[int][]byte{}, delay: rand.New(rand.NewSource(int64(c.Rank())))}
	if s.plan, err = k.plan(c.Size()); err != nil {
		return nil, err
	}
	s.layout, s.listed = s.plan.Layout(c.Rank(), k.Components).List(k.listed(c.Rank(), c.Size()))
	s.links = append(s.plan.Links(c.Rank()), s.listed...)
	for i := range s.states {
		if s.states[i], err = halo.AllocState(dev, s.bytes()); err != nil {
			return nil, err
		}
		s.memory = append(s.memory, s.states[i])
	}
	if s.e, err = build(halo.Setup{Comm: c, Links: s.links, Layout: s.layout, ValueBytes: k.ValueBytes, Device: dev, States: s.states}); err != nil {
		return nil, err
	}
	if s.e.Describe() == "" {
		return nil, errors.New("the transport has no description")
	}
	for _, b := range s.states {
		if err := b.Write(s.image(0), 0); err != nil {
			return nil, err
		}
	}
	s.urgent, s.slow = dev.NewStream(true), dev.NewStream(false)
	return s, comm.Barrier(c) // the neighbours write to the states from now on
}

// alloc allocates another state, of this rank alone.
func (s *trial) alloc() (device.Buffer, error) {
	b, err := s.dev.Alloc(s.bytes())
	if err == nil {
		s.memory = append(s.memory, b)
	}
	return b, err
}

func (s *trial) bytes() int { return s.layout.Len() * s.valueBytes }

// sources returns the states that kernels would compute, from step 1 on.
func (s *trial) sources(count int) (list []device.Buffer, err error) {
	for step := 1; step <= count; step++ {
		b, err := s.alloc()
		if err == nil {
			err = b.Write(s.image(step), 0)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// edges represents the kernels of the edge cells: they read the ghost cells of the previous step,
// write edge cells and gather listed ones.
func (s *trial) edges(seen, in, out, source device.Buffer) {
	for _, l := range s.links {
		s.copy(s.urgent, seen, in, l.Recv)
	}
	edges, _ := s.plan.Edges(s.c.Rank(), 1)
	for _, b := range edges {
		s.copy(s.urgent, out, source, b)
	}
	for _, l := range s.listed {
		s.copy(s.urgent, out, source, l.Send)
	}
}

func (s *trial) pause() {
	if s.delay.Intn(3) == 0 {
		time.Sleep(time.Duration(s.delay.Intn(1000)) * time.Microsecond) // neighbours are not in step
	}
}

// waited takes steps one by one.
func (s *trial) waited() error {
	sources, err := s.sources(steps)
	if err != nil {
		return err
	}
	seen, err := s.alloc()
	if err != nil {
		return err
	}
	_, bulk := s.plan.Edges(s.c.Rank(), 1)
	for step := 1; step <= steps; step++ {
		in, out := s.states[(step+1)%2], s.states[step%2]
		s.pause()
		s.edges(seen, in, out, sources[step-1])
		ready := s.urgent.Record()
		s.copy(s.slow, out, sources[step-1], bulk)
		if err := s.e.Start(out, ready); err != nil {
			return err
		}
		if err := s.e.Finish(); err != nil {
			return err
		}
		if err := errors.Join(s.urgent.Sync(), s.slow.Sync()); err != nil {
			return err
		}
		if err := s.check(out, step); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		if step == 1 {
			continue
		}
		if err := s.checkGhosts(seen, step-1); err != nil {
			return fmt.Errorf("step %d reads: %w", step, err)
		}
	}
	return nil
}

// queued queues all steps before it waits, as sim's queue does.
func (s *trial) queued(q halo.Queued) error {
	sources, err := s.sources(steps)
	if err != nil {
		return err
	}
	var seen []device.Buffer
	for range steps {
		b, err := s.alloc()
		if err != nil {
			return err
		}
		seen = append(seen, b)
	}
	_, bulk := s.plan.Edges(s.c.Rank(), 1)
	for step := 1; step <= steps; step++ {
		in, out := s.states[(step+1)%2], s.states[step%2]
		s.urgent.After(s.slow.Record())
		s.edges(seen[step-1], in, out, sources[step-1])
		computed := s.urgent.Record()
		q.Queue(s.urgent, out)
		s.copy(s.slow, out, sources[step-1], bulk)
		s.slow.After(computed)
		s.pause()
	}
	if err := errors.Join(s.urgent.Sync(), s.slow.Sync()); err != nil {
		return err
	}
	for step := 2; step <= steps; step++ {
		if err := s.checkGhosts(seen[step-1], step-1); err != nil {
			return fmt.Errorf("step %d reads: %w", step, err)
		}
	}
	return s.check(s.states[steps%2], steps)
}

// recorded takes pairs of steps from one recording, as sim's queue does.
func (s *trial) recorded(q halo.Queued, r device.Recorder) error {
	sources, err := s.sources(2)
	if err != nil {
		return err
	}
	var seen [2]device.Buffer
	for i := range seen {
		if seen[i], err = s.alloc(); err != nil {
			return err
		}
	}
	_, bulk := s.plan.Edges(s.c.Rank(), 1)
	g, err := r.Capture(s.slow, func() error {
		for i := range 2 {
			out := s.states[(i+1)%2] // the last exchange filled states[0]
			s.urgent.After(s.slow.Record())
			s.edges(seen[i], s.states[i], out, sources[i])
			q.Queue(s.urgent, out)
			s.copy(s.slow, out, sources[i], bulk)
			s.slow.After(s.urgent.Record())
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer g.Close()
	for step := 2; step <= 2*steps; step += 2 {
		for i, b := range sources {
			at := step - 1 + i
			if err := b.Write(s.image(at), 0); err != nil {
				return err
			}
		}
		s.pause()
		g.Launch(s.slow)
		if err := s.slow.Sync(); err != nil {
			return err
		}
		if err := s.check(s.states[0], step); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		for i, b := range seen {
			if at := step - 2 + i; at > 0 {
				if err := s.checkGhosts(b, at); err != nil {
					return fmt.Errorf("step %d reads: %w", at+1, err)
				}
			}
		}
	}
	return nil
}

// value of a row of global cells (y, z) with component and x mixed in by image.
func (s *trial) value(global [3]int, step int) uint32 {
	return uint32(step)<<24 ^ uint32(global[2]*1009+global[1])<<8
}

// rows calls f for each row, ghosts included, with its global place and its bytes.
func (s *trial) rows(f func(y, z int, global [3]int, lo, hi int)) {
	n, g, first := s.layout.N, s.layout.Ghost, s.plan.Box(s.c.Rank()).Lo
	size := s.layout.RowLen() * s.valueBytes
	for z := -g[2]; z < n[2]+g[2]; z++ {
		for y := -g[1]; y < n[1]+g[1]; y++ {
			global := [3]int{0, y + first[1], z + first[2]}
			for a := range global {
				global[a] = (global[a] + s.plan.Global[a]) % s.plan.Global[a]
			}
			lo := s.layout.Row(y, z) * size
			f(y, z, global, lo, lo+size)
		}
	}
	for _, l := range s.listed { // places of cells, as few rows have, by sender, receiver and row
		for b, pair := range map[decomp.Box][2]int{l.Send: {s.c.Rank(), l.Rank}, l.Recv: {l.Rank, s.c.Rank()}} {
			for y := b.Lo[1]; y < b.Hi[1]; y++ {
				lo := s.layout.Row(y, b.Lo[2]) * size
				f(y, b.Lo[2], [3]int{0, 1000 + (pair[0]*8+pair[1])*8 + y - b.Lo[1], 0}, lo, lo+size)
			}
		}
	}
}

// image returns the memory of a state after a step, which callers only read: rows start at the value of their global place and count up.
// It is computed once, since most of a test's time would be spent here.
func (s *trial) image(step int) []byte {
	if b, ok := s.images[step]; ok {
		return b
	}
	b := make([]byte, s.bytes())
	s.rows(func(_, _ int, global [3]int, lo, hi int) {
		v, by := uint32(stale), uint32(0)
		if step > 0 {
			v, by = s.value(global, step), 1
		}
		for at := b[lo:hi]; len(at) > 0; at = at[s.valueBytes:] {
			if s.valueBytes == 2 { // step and row of v folded onto the place in the row
				binary.LittleEndian.PutUint16(at, uint16(v^v>>16))
			}
			for k := 0; k+4 <= s.valueBytes; k += 4 {
				binary.LittleEndian.PutUint32(at[k:], v)
			}
			v += by
		}
	})
	s.images[step] = b
	return b
}

// copy represents a kernel: it fills the cells of a box.
func (s *trial) copy(on device.Stream, out, source device.Buffer, box decomp.Box) {
	for _, r := range s.layout.Ranges(box) {
		on.Copy(out, r.Lo*s.valueBytes, source, r.Lo*s.valueBytes, (r.Hi-r.Lo)*s.valueBytes)
	}
}

// check compares the whole state: interior, ghost cells that represent a cell, and other ghost
// cells, which must be unchanged.
func (s *trial) check(b device.Buffer, step int) error {
	untouched := s.image(0)
	return s.compare(b, step, func(y, z int) []byte {
		if s.inside(y, z) || s.filled(y, z) {
			return nil
		}
		return untouched
	}, func(int, int) bool { return true })
}

// checkGhosts compares the ghost cells that were read.
func (s *trial) checkGhosts(b device.Buffer, step int) error {
	return s.compare(b, step, func(int, int) []byte { return nil }, s.filled)
}

// inside reports whether a row is the rank's own, or listed cells for another rank.
func (s *trial) inside(y, z int) bool {
	for _, l := range s.listed {
		if l.Send.Contains([3]int{0, y, z}) {
			return true
		}
	}
	return y >= 0 && y < s.layout.N[1] && z >= 0 && z < s.layout.N[2]
}

// filled reports whether a link fills the ghost row.
func (s *trial) filled(y, z int) bool {
	for _, l := range s.links {
		if l.Recv.Contains([3]int{0, y, z}) {
			return true
		}
	}
	return false
}

// compare checks the relevant rows against the rows of the step, or of another image.
func (s *trial) compare(b device.Buffer, step int, instead func(y, z int) []byte, counts func(y, z int) bool) (err error) {
	got := make([]byte, b.Bytes())
	if err := b.Read(got, 0); err != nil {
		return err
	}
	image := s.image(step)
	s.rows(func(y, z int, _ [3]int, lo, hi int) {
		if err != nil || !counts(y, z) {
			return
		}
		want := image
		if other := instead(y, z); other != nil {
			want = other
		}
		if bytes.Equal(got[lo:hi], want[lo:hi]) {
			return
		}
		for i := lo; i < hi; i += 4 {
			if g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:]); g != w {
				err = fmt.Errorf("row y %d, z %d of %v cells, byte %d: %#x, want %#x", y, z, s.layout.N, i-lo, g, w)
				return
			}
		}
	})
	return err
}

func (s *trial) stats(exchanges int) error {
	got, want := s.e.Stats(), halo.Stats{Exchanges: exchanges}
	for _, l := range s.links {
		bytes := 0
		for _, r := range s.layout.Ranges(l.Send) {
			bytes += exchanges * (r.Hi - r.Lo) * s.valueBytes
		}
		if l.Rank == s.c.Rank() {
			want.Copied += bytes
		} else {
			want.Messages += exchanges
			want.Bytes += bytes
		}
	}
	if got.Seconds < 0 || got.Longest < got.Last || got.Seconds < got.Longest {
		return fmt.Errorf("rank %d: impossible times in %+v", s.c.Rank(), got)
	}
	got.Seconds, got.Last, got.Longest = 0, 0, 0
	if got != want {
		return fmt.Errorf("rank %d: stats %+v, want %+v", s.c.Rank(), got, want)
	}
	return nil
}
