// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"
	"slices"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// SoundSpeed in lattice units.
var SoundSpeed = math.Sqrt(model.CS2)

// MaxSpeed returns [run] max_mach as a speed in lattice units.
func (v View) MaxSpeed() float64 { return v.Case.Run.MaxMach * SoundSpeed }

// Bad reports whether a plane has a value that is not finite, or too high a speed.
func (v View) Bad(p device.Plane) bool { return p.Bad > 0 || p.MaxSpeed > v.MaxSpeed() }

// firstBad returns the first bad cell of plane k of this rank, local.
func firstBad(v View, k int, p device.Plane) ([3]int, error) {
	box := v.Part.Plane(k)
	values, err := v.Present()(box, nil)
	nx, stored, dims := v.Part.Layout.N[0], v.Case.Spec.FieldValues(), v.Case.Dims()
	for row := 0; err == nil && row < len(values)/(nx*stored); row++ {
		for x := range nx {
			sum, speed := 0.0, 0.0
			for c := range stored {
				u := values[(row*stored+c)*nx+x]
				if sum += u; 1 <= c && c <= dims {
					speed += u * u
				}
			}
			if Finite(sum) != sum || math.Sqrt(speed) > v.MaxSpeed() {
				at := box.Lo
				at[0] = x
				if v.Part.Layout.Axis() == 2 {
					at[1] = row
				}
				return at, nil
			}
		}
	}
	if p.Bad > 0 { // in values that are not in the fields
		return p.BadAt, err
	}
	return p.MaxAt, err
}

// FirstOfBad returns the first bad cell of this rank in the order z, y, x, of the finest level of a refined grid that has one, in cells
// of the level.
func (v View) FirstOfBad() (at decomp.Place, found bool, err error) {
	if v.Refined != nil {
		return v.Refined.firstOfBad()
	}
	planes, err := v.State.SumPlanes()
	for k := 0; k < len(planes) && err == nil; k++ {
		if v.Bad(planes[k]) {
			cell, err := firstBad(v, k, planes[k])
			return decomp.Place{Cell: v.Part.Global(cell)}, true, err
		}
	}
	return at, false, err
}

// firstOfBad does the same in cells that no finer level covers.
func (r *Refined) firstOfBad() (at decomp.Place, found bool, err error) {
	before := func(a, b [3]int) bool { return slices.Compare([]int{a[2], a[1], a[0]}, []int{b[2], b[1], b[0]}) < 0 }
	for _, p := range slices.Backward(r.Patches) { // the finest first
		if found && p.Level < at.Level {
			break
		}
		rows, err := p.rows()
		if err != nil {
			return at, found, err
		}
		i := slices.IndexFunc(rows, p.Bad)
		if i < 0 {
			continue
		}
		cell, err := p.firstOfRow(p.Owned.Lo[1]+i%p.Owned.Size()[1], p.Owned.Lo[2]+i/p.Owned.Size()[1], rows[i])
		if err != nil {
			return at, found, err
		}
		if !found || before(cell, at.Cell) {
			at, found = decomp.Place{Level: p.Level, Cell: cell}, true
		}
	}
	return at, found, nil
}

// firstOfRow returns the first bad cell of a row that has one, by the row's sums where it is bad in values that are not in the fields.
func (p *Patch) firstOfRow(y, z int, sums device.Plane) (cell [3]int, err error) {
	row := p.Owned
	row.Lo[1], row.Hi[1], row.Lo[2], row.Hi[2] = y, y+1, z, z+1
	nx, stored, dims := row.Size()[0], p.Case.Spec.FieldValues(), p.Case.Dims()
	values := make([]float64, nx*stored)
	if err := p.State.Fields(p.Part.Local(row), values); err != nil {
		return cell, err
	}
	first := -1
	p.eachFluid(y, z, func(x int) {
		sum, speed := 0.0, 0.0
		for c := range stored {
			u := values[c*nx+x-row.Lo[0]]
			if sum += u; 1 <= c && c <= dims {
				speed += u * u
			}
		}
		if first < 0 && (Finite(sum) != sum || math.Sqrt(speed) > p.MaxSpeed()) {
			first = x
		}
	})
	switch {
	case first >= 0:
		return [3]int{first, y, z}, nil
	case sums.Bad > 0:
		return p.Part.Global(sums.BadAt), nil
	}
	return p.Part.Global(sums.MaxAt), nil
}
