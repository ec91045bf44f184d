// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"bytes"
	"math"
	"math/rand"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

func noise(bytes int, seed int64) []byte {
	b := make([]byte, bytes)
	rand.New(rand.NewSource(seed)).Read(b)
	return b
}

func write(t testing.TB, b device.Buffer, src []byte, offset int) {
	t.Helper()
	if err := b.Write(src, offset); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, b device.Buffer, bytes, offset int) []byte {
	t.Helper()
	dst := make([]byte, bytes)
	if err := b.Read(dst, offset); err != nil {
		t.Fatal(err)
	}
	return dst
}

// memory: buffers are zeroed, also where memory was used before; Read, Write and Copy
// move exactly the bytes that they name, at odd offsets, too; no access is outside.
func memory(t *testing.T, d device.Device, _ Options) {
	const size = 3<<20 + 5
	for range 3 {
		b := alloc(t, d, size)
		if b.Bytes() != size {
			t.Errorf("a buffer of %d bytes has %d", size, b.Bytes())
		}
		if got := read(t, b, size, 0); !bytes.Equal(got, make([]byte, size)) {
			t.Error("memory is not zeroed")
		}
		write(t, b, bytes.Repeat([]byte{0xff}, size), 0)
		b.Free()
	}
	want, other := noise(size, 1), noise(size, 2)
	a, b := alloc(t, d, size), alloc(t, d, size)
	defer a.Free()
	defer b.Free()
	write(t, a, want, 0)
	write(t, b, other, 0)
	for _, part := range [][2]int{{0, 1}, {1, 7}, {4093, 70001}, {size - 3, 3}, {size, 0}} {
		copy(want[part[0]:], other[part[0]:part[0]+part[1]])
		write(t, a, other[part[0]:part[0]+part[1]], part[0])
		if got := read(t, a, part[1], part[0]); !bytes.Equal(got, other[part[0]:part[0]+part[1]]) {
			t.Errorf("bytes %v do not come back", part)
		}
	}
	s := d.NewStream(false)
	for _, part := range [][3]int{{0, 17, 1}, {5, 0, 123457}, {300000, 1 << 20, 2<<20 + 1}, {size - 1, 2, 1}, {9, 9, 0}} {
		copy(want[part[0]:], other[part[1]:part[1]+part[2]])
		s.Copy(a, part[0], b, part[1], part[2])
	}
	// Within one buffer, as a periodic axis does it.
	copy(want[2<<20:], want[100:100+70000])
	s.Copy(a, 2<<20, a, 100, 70000)
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, a, size, 0); !bytes.Equal(got, want) {
		t.Error("copies moved other bytes than they were told to")
	}
	for _, part := range [][2]int{{-1, 1}, {0, size + 1}, {size, 1}, {size - 2, 3}, {math.MaxInt - 1, 4}} {
		if a.Read(make([]byte, part[1]), part[0]) == nil {
			t.Errorf("%d bytes at %d were read from a buffer of %d", part[1], part[0], size)
		}
		if a.Write(make([]byte, part[1]), part[0]) == nil {
			t.Errorf("%d bytes at %d were written to a buffer of %d", part[1], part[0], size)
		}
	}
	if _, err := d.Alloc(-1); err == nil {
		t.Error("a buffer of -1 bytes was made")
	}
	if b, err := d.Alloc(1 << 50); err == nil {
		b.Free()
		t.Error("a buffer of 1 PiB was made")
	}
	if b, err := d.Alloc(0); err != nil {
		t.Errorf("a buffer of no bytes: %v", err)
	} else {
		b.Free()
	}
}

// streams: the work of a stream runs in order, and events hold other streams back. A token passes
// through buffers on several streams in a cycle; a hand-over without a wait passes an older one.
func streams(t *testing.T, d device.Device, _ Options) {
	const size, stages, rounds = 8 << 20, 5, 12
	var ring [stages]device.Buffer
	var queue [stages]device.Stream
	for i := range ring {
		ring[i] = alloc(t, d, size)
		defer ring[i].Free()
		queue[i] = d.NewStream(i%2 == 0)
	}
	token := alloc(t, d, rounds*size)
	defer token.Free()
	seen := alloc(t, d, rounds*size)
	defer seen.Free()
	want := make([]byte, 0, rounds*size)
	for r := range rounds {
		want = append(want, bytes.Repeat(noise(4096, int64(r)), size/4096)...)
	}
	write(t, token, want, 0)
	var last device.Event
	var all []device.Event
	for r := range rounds {
		for i := range ring {
			if last != nil {
				queue[i].After(last)
			}
			if i == 0 {
				queue[i].Copy(ring[0], 0, token, r*size, size)
			} else {
				queue[i].Copy(ring[i], 0, ring[i-1], 0, size)
			}
			last = queue[i].Record()
			all = append(all, last)
		}
		queue[stages-1].Copy(seen, r*size, ring[stages-1], 0, size)
	}
	if err := queue[stages-1].Sync(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, seen, rounds*size, 0); !bytes.Equal(got, want) {
		t.Error("a stream did not wait for the event that it was given")
	}
	before := math.Inf(-1)
	for i, e := range all {
		if err := e.Wait(); err != nil || !e.Done() {
			t.Fatalf("event %d: done %v, %v", i, e.Done(), err)
		}
		now := e.Seconds()
		if !(now >= before) {
			t.Errorf("event %d was at %.9f s, after the one before it at %.9f s", i, now, before)
		}
		before = now
	}
	if total := all[len(all)-1].Seconds() - all[0].Seconds(); !(total > 0 && total < 60) {
		t.Errorf("%d copies took %g s by the events", len(all), total)
	}

	// An event of an empty stream, a wait for one that has passed, and a second wait.
	s := d.NewStream(false)
	e := s.Record()
	s.After(e)
	s.After(last)
	if err := e.Wait(); err != nil {
		t.Error(err)
	}
	if err := e.Wait(); err != nil {
		t.Error(err)
	}
	if err := s.Sync(); err != nil {
		t.Error(err)
	}
	if err := s.Sync(); err != nil {
		t.Error(err)
	}
}

// foreign is a buffer that belongs to no device.
type foreign struct{ bytes int }

func (f foreign) Bytes() int              { return f.bytes }
func (f foreign) Read([]byte, int) error  { return nil }
func (f foreign) Write([]byte, int) error { return nil }
func (f foreign) Free()                   {}

// refusals: invalid calls return an error, at the call or at Sync, before any access to memory.
func refusals(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		e := NewExample(spec, [3]int{37, 9, 5}, [3]bool{true, true, false}, 7)
		s := Start(t, d, e)
		before := s.Bits(t)
		p := s.parts[0]
		full, box := stateBytes(spec, p.layout), decomp.Box{Hi: e.N}
		short := alloc(t, d, full-1)
		defer short.Free()
		// Each on a separate stream, since a stream keeps its error.
		queued := func(what string, work func(device.Stream)) {
			t.Helper()
			q := d.NewStream(false)
			work(q)
			event := q.Record().Wait()
			if err := q.Sync(); err == nil {
				t.Errorf("%s: no error", what)
			} else if event == nil {
				t.Errorf("%s: Sync says %v, but the event that came after says nothing", what, err)
			}
		}
		step := func(what string, in, out device.Buffer, b decomp.Box) {
			t.Helper()
			queued("step "+what, func(q device.Stream) { p.program.Step(q, in, out, b, e.Params) })
		}
		now, next := p.state[0], p.state[1]
		step("from another device's buffer", foreign{full}, next, box)
		step("to another device's buffer", now, foreign{full}, box)
		step("from a buffer that is too small", short, next, box)
		step("to a buffer that is too small", now, short, box)
		step("in place", now, now, box)
		step("of planes below the box", now, next, decomp.Box{Lo: [3]int{0, 0, -1}, Hi: e.N})
		step("of rows beyond the box", now, next, decomp.Box{Hi: [3]int{e.N[0], e.N[1] + 1, e.N[2]}})
		step("of half rows", now, next, decomp.Box{Hi: [3]int{e.N[0] - 1, e.N[1], e.N[2]}})
		queued("copy from another device's buffer", func(q device.Stream) { q.Copy(now, 0, foreign{full}, 0, 1) })
		queued("copy to another device's buffer", func(q device.Stream) { q.Copy(foreign{full}, 0, now, 0, 1) })
		queued("copy beyond the end", func(q device.Stream) { q.Copy(next, full-3, now, 0, 4) })
		queued("copy from beyond the end", func(q device.Stream) { q.Copy(next, 0, now, full-3, 4) })
		queued("copy from before the start", func(q device.Stream) { q.Copy(next, 0, now, -1, 4) })

		now2, fields := make([]float64, box.Cells()*spec.Lattice.Moments()), make([]float64, box.Cells()*(1+spec.Lattice.Dims))
		outside := decomp.Box{Lo: [3]int{0, 0, -2}, Hi: [3]int{e.N[0], e.N[1], e.N[2] - 2}}
		for what, err := range map[string]error{
			"Init of another device's buffer":    p.program.Init(foreign{full}, box, now2, e.Params),
			"Init of a buffer that is too small": p.program.Init(short, box, now2, e.Params),
			"Init from too few values":           p.program.Init(now, box, now2[1:], e.Params),
			"Init outside the box":               p.program.Init(now, outside, now2, e.Params),
			"Fields of another device's buffer":  p.program.Fields(foreign{full}, box, fields, e.Params),
			"Fields of a small buffer":           p.program.Fields(short, box, fields, e.Params),
			"Fields to too few values":           p.program.Fields(now, box, fields[1:], e.Params),
			"Fields outside the ghosts":          p.program.Fields(now, outside, fields, e.Params),
		} {
			if err == nil {
				t.Errorf("%s: no error", what)
			}
		}
		if _, err := p.program.Planes(foreign{full}, e.Params); err == nil {
			t.Error("Planes of another device's buffer: no error")
		}
		if _, err := p.program.Planes(short, e.Params); err == nil {
			t.Error("Planes of a buffer that is too small: no error")
		}
		refusedLoads(t, d, e)
		sameBits(t, e, "after all that was refused", s.Bits(t), before)

		// The device is still usable.
		s.Step(t, 1)
		e.check(t, s.Values(t), e.Oracle(1))
	})
}

func refusedLoads(t *testing.T, d device.Device, e Example) {
	t.Helper()
	l := e.layout(e.N)
	refused := func(what string, l decomp.Layout, periodic [3]bool, cells boundary.Cells) {
		t.Helper()
		if p, err := d.Load(e.Spec, l, periodic, cells); err == nil {
			p.Close()
			t.Errorf("load with %s: no error", what)
		}
	}
	other := l
	other.Components++
	refused("a layout of other components", other, e.Periodic, e.Cells)
	other = l
	other.Pitch++
	refused("rows that are not aligned", other, e.Periodic, e.Cells)
	small := e.N
	small[1]--
	refused("cells of another box", l, e.Periodic, boundary.NewCells(small))
	few := e.Cells
	few.Walls = few.Walls[:1]
	refused("walls without a velocity", l, e.Periodic, few)
	refused("an open face", l, [3]bool{}, boundary.NewCells(e.N))
}

// strangers: two devices at once compute the same and do not disturb each other; a
// stream refuses another device's events.
func strangers(t *testing.T, d device.Device, open func(testing.TB) device.Device) {
	other := open(t)
	t.Cleanup(func() { // after the work on it
		if err := other.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	spec := model.Spec{Lattice: model.Lattices[0], Collision: model.Collisions[0], Precision: model.Float64}
	e := NewExample(spec, [3]int{37, 9, 1}, [3]bool{true, true, true}, 8)
	mine, theirs := Start(t, d, e), Start(t, other, e)
	for range 3 {
		mine.queue()
		theirs.queue()
	}
	mine.sync(t)
	theirs.sync(t)
	sameBits(t, e, "on a second device", theirs.Bits(t), mine.Bits(t))
	s := d.NewStream(false)
	s.After(theirs.stream.Record())
	if s.Sync() == nil {
		t.Error("a wait for another device's event: no error")
	}
}
