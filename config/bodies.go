// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// [body.NAME]: solids in the flow, as shapes in cells.

// ofSurfaces are the keys of the behaviour of a body's surface, whatever its shape.
var ofSurfaces = []string{"type", "conserve_mass", "thicken", "temperature", "heat_flux", "diffusivity", "heat_capacity", "heat_source", "velocity", "angular_velocity", "spin_axis", "spin_centre", "law", "sample", "layer", "roughness"}

// made is a body while it is being read.
type made struct {
	s     *language.Section
	kind  solidKind
	solid *solid // nil until it is known, and when it cannot be
	in    *made  // the combination that it is a part of
	busy  bool
}

// bodies reads [body.NAME], after the faces.
type bodies struct {
	*frame
	*Solids
	thermal *thermal
}

func (r *bodies) read() {
	known := map[string]*made{}
	var list []*made
	for _, s := range r.All("body") {
		m := &made{s: s}
		list = append(list, m)
		known[s.Name()] = m
		r.bodyKeys(m)
	}
	for _, m := range list {
		r.claim(m, known)
	}
	for _, m := range list {
		if m.in != nil {
			continue
		}
		r.solid(m, known)
		if m.solid == nil {
			r.broken = true
			continue
		}
		r.moveAll(m)
		b := Body{Name: m.s.Name(), solid: *m.solid}
		r.surface(m.s, &b)
		r.Bodies = append(r.Bodies, b)
		r.once(func() { r.reaches(m.s, b) }, b)
	}
}

// placed checks the places of bodies in closed form, once the cells around them are known.
func (r *bodies) placed() {
	for _, b := range r.Bodies {
		if b.Whole() {
			r.place(r.Named("body", b.Name), b)
		}
	}
}

// surface reads the behaviour of a body's surface.
func (r *bodies) surface(s *language.Section, b *Body) {
	if e := s.Get("type"); e != nil {
		b.Kind = of(boundary.FindKind(e.Text))
	} else if !s.Has("type") {
		r.ownWall(s, b)
	}
	if e := s.Get("thicken"); e != nil {
		b.Thicken = e.Flag
		if e.Flag && b.Kind.Law == boundary.ModelledWall {
			r.Add(e.KeyAt, "use type \"wall\"", "%s cannot have thicken: a wall model needs cells inside the body", s.Head())
		}
		for _, k := range b.solid.fromFiles() {
			if e.Flag && r.Files[k].Image {
				r.Add(e.KeyAt, "", "%s cannot have thicken: its cells are the voxels of an image", s.Head())
			}
		}
		if b.solid.file > 0 {
			r.Files[b.solid.file-1].Sheets = e.Flag
		}
	}
	b.Temperature = r.thermal.wallTemperature(s, b.Kind.Law, false)
	b.Model = r.wallModel(s, b.Kind)
	if b.Kind.Law == boundary.ModelledWall {
		r.thermal.ofModel(s, &b.Model, b.Temperature)
	}
	for _, k := range wallModelKeys() {
		if s.Has(k.Name) && b.Kind.Name != "" && b.Kind.Law != boundary.ModelledWall {
			r.Add(s.KeyAt(k.Name), "it belongs to type \"wall_model\"", "a body of type %q has no %s", b.Kind.Name, k.Name)
		}
	}
	r.surfaceMotion(s, b)
	if e := s.Get("conserve_mass"); e != nil {
		b.Conserve = e.Flag
		if b.Kind.Law != boundary.Interpolated && b.Kind.Name != "" {
			r.Add(e.KeyAt, "it belongs to type \"interpolated_wall\"", "a body of type %q has no conserve_mass", b.Kind.Name)
		}
	}
}

// surfaceMotion reads the velocity of the surface of a body that stays in its place.
func (r *bodies) surfaceMotion(s *language.Section, b *Body) {
	spin := s.Get("angular_velocity")
	for _, k := range []string{"spin_axis", "spin_centre"} {
		if s.Has(k) && !s.Has("angular_velocity") {
			r.Add(s.KeyAt(k), "", "%s has %s but no angular_velocity", s.Head(), k)
		}
	}
	v := r.vector(s, "velocity")
	if !r.haveTime || !r.haveBox || v == nil && spin == nil {
		return
	}
	m := &boundary.Spin{}
	for a := range v {
		m.Velocity[a] = r.lattice(v[a], model.Velocity)
	}
	if spin != nil {
		direction := [3]float64{0, 0, 1}
		if s.Has("spin_axis") {
			axis := r.vector(s, "spin_axis")
			if r.dims == 2 {
				r.Add(s.KeyAt("spin_axis"), "remove spin_axis", "in 2D a body turns about z")
				return
			}
			if axis == nil {
				return // it is reported
			}
			if norm(axis) == 0 {
				r.Add(s.ValueAt("spin_axis"), "", "spin_axis has no length")
				return
			}
			for a := range axis {
				direction[a] = axis[a].Value / norm(axis)
			}
		}
		for a := range direction {
			m.Angular[a] = direction[a] * r.lattice(spin.Values[0], model.Rate)
		}
		switch {
		case s.Has("spin_centre"):
			if s.Get("spin_centre") == nil || r.vector(s, "spin_centre") == nil {
				return
			}
			m.Centre = r.pointOf(s, "spin_centre")
		case !b.Whole():
			r.need(s, "spin_centre", "the centre of a surface from a file is not known here")
			return
		default:
			m.Centre = b.middle(r.Cells)
			r.SetDefault(s, "spin_centre", r.coordinates(m.Centre))
		}
	}
	b.Motion = m
	r.once(func() {
		if share := geometry.Leaving(r.shape(*b), r.Cells, r.dims, after(*m)); share > 0.05 {
			r.warn(finding.MovesAcross, "%s: %s %% of the surface is displaced by the motion: velocity and angular_velocity are for surfaces that the motion maps onto themselves, such as a wheel; fluid would pass through others", s.Head(), percent(share))
		}
	}, *b)
}

// bodyKeys checks that a body has the keys of its shape.
func (r *bodies) bodyKeys(m *made) {
	s := m.s
	e := s.Get("shape")
	if !r.need(s, "shape", "shape = "+language.OneOf(language.QuoteAll(shapes()))) || e == nil {
		return
	}
	m.kind = solids()[indexOf(shapes(), e.Text)]
	for _, k := range s.Table.Keys {
		if slices.Contains(ofSurfaces, k.Name) || k.Name == "shape" || slices.Contains(m.kind.keys, k.Name) {
			continue
		}
		if s.Has(k.Name) {
			r.Add(s.KeyAt(k.Name), "", "%s cannot have %s", article(e.Text), k.Name)
		}
		s.Drop(k.Name) // not even a default
	}
	if r.dims == 2 && !m.kind.flat {
		r.Add(e.At, "", "a sphere needs 3D; a disc in 2D is shape = \"cylinder\"")
		m.kind = solidKind{}
		return
	}
	ok := true
	for _, k := range m.kind.needs {
		if k == "radius" {
			r.exclusive(s, "the diameter is twice the radius", "radius", "diameter")
			if !s.Has("radius") && !s.Has("diameter") {
				r.missing(s, "", "%s needs radius or diameter", s.Head())
				ok = false
			}
			ok = ok && (s.Get("radius") != nil || s.Get("diameter") != nil)
			continue
		}
		example := ""
		if k == "file" {
			example = "file = \"" + m.kind.example + "\", relative to the folder of the case"
		}
		ok = r.need(s, k, example) && s.Get(k) != nil && ok
		if ok && s.Table.Find(k).Kind == language.Vector {
			ok = r.vector(s, k) != nil
		}
	}
	if !ok {
		m.kind = solidKind{}
	}
}

func article(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") && word != "union" || word == "stl" {
		return "an " + word
	}
	return "a " + word
}

// claim notes which bodies are parts of a combination. A body is a part of one only,
// so that they form trees.
func (r *bodies) claim(m *made, known map[string]*made) {
	if !slices.Contains(m.kind.needs, "of") {
		return
	}
	e := m.s.Get("of")
	if len(e.Words) == 0 {
		r.Add(e.At, "of = [\"a\", \"b\"] lists the bodies it combines", "%s combines no bodies", m.s.Head())
		m.kind = solidKind{}
	}
	for i, w := range e.Words {
		part := known[w]
		switch {
		case part == nil:
			var others []string
			for _, s := range r.All("body") {
				others = append(others, s.Name())
			}
			r.Add(e.WordAt[i], "", "there is no [body.%s]%s", w, language.Meant(w, others))
			m.kind = solidKind{}
		case part == m:
			r.Add(e.WordAt[i], "", "%s contains itself", m.s.Head())
			m.kind = solidKind{}
		case part.in != nil:
			r.Add(e.WordAt[i], "a body can be in only one combination: define it again under another name", "[body.%s] is already a part of %s", w, part.in.s.Head())
			m.kind = solidKind{}
		default:
			part.in = m
			for _, k := range ofSurfaces {
				if part.s.Has(k) {
					r.Add(part.s.KeyAt(k), "", "[body.%s] is part of %s, which sets its %s", w, m.s.Head(), k)
				}
				part.s.Drop(k)
			}
		}
	}
	for up := m.in; up != nil; up = up.in {
		if up == m {
			r.Add(e.At, "", "%s contains itself", m.s.Head())
			m.in, m.kind = nil, solidKind{}
			return
		}
	}
}

// solid makes a body and its parts.
func (r *bodies) solid(m *made, known map[string]*made) {
	if m.kind.name == "" || !r.haveBox || m.busy {
		return
	}
	m.busy = true
	out := solid{op: m.kind.op}
	switch {
	case m.kind.make != nil:
		if out.plain = m.kind.make(r, m.s); out.plain == nil {
			return
		}
	case slices.Contains(m.kind.needs, "file"):
		if out.file = r.solidFile(m.s, m.kind.name == "image"); out.file == 0 {
			return
		}
	default:
		for _, w := range m.s.Get("of").Words {
			part := known[w]
			r.solid(part, known)
			if part.solid == nil {
				return
			}
			r.moveAll(part)
			out.parts = append(out.parts, *part.solid)
		}
	}
	m.solid = &out
}

// moveAll applies a body's own motion to all its parts.
func (r *bodies) moveAll(m *made) {
	if motion := r.motion(m); motion != nil {
		r.move(m.solid, *motion)
	}
}

func (r *bodies) move(s *solid, by geometry.Motion) {
	switch {
	case s.file > 0:
		f := &r.Files[s.file-1]
		f.Motion = by.After(f.Motion)
	case s.plain == nil:
		for i := range s.parts {
			r.move(&s.parts[i], by)
		}
	default:
		if s.motion != nil {
			by = by.After(*s.motion)
		}
		s.motion = &by
	}
}

// motion returns the motion given by scale, rotate, about and translate, in cells;
// nil without any. A file's numbers become the case's coordinates first.
func (r *bodies) motion(m *made) *geometry.Motion {
	s := m.s
	scale := 1.0
	if e := s.Get("scale"); e != nil {
		scale = e.Values[0].Value
	}
	var angles, shift [3]float64
	if e := s.Get("rotate"); e != nil {
		if len(e.Values) != 3 {
			r.Add(e.At, "angles in degrees about x, y and z; in 2D the first two are 0", "rotate has %d values", len(e.Values))
			return nil
		}
		for a, v := range e.Values {
			angles[a] = v.Value
			if r.dims == 2 && a < 2 && v.Value != 0 {
				r.Add(v.At, "", "in 2D a body turns about z only")
				return nil
			}
		}
	}
	for a, v := range r.vector(s, "translate") {
		shift[a] = v.Value / r.Units.Length
	}
	if scale == 1 && angles == [3]float64{} && shift == [3]float64{} {
		return nil
	}
	var about [3]float64
	switch v := r.vector(s, "about"); {
	case v != nil:
		about = r.position(v)
	case m.solid.plain != nil:
		lo, hi := m.solid.plain.Bounds()
		for a := range about {
			about[a] = (lo[a] + hi[a]) / 2
		}
		if h, ok := m.solid.plain.(geometry.HalfSpace); ok {
			about = h.Point
		}
	default:
		about = r.position([]language.Amount{{}, {}, {}})
	}
	if r.dims == 2 {
		about[2] = 0.5
	}
	out := geometry.NewMotion(scale, angles, [3]float64{})
	moved := out.Apply(about)
	for a := range shift {
		out.Shift[a] = shift[a] + about[a] - moved[a]
	}
	return &out
}

// reaches warns of a body that a periodic face cuts.
func (r *bodies) reaches(s *language.Section, b Body) {
	lo, hi := r.shape(b).Bounds()
	for a := range r.dims {
		n := float64(r.Cells[a])
		if r.Periodic[a] && (lo[a] < 0 || hi[a] > n) && !(lo[a] < 0 && hi[a] > n) {
			r.warn(finding.PeriodicBody, "%s crosses a periodic face along %s and is cut there: the part beyond does not reappear on the other side; add a second body for it", s.Head(), axes()[a])
		}
	}
}

// place checks that a body is in the flow and leaves some fluid.
func (r *bodies) place(s *language.Section, b Body) {
	for _, o := range r.All("body") {
		if o.Broken("of", "shape", "rotate", "about", "scale", "translate") {
			return // it may be a part of that one
		}
	}
	n := r.Cells
	shape := r.shape(b)
	lo, hi := shape.Bounds()
	if r.dims == 2 {
		lo[2], hi[2] = 0, 1
	}
	level := finest{r.finer}.box(lo, hi)
	unsure := r.finer == nil && len(r.All("refine")) > 0 // the boxes have an error
	outside := false
	for a := 0; a < r.dims; a++ {
		outside = outside || hi[a] <= 0 || lo[a] >= float64(n[a])
	}
	end := [3]float64{}
	for a := range end {
		end[a] = r.Origin[a] + r.size[a]
	}
	switch {
	case outside:
		r.Add(s.At, "the domain runs from "+r.point(r.Origin)+" to "+r.point(end), "%s lies outside the domain", s.Head())
	case !b.Thicken && !unsure && !r.hasCell(shape, level):
		r.Add(s.At, "a cell is solid when its centre lies inside; the spacing is "+r.si(r.Units.Length/cellsAt(level, 1), model.Length)+"; thicken = true makes a body at least one cell thick", "%s is too small or too far outside: no cell centre lies in it", s.Head())
	case !geometry.AnyCell(shape, [3]float64{}, [3]float64{float64(n[0]), float64(n[1]), float64(n[2])}, n, false):
		r.Add(s.At, "", "%s fills the whole domain: there are no fluid cells", s.Head())
	}
}

// hasCell reports whether a shape has a cell of a level.
func (r *bodies) hasCell(shape geometry.Shape, level int) bool {
	n := r.Cells
	for a := range r.dims {
		n[a] <<= level
	}
	fine := geometry.Finer(shape, level, r.dims)
	lo, hi := fine.Bounds()
	if r.dims == 2 {
		lo[2], hi[2] = 0, 1
	}
	return geometry.AnyCell(fine, lo, hi, n, true)
}

// middle of the box around a body; bodies from files are not known here.
func (b *Body) middle(cells [3]int) (p [3]float64) {
	if !b.Whole() {
		return p
	}
	return geometry.Middle(b.Shape(nil), cells)
}
