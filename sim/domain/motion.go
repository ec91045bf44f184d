// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"lbmsim/boundary"
	"lbmsim/config"
)

// motion returns the motion of boundary i.
func (p *Part) motion(i int) boundary.Motion {
	b := p.Case.Boundaries[i]
	m := mean(b)
	if b.Inflow != nil {
		m = boundary.Turbulent{Mean: m, Waves: p.inflow(i)}
	}
	if gain := p.tables.gain(p.Case, b); gain != nil {
		m = boundary.Profiled{Motion: m, Gain: gain}
	}
	if factor := p.tables.factor(b); factor != nil {
		m = boundary.Scaled{Motion: m, Factor: factor}
	}
	return m
}

// surface returns the motion of a body's surface.
func surface(b config.Body) boundary.Motion {
	switch m := b.Motion; {
	case m == nil:
		return boundary.Constant{}
	case m.Angular == [3]float64{}:
		return boundary.Constant(m.Velocity)
	default:
		return *m
	}
}
