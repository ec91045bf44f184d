package domain

import (
	"lbmsim/boundary"
	"lbmsim/geometry"
)

// Geometry is the case's geometry: boundaries of faces first, then those of bodies.
func (p *Part) Geometry() geometry.Domain {
	d := geometry.Domain{Cells: p.Case.Cells, Periodic: p.Case.Periodic, Bodies: p.Bodies(), Links: geometry.Half(p.Case.Spec.Lattice.Velocities)}
	for i, b := range p.Case.Boundaries {
		d.Velocity = append(d.Velocity, b.Velocity)
		w := boundary.Wall{Law: b.Kind.Law, Density: b.Density, Relax: b.Relax, Scalar: b.Temperature, Direction: b.Direction, Leaves: b.MayLeave()}
		w.Velocity, w.Timed, w.Code, w.Gain, w.Factor = Velocity(b), b.Timed, b.Code, p.Gain(b), p.Factor(b)
		if b.Inflow != nil {
			w.Turbulence = p.inflow(i)
			mean := w.Velocity
			w.Velocity, w.Timed = func(p [3]float64, t float64) [3]float64 { return w.Turbulence.Add(mean(p, t), p, t) }, true
		}
		d.Walls = append(d.Walls, w)
		for _, f := range b.Faces {
			if b.Sponge != nil {
				d.Sponges = append(d.Sponges, geometry.Sponge{Axis: f.Axis, Side: f.Side, Type: uint8(i + 1), Rates: b.Sponge})
			}
			if b.Part != nil {
				d.Parts[f.Axis][f.Side] = append(d.Parts[f.Axis][f.Side], geometry.Part{Region: *b.Part, Type: uint8(i + 1)})
			}
			if on := &d.Faces[f.Axis][f.Side]; b.Part == nil || *on == 0 { // where parts leave no rest any type will do
				*on = uint8(i + 1)
			}
		}
	}
	for _, b := range p.Case.Bodies {
		velocity := [3]float64{}
		w := boundary.Wall{Law: b.Kind.Law, Conserve: b.Conserve, Scalar: b.Temperature}
		if m := b.Motion; m != nil && m.Angular != [3]float64{} {
			w.Velocity = func(p [3]float64, _ float64) [3]float64 { return m.At(p) }
		} else if m != nil {
			velocity = m.Velocity
		}
		d.Velocity = append(d.Velocity, velocity)
		d.Walls = append(d.Walls, w)
	}
	for _, f := range p.Case.Forces {
		for _, t := range f.Types {
			d.Walls[t-1].Measured = true
		}
	}
	if p.Case.Dims() == 2 { // the third axis does not exist: its neighbours are never read
		d.Periodic[2] = true
	}
	return d
}

// Warm tells of a local cell that it has a temperature: fluid, or a solid that conducts.
func (p *Part) Warm(x, y, z int) bool {
	k := p.Cells.At(x, y, z)
	return k == 0 || p.Cells.Conducts(k)
}

// Bodies are the case's bodies as shapes; without the files' before they are read.
func (p *Part) Bodies() []geometry.Body {
	var bodies []geometry.Body
	if len(p.Solids) < len(p.Case.Files) {
		return nil
	}
	for i, b := range p.Case.Bodies {
		bodies = append(bodies, geometry.Body{Shape: b.Shape(p.Solids), Type: uint8(len(p.Case.Boundaries) + i + 1), Thicken: b.Thicken})
	}
	return bodies
}
