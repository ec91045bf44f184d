// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package comm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
)

// The functions here are collective: every rank calls them in the same order.

// collective returns c itself if it is a Collective, otherwise an implementation with messages.
func collective(c Comm) Collective {
	if own, ok := c.(Collective); ok {
		return own
	}
	return tree{c}
}

// Barrier returns when every rank has called it.
func Barrier(c Comm) error { return collective(c).Barrier() }

// Broadcast returns rank 0's data on every rank. The other ranks need not know
// its length; what they pass is ignored.
func Broadcast(c Comm, data []byte) ([]byte, error) { return broadcast(c, data, 0) }

func broadcast(c Comm, data []byte, root int) ([]byte, error) {
	own := collective(c)
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(data)))
	if err := own.Bcast(length[:], root); err != nil {
		return nil, err
	}
	if c.Rank() != root {
		data = make([]byte, binary.LittleEndian.Uint64(length[:]))
	}
	if len(data) == 0 && binary.LittleEndian.Uint64(length[:]) == 0 {
		return data, nil
	}
	if err := own.Bcast(data, root); err != nil {
		return nil, err
	}
	return data, nil
}

// Gather returns at rank 0 every rank's data, which may differ in length, in the
// order of the ranks; on the others nil.
func Gather(c Comm, data []byte) ([][]byte, error) { return collective(c).Gather(data, 0) }

// Max replaces x on every rank by its element-wise maximum over the ranks. All
// ranks give the same number of elements.
func Max(c Comm, x []int64) error { return collective(c).MaxInt64(x) }

// Together returns every rank's value, in the order of the ranks, on every rank; values are sent as
// JSON. For start-up only: rank 0 stores and sends the whole list.
func Together[T any](c Comm, mine T) ([]T, error) {
	b, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	parts, err := Gather(c, b)
	if err != nil {
		return nil, err
	}
	if b, err = json.Marshal(parts); err != nil {
		return nil, err
	}
	if b, err = Broadcast(c, b); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return nil, err
	}
	all := make([]T, len(parts))
	for i, p := range parts {
		err = errors.Join(err, json.Unmarshal(p, &all[i]))
	}
	return all, err
}
