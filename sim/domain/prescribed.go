// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"math"

	"lbmsim/boundary"
)

// samples along each axis of a face of which the velocity is a function of the place.
const samples = 33

// Speed is the largest speed that a boundary or body prescribes.
type Speed struct {
	Name  string
	Value float64 // lattice units
}

// Prescribed returns the largest speeds at the boundaries at a step.
func (p *Part) Prescribed(step int) (list []Speed) {
	for n, b := range p.Case.Boundaries {
		m, most := p.motion(n), 0.0
		if _, constant := boundary.Unscaled(m).(boundary.Constant); constant {
			most = length(m.At([3]float64{}, float64(step)))
		} else {
			for _, f := range b.Faces {
				for i := range samples * samples {
					var at [3]float64
					var cell [3]int
					on := [2]int{i % samples, i / samples}
					for a, k := 0, 0; a < 3; a++ {
						n := float64(p.Case.Cells[a])
						if a == f.Axis {
							at[a] = float64(f.Side) * n
						} else {
							at[a] = (float64(on[k]) + 0.5) / samples * n
							k++
						}
						cell[a] = min(int(at[a]), p.Case.Cells[a]-1)
					}
					if b.Region != nil && !b.Region.Covers(f.Axis, cell) {
						continue
					}
					s := length(m.At(at, float64(step)))
					if most = max(most, s); !finite(s) {
						most = s
					}
				}
			}
		}
		list = append(list, Speed{"[boundary." + b.Name + "]", most})
	}
	for _, b := range p.Case.Bodies {
		if m := b.Motion; m != nil && m.Angular == [3]float64{} {
			list = append(list, Speed{"[body." + b.Name + "]", length(m.Velocity)})
		}
	}
	return list
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
