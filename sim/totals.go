package sim

import (
	"math"

	"lbmsim/device"
	"lbmsim/sim/domain"
)

// census is what the watch needs of the state: each of this rank's planes, or what it
// has of them, and the totals of the domain on rank 0. Collective.
func (r *run) census() (planes []device.Plane, t Totals, err error) {
	var rows []device.Plane
	if !r.Shared() {
		planes, err = r.program.Planes(r.state[0], r.params)
		rows = planes
	} else if rows, err = r.program.Rows(r.state[0], r.params); err == nil {
		planes = make([]device.Plane, r.Layout.N[2])
		for i, row := range rows {
			planes[i/r.Layout.N[1]].Add(row)
		}
	}
	if err != nil {
		return nil, t, err
	}
	of := domain.Columns{Added: 6, All: 7}
	table := make([]float64, 0, of.All*len(rows))
	for _, s := range rows {
		table = append(table, float64(s.Cells), s.Mass, s.Momentum[0], s.Momentum[1], s.Momentum[2], s.Energy, s.MaxSpeed)
	}
	all, err := r.PlaneSums(table, of)
	for ; len(all) > 0; all = all[of.All:] {
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
