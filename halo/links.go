// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"errors"
	"fmt"
	"slices"

	"lbmsim/decomp"
	"lbmsim/device"
)

// path is a link in bytes of the state. One direction may be empty.
type path struct {
	Rank                 int // the neighbour
	SendTag, RecvTag     int
	send, recv           []decomp.Range
	sendBytes, recvBytes int
}

// loop is a path of a rank to itself: cells of one side fill the ghost cells of the opposite side.
type loop struct {
	path
	copies []stridedCopy
}

// newPath creates a path from positions in a state, in units of the given number of bytes.
func newPath(rank, sendTag, recvTag int, send, recv []decomp.Range, unit int) path {
	p := path{Rank: rank, SendTag: sendTag, RecvTag: recvTag}
	for _, r := range send {
		p.send = append(p.send, decomp.Range{Lo: r.Lo * unit, Hi: r.Hi * unit})
	}
	for _, r := range recv {
		p.recv = append(p.recv, decomp.Range{Lo: r.Lo * unit, Hi: r.Hi * unit})
	}
	p.sendBytes, p.recvBytes = span(p.send), span(p.recv)
	return p
}

// paths turns the rank's links into byte ranges: those to other ranks and those to
// the rank itself.
func (s Setup) paths() (others []path, self []loop, err error) {
	c, layout := s.Comm, s.Layout
	for _, b := range s.States {
		if b == nil || b.Bytes() < layout.Len()*s.ValueBytes {
			return nil, nil, fmt.Errorf("the layout has %d bytes, a state fewer", layout.Len()*s.ValueBytes)
		}
	}
	for _, l := range s.Links {
		if err := s.check(l); err != nil {
			return nil, nil, err
		}
		p := newPath(l.Rank, l.SendTag, l.RecvTag, layout.Ranges(l.Send), layout.Ranges(l.Recv), s.ValueBytes)
		if p.sendBytes != p.recvBytes {
			return nil, nil, errors.New("the sent and received sizes of a link differ") // a bug in decomp
		}
		if l.Rank == c.Rank() {
			self = append(self, loop{path: p})
		} else {
			others = append(others, p)
		}
	}
	for i := range self {
		back := slices.IndexFunc(self, func(l loop) bool { return l.RecvTag == self[i].SendTag })
		if back < 0 || self[back].recvBytes != self[i].sendBytes {
			return nil, nil, errors.New("a message of a rank to itself has no destination") // a bug in decomp
		}
		self[i].copies = stridedCopies(self[i].send, self[back].recv)
	}
	return others, self, nil
}

// check reports a link that does not belong to these ranks or to the layout: it sends cells of the box, and receives ghost
// cells, or both are listed cells.
func (s Setup) check(l decomp.Link) error {
	if l.Rank < 0 || l.Rank >= s.Comm.Size() {
		return fmt.Errorf("a link leads to rank %d of %d", l.Rank, s.Comm.Size())
	}
	if s.Layout.IsListed(l.Send) && s.Layout.IsListed(l.Recv) {
		return nil
	}
	own, ghost := true, false
	for a, n := range s.Layout.N {
		g := s.Layout.Ghost[a]
		own = own && l.Send.Lo[a] >= 0 && l.Send.Hi[a] <= n && l.Recv.Lo[a] >= -g && l.Recv.Hi[a] <= n+g
		ghost = ghost || l.Recv.Hi[a] <= 0 || l.Recv.Lo[a] >= n
	}
	if !own || !ghost {
		return fmt.Errorf("the layout has %v cells with ghosts %v; the link to rank %d sends %v and receives %v", s.Layout.N, s.Layout.Ghost, l.Rank, l.Send, l.Recv)
	}
	return nil
}

// stridedCopy copies rows of bytes from one place to another in one operation.
type stridedCopy struct {
	From, To             int // the first row
	FromStride, ToStride int
	Bytes, Count         int // of a row; rows
}

// stridedCopies leads from the bytes of one list of ranges to the bytes of another, which has as many, in their order: few
// operations even for many ranges, such as the rows of a plane of constant y.
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

// whole returns the range of a message's bytes in separate memory.
func whole(bytes int) []decomp.Range { return []decomp.Range{{Lo: 0, Hi: bytes}} }

// queueCopy queues a stridedCopy, with its offsets and strides, between two memories.
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
