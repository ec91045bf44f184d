// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"

	"lbmsim/device"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// Section is the sums of this rank's share of a plane.
type Section struct {
	Of    View // places are local there
	Level int
	device.Plane
}

// Parent returns the cell of level 0 that a local cell is in.
func (s Section) Parent(local [3]int) [3]int {
	at := s.Of.Part.Global(local)
	for a := range s.Of.Case.Dims() {
		at[a] >>= s.Level
	}
	return at
}

// Census returns the sums of the state that the watch needs: of each of this rank's
// planes, or its share of them, and the totals of the domain on rank 0. Collective.
func (v View) Census() (sections []Section, t Totals, err error) {
	if v.Refined != nil {
		return v.Refined.census(v.Rank)
	}
	var rows, planes []device.Plane
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
	for _, p := range planes {
		sections = append(sections, Section{v, 0, p})
	}
	all, err := v.Part.PlaneSums(v.Rank, tableOf(rows), totalled)
	t.add(all, 1)
	return sections, t, err
}

// census sums the finest cells everywhere. Sums have one order, which no cut changes: cells of a row, rows of a plane, planes of a
// patch, patches and levels in theirs. Collective.
func (r *Refined) census(on *rank.Rank) (sections []Section, t Totals, err error) {
	err = r.each(func(l, _ int, p *Patch) error {
		var table []float64
		if p != nil {
			rows, err := p.rows()
			if err != nil {
				return err
			}
			sections, table = append(sections, p.sections(rows)...), tableOf(rows)
		}
		all, err := p.planeSums(on, table, totalled)
		before := t.Cells
		t.add(all, r.volume(l))
		volume := float64(t.Cells-before) * r.volume(l)
		t.Volume += volume
		t.Forced += math.Ldexp(volume, -l)
		return err
	})
	return sections, t, err
}

// totalled are the columns of tableOf.
var totalled = domain.Columns{Added: 6, All: 7}

// tableOf returns the sums of rows as a table of domain.PlaneSums.
func tableOf(rows []device.Plane) []float64 {
	table := make([]float64, 0, totalled.All*len(rows))
	for _, s := range rows {
		table = append(table, float64(s.Cells), s.Mass, s.Momentum[0], s.Momentum[1], s.Momentum[2], s.Energy, s.MaxSpeed)
	}
	return table
}

// Totals of the whole domain, in lattice units, summed row by row and plane by plane
// in the order of the axes: the same bits for any number of ranks. In a refined grid they are sums over the finest cells,
// each with its volume, in lattice units of level 0.
type Totals struct {
	Cells    int     // fluid cells
	Volume   float64 `json:",omitempty"` // of them, in a refined grid; otherwise 0
	Forced   float64 `json:",omitempty"` // the same, each by the share of level 0's force per volume that a step of its level has
	Mass     float64 // sum of rho-1 over the fluid cells
	Momentum [3]float64
	Energy   float64
	MaxSpeed float64
}

// Space returns the volume of the fluid.
func (t Totals) Space() float64 {
	if t.Volume > 0 {
		return t.Volume
	}
	return float64(t.Cells)
}

// Impulse returns the momentum that a force of level 0 brings in a step of each level.
func (t Totals) Impulse(force float64) float64 {
	if t.Volume > 0 {
		return t.Forced * force
	}
	return float64(t.Cells) * force
}

// add adds the sums of planes, of cells of so much volume.
func (t *Totals) add(planes []float64, volume float64) {
	for ; len(planes) > 0; planes = planes[totalled.All:] {
		t.Cells += int(planes[0])
		t.Mass += volume * planes[1]
		for a := range t.Momentum {
			t.Momentum[a] += volume * planes[2+a]
		}
		t.Energy += volume * planes[5]
		t.MaxSpeed = math.Max(t.MaxSpeed, planes[6])
	}
}

// Finite returns x if it is finite, otherwise 0.
func Finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
