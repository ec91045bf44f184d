// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"

	"lbmsim/config/language"
	"lbmsim/model"
)

// planeOutput describes [output.plane.NAME].
func planeOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.plane.*", Keys: append([]language.Key{
			{Name: "normal", Kind: language.Word, Choices: axes(), Default: `"z"`, Doc: "axis across the plane"},
			{Name: "at", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the middle", Doc: "position of the plane along its normal; the values are from the cells that contain it; `check` reports their centres where they differ"},
			{Name: "fields", Kind: language.Words, Choices: fields(), DefaultDoc: "`[\"pressure\", \"velocity\"]`, and `\"solid\"` with bodies", Doc: "fields to write, see the table of fields"},
			{Name: "precision", Kind: language.Word, Choices: []string{model.Float32.String(), model.Float64.String()}, Default: `"float32"`, Doc: "of the numbers in the file"},
		}, begunKeys("", "false", "true")...), Doc: "Fields of one plane of cells in 3D, as VTKHDF files for ParaView, in `planes/NAME`, if whole fields would be too large."},
		read: func(r *outputs, s *language.Section) { r.plane(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Planes {
				list = append(list, Footprint{Head: "[output.plane." + p.Name + "]", Schedule: p.Schedule, Files: 1, Each: FileBytes(c, float64(p.BytesOf(c)))})
			}
			return list
		},
	}
}

// Plane is [output.plane.NAME]: fields of one plane of cells, as VTKHDF.
type Plane struct {
	Name     string
	Schedule Schedule
	Axis     int     // across the plane
	At       int     // its cells of level 0 along the axis
	Within   float64 // its place in these, 0 to 1
	Fields   []model.Field
	Type     model.Precision // of the file
}

// Bytes returns the size of the numbers of one output.
func (p Plane) Bytes(cells [3]int) int64 {
	cells[p.Axis] = 1
	return bytesOf(p.Fields, p.Type, cells)
}

// BytesOf returns the size of the numbers of one output of a case.
func (p Plane) BytesOf(c *Case) int64 { return p.Bytes(Slice(c, p.Axis, p.At)) }

func (r *outputs) plane(s *language.Section) {
	p := Plane{Name: s.Name(), Schedule: r.begun(s), Fields: r.shown(s)}
	if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
		r.Add(e.At, "", "fields is empty: there is nothing to record")
	}
	if e := s.Get("precision"); e != nil {
		p.Type = precisionOf(e.Text)
	}
	if r.dims == 2 {
		r.Add(s.At, "[output.fields] writes the whole domain of a 2D case, [output.line.NAME] a line", "%s is for 3D cases", s.Head())
		return
	}
	e := s.Get("normal")
	if e == nil || !r.haveBox {
		return
	}
	p.Axis = axisOf(e.Text)
	p.At, p.Within = r.Cells[p.Axis]/2, 0.5
	if e := s.Get("at"); e != nil {
		place := (e.Values[0].Value - r.Origin[p.Axis]) / r.Units.Length
		i, ok := r.index(place, p.Axis)
		if !ok {
			r.Add(e.At, fmt.Sprintf("the domain spans %s = %s to %s", axes()[p.Axis], r.si(r.Origin[p.Axis], model.Length), r.si(r.Origin[p.Axis]+r.size[p.Axis], model.Length)),
				"%s lies outside the domain", s.Head())
			return
		}
		p.At, p.Within = i, r.onSlice(s, place, p.Axis, i)
	} else if !s.Has("at") {
		mid := r.Origin[p.Axis] + (float64(p.At)+0.5)*r.Units.Length
		r.SetDefault(s, "at", language.Amount{Value: mid, Bare: !r.Units.Physical, Dim: model.Length}.TOML())
	}
	r.Planes = append(r.Planes, p)
}
