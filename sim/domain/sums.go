package domain

import (
	"fmt"
	"math"

	"github.com/btracey/mpi"

	"lbmsim/comm"
	"lbmsim/internal/raw"
)

// Sums over the whole domain must be the same bits for every cut, and floating-point
// addition is not associative. So they have one order: rows along x, which is never
// cut, are added to planes one behind the other, and planes to the whole. Where ranks
// share planes, each continues with what the rank before it along y has: as many short
// messages behind each other as there are parts along y, in a watch that comes every
// hundredth step.

// tagSums is the tag of these messages; those of an exchange are lower.
const tagSums = 100

// Columns of a table of sums: the first ones are added up, of the others the largest
// counts.
type Columns struct{ Added, All int }

// PlaneSums brings a table of this rank's rows, [plane][row][column], to rank 0 as that
// of all planes in their order, and nil to the other ranks. Collective.
func (p *Part) PlaneSums(rows []float64, of Columns) ([]float64, error) {
	planes := p.Planes()
	sums := make([]float64, planes*of.All)
	axis := -1
	if p.Shared() {
		axis = 1
	}
	sums, err := p.Onwards(axis, sums, func(sums []float64) {
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
	})
	if err != nil {
		return nil, err
	}
	parts, err := comm.Gather(p.Comm, Float64Bytes(sums))
	if err != nil || !p.Root {
		return nil, err
	}
	var all []float64
	for _, part := range parts { // ranks are in the order of the slowest axis
		for i := range len(part) / 8 {
			all = append(all, Float64At(part, i))
		}
	}
	return all, nil
}

// Onwards passes sums on along an axis: each rank adds its own to what the ranks before it have added. The last one returns the
// result, the others nil. Axis -1: nobody else's are wanted. Collective.
func (p *Part) Onwards(axis int, sums []float64, add func(sums []float64)) ([]float64, error) {
	before, after := p.beside(axis)
	if before >= 0 {
		if err := p.Comm.Receive(mpi.Raw(raw.Bytes(sums)), before, tagSums); err != nil {
			return nil, fmt.Errorf("sums of rank %d: %w", before, err)
		}
	}
	add(sums)
	if after < 0 {
		return sums, nil
	}
	if err := p.Comm.Send(mpi.Raw(raw.Bytes(sums)), after, tagSums); err != nil {
		return nil, fmt.Errorf("sums to rank %d: %w", after, err)
	}
	return nil, nil
}

// beside are the ranks before and behind this one along an axis, -1 for none.
func (p *Part) beside(axis int) (before, after int) {
	before, after = -1, -1
	if axis < 0 {
		return before, after
	}
	at := p.Box.Lo
	if at[axis]--; at[axis] >= 0 {
		before = p.Plan.Owner(at)
	}
	if at[axis] = p.Box.Hi[axis]; at[axis] < p.Plan.Global[axis] {
		after = p.Plan.Owner(at)
	}
	return before, after
}

// Shared says whether ranks share planes.
func (p *Part) Shared() bool { return p.Layout.Axis() == 2 && p.Plan.Parts()[1] > 1 }
