// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/comm"
	"lbmsim/internal/raw"
	"lbmsim/sim/rank"
)

// Sums over the whole domain must be the same bits for every cut, and floating-point
// addition is not associative. So they have one order: rows along x, which is never cut, are added
// to planes in sequence, and planes to the whole. Where ranks share planes, each continues the sums
// of the previous rank along y: one short message after the other per part along y, in a watch that
// runs every hundredth step.

// tagSums is the tag of these messages; the tags of an exchange are lower.
const tagSums = 100

// Columns of a table of sums: the first ones are added up, of the others the largest
// counts.
type Columns struct{ Added, All int }

// PlaneSums gathers a table of this rank's rows, [plane][row][column], at rank 0 as one table of all planes in their order;
// the other ranks get nil. Collective.
func (p *Part) PlaneSums(on *rank.Rank, rows []float64, of Columns) ([]float64, error) {
	line := []int{on.ID}
	if p.Shared() {
		line = p.Plan.Line(p.Box.Lo, 1)
	}
	return PlaneSums(on, line, p.Planes(), rows, of)
}

// PlaneSums does so for a box of which this rank has a number of planes, or its share of them: with the ranks of line,
// itself among them, in the order of their rows. A rank without cells has no planes.
func PlaneSums(on *rank.Rank, line []int, planes int, rows []float64, of Columns) ([]float64, error) {
	var sums []float64
	if planes > 0 {
		var err error
		if sums, err = Through(on, line, make([]float64, planes*of.All), func(sums []float64) { addRows(sums, rows, planes, of) }); err != nil {
			return nil, err
		}
	}
	parts, err := comm.Gather(on.Comm, comm.Float64Bytes(sums))
	if err != nil || !on.Root {
		return nil, err
	}
	var all []float64
	for _, part := range parts { // ranks are in the order of the slowest axis
		for i := range len(part) / 8 {
			all = append(all, comm.Float64At(part, i))
		}
	}
	return all, nil
}

// addRows adds rows to their planes.
func addRows(sums, rows []float64, planes int, of Columns) {
	each := len(rows) / planes
	for k := range planes {
		plane := sums[k*of.All:][:of.All]
		for row := rows[k*each:][:each]; len(row) > 0; row = row[of.All:] {
			for c := range plane {
				if c < of.Added {
					plane[c] += row[c]
				} else {
					plane[c] = math.Max(plane[c], row[c])
				}
			}
		}
	}
}

// Onwards passes sums on along an axis: each rank adds its own to what the ranks before it have added. The last one returns the
// result, the others nil. Axis -1: each rank keeps its own sums. Collective.
func (p *Part) Onwards(on *rank.Rank, axis int, sums []float64, add func(sums []float64)) ([]float64, error) {
	if axis < 0 {
		return Through(on, []int{on.ID}, sums, add)
	}
	ranks, _ := p.lineOf(on, axis)
	return Through(on, ranks, sums, add)
}

// Through passes sums on, as Onwards does, through a list of ranks that this one is in. Collective among them.
func Through(on *rank.Rank, ranks []int, sums []float64, add func(sums []float64)) ([]float64, error) {
	me := slices.Index(ranks, on.ID)
	if me > 0 {
		if err := on.Comm.Receive(comm.Raw(raw.Bytes(sums)), ranks[me-1], tagSums); err != nil {
			return nil, fmt.Errorf("sums of rank %d: %w", ranks[me-1], err)
		}
	}
	add(sums)
	if me == len(ranks)-1 {
		return sums, nil
	}
	if err := on.Comm.Send(comm.Raw(raw.Bytes(sums)), ranks[me+1], tagSums); err != nil {
		return nil, fmt.Errorf("sums to rank %d: %w", ranks[me+1], err)
	}
	return nil, nil
}

// Shared reports whether ranks share planes.
func (p *Part) Shared() bool { return p.Layout.Axis() == 2 && p.Plan.Parts()[1] > 1 }
