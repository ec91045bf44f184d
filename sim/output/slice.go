package output

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/io/picture"
	"lbmsim/model"
)

// Slice is one plane of a field that a viewer wants to see of the present state.
type Slice struct {
	Field     model.Field
	Component int // 0 to 2, or -1: the magnitude of a vector
	Axis      int // across the plane; 2 in 2D
	At        int // cell of level 0 along the axis
}

// Check explains why a case has no such slice.
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

// Code packs a slice into one positive number, by which all ranks learn of it.
func (s Slice) Code() int64 {
	for k, f := range model.Fields {
		if f.Name == s.Field.Name {
			return 1<<62 | int64(k)<<40 | int64(s.Component+1)<<36 | int64(s.Axis)<<32 | int64(s.At)
		}
	}
	return 0
}

// SliceOf returns the slice of a code.
func SliceOf(code int64) Slice {
	return Slice{model.Fields[code>>40&0xffff], int(code>>36&0xf) - 1, int(code >> 32 & 0xf), int(code & 0xffffffff)}
}

// Show returns a slice of the present state, on rank 0. Collective.
func (r *Run) Show(v Slice) (picture.Picture, error) {
	r.Rank.Heartbeat.Doing("showing a slice")
	if err := r.State.Fill(); err != nil {
		return picture.Picture{}, fmt.Errorf("rank %d: cells beside the rank's own at step %d: %w", r.Rank.ID, r.Step(), err)
	}
	p := pictures{PictureOutput: config.PictureOutput{Field: v.Field, Component: v.Component, Axis: v.Axis, At: v.At}}
	at := r.slice(v.Axis, v.At, 0.5)
	values, err := p.values(r, at)
	if err != nil || !r.Rank.Root {
		return picture.Picture{}, err
	}
	return p.draw(r, at, values), nil
}
