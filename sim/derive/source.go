// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"fmt"
	"slices"

	"lbmsim/decomp"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// Held returns a source of fields in the host's memory, [z][y][component][x] of the box
// whole. It shows the values in place, without a copy: a plane of all rows, which samplers of a
// whole rank ask for, is contiguous.
func Held[In Number](whole decomp.Box, components int, values []In) Source[In] {
	size := whole.Size()
	return func(box decomp.Box, _ []In) ([]In, error) {
		if n := box.Size(); n[0] != size[0] || n[1] != size[1] && n[2] > 1 {
			return nil, fmt.Errorf("the cells of %v are not contiguous in %v", box, whole)
		}
		row := (box.Lo[2]-whole.Lo[2])*size[1] + box.Lo[1] - whole.Lo[1]
		return values[row*components*size[0]:][:box.Cells()*components], nil
	}
}

// Present returns the current state as a source.
func (v View) Present() Source[float64] {
	components := v.Case.Spec.FieldValues()
	return func(box decomp.Box, into []float64) ([]float64, error) {
		n := components * box.Cells()
		if cap(into) < n {
			into = make([]float64, n)
		}
		return into[:n], v.State.Fields(box, into[:n])
	}
}

// held returns the present state of a region of local cells as a source of its planes, read at once: a device takes as long for a call
// as for many cells. ok is false where the region is too large, or much larger than the number of cells that are needed.
func (v View) held(local decomp.Box, needed int) (from Source[float64], ok bool, err error) {
	const mostValues, mostPer = 1 << 23, 64
	components := v.Case.Spec.FieldValues()
	if n := local.Cells(); n*components > mostValues || n > mostPer*needed {
		return nil, false, nil
	}
	values, err := v.Present()(local, nil)
	return Held(local, components, values), true, err
}

// Rounded returns a source in the precision of snapshots of narrow states (device.Snapshot).
func Rounded(from Source[float64]) Source[float64] {
	return func(box decomp.Box, into []float64) ([]float64, error) {
		into, err := from(box, into)
		for i, v := range into {
			into[i] = float64(float32(v))
		}
		return into, err
	}
}

// NewSampler makes a sampler of the whole of this rank's box, of the state after a step.
func NewSampler[Out, In Number](p *domain.Part, step int, from Source[In], fields ...model.Field) *Sampler[In, Out] {
	return &Sampler[In, Out]{
		source: from, neighbours: slices.ContainsFunc(fields, Derivative),
		layout: p.Layout, cells: p.Cells, units: p.Case.Units, dims: p.Case.Dims(), stored: p.Case.Spec.FieldValues(), time: float64(step), faces: p.Faces(),
		law: p.Case.Spec.Viscosity, params: p.Params, wallLambda: p.Case.Spec.Collision.WallLambda, distance: p.Distance, reference: p.Case.Temperature.Reference,
		region: decomp.Box{Hi: p.Layout.N}, first: noPlane,
	}
}

// Derivative reports whether the value of a field depends on neighbouring cells.
func Derivative(f model.Field) bool {
	switch f.Name {
	case "vorticity", "strain_rate", "q_criterion", "wall_shear_stress":
		return true
	}
	return false
}
