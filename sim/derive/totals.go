package derive

import (
	"math"

	"lbmsim/device"
	"lbmsim/sim/domain"
)

// Census returns the sums that the watch needs of the state: each of this rank's
// planes, or its share of them, and the totals of the domain on rank 0. Collective.
func (v View) Census() (planes []device.Plane, t Totals, err error) {
	var rows []device.Plane
	if !v.Part.Shared() {
		planes, err = v.State.SumPlanes()
		rows = planes
	} else if rows, err = v.State.SumRows(); err == nil {
		planes = make([]device.Plane, v.Part.Layout.N[2])
		for i, row := range rows {
			planes[i/v.Part.Layout.N[1]].Add(row)
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
	all, err := v.Part.PlaneSums(v.Rank, table, of)
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

// Totals of the whole domain, in lattice units, summed row by row and plane by plane
// in the order of the axes: the same bits for any number of ranks.
type Totals struct {
	Cells    int
	Mass     float64 // sum of rho-1 over the fluid cells
	Momentum [3]float64
	Energy   float64
	MaxSpeed float64
}

// Finite returns x if it is finite, otherwise 0.
func Finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
