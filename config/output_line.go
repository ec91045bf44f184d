// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"strconv"

	"lbmsim/config/language"
	"lbmsim/model"
)

// lineOutput describes [output.line.NAME].
func lineOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.line.*", Keys: append([]language.Key{
			{Name: "from", Kind: language.Vector, Dim: model.Length, Doc: "one end"},
			{Name: "to", Kind: language.Vector, Dim: model.Length, Doc: "the other end"},
			{Name: "points", Kind: language.Integer, Within: language.Counts(2, MaxAxis), DefaultDoc: "one for each spacing", Doc: "number of equidistant points, both ends included"},
			{Name: "fields", Kind: language.Words, Choices: fields(), Default: `["pressure", "velocity"]`, Doc: "fields to record"},
		}, begunKeys("", "false", "true")...), Doc: "Values along a line over time, as one CSV file `line_NAME.csv`. Each time has a block of rows, one per point: the step, the time, the distance from the first end, the position and the fields. Between cell centres values are interpolated linearly along each axis; beyond the outermost centres their value is used. Cells inside bodies have zero velocity. For wall_shear_stress only cells at walls count."},
		read: func(r *outputs, s *language.Section) { r.lineOutput(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Lines {
				list = append(list, tableFootprint("[output.line."+p.Name+"]", p.Schedule, p.Points, 1+c.Dims()+columnsOf(c, p.Fields)))
			}
			return list
		},
	}
}

// Line is [output.line.NAME]: fields along a line, as CSV.
type Line struct {
	Name     string
	Schedule Schedule
	From, To [3]float64 // in cells from the domain's lower corner; z = 1/2 in 2D
	Points   int
	Fields   []model.Field
}

func (r *outputs) lineOutput(s *language.Section) {
	l := Line{Name: s.Name(), Schedule: r.begun(s), Fields: fieldsOf(s.Get("fields"))}
	if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
		r.Add(e.At, "", "fields is empty: there is nothing to record")
	}
	ok := r.need(s, "from", "from = [x, y] or [x, y, z]")
	if ok = r.need(s, "to", "to = [x, y] or [x, y, z]") && ok; !ok || !r.haveBox {
		return
	}
	for _, end := range []struct {
		key string
		p   *[3]float64
	}{{"from", &l.From}, {"to", &l.To}} {
		v := r.vector(s, end.key)
		if v == nil {
			return
		}
		*end.p = r.position(v)
		for a := range v {
			if _, inside := r.index(end.p[a], a); !inside {
				r.Add(v[a].At, fmt.Sprintf("the domain spans %s = %s to %s", axes()[a], r.si(r.Origin[a], model.Length), r.si(r.Origin[a]+r.size[a], model.Length)),
					"%s of %s lies outside the domain", end.key, s.Head())
				return
			}
		}
		if r.dims == 2 {
			end.p[2] = 0.5
		}
	}
	length := 0.0
	for a := range l.From {
		length = math.Hypot(length, l.To[a]-l.From[a])
	}
	if length == 0 {
		r.Add(s.Get("to").At, "values at one point are an [output.probe.NAME]", "%s has no length", s.Head())
		return
	}
	if e := s.Get("points"); e != nil {
		l.Points = e.Ints[0]
	} else if !s.Has("points") {
		l.Points = r.SetDefault(s, "points", strconv.Itoa(1+int(math.Ceil(length-1e-9)))).Ints[0]
	}
	r.Lines = append(r.Lines, l)
}
