package config

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/model"
)

// [body.NAME]: what stands in the flow, as shapes in cells.

// solid is how a body is made: a shape, parts that are combined, or a file.
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

// fromFiles are the files that it needs.
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
	make        func(r *resolver, s *language.Section) geometry.Shape // nil with an error added
	op          geometry.Operation
	example     string // of a file
}

// ofSurfaces are the keys that say how the surface of a body acts, whatever its shape.
var ofSurfaces = []string{"type", "conserve_mass", "temperature", "velocity", "angular_velocity", "spin_axis", "spin_centre"}

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
		{name: "box", flat: true, keys: with([]string{"from", "to"}), needs: []string{"from", "to"}, make: (*resolver).box},
		{name: "sphere", keys: with([]string{"centre"}, round), needs: []string{"centre", "radius"}, make: (*resolver).sphere},
		{name: "cylinder", flat: true, keys: with([]string{"centre", "axis", "length"}, round), needs: []string{"centre", "radius"}, make: (*resolver).cylinder},
		{name: "ellipsoid", flat: true, keys: with([]string{"centre", "radii"}), needs: []string{"centre", "radii"}, make: (*resolver).ellipsoid},
		{name: "cone", flat: true, keys: with([]string{"from", "to", "radius_to"}, round), needs: []string{"from", "to", "radius"}, make: (*resolver).cone},
		{name: "capsule", flat: true, keys: with([]string{"from", "to"}, round), needs: []string{"from", "to", "radius"}, make: (*resolver).capsule},
		{name: "half_space", flat: true, keys: with([]string{"point", "normal"}), needs: []string{"point", "normal"}, make: (*resolver).halfSpace},
	}
	for _, c := range []solidKind{{name: "union", op: geometry.Union}, {name: "intersection", op: geometry.Intersection}, {name: "difference", op: geometry.Difference}} {
		c.flat, c.keys, c.needs = true, with([]string{"of"}), []string{"of"}
		list = append(list, c)
	}
	return append(list,
		solidKind{name: "stl", flat: true, keys: with([]string{"file", "sha256", "unit", "repair"}), needs: []string{"file"}, example: "wing.stl"},
		solidKind{name: "image", flat: true, keys: with([]string{"file", "sha256", "unit", "voxels", "number", "array", "solid_range"}), needs: []string{"file"}, example: "rock.vti"})
}

// made is a body while it is being read.
type made struct {
	s     *language.Section
	kind  solidKind
	solid *solid // nil until it is known, and when it cannot be
	in    *made  // the combination that it is a part of
	busy  bool
}

func (r *resolver) bodies() {
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
			continue
		}
		r.moveAll(m)
		b := Body{Name: m.s.Name(), solid: *m.solid}
		r.surface(m.s, &b)
		r.c.Bodies = append(r.c.Bodies, b)
		if b.Whole() {
			r.place(m.s, b)
		}
	}
}

// surface says how the surface of a body acts.
func (r *resolver) surface(s *language.Section, b *Body) {
	if e := s.Get("type"); e != nil {
		b.Kind = of(boundary.FindKind(e.Text))
	}
	b.Temperature = r.wallTemperature(s, b.Kind.Law)
	r.surfaceMotion(s, b)
	if e := s.Get("conserve_mass"); e != nil {
		b.Conserve = e.Flag
		if b.Kind.Law != boundary.Interpolated {
			r.Add(e.KeyAt, "it belongs to type \"interpolated_wall\"", "a body of type %q has no conserve_mass", b.Kind.Name)
		}
	}
}

// surfaceMotion is the velocity of the surface of a body that stays in its place.
func (r *resolver) surfaceMotion(s *language.Section, b *Body) {
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
	m := &SurfaceMotion{}
	for a := range v {
		m.Velocity[a] = r.lattice(v[a], model.Velocity)
	}
	if spin != nil {
		direction := [3]float64{0, 0, 1}
		if s.Has("spin_axis") {
			axis := r.vector(s, "spin_axis")
			if r.dims == 2 {
				r.Add(s.KeyAt("spin_axis"), "leave spin_axis out", "in 2D a body turns about z")
				return
			}
			if axis == nil || norm(axis) == 0 {
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
			r.need(s, "spin_centre", "the middle of a surface from a file is not known here")
			return
		default:
			m.Centre = b.middle(r.c.Cells)
			r.SetDefault(s, "spin_centre", r.coordinates(m.Centre))
		}
	}
	b.Motion = m
	if b.Whole() {
		if share := geometry.Leaving(b.Shape(nil), r.c.Cells, r.dims, b.Motion.after); share > 0.05 {
			r.warn("%s: %.2g %% of the surface moves across itself: velocity and angular_velocity are for surfaces that look the same after the motion, such as a wheel; fluid would pass the others", s.Head(), 100*share)
		}
	}
}

// surfaceSpeed is about the largest speed of a body's surface: that in the middle of the
// faces of the box around it.
func (r *resolver) surfaceSpeed(b Body) (speed float64) {
	lo, hi := b.Shape(nil).Bounds()
	m := *b.Motion
	turns := m.Angular != [3]float64{}
	for a := range r.dims {
		for _, x := range []float64{lo[a], hi[a]} {
			p := m.Centre
			if turns {
				for o := range r.dims { // the middle of a face of the box
					p[o] = math.Max(0, math.Min(float64(r.c.Cells[o]), (lo[o]+hi[o])/2))
				}
				p[a] = math.Max(0, math.Min(float64(r.c.Cells[a]), x))
			}
			u := m.At(p)
			speed = math.Max(speed, math.Hypot(math.Hypot(u[0], u[1]), u[2]))
		}
	}
	return speed
}

// bodyKeys checks that a body has the keys of its shape.
func (r *resolver) bodyKeys(m *made) {
	s := m.s
	e := s.Get("shape")
	if !r.need(s, "shape", "shape = "+language.OneOf(language.QuoteAll(shapes()))) || e == nil {
		return
	}
	for _, k := range solids() {
		if k.name == e.Text {
			m.kind = k
		}
	}
	for _, k := range s.Table.Keys {
		if slices.Contains(ofSurfaces, k.Name) || k.Name == "shape" || slices.Contains(m.kind.keys, k.Name) {
			continue
		}
		if s.Has(k.Name) {
			r.Add(s.KeyAt(k.Name), "", "%s takes no %s", article(e.Text), k.Name)
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
func (r *resolver) claim(m *made, known map[string]*made) {
	if !slices.Contains(m.kind.needs, "of") {
		return
	}
	e := m.s.Get("of")
	if len(e.Words) == 0 {
		r.Add(e.At, "of = [\"a\", \"b\"] names the bodies that it is made of", "%s is made of nothing", m.s.Head())
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
			r.Add(e.WordAt[i], "", "%s is made of itself", m.s.Head())
			m.kind = solidKind{}
		case part.in != nil:
			r.Add(e.WordAt[i], "a body is a part of one combination only: write it a second time under another name", "[body.%s] is already a part of %s", w, part.in.s.Head())
			m.kind = solidKind{}
		default:
			part.in = m
			for _, k := range ofSurfaces {
				if part.s.Has(k) {
					r.Add(part.s.KeyAt(k), "", "[body.%s] is a part of %s and takes its %s from there", w, m.s.Head(), k)
				}
				part.s.Drop(k)
			}
		}
	}
	for up := m.in; up != nil; up = up.in {
		if up == m {
			r.Add(e.At, "", "%s is made of itself", m.s.Head())
			m.in, m.kind = nil, solidKind{}
			return
		}
	}
}

// solid makes a body and its parts.
func (r *resolver) solid(m *made, known map[string]*made) {
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

// moveAll applies a body's own motion to all that it is made of.
func (r *resolver) moveAll(m *made) {
	if motion := r.motion(m); motion != nil {
		r.move(m.solid, *motion)
	}
}

func (r *resolver) move(s *solid, by geometry.Motion) {
	switch {
	case s.file > 0:
		f := &r.c.Files[s.file-1]
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

// motion is what scale, rotate, about and translate ask for, in cells; nil for nothing.
// A file's numbers become the case's coordinates first.
func (r *resolver) motion(m *made) *geometry.Motion {
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
		shift[a] = v.Value / r.c.Units.Length
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

// cellsOf is a length in cells.
func (r *resolver) cellsOf(e *language.Entry) float64 { return e.Values[0].Value / r.c.Units.Length }

// pointOf is the position under a key; in 2D it lies in the plane of the cells' centres.
func (r *resolver) pointOf(s *language.Section, key string) [3]float64 {
	p := r.position(s.Get(key).Values)
	if r.dims == 2 {
		p[2] = 0.5
	}
	return p
}

func (r *resolver) radiusOf(s *language.Section) float64 {
	if e := s.Get("radius"); e != nil {
		return r.cellsOf(e)
	}
	return s.Get("diameter").Values[0].Value / 2 / r.c.Units.Length
}

func (r *resolver) box(s *language.Section) geometry.Shape {
	from, to := s.Get("from"), s.Get("to")
	b := geometry.Box{Lo: r.position(from.Values), Hi: r.position(to.Values)}
	if r.dims == 2 {
		b.Lo[2], b.Hi[2] = 0, 1
	}
	for a := 0; a < r.dims; a++ {
		if !(b.Lo[a] < b.Hi[a]) {
			r.Add(to.Values[a].At, "from is the corner with the smallest coordinates", "the box is empty: its %s runs from %s to %s", axes()[a],
				r.si(from.Values[a].Value, model.Length), r.si(to.Values[a].Value, model.Length))
			return nil
		}
	}
	return b
}

func (r *resolver) sphere(s *language.Section) geometry.Shape {
	return geometry.Sphere{Centre: r.pointOf(s, "centre"), Radius: r.radiusOf(s)}
}

func (r *resolver) cylinder(s *language.Section) geometry.Shape {
	c := geometry.Cylinder{Centre: r.pointOf(s, "centre"), Radius: r.radiusOf(s), Axis: 2}
	if e := s.Get("axis"); e != nil {
		c.Axis = axisOf(e.Text)
		if r.dims == 2 && c.Axis != 2 {
			r.Add(e.At, "in 2D a cylinder is a disc; a bar is shape = \"box\"", "a cylinder cannot lie along %s in 2D", e.Text)
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
		c.Length = 4*float64(r.c.Cells[c.Axis]+1) + 2*math.Abs(c.Centre[c.Axis])
	}
	return c
}

func (r *resolver) ellipsoid(s *language.Section) geometry.Shape {
	e := geometry.Ellipsoid{Centre: r.pointOf(s, "centre"), Radii: [3]float64{1, 1, 1}}
	for a, v := range s.Get("radii").Values {
		e.Radii[a] = v.Value / r.c.Units.Length
	}
	return e
}

// ends are from and to, which must differ.
func (r *resolver) ends(s *language.Section) (from, to [3]float64, ok bool) {
	from, to = r.pointOf(s, "from"), r.pointOf(s, "to")
	if from == to {
		r.Add(s.Get("to").At, "", "%s begins where it ends", s.Head())
		return from, to, false
	}
	return from, to, true
}

func (r *resolver) cone(s *language.Section) geometry.Shape {
	from, to, ok := r.ends(s)
	if !ok || s.Get("radius_to") == nil {
		return nil
	}
	return geometry.Cone{From: from, To: to, Radius: r.radiusOf(s), RadiusTo: r.cellsOf(s.Get("radius_to"))}
}

func (r *resolver) capsule(s *language.Section) geometry.Shape {
	from, to, ok := r.ends(s)
	if !ok {
		return nil
	}
	return geometry.Capsule{From: from, To: to, Radius: r.radiusOf(s)}
}

func (r *resolver) halfSpace(s *language.Section) geometry.Shape {
	h := geometry.HalfSpace{Point: r.pointOf(s, "point")}
	v := s.Get("normal").Values
	n := norm(v)
	if n == 0 {
		r.Add(s.Get("normal").At, "", "a normal without length has no direction")
		return nil
	}
	for a := range v {
		h.Normal[a] = v[a].Value / n
	}
	return h
}

// solidFile notes a file to be read when the run starts; 0 with an error.
func (r *resolver) solidFile(s *language.Section, image bool) int {
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
	} else if r.c.Units.Physical {
		r.need(s, "unit", `unit = "1 mm": the file has no unit, and a guess would be wrong by a thousand`)
		return 0
	}
	f.Motion = geometry.NewMotion(unit/r.c.Units.Length, [3]float64{}, r.position([]language.Amount{{}, {}, {}}))
	if r.dims == 2 { // the section at z = 0 of the file
		f.Motion.Shift[2] = 0.5
	}
	r.c.Files = append(r.c.Files, f)
	return len(r.c.Files)
}

// file is the path of a file that a section names.
func (r *resolver) file(s *language.Section, e *language.Entry) (path string, ok bool) {
	if e.Text == "" {
		r.Add(e.At, "", "%s is empty: give the name of a file", e.Key.Name)
		return "", false
	}
	if filepath.IsAbs(e.Text) {
		return e.Text, true
	}
	return filepath.Join(filepath.Dir(r.c.Path), e.Text), true
}

// digest is the checksum that a section wants a file to have, "" for any.
func (r *resolver) digest(s *language.Section, key string) (sum string, ok bool) {
	e := s.Get(key)
	if e == nil {
		return "", true
	}
	sum = strings.ToLower(e.Text)
	if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
		r.Add(e.At, "sha256sum prints it", "%s needs 64 hexadecimal digits", key)
		return "", false
	}
	return sum, true
}

// imageForm is what an image does not say of itself.
func (r *resolver) imageForm(s *language.Section, f *SolidFile) bool {
	f.Solid = [2]float64{1, math.Inf(1)}
	if e := s.Get("solid_range"); e != nil {
		f.Solid = [2]float64{e.Values[0].Value, e.Values[1].Value}
		if f.Solid[0] > f.Solid[1] {
			r.Add(e.At, "solid_range = [smallest, largest]", "no value is solid")
			return false
		}
	}
	vti := strings.EqualFold(filepath.Ext(f.Path), ".vti")
	if e := s.Get("array"); e != nil {
		if f.Array = e.Text; !vti {
			r.Add(e.KeyAt, "", "a raw image has no arrays with names")
			return false
		}
	}
	if e := s.Get("number"); e != nil && !vti {
		f.Number = e.Text
	}
	e := s.Get("voxels")
	switch {
	case vti && (s.Has("voxels") || s.Has("number")):
		r.missing(s, "", "a VTI file says itself how many voxels it has, and of which type")
		return false
	case vti:
		s.Drop("number") // not even a default
	case !r.need(s, "voxels", "voxels = [100, 100, 100]: a raw image does not say how many it has") || e == nil:
		return false
	default:
		f.Voxels = [3]int{1, 1, 1}
		copy(f.Voxels[:], e.Ints)
	}
	return true
}

// place checks that a body stands in the flow and leaves some of it.
func (r *resolver) place(s *language.Section, b Body) {
	for _, o := range r.All("body") {
		if o.Broken("of", "shape") {
			return // it may be a part of that one
		}
	}
	n := r.c.Cells
	shape := b.Shape(nil)
	lo, hi := shape.Bounds()
	if r.dims == 2 {
		lo[2], hi[2] = 0, 1
	}
	outside := false
	for a := 0; a < r.dims; a++ {
		outside = outside || hi[a] <= 0 || lo[a] >= float64(n[a])
		if r.c.Periodic[a] && (lo[a] < 0 || hi[a] > float64(n[a])) && !(lo[a] < 0 && hi[a] > float64(n[a])) {
			r.warn("%s reaches over a periodic face along %s and is cut there: its other part does not appear on the other side; add a second body for it", s.Head(), axes()[a])
		}
	}
	end := [3]float64{}
	for a := range end {
		end[a] = r.origin[a] + r.size[a]
	}
	switch {
	case outside:
		r.Add(s.At, "the domain runs from "+r.point(r.origin)+" to "+r.point(end), "%s lies outside of the domain", s.Head())
	case !geometry.AnyCell(shape, lo, hi, n, true):
		r.Add(s.At, "a cell is solid when its centre lies inside; the spacing is "+r.si(r.c.Units.Length, model.Length), "%s is too small or too far outside: no cell centre lies in it", s.Head())
	case !geometry.AnyCell(shape, [3]float64{}, [3]float64{float64(n[0]), float64(n[1]), float64(n[2])}, n, false):
		r.Add(s.At, "", "%s fills the whole domain: no fluid is left", s.Head())
	}
}

// middle of the box around a body; bodies from files are not known here.
func (b *Body) middle(cells [3]int) (p [3]float64) {
	if !b.Whole() {
		return p
	}
	return geometry.Middle(b.Shape(nil), cells)
}
