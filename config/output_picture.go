// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"lbmsim/config/language"
	"lbmsim/model"
)

// pictureOutput describes [output.picture], and pictureOutputs [output.picture.NAME], of which a case may have several.
func pictureOutput() outputKind {
	return pictureKind("output.picture", "A picture of one slice, as PNG, with solid cells in grey and lines where the surfaces of bodies cut it. The table enables the output. Its files are named after the field; a case with several has names, [output.picture.NAME].")
}

func pictureOutputs() outputKind {
	return pictureKind("output.picture.*", "One of several pictures, with files NAME_STEP.png. It has the keys of [output.picture].")
}

func pictureKind(path, doc string) outputKind {
	named := strings.HasSuffix(path, ".*")
	return outputKind{
		table: language.Table{Optional: true, Path: path, Keys: append([]language.Key{
			{Name: "field", Kind: language.Word, Choices: fields(), Default: `"speed"`, Doc: "field to show"},
			{Name: "component", Kind: language.Word, Choices: components(), DefaultDoc: "\"magnitude\"; \"z\" for the vorticity in 2D", Doc: "component of a vector"},
			{Name: "normal", Kind: language.Word, Choices: axes(), Default: `"z"`, Doc: "axis across the slice; z in 2D"},
			{Name: "at", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the middle", Doc: "position of the slice along its normal; it shows the cells that contain it; `check` reports their centres where they differ"},
			{Name: "range", Kind: language.Pair, Any: true, Doc: "smallest and largest value of the colours. The range of a magnitude does not start below 0; default from the data"},
		}, begunKeys("", "false", "true")...), Doc: doc},
		read: func(r *outputs, s *language.Section) { r.picture(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Pictures {
				if (p.Name != "") != named {
					continue
				}
				w, h := p.Sides(c.Cells)
				pixels := PictureSide * PictureSide * math.Min(w, h) / math.Max(w, h)
				list = append(list, Footprint{Head: p.Head(), Schedule: p.Schedule, Files: 1, Each: pictureHead + float64(len(c.Resolved)) + pictureBytes*pixels})
			}
			return list
		},
	}
}

// Approximate size of a picture.
const (
	PictureSide  = 900      // pixels of the longer side (io/picture)
	pictureBytes = 0.75     // bytes per pixel, compressed, of a flow with fine structures
	pictureHead  = 16 << 10 // title, axes and scale
)

// PictureOutput is [output.picture] or [output.picture.NAME]: a PNG of one field on one plane.
type PictureOutput struct {
	Name     string // empty: of [output.picture]
	Schedule Schedule
	Field    model.Field
	// Component: 0 to 2, or -1 for the magnitude of a vector.
	Component int
	Axis      int     // normal of the slice; 2 in 2D
	At        int     // the cell of level 0 along Axis
	Within    float64 // its place in the cell, 0 to 1
	Min, Max  float64 // colour range in the output's unit; both 0 = automatic
}

// Head returns the head of its table.
func (p PictureOutput) Head() string {
	if p.Name == "" {
		return "[output.picture]"
	}
	return "[output.picture." + p.Name + "]"
}

// Stem returns the beginning of its files' names.
func (p PictureOutput) Stem() string { return cmp.Or(p.Name, p.Field.Name) }

// Sides returns the sides of the picture's slice, in cells.
func (p PictureOutput) Sides(n [3]int) (w, h float64) {
	switch p.Axis {
	case 0:
		return float64(n[1]), float64(n[2])
	case 1:
		return float64(n[0]), float64(n[2])
	}
	return float64(n[0]), float64(n[1])
}

// component reads the component of a field: 0 to 2, or -1.
func (r *outputs) component(s *language.Section, f model.Field) int {
	e := s.Get("component")
	if e == nil {
		def := "magnitude"
		if f.Name == "vorticity" && r.dims == 2 {
			def = "z"
		}
		if f.Components == 1 || s.Has("component") {
			return -1
		}
		e = r.SetDefault(s, "component", language.Quote(def))
	}
	if e.Text == "magnitude" {
		return -1
	}
	a := axisOf(e.Text)
	switch {
	case f.Components == 1:
		r.Add(e.At, "", "%s has no components", f.Name)
	case r.dims == 2 && (a == 2) != (f.Name == "vorticity"):
		r.Add(e.At, "", "the %s component of the %s is always 0 in 2D", e.Text, f.Name)
	}
	return a
}

// signedRanges refuses colours for values below 0 of a magnitude; only in a case without other mistakes, which may hide the field.
func (r *outputs) signedRanges() {
	if r.Count > 0 {
		return
	}
	for _, p := range r.Pictures {
		s := r.Section("output.picture")
		if p.Name != "" {
			s = r.Named("output.picture", p.Name)
		}
		if e := s.Get("range"); e != nil && p.Min < 0 && p.Field.NeverNegative(p.Component) {
			r.Add(e.At, signedInstead(p.Field), "the range of the picture starts at %s, but the %s is never negative", language.Short(p.Min), shown(p.Field))
		}
	}
}

// shown names what a picture shows of a field without a sign.
func shown(f model.Field) string {
	if f.Components > 1 {
		return "magnitude of the " + f.Name
	}
	return f.Name
}

// signedInstead returns the advice for colours of both signs.
func signedInstead(f model.Field) string {
	switch {
	case f.Components > 1:
		return "for values of both signs use component = \"x\", \"y\" or \"z\", otherwise a range from 0"
	case f.Name == "speed":
		return "for values of both signs use field = \"velocity\" and component = \"x\", \"y\" or \"z\", otherwise a range from 0"
	}
	return "give a range from 0"
}

// leastRange of a picture's colours, far above the smallest numbers, which lose their digits.
const leastRange = 1e-290

func (r *outputs) picture(s *language.Section) {
	p := PictureOutput{Schedule: r.begun(s)}
	if s.Head() != "[output.picture]" {
		p.Name = s.Name()
	}
	r.slice(s, &p)
	for _, o := range r.Pictures {
		if p.Name != "" && o.Stem() == p.Name {
			r.Add(s.At, "give one of them another name", "the files of %s are already written by %s", s.Head(), o.Head())
		}
	}
	r.Pictures = append(r.Pictures, p)
}

// slice reads the plane and the field of a picture.
func (r *outputs) slice(s *language.Section, p *PictureOutput) {
	e := s.Get("field")
	if e == nil {
		return
	}
	p.Field = of(model.FindField(e.Text))
	p.Component = r.component(s, p.Field)
	p.Min, p.Max = r.colours(s, p.Field, "picture")
	p.Axis = 2
	if e := s.Get("normal"); e != nil {
		if p.Axis = axisOf(e.Text); r.dims == 2 && p.Axis != 2 {
			r.Add(e.At, "remove normal, or use \"z\"", "in 2D the normal of a picture is z")
			return
		}
	}
	if !r.haveBox {
		return
	}
	p.At, p.Within = r.Cells[p.Axis]/2, 0.5
	if e := s.Get("at"); e != nil {
		if r.dims == 2 {
			r.Add(e.KeyAt, "", "a picture of a 2D case shows the whole domain and has no position")
			return
		}
		place := (e.Values[0].Value - r.Origin[p.Axis]) / r.Units.Length
		i, ok := r.index(place, p.Axis)
		if !ok {
			r.Add(e.At, fmt.Sprintf("the domain spans %s = %s to %s", axes()[p.Axis], r.si(r.Origin[p.Axis], model.Length), r.si(r.Origin[p.Axis]+r.size[p.Axis], model.Length)),
				"the picture's slice lies outside the domain")
			return
		}
		p.At, p.Within = i, r.onSlice(s, place, p.Axis, i)
	} else if r.dims == 3 && !s.Has("at") {
		mid := r.Origin[p.Axis] + (float64(p.At)+0.5)*r.Units.Length
		r.SetDefault(s, "at", language.Amount{Value: mid, Bare: !r.Units.Physical, Dim: model.Length}.TOML())
	}
}

// colours reads a range of colours of a field; both 0: automatic.
func (r *outputs) colours(s *language.Section, f model.Field, of string) (least, most float64) {
	e := s.Get("range")
	if e == nil {
		return 0, 0
	}
	for _, a := range e.Values {
		if !a.Bare && a.Dim != f.Dim && a.Value != 0 {
			r.Add(a.At, "", "range must be %s, not %s", language.InWords(f.Dim), language.InWords(a.Dim))
		}
	}
	least, most = e.Values[0].Value, e.Values[1].Value
	if least >= most {
		r.Add(e.At, "range = [smallest, largest]", "the range of the %s is empty", of)
	} else if most-least < leastRange {
		r.Add(e.At, "", "the range of the %s is too small: %g, less than %g", of, most-least, leastRange)
	}
	return least, most
}
