// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/config"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// forceNumbers is the number of values of the force by pressure and the force by friction, of three components each.
const forceNumbers = 6

// areaNumbers is the number of areas: the area, its part without pressure, and its part without friction.
const areaNumbers = 3

// row returns the forces on the surface and its solids from number from to number end, with their means and intervals where there are
// any, and their areas.
func (p *surfaces) row(values *derive.SurfaceValues, units config.Units, from, end int) []float64 {
	forces := p.forces(values, units)
	list := append([]float64(nil), forces[forceNumbers*from:forceNumbers*end]...)
	if p.sums != nil {
		list = append(list, p.sums.estimates(forceNumbers*from, forceNumbers*end)...)
	}
	return append(list, p.areas(values, units)[areaNumbers*from:areaNumbers*end]...)
}

// areas returns the area of the surface, how much of it has no pressure and no friction, and the same of each solid, in the outputs'
// unit.
func (p *surfaces) areas(values *derive.SurfaceValues, units config.Units) []float64 {
	list := make([]float64, areaNumbers*(1+len(p.solids)))
	for i := range values.Pressure {
		whole, dry, bare := p.body.Without(values, i)
		add := func(to []float64) { to[0], to[1], to[2] = to[0]+whole, to[1]+dry, to[2]+bare }
		add(list)
		if p.solids != nil {
			add(list[areaNumbers*(1+p.body.Facets.Solid[i]):])
		}
	}
	for i := range list {
		list[i] *= units.Factor(model.Area)
	}
	return list
}

// forces returns the forces on the surface, by pressure and by friction, and the same of each solid, in the outputs' unit. Facets without
// a value add nothing.
func (p *surfaces) forces(values *derive.SurfaceValues, units config.Units) []float64 {
	list := make([]float64, forceNumbers*(1+len(p.solids)))
	add := func(to []float64, pressure, friction [3]float64) {
		for a := range pressure {
			to[a] += pressure[a]
			to[3+a] += friction[a]
		}
	}
	for i := range values.Pressure {
		pressure, friction := p.body.Force(values, i)
		add(list, pressure, friction)
		if p.solids != nil {
			add(list[forceNumbers*(1+p.body.Facets.Solid[i]):], pressure, friction)
		}
	}
	for i := range list {
		list[i] *= units.Factor(model.Force)
	}
	return list
}

// forceHeader names the columns of a table with the forces on surfaces or solids of these prefixes, with their means, and with areas.
func (r *Run) forceHeader(means bool, prefixes ...string) probe.Header {
	u := r.Case.Units
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true}
	marks := []string{""}
	if means {
		marks = []string{"", "mean ", "+- "}
	}
	for _, mark := range marks {
		for _, prefix := range prefixes {
			for _, by := range []string{"pressure", "friction"} {
				for _, axis := range []string{"x", "y", "z"} {
					h.Columns = append(h.Columns, probe.Column{Name: mark + prefix + by + "_" + axis, Unit: unitOf(u, model.Force)})
				}
			}
		}
	}
	for _, prefix := range prefixes {
		for _, name := range []string{"area", "area_without_pressure", "area_without_friction"} {
			h.Columns = append(h.Columns, probe.Column{Name: prefix + name, Unit: unitOf(u, model.Area)})
		}
	}
	return h
}

// solidsIn returns the names of the solids in the file of a surface.
func solidsIn(files []domain.Input, path string) []string {
	for _, in := range files {
		if in.Path == path && in.Solids != nil {
			return in.Solids
		}
	}
	return nil
}
