// Package halotest is what every transport of package halo must do, and a device
// to try it on. Each value of the state is a number computed from the step and the
// global cell, so that a ghost plane filled from a wrong place, from a wrong step
// or too early differs.
package halotest

import (
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
)

// Build makes the exchange under test; halo.New is one.
type Build func(c comm.Comm, plan decomp.Plan, layout decomp.Layout, valueBytes int, dev halo.Memory) (halo.Exchange, error)

// Case is one domain to cut.
type Case struct {
	Dims       int
	Cells      [3]int
	Periodic   bool // along the axis that is cut
	Components int
	ValueBytes int
}

func (k Case) String() string {
	ends := "walls"
	if k.Periodic {
		ends = "periodic"
	}
	return fmt.Sprintf("%dD %v %s %d x %d bytes", k.Dims, k.Cells, ends, k.Components, k.ValueBytes)
}

// Cases are small domains of both dimensions and precisions, with slabs of one
// and two planes and uneven ones, and one with messages beyond MPI's eager limit.
func Cases() []Case {
	var cases []Case
	for _, periodic := range []bool{true, false} {
		cases = append(cases,
			Case{2, [3]int{33, 5, 1}, periodic, 9, 4},
			Case{2, [3]int{7, 12, 1}, periodic, 6, 8},
			Case{3, [3]int{33, 3, 5}, periodic, 10, 4},
			Case{3, [3]int{33, 4, 6}, periodic, 10, 2},
			Case{3, [3]int{16, 4, 7}, periodic, 19, 8},
			Case{3, [3]int{64, 40, 6}, periodic, 10, 4},
		)
	}
	return cases
}

// Run checks the transport with 1 to 5 ranks in one process.
func Run(t *testing.T, build Build, newDevice func() halo.Memory) {
	for _, k := range Cases() {
		for ranks := 1; ranks <= 5; ranks++ {
			t.Run(fmt.Sprintf("%v/%d ranks", k, ranks), func(t *testing.T) {
				err := comm.RunLocal(ranks, func(c comm.Comm) error { return Check(c, build, newDevice(), k) })
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

const (
	steps = 6
	stale = 0xdeadbeef // what cells hold that nobody has computed
)

// Check is collective: it exchanges the two states of a run in turn and looks at
// every value each time. While messages are in flight the bulk is written, as in
// a run.
func Check(c comm.Comm, build Build, dev halo.Memory, k Case) error {
	periodic := [3]bool{}
	periodic[k.Dims-1] = k.Periodic
	plan, err := decomp.Slabs(k.Cells, periodic, k.Dims, c.Size())
	if err != nil {
		return err
	}
	layout := plan.Layout(c.Rank(), k.Components)
	s := &state{c: c, plan: plan, layout: layout, valueBytes: k.ValueBytes}
	e, err := build(c, plan, layout, k.ValueBytes, dev)
	if err != nil {
		return err
	}
	defer e.Close()
	if e.Describe() == "" {
		return errors.New("the transport does not say what it is")
	}
	var states [2]device.Buffer
	for i := range states {
		if states[i], err = dev.Alloc(layout.Len() * k.ValueBytes); err != nil {
			return err
		}
		defer states[i].Free()
	}
	source, err := dev.Alloc(layout.Len() * k.ValueBytes)
	if err != nil {
		return err
	}
	defer source.Free()
	urgent, slow := dev.NewStream(true), dev.NewStream(false)
	edges, bulk := plan.Edges(c.Rank())
	delay := rand.New(rand.NewSource(int64(c.Rank())))
	for step := 1; step <= steps; step++ {
		out := states[step%2]
		if err := out.Write(s.image(func([3]int) uint32 { return stale }), 0); err != nil {
			return err
		}
		if err := source.Write(s.image(func(p [3]int) uint32 { return s.value(p, step) }), 0); err != nil {
			return err
		}
		if delay.Intn(3) == 0 {
			time.Sleep(time.Duration(delay.Intn(1000)) * time.Microsecond) // neighbours are not in step
		}
		for _, b := range edges {
			s.copy(urgent, out, source, b)
		}
		ready := urgent.Record()
		s.copy(slow, out, source, bulk)
		if err := e.Start(out, ready); err != nil {
			return err
		}
		if err := e.Finish(); err != nil {
			return err
		}
		if err := errors.Join(urgent.Sync(), slow.Sync()); err != nil {
			return err
		}
		if err := s.check(out, step); err != nil {
			return fmt.Errorf("rank %d, step %d: %w", c.Rank(), step, err)
		}
	}
	return s.stats(e.Stats())
}

// state knows what every value should be.
type state struct {
	c          comm.Comm
	plan       decomp.Plan
	layout     decomp.Layout
	valueBytes int
}

// value of a row of global cells (y, z) with component and x mixed in by image.
func (s *state) value(global [3]int, step int) uint32 {
	return uint32(step)<<24 ^ uint32(global[2]*1009+global[1])<<8
}

// image is the memory of a state whose local row p, ghosts included, starts at
// row(global place of p) and counts up.
func (s *state) image(row func(global [3]int) uint32) []byte {
	b := make([]byte, s.layout.Len()*s.valueBytes)
	n, g, lo := s.layout.N, s.layout.Ghost, s.plan.Box(s.c.Rank()).Lo
	for z := -g[2]; z < n[2]+g[2]; z++ {
		for y := -g[1]; y < n[1]+g[1]; y++ {
			global := [3]int{0, y + lo[1], z + lo[2]}
			for a := range global {
				global[a] = (global[a] + s.plan.Global[a]) % s.plan.Global[a]
			}
			first := s.layout.Row(y, z) * s.layout.RowLen()
			for i := 0; i < s.layout.RowLen(); i++ {
				v := row(global)
				if v != stale {
					v += uint32(i)
				}
				at := b[(first+i)*s.valueBytes:][:s.valueBytes]
				if s.valueBytes == 2 { // step and row of v folded onto the place in the row
					binary.LittleEndian.PutUint16(at, uint16(v^v>>16))
				}
				for ; len(at) >= 4; at = at[4:] {
					binary.LittleEndian.PutUint32(at, v)
				}
			}
		}
	}
	return b
}

// copy stands for a kernel: it fills the cells of a box.
func (s *state) copy(on device.Stream, out, source device.Buffer, box decomp.Box) {
	for _, r := range s.layout.Ranges(box) {
		on.Copy(out, r.Lo*s.valueBytes, source, r.Lo*s.valueBytes, (r.Hi-r.Lo)*s.valueBytes)
	}
}

// check compares the whole state: interior, ghost planes with a neighbour and,
// which must be untouched, ghost planes without.
func (s *state) check(b device.Buffer, step int) error {
	got := make([]byte, b.Bytes())
	if err := b.Read(got, 0); err != nil {
		return err
	}
	want := s.image(func(p [3]int) uint32 { return s.value(p, step) })
	axis := s.layout.Axis()
	for side, plane := range map[int]int{-1: -1, 1: s.layout.N[axis]} {
		if _, ok := s.plan.Neighbour(s.c.Rank(), side); !ok {
			lo, hi := s.layout.Plane(plane)
			copy(want[lo*s.valueBytes:hi*s.valueBytes], s.image(func([3]int) uint32 { return stale })[lo*s.valueBytes:])
		}
	}
	planes := s.layout.N[axis] + 2
	size := len(want) / planes
	for k := 0; k < planes; k++ {
		for i := k * size; i < (k+1)*size; i += 4 {
			g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
			if g != w {
				return fmt.Errorf("plane %d of -1 to %d, byte %d: %#x, want %#x", k-1, planes-2, i-k*size, g, w)
			}
		}
	}
	return nil
}

func (s *state) stats(got halo.Stats) error {
	lo, hi := s.layout.Plane(0)
	want := halo.Stats{Exchanges: steps}
	for _, l := range s.plan.Links(s.c.Rank()) {
		if l.Rank == s.c.Rank() {
			want.Copied += steps * (hi - lo) * s.valueBytes
		} else {
			want.Messages += steps
			want.Bytes += steps * (hi - lo) * s.valueBytes
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
