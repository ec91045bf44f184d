package domain

import (
	"lbmsim/boundary"
	"lbmsim/geometry"
)

// inflow is the turbulence of boundary i, the same on every rank. The velocity that carries its waves is the mean of
// that of the face, with its profile.
func (p *Part) inflow(i int) *boundary.Turbulence {
	if known := p.tables.inflows[i]; known != nil {
		return known
	}
	b := p.Case.Boundaries[i]
	f := b.Faces[0]
	lo, hi, mine := p.Case.PartOf(i, f, p.Case.Cells)
	sheet := boundary.Sheet{Axis: f.Axis, At: float64(f.Side * p.Case.Cells[f.Axis])}
	sheet.U, sheet.V = geometry.Along(f.Axis)
	for k, a := range []int{sheet.U, sheet.V} {
		sheet.First[k], sheet.N[k] = lo[a], hi[a]-lo[a]
	}
	velocity, gain := Velocity(b), p.Gain(b)
	at := func(p [3]float64) (u [3]float64, factor float64) {
		var cell [3]int
		for _, a := range []int{sheet.U, sheet.V} {
			cell[a] = int(p[a])
		}
		if !mine(cell) {
			return u, 0
		}
		if factor = 1; gain != nil {
			factor = gain(p)
		}
		return velocity(p, 0), factor
	}
	spectrum, cells := b.Inflow.Spectrum, 0.0
	sheet.Each(func(p [3]float64) {
		if u, factor := at(p); factor != 0 {
			cells++
			for a := range u {
				spectrum.Mean[a] += u[a] * factor
			}
		}
	})
	for a := range spectrum.Mean {
		spectrum.Mean[a] /= max(cells, 1)
	}
	t := boundary.NewTurbulence(spectrum.Draw(), sheet, b.Inflow.RMS, b.Inflow.Code, func(p [3]float64) float64 {
		u, factor := at(p)
		return b.Inflow.RMS(p, length(u)) * factor
	})
	if p.tables.inflows == nil {
		p.tables.inflows = map[int]*boundary.Turbulence{}
	}
	p.tables.inflows[i] = t
	return t
}
