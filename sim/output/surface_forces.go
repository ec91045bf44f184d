package output

import (
	"lbmsim/config"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// forceNumbers are the force by pressure and the force by friction, of three components each.
const forceNumbers = 6

// row returns forces number from to end, with their means and intervals where there are any.
func (p *surfaces) row(forces []float64, from, end int) []float64 {
	list := append([]float64(nil), forces[from:end]...)
	if p.sums != nil {
		list = append(list, p.sums.estimates(from, end)...)
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

// forceHeader names the columns of a table with the forces on surfaces or solids of these prefixes, and with their means.
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
