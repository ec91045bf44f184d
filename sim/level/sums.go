// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"lbmsim/decomp"
	"lbmsim/device"
)

// Queries of the current state (derive.State).

// Fields reads the cells of a box, local, as device.Program has them.
func (l *Level) Fields(box decomp.Box, values []float64) error {
	return l.Program.Fields(l.State[0], box, values, l.Params)
}

// SumPlanes and SumRows sum the cells of the current state.
func (l *Level) SumPlanes() ([]device.Plane, error) { return l.Program.Planes(l.State[0], l.Params) }
func (l *Level) SumRows() ([]device.Plane, error)   { return l.Program.Rows(l.State[0], l.Params) }

// SumProfile sums planes across an axis; false: the device does not.
func (l *Level) SumProfile(axis int, unit, warmth float64) (sums []int64, ok bool, err error) {
	p, ok := l.Program.(device.Profiler)
	if !ok || p.PrepareProfile() != nil {
		return nil, false, nil
	}
	sums, err = p.Profile(l.State[0], axis, unit, warmth, l.Params)
	return sums, true, err
}

// Hash returns the sum of the hashes of all rows of the level's cells, each with its place in the domain.
func (l *Level) Hash() (uint64, error) {
	layout, n := l.Part.Layout, l.Part.Layout.N
	value, sum := l.Part.Case.Spec.Precision.Bytes(), uint64(0)
	var block []byte
	for z := range n[2] {
		plane := decomp.Box{Lo: [3]int{0, 0, z}, Hi: [3]int{n[0], n[1], z + 1}}
		rows := layout.Ranges(plane)
		if len(rows) != 1 {
			return 0, errors.New("the rows of a plane are not contiguous") // a bug in decomp
		}
		lo, hi := rows[0].Lo*value, rows[0].Hi*value
		if block == nil {
			block = make([]byte, hi-lo)
		}
		if err := l.State[0].Read(block, lo); err != nil {
			return 0, fmt.Errorf("plane %d: %w", z, err)
		}
		hashes := make([]uint64, n[1])
		err := l.Rank.Share(n[1], func(from, to int) error {
			for y := from; y < to; y++ {
				h := sha256.New()
				var place [8]byte
				binary.LittleEndian.PutUint64(place[:], uint64((l.Part.Box.Lo[2]+z)*l.Part.Case.Cells[1]+l.Part.Box.Lo[1]+y))
				h.Write(place[:])
				for c := range layout.Components { // without the padding
					at := (y*layout.RowLen() + c*layout.Pitch) * value
					h.Write(block[at : at+n[0]*value])
				}
				hashes[y] = binary.LittleEndian.Uint64(h.Sum(nil))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		for _, h := range hashes {
			sum += h
		}
	}
	return sum, nil
}
