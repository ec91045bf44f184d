package domain

import "math"

// samples along each axis of a face of which the velocity is a function of the place.
const samples = 33

// Speed is the largest speed that a boundary or body prescribes.
type Speed struct {
	Name  string
	Value float64 // lattice units
}

// Prescribed are the largest speeds at the boundaries at a step.
func (p *Part) Prescribed(step int) (list []Speed) {
	for n, b := range p.Case.Boundaries {
		v, gain, factor := Velocity(b), p.Gain(b), 1.0
		if f := p.Factor(b); f != nil {
			factor = f(float64(step))
		}
		most := length(b.Velocity) * math.Abs(factor)
		if v != nil {
			most = 0
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
					if b.Part != nil && !b.Part.Covers(f.Axis, cell) {
						continue
					}
					u := v(at, float64(step))
					if b.Inflow != nil {
						u = p.inflow(n).Add(u, at, float64(step))
					}
					s := length(u) * math.Abs(factor)
					if gain != nil {
						s *= math.Abs(gain(at))
					}
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
