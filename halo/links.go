package halo

import (
	"errors"
	"fmt"
	"slices"

	"lbmsim/decomp"
	"lbmsim/device"
)

// path is one link of the plan in bytes of the state.
type path struct {
	decomp.Link
	send, recv []decomp.Range
	bytes      int
}

// loop is a path of a rank to itself: what leaves on one side lands in the ghost
// cells of the opposite side.
type loop struct {
	path
	copies []stridedCopy
}

// paths turns the rank's links into byte ranges: those to other ranks and those to
// the rank itself.
func (s Setup) paths() (others []path, self []loop, err error) {
	c, plan, layout := s.Comm, s.Plan, s.Layout
	if plan.Ranks() != c.Size() {
		return nil, nil, fmt.Errorf("the plan is for %d ranks, there are %d", plan.Ranks(), c.Size())
	}
	if n := plan.Box(c.Rank()).Size(); layout.N != n || layout.Ghost != plan.Ghost() {
		return nil, nil, fmt.Errorf("the layout is for %v cells with ghosts %v, the rank's box has %v and %v",
			layout.N, layout.Ghost, n, plan.Ghost())
	}
	for _, b := range s.States {
		if b == nil || b.Bytes() < layout.Len()*s.ValueBytes {
			return nil, nil, fmt.Errorf("the layout has %d bytes, a state less", layout.Len()*s.ValueBytes)
		}
	}
	inBytes := func(b decomp.Box) (out []decomp.Range, n int) {
		for _, r := range layout.Ranges(b) {
			r.Lo *= s.ValueBytes
			r.Hi *= s.ValueBytes
			out = append(out, r)
			n += r.Hi - r.Lo
		}
		return out, n
	}
	for _, l := range plan.Links(c.Rank()) {
		p := path{Link: l}
		var n int
		p.send, p.bytes = inBytes(l.Send)
		if p.recv, n = inBytes(l.Recv); n != p.bytes {
			return nil, nil, errors.New("what a link sends does not fit what it receives") // a bug in decomp
		}
		if l.Rank == c.Rank() {
			self = append(self, loop{path: p})
		} else {
			others = append(others, p)
		}
	}
	for i := range self {
		back := slices.IndexFunc(self, func(l loop) bool { return l.RecvTag == self[i].SendTag })
		if back < 0 || self[back].bytes != self[i].bytes {
			return nil, nil, errors.New("what a rank sends itself has no place to land") // a bug in decomp
		}
		self[i].copies = stridedCopies(self[i].send, self[back].recv)
	}
	return others, self, nil
}

// stridedCopy is rows of bytes that go from one place to another in one piece of work.
type stridedCopy struct {
	From, To             int // the first row
	FromStride, ToStride int
	Bytes, Count         int // of a row; rows
}

// stridedCopies leads from the bytes of one list of ranges to those of another, which has
// as many, in their order: few pieces of work even where the ranges are many, as the
// rows along a plane of constant y are.
func stridedCopies(from, to []decomp.Range) (list []stridedCopy) {
	var f, t decomp.Range
	for {
		for f.Lo == f.Hi && len(from) > 0 {
			f, from = from[0], from[1:]
		}
		for t.Lo == t.Hi && len(to) > 0 {
			t, to = to[0], to[1:]
		}
		n := min(f.Hi-f.Lo, t.Hi-t.Lo)
		if n == 0 {
			return list
		}
		next := stridedCopy{From: f.Lo, To: t.Lo, FromStride: n, ToStride: n, Bytes: n, Count: 1}
		f.Lo += n
		t.Lo += n
		if len(list) > 0 && list[len(list)-1].takes(next) {
			continue
		}
		list = append(list, next)
	}
}

// takes adds a row to the stridedCopy if it is the next of equal ones. Rows that overlap,
// as a second one before the first would, are not rows to a device.
func (c *stridedCopy) takes(next stridedCopy) bool {
	from, to := next.From-c.From, next.To-c.To
	if next.Bytes != c.Bytes || c.Count == 1 && (from < c.Bytes || to < c.Bytes) ||
		c.Count > 1 && (from != c.Count*c.FromStride || to != c.Count*c.ToStride) {
		return false
	}
	if c.Count == 1 {
		c.FromStride, c.ToStride = from, to
	}
	c.Count++
	return true
}

// whole is the range of a message's bytes in memory of its own.
func whole(bytes int) []decomp.Range { return []decomp.Range{{Lo: 0, Hi: bytes}} }

// queueCopy queues a stridedCopy between two places, whose offsets and strides it has.
func queueCopy(s device.Stream, dst, src device.Rows, c stridedCopy) {
	dst.Offset, dst.Stride = c.To, c.ToStride
	src.Offset, src.Stride = c.From, c.FromStride
	if r, ok := s.(device.RowCopier); ok {
		r.CopyRows(dst, src, c.Bytes, c.Count)
		return
	}
	for i := range c.Count {
		s.Copy(dst.Buffer, c.To+i*c.ToStride, src.Buffer, c.From+i*c.FromStride, c.Bytes)
	}
}

// queueCopies queues stridedCopies from one of the device's buffers to another.
func queueCopies(s device.Stream, dst, src device.Buffer, list []stridedCopy) {
	for _, c := range list {
		queueCopy(s, device.Rows{Buffer: dst}, device.Rows{Buffer: src}, c)
	}
}
