package config

import (
	"math"

	"lbmsim/model"
)

// [boundary.NAME] and [body.NAME]: what stands on the faces and in the flow.

func (r *resolver) boundaries() {
	taken := map[Face]*section{}
	unsure := r.dims == 0 // a missing face may be one that could not be read
	for _, s := range r.all("boundary") {
		b := Boundary{Name: s.name()}
		e := s.get("type")
		if r.need(s, "type", "type = "+oneOf(quoteAll(s.table.find("type").choices))) && e != nil {
			b.Kind, _ = model.FindBoundary(e.text)
			r.boundaryKeys(s, b.Kind)
		}
		ef := s.get("faces")
		if !r.need(s, "faces", `faces = ["x-", "x+"]: x- is the face at the smallest x`) || ef == nil {
			unsure = true
			continue
		}
		if len(ef.words) == 0 {
			r.add(ef.at, "", "%s stands on no face", s.head())
		}
		for i, w := range ef.words {
			f := Face{Axis: axisOf(w[:1])}
			if w[1] == '+' {
				f.Side = 1
			}
			at := ef.wordAt[i]
			switch {
			case r.dims == 0:
			case f.Axis >= r.dims:
				r.add(at, "", "a case in 2D has no face %s", w)
				continue
			case r.c.Periodic[f.Axis]:
				r.add(at, "the two faces of a periodic axis are joined: nothing can stand on them", "%s belongs to a periodic axis", w)
				continue
			}
			if o := taken[f]; o != nil {
				r.add(at, "", "face %s already belongs to %s", w, o.head())
				continue
			}
			taken[f] = s
			b.Faces = append(b.Faces, f)
		}
		r.faceNumbers(s, &b)
		r.c.Boundaries = append(r.c.Boundaries, b)
	}
	if unsure || !r.haveBox {
		return
	}
	for a := 0; a < r.dims; a++ {
		for side := 0; side < 2; side++ {
			if f := (Face{a, side}); !r.c.Periodic[a] && taken[f] == nil {
				r.add(nowhere, "every face needs a [boundary.NAME] with it in faces, unless its axis is in [domain] periodic", "nothing stands on face %s", f)
			}
		}
	}
}

// faceNumbers are the velocity and the pressure of a boundary.
func (r *resolver) faceNumbers(s *section, b *Boundary) {
	if v := r.vector(s, "velocity"); v != nil && r.haveTime {
		if b.Kind.Law == model.VelocityFace {
			r.profile(s, b, v)
		} else {
			r.wallVelocity(s, b, v)
		}
	}
	if !r.haveTime {
		return
	}
	if e := s.get("pressure"); e != nil {
		b.Density = r.lattice(e.vals[0], model.Pressure) / model.CS2
		if b.Density < -0.5 || b.Density > 1 {
			r.add(e.at, "density = 1 + pressure/cs^2 must stay near 1 in lattice units; a smaller lattice velocity makes pressures smaller",
				"the pressure is %s in lattice units", short(b.Density*model.CS2))
		}
	}
	if b.Kind.Law != model.Outflow {
		return
	}
	if e := s.get("relaxation"); e != nil {
		b.Relax = e.vals[0].v
	} else if len(b.Faces) > 0 && r.haveBox {
		// Poinsot & Lele, J. Comput. Phys. 101 (1992) 104, eq. 40, with a smaller sigma than
		// their 0.25: of a pulse as long as a tenth of the domain 1 % would come back.
		b.Relax = 0.1 * math.Sqrt(model.CS2) / float64(max(1, r.c.Cells[b.Faces[0].Axis]))
	}
}

// wallVelocity is that of a wall that moves in its plane.
func (r *resolver) wallVelocity(s *section, b *Boundary, v []amount) {
	for a := range v {
		if v[a].f != nil {
			r.add(v[a].at, "", "the velocity of a moving_wall must be constant")
			continue
		}
		b.Velocity[a] = r.lattice(v[a], model.Velocity)
		for _, f := range b.Faces {
			if f.Axis == a && v[a].v != 0 {
				r.add(v[a].at, "a wall that moves out of its plane would push fluid through itself", "%s moves along %s, but face %s must stay in its plane", s.head(), axes()[a], f)
			}
		}
	}
}

// profile is the velocity at a face that the fluid passes.
func (r *resolver) profile(s *section, b *Boundary, v []amount) {
	var parts [3]Function
	constant := true
	for a := range parts {
		parts[a] = func(x, y, z float64) float64 { return 0 }
		if a >= len(v) {
			continue
		}
		constant = constant && v[a].f == nil
		f := r.function(v[a], model.Velocity)
		parts[a] = func(x, y, z float64) float64 { return f(x, y, z, 0) }
		r.sample(s.get("velocity"), v[a], parts[a], func(float64) string { return "" })
	}
	if !constant {
		b.Profile = &parts
		return
	}
	for a := range v {
		b.Velocity[a] = r.lattice(v[a], model.Velocity)
	}
}

// boundaryKeys checks that a boundary has the keys of its row in the catalogue.
func (r *resolver) boundaryKeys(s *section, row model.Boundary) {
	for _, k := range row.Keys {
		r.need(s, k, "a boundary of type "+row.Name+" has it")
	}
	for _, k := range boundaryKeys() {
		if s.has(k.name) && !contains(row.Keys, k.name) && !contains(row.May, k.name) {
			var users []string
			for _, b := range model.Boundaries {
				if contains(b.Keys, k.name) || contains(b.May, k.name) {
					users = append(users, b.Name)
				}
			}
			r.add(s.keys[k.name].keyAt, "it belongs to type "+oneOf(quoteAll(users)), "a boundary of type %q has no %s", row.Name, k.name)
		}
	}
}

// shapeKeys are the keys of each shape.
func shapeKeys(shape string) []string {
	switch shape {
	case "box":
		return []string{"from", "to"}
	case "sphere":
		return []string{"centre", "radius", "diameter"}
	}
	return []string{"centre", "radius", "diameter", "axis", "length"}
}

func (r *resolver) bodies() {
	for _, s := range r.all("body") {
		r.body(s)
	}
}

func (r *resolver) body(s *section) {
	b := Body{Name: s.name()}
	if e := s.get("type"); e != nil {
		b.Kind, _ = model.FindBoundary(e.text)
	}
	if e := s.get("conserve_mass"); e != nil {
		b.Conserve = e.flag
		if b.Kind.Law != model.Interpolated {
			r.add(e.keyAt, "it belongs to type \"interpolated_wall\"", "a body of type %q has no conserve_mass", b.Kind.Name)
		}
	}
	e := s.get("shape")
	if !r.need(s, "shape", "shape = "+oneOf(quoteAll(shapes()))) || e == nil {
		return
	}
	own := shapeKeys(e.text)
	for _, k := range []string{"from", "to", "centre", "radius", "diameter", "axis", "length"} {
		if s.has(k) && !contains(own, k) {
			r.add(s.keys[k].keyAt, "", "a %s has no %s", e.text, k)
		}
		if !contains(own, k) {
			delete(s.keys, k) // not even a default
		}
	}
	if r.dims == 2 && e.text == "sphere" {
		r.add(e.at, "", "a sphere in 2D: a disc is shape = \"cylinder\"")
		return
	}
	ok := true
	required := []string{"centre"}
	if e.text == "box" {
		required = []string{"from", "to"}
	}
	for _, k := range required {
		ok = r.need(s, k, "") && r.vector(s, k) != nil && ok
	}
	if e.text != "box" {
		r.exclusive(s, "the diameter is twice the radius", "radius", "diameter")
		if !s.has("radius") && !s.has("diameter") {
			r.missing(s, "", "%s needs radius or diameter", s.head())
			ok = false
		}
		ok = ok && (s.get("radius") != nil || s.get("diameter") != nil)
	}
	if !ok || !r.haveBox {
		return
	}
	if e.text == "box" {
		r.boxBody(s, &b)
	} else {
		r.roundBody(s, e.text, &b)
	}
}

func (r *resolver) boxBody(s *section, b *Body) {
	b.Shape = BoxShape
	from, to := s.get("from"), s.get("to")
	b.Lo, b.Hi = r.position(from.vals), r.position(to.vals)
	if r.dims == 2 {
		b.Lo[2], b.Hi[2] = 0, 1
	}
	for a := 0; a < r.dims; a++ {
		if !(b.Lo[a] < b.Hi[a]) {
			r.add(to.vals[a].at, "from is the corner with the smallest coordinates", "the box is empty: its %s runs from %s to %s", axes()[a],
				r.si(from.vals[a].v, model.Length), r.si(to.vals[a].v, model.Length))
			return
		}
	}
	r.place(s, b)
}

func (r *resolver) roundBody(s *section, shape string, b *Body) {
	dx := r.c.Units.Length
	b.Centre = r.position(s.get("centre").vals)
	if e := s.get("radius"); e != nil {
		b.Radius = e.vals[0].v / dx
	} else {
		b.Radius = s.get("diameter").vals[0].v / 2 / dx
	}
	if r.dims == 2 {
		b.Centre[2] = 0.5
	}
	b.Shape = Sphere
	if shape == "cylinder" {
		b.Shape, b.Axis = Cylinder, 2
		if e := s.get("axis"); e != nil {
			b.Axis = axisOf(e.text)
			if r.dims == 2 && b.Axis != 2 {
				r.add(e.at, "in 2D a cylinder is a disc; a bar is shape = \"box\"", "a cylinder along %s in 2D", e.text)
				return
			}
		}
		if e := s.get("length"); e != nil {
			if r.dims == 2 {
				r.add(e.keyAt, "", "a cylinder in 2D has no length")
				return
			}
			b.Length = e.vals[0].v / dx
		}
	}
	r.place(s, b)
}

// place checks that a body stands in the flow and leaves some of it.
func (r *resolver) place(s *section, b *Body) {
	r.c.Bodies = append(r.c.Bodies, *b)
	n := r.c.Cells
	// All shapes are convex: a shape that holds the corner cells holds all, and one
	// that holds any cell centre holds the one nearest to its middle.
	all := true
	for i := 0; i < 8; i++ {
		p := [3]float64{0.5, 0.5, 0.5}
		for a := range p {
			if i>>a&1 == 1 {
				p[a] = float64(n[a]) - 0.5
			}
		}
		all = all && b.contains(p)
	}
	if all {
		r.add(s.at, "", "%s fills the whole domain: no fluid is left", s.head())
		return
	}
	mid := b.middle()
	outside := false
	var near [3]float64
	for a := 0; a < r.dims; a++ {
		if lo, hi := b.extent(a); r.c.Periodic[a] && (lo < 0 || hi > float64(n[a])) && !math.IsInf(lo, 0) {
			r.warn("%s reaches over a periodic face along %s and is cut there: its other part does not appear on the other side; add a second body for it", s.head(), axes()[a])
		}
	}
	for a, m := range mid {
		near[a] = math.Min(math.Max(math.Floor(m), 0), float64(n[a]-1)) + 0.5
		lo, hi := b.extent(a)
		outside = outside || hi <= 0 || lo >= float64(n[a])
	}
	hi := [3]float64{}
	for a := range hi {
		hi[a] = r.origin[a] + r.size[a]
	}
	switch {
	case outside:
		r.add(s.at, "the domain runs from "+r.point(r.origin)+" to "+r.point(hi), "%s lies outside of the domain", s.head())
	case !b.contains(near):
		r.add(s.at, "a cell is solid when its centre lies inside; the spacing is "+r.si(r.c.Units.Length, model.Length), "%s is too small or too far outside: no cell centre lies in it", s.head())
	}
}

// point writes a position.
func (r *resolver) point(p [3]float64) string {
	t := "("
	for a := 0; a < r.dims; a++ {
		if a > 0 {
			t += ", "
		}
		t += short(p[a])
	}
	t += ")"
	if r.c.Units.Physical {
		t += " m"
	}
	return t
}

// middle of a body.
func (b *Body) middle() [3]float64 {
	if b.Shape != BoxShape {
		return b.Centre
	}
	var m [3]float64
	for a := range m {
		m[a] = (b.Lo[a] + b.Hi[a]) / 2
	}
	return m
}

// extent along an axis.
func (b *Body) extent(a int) (lo, hi float64) {
	switch {
	case b.Shape == BoxShape:
		return b.Lo[a], b.Hi[a]
	case b.Shape == Cylinder && a == b.Axis && b.Length == 0:
		return math.Inf(-1), math.Inf(1)
	case b.Shape == Cylinder && a == b.Axis:
		return b.Centre[a] - b.Length/2, b.Centre[a] + b.Length/2
	}
	return b.Centre[a] - b.Radius, b.Centre[a] + b.Radius
}

// contains tells whether a point in cells lies in the body, as package geometry
// samples it.
func (b *Body) contains(p [3]float64) bool {
	r2 := 0.0
	for a, v := range p {
		if b.Shape == BoxShape || b.Shape == Cylinder && a == b.Axis {
			if lo, hi := b.extent(a); v < lo || v >= hi {
				return false
			}
			continue
		}
		r2 += (v - b.Centre[a]) * (v - b.Centre[a])
	}
	return b.Shape == BoxShape || r2 < b.Radius*b.Radius
}
