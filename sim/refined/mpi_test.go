// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"slices"
	"testing"

	"lbmsim/comm"
	"lbmsim/comm/mpi/mpitest"
	"lbmsim/device/cpu"
	"lbmsim/sim/rank"
)

// hashAfter returns the sum of the hashes of all patches' owned cells after some steps, over all ranks.
func (f flow) hashAfter(c comm.Comm, steps int) (sum uint64, err error) {
	dev, err := cpu.New(1)
	if err != nil {
		return 0, err
	}
	defer dev.Close()
	g, err := f.start(rank.New(c, 1, nil), dev)
	if err != nil {
		return 0, err
	}
	if err := g.Advance(steps); err != nil {
		return 0, err
	}
	mine := uint64(0)
	err = g.moments(func(p *Patch, x [3]int, _ []float64, state []byte) {
		if p.Owned().Contains(x) {
			h := fnv.New64a()
			for _, k := range []int{p.cut.Level, x[0], x[1], x[2]} {
				h.Write(binary.LittleEndian.AppendUint64(nil, uint64(k)))
			}
			h.Write(state)
			mine += h.Sum64()
		}
	})
	if err != nil {
		return 0, err
	}
	all, err := comm.Together(c, mine)
	for _, h := range all {
		sum += h
	}
	g.Close()
	return sum, err
}

// ordered visits flows in an order that all ranks have.
func ordered(list map[string]flow) iter.Seq2[string, flow] {
	return func(yield func(string, flow) bool) {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if !yield(name, list[name]) {
				return
			}
		}
	}
}

// Ranks of MPI compute the bits of one rank.
func TestMPI(t *testing.T) {
	mpitest.Run(t, []int{2, 4, 7}, func(c comm.Comm) error {
		var mine []func() error // comparisons that this rank makes
		number := 0
		for _, by := range []int{1, 3} {
			for name, f := range ordered(flows("D2Q9", "cumulant", by)) {
				got, err := f.hashAfter(c, 3)
				if err != nil {
					return err
				}
				if number++; number%c.Size() != c.Rank() {
					continue
				}
				mine = append(mine, func() error {
					want, err := f.hashAfter(comm.Serial(), 3)
					if err == nil && got != want {
						err = fmt.Errorf("%s, %d times as large: other bits than on one rank", name, by)
					}
					return err
				})
			}
		}
		for _, compare := range mine {
			if err := compare(); err != nil {
				return err
			}
		}
		return nil
	})
}
