// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/model"
)

// Slice is one plane of a field that a viewer wants to see of the present state.
type Slice struct {
	Field     model.Field
	Component int // 0 to 2, or -1: the magnitude of a vector
	Axis      int // across the plane; 2 in 2D
	At        int // cell of level 0 along the axis
}

// Check implements Request.
func (s Slice) Check(c *config.Case) error {
	switch {
	case !Sliced(c, s.Field):
		return fmt.Errorf("the case has no field %s to show", s.Field.Name)
	case s.Component < -1 || s.Component > 2 || s.Component >= 0 && s.Field.Components != 3:
		return fmt.Errorf("%s has no component %d", s.Field.Name, s.Component)
	case s.Axis < 0 || s.Axis > 2 || c.Dims() == 2 && s.Axis != 2:
		return fmt.Errorf("no axis %d is across a slice of the case", s.Axis)
	case s.At < 0 || s.At >= c.Cells[s.Axis]:
		return fmt.Errorf("at = %d is outside the domain: along %c level 0 has the cells 0 to %d", s.At, "xyz"[s.Axis], c.Cells[s.Axis]-1)
	}
	return nil
}

// Sliced reports whether a viewer can see a field of a case at any time: not a field that needs preparations before the first
// step which no output of the case has asked for.
func Sliced(c *config.Case, f model.Field) bool {
	switch {
	case f.Name == "temperature":
		return c.Spec.Scalar
	case f.Name == "wall_distance":
		return c.ShowsField(f.Name)
	case f.OfModel():
		return c.Modelled()
	}
	return f.Components == 1 || f.Components == 3
}

// Code implements Request.
func (s Slice) Code() [2]int64 {
	return [2]int64{sliceCode | numberOf(s.Field)<<40 | int64(s.Component+1)<<36 | int64(s.Axis)<<32 | int64(s.At)}
}

// sliceOf returns the slice of a code.
func sliceOf(code int64) Slice {
	return Slice{model.Fields[code>>40&0xffff], int(code>>36&0xf) - 1, int(code >> 32 & 0xf), int(code & 0xffffffff)}
}

// Budget implements Request.
func (Slice) Budget() Budget { return Slices }

func (s Slice) show(set *Set) (Painter, error) {
	r := set.Run
	r.Rank.Heartbeat.Doing("showing a slice")
	if err := r.filled(); err != nil {
		return nil, err
	}
	p := pictures{PictureOutput: config.PictureOutput{Field: s.Field, Component: s.Component, Axis: s.Axis, At: s.At}}
	at := r.slice(s.Axis, s.At, 0.5)
	values, err := p.values(r, at)
	if err != nil || !r.Rank.Root {
		return nil, err
	}
	return p.draw(r, at, values), nil
}

// filled brings the cells beside a rank's own up to date. Collective.
func (r *Run) filled() error {
	if err := r.State.Fill(); err != nil {
		return fmt.Errorf("rank %d: cells beside the rank's own at step %d: %w", r.Rank.ID, r.Step(), err)
	}
	return nil
}

// numberOf returns the place of a field in model.Fields.
func numberOf(f model.Field) int64 {
	for k := range model.Fields {
		if model.Fields[k].Name == f.Name {
			return int64(k)
		}
	}
	return 0
}
