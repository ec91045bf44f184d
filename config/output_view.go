// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"strconv"
	"strings"

	"lbmsim/config/language"
	"lbmsim/model"
)

// viewOutput describes [output.view.NAME].
func viewOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.view.*", Keys: append([]language.Key{
			{Name: "surface", Kind: language.Word, Choices: fields(), Default: language.Quote(UsualSurface), Doc: "field of the isosurface; for a vector its magnitude"},
			{Name: "value", Kind: language.Quantity, Any: true, DefaultDoc: "0.1 (U/L)^2 of the q_criterion, with velocity U and length L of [fluid]", Doc: "value of the field on the surface"},
			{Name: "colour", Kind: language.Word, Choices: fields(), Default: language.Quote(UsualColour), Doc: "field that colours the surface; for a vector its magnitude"},
			{Name: "range", Kind: language.Pair, Any: true, Doc: "smallest and largest value of the colours; default from the visible surface"},
			{Name: "from", Kind: language.Vector, Dim: model.Length, DefaultDoc: "upstream, above and to one side, so that the bodies and four of their lengths behind them fill the picture; without bodies the domain", Doc: "position of the camera, which may be outside the domain"},
			{Name: "at", Kind: language.Vector, Dim: model.Length, DefaultDoc: "the middle of the default view", Doc: "position in the middle of the picture"},
			{Name: "up", Kind: language.Word, Choices: axes(), Default: `"z"`, Doc: "axis that points upwards in the picture"},
			{Name: "orbit", Kind: language.Number, Default: "0", Doc: "degrees by which the camera turns per second of simulated time, in lattice units per step, about the axis up through at"},
			{Name: "field_of_view", Kind: language.Number, Default: strconv.Itoa(UsualAngle), Within: language.Counts(1, 120), Doc: "angle from the lower to the upper edge of the picture, in degrees"},
			{Name: "size", Kind: language.Integers, Within: language.Counts(1, mostPixels), Default: "[1280, 720]", Doc: "width and height of the picture in pixels, without title and scale"},
			{Name: "ground", Kind: language.Word, Choices: append([]string{noGround}, faceNames()...), Default: language.Quote(noGround), Doc: "face of the domain that is drawn as a plane, such as the floor"},
		}, begunKeys("", "false", "true")...), Doc: "A 3D view, as PNG files NAME_STEP.png: an isosurface and the bodies, in perspective ([views](results.md#views))."},
		read: func(r *outputs, s *language.Section) { r.view(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, v := range c.Views {
				list = append(list, Footprint{Head: v.Head(), Schedule: v.Schedule, Files: 1, Each: pictureHead + float64(len(c.Resolved)) + viewBytes*float64(v.Size[0]*v.Size[1])})
			}
			return list
		},
	}
}

// usualQ is the default value of the q_criterion over the square of velocity and length of [fluid]: behind a ball at Re 300 vortices are
// whole with 0.1, and torn apart with 1.
const usualQ = 0.1

const (
	noGround   = "none"
	mostPixels = 4096
	viewBytes  = 1.5 // bytes per pixel, compressed: shades compress worse than the colours of a plane
)

// Defaults of a view: its fields, and the field of view in degrees.
const (
	UsualSurface = "q_criterion"
	UsualColour  = "speed"
	UsualAngle   = 30
)

// UsualValue returns the default value of a view's surface, in the output's unit; false: the field has none.
func UsualValue(c *Case, f model.Field) (float64, bool) {
	return usualValue(c.Characteristic, f)
}

func usualValue(scale Scales, f model.Field) (float64, bool) {
	known := f.Dim == model.SecondInvariant && scale.Length > 0 && scale.Velocity > 0
	return usualQ * math.Pow(scale.Velocity/scale.Length, 2), known
}

// View is [output.view.NAME]: a PNG of a surface of constant value and the bodies.
type View struct {
	Name     string
	Schedule Schedule
	Surface  model.Field
	Value    float64 // of it, in the output's unit
	Colour   model.Field
	Min, Max float64     // of the colours, in the output's unit; both 0: automatic
	From, At *[3]float64 // in cells from the domain's lower corner; nil: automatic
	Up       int         // axis
	Orbit    float64     // degrees per unit of time of the case
	Angle    float64     // field of view in degrees
	Size     [2]int      // pixels
	Ground   *Face       // nil: none
}

// Head returns the head of its table.
func (v View) Head() string { return "[output.view." + v.Name + "]" }

func (r *outputs) view(s *language.Section) {
	v := View{Name: s.Name(), Schedule: r.begun(s)}
	if r.dims == 2 {
		r.Add(s.At, "[output.picture] shows a 2D case", "%s is for 3D cases", s.Head())
		return
	}
	for _, p := range r.Pictures {
		if p.Stem() == v.Name {
			r.Add(s.At, "give one of them another name", "the files of %s are already written by %s", s.Head(), p.Head())
		}
	}
	if !r.viewed(s, &v) {
		return
	}
	v.Min, v.Max = r.colours(s, v.Colour, "view")
	if e := s.Get("up"); e != nil {
		v.Up = axisOf(e.Text)
	}
	if e := s.Get("ground"); e != nil && e.Text != noGround {
		v.Ground = &Face{axisOf(e.Text[:1]), strings.IndexByte("-+", e.Text[1])}
	}
	for _, n := range []struct {
		key string
		to  *float64
	}{{"orbit", &v.Orbit}, {"field_of_view", &v.Angle}} {
		if e := s.Get(n.key); e != nil {
			*n.to = e.Values[0].Value
		}
	}
	if e := s.Get("size"); e != nil {
		if len(e.Ints) != 2 {
			r.Add(e.At, "size = [1280, 720]", "size of %s needs two values, width and height", s.Head())
			return
		}
		v.Size = [2]int(e.Ints)
	}
	if r.eye(s, &v) {
		r.Views = append(r.Views, v)
	}
}

// viewed reads the fields of a view, and reports whether they are known.
func (r *outputs) viewed(s *language.Section, v *View) bool {
	surface, colour := s.Get("surface"), s.Get("colour")
	if surface == nil || colour == nil {
		return false
	}
	v.Surface, v.Colour = of(model.FindField(surface.Text)), of(model.FindField(colour.Text))
	if v.Surface.Name == "solid" {
		r.Add(surface.At, "bodies are in the picture in any case", "%s: solid has no surface in the fluid", s.Head())
		return false
	}
	if e := s.Get("value"); e != nil {
		a := e.Values[0]
		if !a.Bare && a.Dim != v.Surface.Dim && a.Value != 0 {
			r.Add(e.At, "", "value must be %s, not %s", language.InWords(v.Surface.Dim), language.InWords(a.Dim))
		}
		if v.Value = a.Value; v.Value < 0 && v.Surface.NeverNegative(-1) {
			r.Add(e.At, "give a value above 0", "%s: the %s is never negative", s.Head(), shown(v.Surface))
		}
		return true
	}
	if s.Has("value") { // wrong, and reported
		return false
	}
	rate := model.SecondInvariant
	value, known := usualValue(r.Characteristic, v.Surface)
	if !known {
		hint := "value = ... in the unit of the field"
		if v.Surface.Dim == rate {
			hint += ", or length and velocity in [fluid], which give the default 0.1 (velocity/length)^2"
		}
		r.missing(s, hint, "%s needs value, the %s on its surface", s.Head(), shown(v.Surface))
		return false
	}
	v.Value = value
	r.SetDefault(s, "value", language.Amount{Value: v.Value, Bare: !r.Units.Physical, Dim: rate}.TOML())
	return true
}

// eye reads the camera's place, and reports whether it is possible.
func (r *outputs) eye(s *language.Section, v *View) bool {
	if !r.haveBox {
		return false
	}
	for _, p := range []struct {
		key string
		to  **[3]float64
	}{{"from", &v.From}, {"at", &v.At}} {
		if at := r.vector(s, p.key); at != nil {
			place := r.position(at)
			*p.to = &place
		} else if s.Has(p.key) {
			return false
		}
	}
	if v.From == nil || v.At == nil {
		return true
	}
	across := 0.0
	for a := range v.From {
		if a != v.Up {
			across = math.Max(across, math.Abs(v.From[a]-v.At[a]))
		}
	}
	if across < leastAcross {
		axis := axes()[v.Up]
		r.Add(s.Get("from").At, "use another axis up, or move from to one side", "%s looks along the axis %s, which cannot point upwards in the picture", s.Head(), axis)
		return false
	}
	return true
}

// leastAcross is the least distance of the camera from the axis upwards through what it is directed at, in cells.
const leastAcross = 1e-3
