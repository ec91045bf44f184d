// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package comm

import (
	"encoding/binary"
	"fmt"
)

// tree implements the collective operations by messages, for a Comm without its own. Ranks form a
// binomial tree (the parent of v is v without its lowest set bit): 2 log2(n) messages deep, so that
// start-up stays flat at thousands of ranks, and free of deadlock even if Send waits for its
// receiver, because messages flow either all up or all down.
type tree struct{ c Comm }

// Tags of the operations, above MaxTag: a late message of one operation cannot be mistaken for one
// of the next.
const (
	tagBarrier = MaxTag + 1 + iota
	tagBcast
	tagGather
	tagMax
)

// Barrier goes up to rank 0 and down again without data.
func (t tree) Barrier() error {
	if err := t.up(0, tagBarrier, nil, nil); err != nil {
		return fmt.Errorf("barrier: %w", err)
	}
	if err := t.down(nil, 0, tagBarrier); err != nil {
		return fmt.Errorf("barrier: %w", err)
	}
	return nil
}

// Bcast implements Collective.
func (t tree) Bcast(data []byte, root int) error {
	if err := t.down(data, root, tagBcast); err != nil {
		return fmt.Errorf("broadcast from rank %d: %w", root, err)
	}
	return nil
}

// Gather sends each subtree's parts upwards as one list of (rank, bytes).
func (t tree) Gather(data []byte, root int) ([][]byte, error) {
	type part struct {
		Rank int
		Data []byte
	}
	parts := []part{{t.c.Rank(), data}}
	err := t.up(root, tagGather, func(child int) error {
		var theirs []part
		if err := t.c.Receive(&theirs, child, tagGather); err != nil {
			return err
		}
		parts = append(parts, theirs...)
		return nil
	}, func(parent int) error { return t.c.Send(parts, parent, tagGather) })
	if err != nil {
		return nil, fmt.Errorf("gather at rank %d: %w", root, err)
	}
	if t.c.Rank() != root {
		return nil, nil
	}
	out := make([][]byte, t.c.Size())
	for _, p := range parts {
		out[p.Rank] = append([]byte{}, p.Data...)
	}
	return out, nil
}

// MaxInt64 reduces up to rank 0 and broadcasts the result.
func (t tree) MaxInt64(x []int64) error {
	b, theirs := make([]byte, 8*len(x)), make([]byte, 8*len(x))
	err := t.up(0, tagMax, func(child int) error {
		if err := t.c.Receive(Raw(theirs), child, tagMax); err != nil {
			return err
		}
		for i := range x {
			x[i] = max(x[i], int64(binary.LittleEndian.Uint64(theirs[8*i:])))
		}
		return nil
	}, func(parent int) error {
		putInt64s(b, x)
		return t.c.Send(Raw(b), parent, tagMax)
	})
	if err == nil {
		putInt64s(b, x)
		err = t.down(b, 0, tagMax)
	}
	if err != nil {
		return fmt.Errorf("maximum over the ranks: %w", err)
	}
	for i := range x {
		x[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return nil
}

// up visits the children, then the parent; nil functions move empty messages.
func (t tree) up(root, tag int, fromChild, toParent func(rank int) error) error {
	if fromChild == nil {
		fromChild = func(r int) error { return t.c.Receive(Raw{}, r, tag) }
		toParent = func(r int) error { return t.c.Send(Raw{}, r, tag) }
	}
	parent, children := t.family(root)
	for _, child := range children {
		if err := fromChild(child); err != nil {
			return err
		}
	}
	if parent < 0 {
		return nil
	}
	return toParent(parent)
}

// down passes data from the root to all, the largest subtree first.
func (t tree) down(data []byte, root, tag int) error {
	parent, children := t.family(root)
	if parent >= 0 {
		if err := t.c.Receive(Raw(data), parent, tag); err != nil {
			return err
		}
	}
	for i := len(children) - 1; i >= 0; i-- {
		if err := t.c.Send(Raw(data), children[i], tag); err != nil {
			return err
		}
	}
	return nil
}

// family returns this rank's parent (-1 at the root) and its children, the smallest
// subtree first. Positions in the tree count from the root.
func (t tree) family(root int) (parent int, children []int) {
	n := t.c.Size()
	v := (t.c.Rank() - root + n) % n
	for bit := 1; bit < n; bit <<= 1 {
		if v&bit != 0 {
			return (v&^bit + root) % n, children
		}
		if v|bit < n {
			children = append(children, (v|bit+root)%n)
		}
	}
	return -1, children
}

func putInt64s(b []byte, x []int64) {
	for i, v := range x {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
	}
}
