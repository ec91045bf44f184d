package sim

import (
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/device"
)

// Sums over the whole domain must be the same bits for every cut, and floating-point
// addition is not associative. So they have one order: rows along x, which is never
// cut, are added to planes one behind the other, and planes to the whole. Where ranks
// share planes, each goes on with what the rank before it along y has: as many short
// messages behind each other as there are parts along y, in a watch that comes every
// hundredth step.

// tagSums is the tag of these messages; those of an exchange are lower.
const tagSums = 100

// columns of a table of sums: the first ones are added up, of the others the largest
// counts.
type columns struct{ added, all int }

// planeSums brings a table of this rank's rows, [plane][row][column], to rank 0 as that
// of all planes in their order, and nil to the other ranks. Collective.
func (r *run) planeSums(rows []float64, of columns) ([]float64, error) {
	planes := r.layout.N[r.layout.Axis()]
	sums := make([]float64, planes*of.all)
	before, after := r.alongY()
	if before >= 0 {
		if err := r.Comm.Receive(&sums, before, tagSums); err != nil {
			return nil, fmt.Errorf("sums of rank %d: %w", before, err)
		}
	}
	each := len(rows) / planes
	for k := range planes {
		plane := sums[k*of.all:][:of.all]
		for row := rows[k*each:][:each]; len(row) > 0; row = row[of.all:] {
			for c := range plane {
				if c < of.added {
					plane[c] += row[c]
				} else {
					plane[c] = math.Max(plane[c], row[c])
				}
			}
		}
	}
	if after >= 0 {
		if err := r.Comm.Send(sums, after, tagSums); err != nil {
			return nil, fmt.Errorf("sums to rank %d: %w", after, err)
		}
		sums = nil // the last along y has the planes
	}
	parts, err := comm.Gather(r.Comm, float64Bytes(sums))
	if err != nil || !r.root {
		return nil, err
	}
	var all []float64
	for _, part := range parts { // ranks are in the order of the slowest axis
		for i := range len(part) / 8 {
			all = append(all, float64At(part, i))
		}
	}
	return all, nil
}

// alongY are the ranks that share this one's planes, before and behind it, -1 for none.
func (r *run) alongY() (before, after int) {
	before, after = -1, -1
	if !r.shared() {
		return before, after
	}
	at := r.box.Lo
	if at[1] = r.box.Lo[1] - 1; at[1] >= 0 {
		before = r.plan.Owner(at)
	}
	if at[1] = r.box.Hi[1]; at[1] < r.plan.Global[1] {
		after = r.plan.Owner(at)
	}
	return before, after
}

// shared says whether ranks share planes.
func (r *run) shared() bool { return r.layout.Axis() == 2 && r.plan.Parts()[1] > 1 }

// census is what the watch needs of the state: each of this rank's planes, or what it
// has of them, and the totals of the domain on rank 0. Collective.
func (r *run) census() (planes []device.Plane, t Totals, err error) {
	var rows []device.Plane
	if !r.shared() {
		planes, err = r.program.Planes(r.state[0], r.params)
		rows = planes
	} else if rows, err = r.program.Rows(r.state[0], r.params); err == nil {
		planes = make([]device.Plane, r.layout.N[2])
		for i, row := range rows {
			planes[i/r.layout.N[1]].Add(row)
		}
	}
	if err != nil {
		return nil, t, err
	}
	of := columns{added: 6, all: 7}
	table := make([]float64, 0, of.all*len(rows))
	for _, s := range rows {
		table = append(table, float64(s.Cells), s.Mass, s.Momentum[0], s.Momentum[1], s.Momentum[2], s.Energy, s.MaxSpeed)
	}
	all, err := r.planeSums(table, of)
	for ; len(all) > 0; all = all[of.all:] {
		t.Cells += int(all[0])
		t.Mass += all[1]
		for a := range t.Momentum {
			t.Momentum[a] += all[2+a]
		}
		t.Energy += all[5]
		t.MaxSpeed = math.Max(t.MaxSpeed, all[6])
	}
	return planes, t, err
}
