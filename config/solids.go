package config

import (
	"fmt"
	"math"
	"strings"

	"lbmsim/boundary"
	"lbmsim/geometry"
	"lbmsim/model"
)

// [boundary.NAME]: what stands on the faces. Bodies are in bodies.go.

// movingWalls chooses how walls move: by ghost cells, which are quiet beside faces without friction
// and open ones, or by half-way bounce-back.
func (r *resolver) movingWalls() {
	if !r.haveBox || !r.bouncing() {
		return
	}
	for i := range r.c.Boundaries {
		if law := &r.c.Boundaries[i].Kind.Law; *law == boundary.MovingFace {
			*law = boundary.Bounce
		}
	}
}

// bouncing: the place of the wall is what bgk and trt are chosen for; and where no face lets mass
// out it must not change, which ghost cells see to but where faces that move meet each other or a
// body. Without faces that slip they have nothing to offer.
func (r *resolver) bouncing() bool {
	if r.c.Spec.Collision.Scheme == model.Populations {
		return true
	}
	slips, moves := false, [3]bool{}
	for _, b := range r.c.Boundaries {
		switch b.Kind.Law {
		case boundary.PressureFace, boundary.Outflow:
			return false
		case boundary.Slip:
			slips = true
		case boundary.MovingFace, boundary.VelocityFace:
			for _, f := range b.Faces {
				moves[f.Axis] = true
				for _, body := range r.c.Bodies {
					if b.Kind.Law == boundary.MovingFace && r.touches(body, f) {
						return true
					}
				}
			}
		}
	}
	return !slips || moves[0] && moves[1] || moves[0] && moves[2] || moves[1] && moves[2]
}

// touches tells if a body may have cells beside a face; of one from a file nothing is known yet.
func (r *resolver) touches(b Body, f Face) bool {
	if !b.Whole() {
		return true
	}
	from, to := r.reach(b)
	return f.Side == 0 && from[f.Axis] == 0 || f.Side == 1 && to[f.Axis] == r.c.Cells[f.Axis]
}

func (r *resolver) boundaries() {
	taken := map[Face]*section{} // without a part
	parts := map[Face][]facePart{}
	// A missing face may be one that could not be read.
	unsure := r.dims == 0 || r.section("domain").broken("periodic")
	for _, s := range r.all("boundary") {
		b := Boundary{Name: s.name()}
		e := s.get("type")
		if r.need(s, "type", "type = "+oneOf(quoteAll(s.table.find("type").choices))) && e != nil {
			b.Kind, _ = boundary.FindKind(e.text)
			r.boundaryKeys(s, b.Kind)
		}
		ef := s.get("faces")
		if !r.need(s, "faces", `faces = ["x-", "x+"]: x- is the face at the smallest x`) || ef == nil {
			unsure = true
			continue
		}
		if len(ef.words) == 0 {
			r.add(ef.at, `faces = ["x-", "x+"]: x- is the face at the smallest x`, "%s has no face: faces is empty", s.head())
		}
		ok := true
		if b.Part, ok = r.region(s); !ok {
			unsure = true
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
				r.add(at, "the two faces of a periodic axis are joined, and have no boundary", "%s belongs to a periodic axis", w)
				continue
			}
			switch o := taken[f]; {
			case !ok:
			case b.Part != nil:
				if r.haveBox && !r.part(at, facePart{s, *b.Part}, f, parts[f]) {
					continue
				}
				parts[f] = append(parts[f], facePart{s, *b.Part})
			case o != nil:
				r.add(at, "a face may have several boundaries where all but one say which part of it they are: from and to, or centre and radius", "face %s already belongs to %s", w, o.head())
				continue
			default:
				taken[f] = s
			}
			b.Faces = append(b.Faces, f)
		}
		r.faceNumbers(s, &b)
		b.Temperature = r.wallTemperature(s, b.Kind.Law)
		r.c.Boundaries = append(r.c.Boundaries, b)
	}
	if unsure || !r.haveBox {
		return
	}
	var bare []string
	for a := 0; a < r.dims; a++ {
		for side := 0; side < 2; side++ {
			f := Face{a, side}
			if r.c.Periodic[a] || taken[f] != nil {
				continue
			}
			if len(parts[f]) == 0 {
				bare = append(bare, f.String())
				continue
			}
			u, v := geometry.Along(a)
			rest := r.c.Cells[u] * r.c.Cells[v]
			for _, p := range parts[f] {
				rest -= p.region.Share(a, r.c.Cells, nil)
			}
			if rest > 0 {
				r.add(parts[f][0].s.at, fmt.Sprintf("a boundary with %s in faces, but without from, to, centre and radius, takes the rest; a wall, for example", f), "%s cells of face %s have no boundary", grouped(rest), f)
			}
		}
	}
	if len(bare) > 0 {
		plural := ""
		if len(bare) > 1 {
			plural = "s"
		}
		r.add(nowhere, "every face needs a [boundary.NAME] with it in faces, or its axis in [domain] periodic", "no boundary for face%s %s", plural, strings.Join(bare, ", "))
	}
}

// facePart is a part of a face that a boundary stands on.
type facePart struct {
	s      *section
	region geometry.Region
}

// region is the part of its faces that a boundary stands on; nil: no part. It is false
// with an error.
func (r *resolver) region(s *section) (*geometry.Region, bool) {
	box, disc := s.has("from") || s.has("to"), s.has("centre") || s.has("radius")
	if !box && !disc {
		return nil, true
	}
	if box && disc {
		r.add(s.at, "a box has from and to, a disc centre and radius", "the part of a face that %s covers is a box or a disc, not both", s.head())
		return nil, false
	}
	keys := []string{"from", "to"}
	if disc {
		keys = []string{"centre", "radius"}
	}
	for _, k := range keys {
		if !r.need(s, k, "a box has from and to, a disc centre and radius") || s.get(k) == nil {
			return nil, false
		}
		if s.table.find(k).kind == kVector && r.vector(s, k) == nil {
			return nil, false
		}
	}
	if !r.haveBox {
		return nil, false
	}
	if disc {
		return &geometry.Region{Centre: r.pointOf(s, "centre"), Radius: r.cellsOf(s.get("radius"))}, true
	}
	g := &geometry.Region{Lo: r.pointOf(s, "from"), Hi: r.pointOf(s, "to")}
	if r.dims == 2 {
		g.Lo[2], g.Hi[2] = 0, 1
	}
	return g, true
}

// part checks a part of a face against those before it.
func (r *resolver) part(at mark, p facePart, f Face, others []facePart) bool {
	if p.region.Share(f.Axis, r.c.Cells, nil) == 0 {
		r.add(at, "a cell of the face belongs to the part when its centre lies in it; the spacing is "+r.si(r.c.Units.Length, model.Length), "%s has no cell of face %s", p.s.head(), f)
		return false
	}
	for _, o := range others {
		if n := p.region.Share(f.Axis, r.c.Cells, &o.region); n > 0 {
			r.add(at, "", "%s and %s overlap: they share %d cells of face %s", o.s.head(), p.s.head(), n, f)
			return false
		}
	}
	return true
}

// faceNumbers are the velocity and the pressure of a boundary.
func (r *resolver) faceNumbers(s *section, b *Boundary) {
	if v := r.vector(s, "velocity"); v != nil && r.haveTime {
		if b.Kind.Law == boundary.VelocityFace {
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
	r.change(s, b)
	r.sponge(s, b)
	if b.Kind.Law != boundary.Outflow {
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

// sponge is the layer before a face in which the viscosity rises.
func (r *resolver) sponge(s *section, b *Boundary) {
	e := s.get("sponge")
	if e == nil {
		if s.has("sponge_viscosity") && !s.has("sponge") {
			r.add(s.keys["sponge_viscosity"].keyAt, "sponge is its thickness", "%s has a sponge_viscosity but no sponge", s.head())
		}
		return
	}
	if law := r.c.Spec.Viscosity; law == model.PowerLaw || law == model.Carreau {
		r.add(e.keyAt, "a sponge raises a viscosity that is the same everywhere", "a sponge cannot go with viscosity_law = %q", law)
		return
	}
	nu := (r.c.Tau - 0.5) / 3
	most := math.Max(10*nu, 1./6)
	if !s.has("sponge_viscosity") {
		r.setDefault(s, "sponge_viscosity", amount{v: most * r.c.Units.Factor(model.Viscosity), bare: !r.c.Units.Physical, dim: model.Viscosity}.toml())
	}
	if e := s.get("sponge_viscosity"); e != nil {
		if most = r.lattice(e.vals[0], model.Viscosity); most < nu {
			r.add(e.at, "a sponge damps by its viscosity, which rises to this one at the face", "the sponge of %s is less viscous than the fluid", s.head())
		}
	}
	thick := r.cellsOf(e)
	for _, f := range b.Faces {
		if r.haveBox && thick >= float64(r.c.Cells[f.Axis]) {
			r.add(e.at, "give a smaller thickness, or a longer domain", "the sponge before face %s fills the whole domain", f)
			return
		}
	}
	for i := 0; float64(i)+0.5 < thick; i++ {
		rise := 1 - (float64(i)+0.5)/thick
		tau := 0.5 + 3*(nu+(most-nu)*rise*rise)
		b.Sponge = append(b.Sponge, r.c.Rheology.numbers(r.c.Spec, tau, model.NewParams(r.c.Spec.Collision, tau, r.c.Values, r.c.Force.Density)))
	}
	if len(b.Sponge) == 0 {
		r.add(e.at, "a cell belongs to it when its centre lies in it", "the sponge before %s is thinner than half a cell", s.head())
	}
}

// change is how velocity and pressure change with time.
func (r *resolver) change(s *section, b *Boundary) {
	if e := s.get("ramp"); e != nil {
		b.Ramp = r.lattice(e.vals[0], model.Time)
	}
	b.Table = r.tableFile(s, "table", "sha256", r.c.Units.Time)
	if e := s.get("repeat"); e != nil {
		if b.Table != nil {
			b.Table.Repeat = e.flag
		} else if !s.has("table") {
			r.add(e.keyAt, "a table is a file with one period of the factor", "%s has repeat but no table", s.head())
		}
	}
	if b.Outline = r.tableFile(s, "profile", "profile_sha256", r.c.Units.Length); b.Outline == nil {
		if s.has("profile_along") && !s.has("profile") {
			r.add(s.keys["profile_along"].keyAt, "", "%s has profile_along but no profile", s.head())
		}
		return
	}
	for _, f := range b.Faces {
		if f.Axis != b.Faces[0].Axis {
			r.add(s.get("profile").at, "make a boundary for each axis", "a profile is for faces across one axis, and %s has %s and %s", s.head(), b.Faces[0], f)
			return
		}
	}
	disc := b.Part != nil && b.Part.Radius > 0
	if !s.has("profile_along") {
		word := ""
		switch {
		case disc:
			word = "r"
		case r.dims == 2 && len(b.Faces) > 0:
			word = axes()[1-b.Faces[0].Axis]
		default:
			r.missing(s, `"x", "y" or "z"; "r" where the boundary stands on a disc`, "%s needs profile_along", s.head())
			return
		}
		r.setDefault(s, "profile_along", quote(word))
	}
	e := s.get("profile_along")
	if e == nil {
		return
	}
	b.Along = 3
	switch {
	case e.text == "r" && !disc:
		r.add(e.at, "a disc has centre and radius", "profile_along = \"r\", but %s is not a disc", s.head())
	case e.text == "r":
	case axisOf(e.text) >= r.dims:
		r.add(e.at, "", "a case in 2D has no axis %s", e.text)
	case len(b.Faces) > 0 && axisOf(e.text) == b.Faces[0].Axis:
		r.add(e.at, "", "profile_along = %q runs across the face %s, where it has one value", e.text, b.Faces[0])
	default:
		b.Along = axisOf(e.text)
		b.Outline.Start = r.origin[b.Along]
	}
}

// tableFile is a file of two columns that a boundary names; nil: none, or an error.
func (r *resolver) tableFile(s *section, name, sum string, unit float64) *TableFile {
	e := s.get(name)
	if e == nil {
		if s.has(sum) && !s.has(name) {
			r.add(s.keys[sum].keyAt, "", "%s has %s but no %s", s.head(), sum, name)
		}
		return nil
	}
	path, ok := r.file(s, e)
	digest, right := r.digest(s, sum)
	if !ok || !right {
		return nil
	}
	return &TableFile{Key: name, Boundary: s.name(), Path: path, Shown: e.text, SHA256: digest, Unit: unit, At: r.spot(e.at)}
}

// wallVelocity is that of a wall that moves in its plane.
func (r *resolver) wallVelocity(s *section, b *Boundary, v []amount) {
	if s.broken("type") {
		return
	}
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
	var parts [3]ReferenceFunction
	constant := true
	for a := range parts {
		parts[a] = func(x, y, z, t float64) float64 { return 0 }
		if a >= len(v) {
			continue
		}
		constant = constant && v[a].f == nil
		b.Timed = b.Timed || v[a].f != nil && v[a].f.uses[varT].len > 0
		f := r.function(v[a], model.Velocity)
		parts[a] = f
	}
	if !constant {
		b.Profile = &parts
		for a := range b.Code {
			if b.Code[a] = number(0); a < len(v) {
				b.Code[a] = r.code(v[a], model.Velocity)
			}
		}
		return
	}
	for a := range v {
		b.Velocity[a] = r.lattice(v[a], model.Velocity)
	}
}

// boundaryKeys checks that a boundary has the keys of its row in the catalogue.
func (r *resolver) boundaryKeys(s *section, row boundary.Kind) {
	for _, k := range row.Keys {
		r.need(s, k, "a boundary of type "+row.Name+" has it")
	}
	for _, k := range boundaryKeys() {
		if s.has(k.name) && !contains(row.Keys, k.name) && !contains(row.May, k.name) {
			var users []string
			for _, b := range boundary.Kinds {
				if contains(b.Keys, k.name) || contains(b.May, k.name) {
					users = append(users, b.Name)
				}
			}
			r.add(s.keys[k.name].keyAt, k.name+" is for type "+oneOf(quoteAll(users)), "a boundary of type %q takes no %s", row.Name, k.name)
		}
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
