// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/model"
)

// The shapes of bodies, and the files that give them.

// solid is the construction of a body: a shape, combined parts, or a file.
type solid struct {
	plain  geometry.Shape // nil for the others
	parts  []solid
	op     geometry.Operation
	file   int // 1 + index in Case.Files
	motion *geometry.Motion
}

// shape builds it.
func (s solid) shape(files []geometry.Shape) geometry.Shape {
	switch {
	case s.file > 0:
		return files[s.file-1] // its motion is in the file's
	case s.plain == nil:
		c := geometry.Combination{Operation: s.op}
		for _, p := range s.parts {
			c.Parts = append(c.Parts, p.shape(files))
		}
		return c
	case s.motion != nil:
		return geometry.Moved{Shape: s.plain, Motion: *s.motion}
	}
	return s.plain
}

// fromFiles returns the files that the solid needs.
func (s solid) fromFiles() (list []int) {
	if s.file > 0 {
		return []int{s.file - 1}
	}
	for _, p := range s.parts {
		list = append(list, p.fromFiles()...)
	}
	return list
}

// solidKind is a word for shape, with the keys that it has and needs.
type solidKind struct {
	name        string
	flat        bool // exists in 2D
	keys, needs []string
	make        func(r *bodies, s *language.Section) geometry.Shape // nil with an error added
	op          geometry.Operation
	example     string // of a file
}

var turns = []string{"rotate", "about", "scale", "translate"}

func solids() []solidKind {
	round := []string{"radius", "diameter"}
	with := func(lists ...[]string) (all []string) {
		for _, l := range append(lists, turns) {
			all = append(all, l...)
		}
		return all
	}
	list := []solidKind{
		{name: "box", flat: true, keys: with([]string{"from", "to"}), needs: []string{"from", "to"}, make: (*bodies).box},
		{name: "sphere", keys: with([]string{"centre"}, round), needs: []string{"centre", "radius"}, make: (*bodies).sphere},
		{name: "cylinder", flat: true, keys: with([]string{"centre", "axis", "length"}, round), needs: []string{"centre", "radius"}, make: (*bodies).cylinder},
		{name: "ellipsoid", flat: true, keys: with([]string{"centre", "radii"}), needs: []string{"centre", "radii"}, make: (*bodies).ellipsoid},
		{name: "cone", flat: true, keys: with([]string{"from", "to", "radius_to"}, round), needs: []string{"from", "to", "radius"}, make: (*bodies).cone},
		{name: "capsule", flat: true, keys: with([]string{"from", "to"}, round), needs: []string{"from", "to", "radius"}, make: (*bodies).capsule},
		{name: "half_space", flat: true, keys: with([]string{"point", "normal"}), needs: []string{"point", "normal"}, make: (*bodies).halfSpace},
	}
	for _, c := range []solidKind{{name: "union", op: geometry.Union}, {name: "intersection", op: geometry.Intersection}, {name: "difference", op: geometry.Difference}} {
		c.flat, c.keys, c.needs = true, with([]string{"of"}), []string{"of"}
		list = append(list, c)
	}
	return append(list,
		solidKind{name: "stl", flat: true, keys: with([]string{"file", "sha256", "unit", "repair"}), needs: []string{"file"}, example: "wing.stl"},
		solidKind{name: "image", flat: true, keys: with([]string{"file", "sha256", "unit", "voxels", "number", "array", "solid_range"}), needs: []string{"file"}, example: "rock.vti"})
}

func (r *bodies) radiusOf(s *language.Section) float64 {
	if e := s.Get("radius"); e != nil {
		return r.cellsOf(e)
	}
	return s.Get("diameter").Values[0].Value / 2 / r.Units.Length
}

// noThickness is the thickness in cells of a plate given without one: rounding does not close it.
const noThickness = 1e-6

func (r *bodies) box(s *language.Section) geometry.Shape {
	from, to := s.Get("from"), s.Get("to")
	b := geometry.Box{Lo: r.position(from.Values), Hi: r.position(to.Values)}
	if r.dims == 2 {
		b.Lo[2], b.Hi[2] = 0, 1
	}
	thicken := s.Get("thicken") != nil && s.Get("thicken").Flag
	for a := 0; a < r.dims; a++ {
		if thicken && b.Lo[a] == b.Hi[a] {
			b.Lo[a], b.Hi[a] = b.Lo[a]-noThickness/2, b.Hi[a]+noThickness/2
		}
		if !(b.Lo[a] < b.Hi[a]) {
			r.Add(to.Values[a].At, "from is the corner with the smallest coordinates", "the box is empty: its %s runs from %s to %s", axes()[a],
				r.si(from.Values[a].Value, model.Length), r.si(to.Values[a].Value, model.Length))
			return nil
		}
	}
	return b
}

func (r *bodies) sphere(s *language.Section) geometry.Shape {
	return geometry.Sphere{Centre: r.pointOf(s, "centre"), Radius: r.radiusOf(s)}
}

func (r *bodies) cylinder(s *language.Section) geometry.Shape {
	c := geometry.Cylinder{Centre: r.pointOf(s, "centre"), Radius: r.radiusOf(s), Axis: 2}
	if e := s.Get("axis"); e != nil {
		c.Axis = axisOf(e.Text)
		if r.dims == 2 && c.Axis != 2 {
			r.Add(e.At, "in 2D a cylinder is a disc; for a bar use shape = \"box\"", "a cylinder cannot lie along %s in 2D", e.Text)
			return nil
		}
	}
	if e := s.Get("length"); e != nil {
		if r.dims == 2 {
			r.Add(e.KeyAt, "", "a cylinder in 2D has no length")
			return nil
		}
		c.Length = r.cellsOf(e)
	} else { // far beyond both faces, wherever its centre is
		c.Length = 4*float64(r.Cells[c.Axis]+1) + 2*math.Abs(c.Centre[c.Axis])
	}
	return c
}

func (r *bodies) ellipsoid(s *language.Section) geometry.Shape {
	e := geometry.Ellipsoid{Centre: r.pointOf(s, "centre"), Radii: [3]float64{1, 1, 1}}
	for a, v := range s.Get("radii").Values {
		e.Radii[a] = v.Value / r.Units.Length
	}
	return e
}

// ends reads from and to, which must differ.
func (r *bodies) ends(s *language.Section) (from, to [3]float64, ok bool) {
	from, to = r.pointOf(s, "from"), r.pointOf(s, "to")
	if from == to {
		r.Add(s.Get("to").At, "", "%s begins where it ends", s.Head())
		return from, to, false
	}
	return from, to, true
}

func (r *bodies) cone(s *language.Section) geometry.Shape {
	from, to, ok := r.ends(s)
	if !ok || s.Get("radius_to") == nil {
		return nil
	}
	return geometry.Cone{From: from, To: to, Radius: r.radiusOf(s), RadiusTo: r.cellsOf(s.Get("radius_to"))}
}

func (r *bodies) capsule(s *language.Section) geometry.Shape {
	from, to, ok := r.ends(s)
	if !ok {
		return nil
	}
	return geometry.Capsule{From: from, To: to, Radius: r.radiusOf(s)}
}

func (r *bodies) halfSpace(s *language.Section) geometry.Shape {
	h := geometry.HalfSpace{Point: r.pointOf(s, "point")}
	v := s.Get("normal").Values
	n := norm(v)
	if n == 0 {
		r.Add(s.Get("normal").At, "", "a zero normal has no direction")
		return nil
	}
	for a := range v {
		h.Normal[a] = v[a].Value / n
	}
	return h
}

// solidFile notes a file to be read when the run starts; 0 with an error.
func (r *bodies) solidFile(s *language.Section, image bool) int {
	e := s.Get("file")
	f := SolidFile{Body: s.Name(), Shown: e.Text, Image: image, At: r.Spot(e.At)}
	var ok bool
	if f.Path, ok = r.file(s, e); !ok {
		return 0
	}
	if f.SHA256, ok = r.digest(s, "sha256"); !ok {
		return 0
	}
	f.Repair = s.Get("repair") != nil && s.Get("repair").Flag
	if image && !r.imageForm(s, &f) {
		return 0
	}
	unit := 1.0
	if e := s.Get("unit"); e != nil {
		unit = e.Values[0].Value
	} else if r.Units.Physical {
		r.need(s, "unit", `unit = "1 mm": STL files have no unit, and a guess could be off by a factor of 1000`)
		return 0
	}
	f.Motion = geometry.NewMotion(unit/r.Units.Length, [3]float64{}, r.position([]language.Amount{{}, {}, {}}))
	if r.dims == 2 { // the section at z = 0 of the file
		f.Motion.Shift[2] = 0.5
	}
	r.Files = append(r.Files, f)
	return len(r.Files)
}

// imageForm reads the properties that an image does not contain.
func (r *bodies) imageForm(s *language.Section, f *SolidFile) bool {
	f.Solid = [2]float64{1, math.Inf(1)}
	if e := s.Get("solid_range"); e != nil {
		f.Solid = [2]float64{e.Values[0].Value, e.Values[1].Value}
		if f.Solid[0] > f.Solid[1] {
			r.Add(e.At, "solid_range = [smallest, largest]", "the range is empty: no voxel is solid")
			return false
		}
	}
	vti := strings.EqualFold(filepath.Ext(f.Path), ".vti")
	if e := s.Get("array"); e != nil {
		if f.Array = e.Text; !vti {
			r.Add(e.KeyAt, "", "a raw image has no named arrays")
			return false
		}
	}
	if e := s.Get("number"); e != nil && !vti {
		f.Number = e.Text
	}
	e := s.Get("voxels")
	switch {
	case vti && (s.Has("voxels") || s.Has("number")):
		r.missing(s, "", "a VTI file contains its number of voxels and their type")
		return false
	case vti:
		s.Drop("number") // not even a default
	case !r.need(s, "voxels", "voxels = [100, 100, 100]: a raw image does not contain its dimensions") || e == nil:
		return false
	default:
		f.Voxels = [3]int{1, 1, 1}
		copy(f.Voxels[:], e.Ints)
	}
	return true
}

func shapes() []string { return names(solids(), func(k solidKind) string { return k.name }) }

// Shape returns the body as a shape, in cells from the domain's lower corner. files are the
// shapes of Case.Files, in their order.
func (b Body) Shape(files []geometry.Shape) geometry.Shape { return b.solid.shape(files) }

// Whole reports whether the shape needs no file.
func (b Body) Whole() bool { return len(b.solid.fromFiles()) == 0 }

// Inside returns a function that reports whether a point, in cells, is in a body; nil where it takes files, or the cells of a
// grid, to know.
func (c *Case) Inside() func(x, y, z float64) bool {
	var shapes []geometry.Shape
	for _, b := range c.Bodies {
		if !b.Whole() || b.Thicken {
			return nil
		}
		shapes = append(shapes, b.Shape(nil))
	}
	return func(x, y, z float64) bool {
		return slices.ContainsFunc(shapes, func(s geometry.Shape) bool { return s.Contains(x, y, z) })
	}
}

// hollow reports whether the line through the middle of the box around a body, along an axis, does not meet it.
func (b Body) hollow(axis int, sizes []SolidSize) bool {
	if !b.known(sizes) {
		return false
	}
	if k := b.solid.file - 1; k >= 0 {
		return sizes[k].Hollow[axis]
	}
	var shapes []geometry.Shape
	for _, s := range sizes {
		shapes = append(shapes, s.Shape)
	}
	lo, hi := b.bounds(sizes)
	return geometry.Hollow(b.Shape(shapes), lo, hi, axis)
}

// known reports whether the sizes have all files of a body.
func (b Body) known(sizes []SolidSize) bool {
	return !slices.ContainsFunc(b.solid.fromFiles(), func(k int) bool { return k >= len(sizes) })
}

// bounds returns the box around a body, in cells, empty where it is not known. sizes are the sizes in Case.Files, or nil.
func (b Body) bounds(sizes []SolidSize) (lo, hi [3]float64) {
	if !b.known(sizes) {
		return lo, hi
	}
	var boxes []geometry.Shape
	for _, s := range sizes {
		boxes = append(boxes, geometry.Box{Lo: s.Lo, Hi: s.Hi})
	}
	return b.Shape(boxes).Bounds()
}
