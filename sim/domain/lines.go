// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"fmt"
	"slices"

	"lbmsim/comm"
	"lbmsim/internal/raw"
	"lbmsim/sim/rank"
)

// Lines of cells along an axis, which ranks may share.

// lineOf returns the ranks whose boxes follow each other along an axis through this one's,
// and this rank's place among them.
func (p *Part) lineOf(on *rank.Rank, axis int) (ranks []int, me int) {
	ranks = p.Plan.Line(p.Plan.Box(on.ID).Lo, axis)
	return ranks, slices.Index(ranks, on.ID)
}

// WholeLines assembles lines along an axis. pieces are this rank's parts of each, [line][value][cell], and the ranks that
// share these lines pass the same number. It returns the whole lines of this rank's share, in the same layout. Collective
// among the ranks that share lines.
func (p *Part) WholeLines(on *rank.Rank, axis, values int, pieces []float64) ([]float64, error) {
	ranks, me := p.lineOf(on, axis)
	if len(ranks) == 1 {
		return pieces, nil
	}
	box := func(i int) (from, n int) {
		b := p.Plan.Box(ranks[i])
		return b.Lo[axis], b.Hi[axis] - b.Lo[axis]
	}
	_, mine := box(me)
	each := values * mine // of a line
	lines := len(pieces) / each
	part := func(i int) (lo, hi int) { return lines * i / len(ranks), lines * (i + 1) / len(ranks) }
	lo, hi := part(me)
	got, err := exchangeParts(on, ranks, me, func(i int) []float64 {
		lo, hi := part(i)
		return pieces[lo*each : hi*each]
	}, func(i int) int {
		_, n := box(i)
		return (hi - lo) * values * n
	})
	if err != nil {
		return nil, fmt.Errorf("rank %d: lines along %c: %w", on.ID, "xyz"[axis], err)
	}
	whole := p.Plan.Global[axis]
	all := make([]float64, (hi-lo)*values*whole)
	for i, piece := range got {
		from, n := box(i)
		for k := range (hi - lo) * values {
			copy(all[k*whole+from:], piece[k*n:][:n])
		}
	}
	return all, nil
}

// exchangeParts sends every rank of a line its part of this rank's data, and returns the others'
// data for this rank; want is the number of values from rank i. In round s ranks i and s-i
// communicate, the lower one first, so that no ranks deadlock.
func exchangeParts[T float32 | float64](on *rank.Rank, ranks []int, me int, mine func(i int) []T, want func(i int) int) ([][]T, error) {
	all := make([][]T, len(ranks))
	for round := range ranks {
		i := (round - me + len(ranks)) % len(ranks)
		send := mine(i)
		if i == me {
			all[i] = send
			continue
		}
		all[i] = make([]T, want(i))
		calls := []func() error{
			func() error { return on.Comm.Send(comm.Raw(raw.Bytes(send)), ranks[i], tagLines) },
			func() error {
				message := comm.Raw(raw.Bytes(all[i]))
				return on.Comm.Receive(&message, ranks[i], tagLines)
			},
		}
		if i < me {
			calls[0], calls[1] = calls[1], calls[0]
		}
		for _, call := range calls {
			if err := call(); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// tagLines is the tag of these messages.
const tagLines = 101
