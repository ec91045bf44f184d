// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"lbmsim/boundary"
	"lbmsim/geometry"
)

// Geometry returns the case's geometry: boundaries of faces first, then boundaries of bodies.
func (p *Part) Geometry() geometry.Scene {
	d := geometry.Scene{Cells: p.Case.Cells, Periodic: p.Case.Periodic, Bodies: p.Bodies(), Links: geometry.Half(p.Case.Spec.Lattice.Velocities)}
	for i, b := range p.Case.Boundaries {
		d.Walls = append(d.Walls, boundary.Wall{Law: b.Kind.Law, Motion: p.motion(i), Density: b.Density, Relax: b.Relax, Scalar: b.Temperature, Direction: b.Direction, MayExit: b.MayExit(), Model: b.Model})
		for _, f := range b.Faces {
			if b.Sponge != nil {
				d.Sponges = append(d.Sponges, geometry.Sponge{Axis: f.Axis, Side: f.Side, Type: uint8(i + 1), Rates: b.Sponge})
			}
			if b.Region != nil {
				d.Patches[f.Axis][f.Side] = append(d.Patches[f.Axis][f.Side], geometry.Patch{Region: *b.Region, Type: uint8(i + 1)})
			}
			if on := &d.Faces[f.Axis][f.Side]; b.Region == nil || *on == 0 { // if parts cover the face any type will do
				*on = uint8(i + 1)
			}
		}
	}
	for _, b := range p.Case.Bodies {
		d.Walls = append(d.Walls, boundary.Wall{Law: b.Kind.Law, Motion: surface(b), Conserve: b.Conserve, Scalar: b.Temperature, Model: b.Model})
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

// Warm reports whether a local cell has a temperature: fluid, or a solid that conducts.
func (p *Part) Warm(x, y, z int) bool {
	k := p.Cells.At(x, y, z)
	return k == 0 || p.Cells.Conducts(k)
}

// Bodies returns the case's bodies as shapes; nil until the files of bodies are read.
func (p *Part) Bodies() []geometry.Body {
	var bodies []geometry.Body
	if len(p.Solids) < len(p.Case.Files) {
		return nil
	}
	for i, b := range p.Case.Bodies {
		bodies = append(bodies, geometry.Body{Shape: geometry.Finer(b.Shape(p.Solids), p.level, p.Case.Dims()), Type: uint8(len(p.Case.Boundaries) + i + 1), Thicken: b.Thicken})
	}
	return bodies
}
