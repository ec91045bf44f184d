// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/model"
)

// [boundary.NAME]: the conditions on the faces. Bodies are in bodies.go.

// faces reads [boundary.NAME], after the fluid and its temperature.
type faces struct {
	*frame
	*Flow
	*Solids
	thermal *thermal
}

func (r *faces) read() {
	known := claims{map[Face]*language.Section{}, map[Face][]facePart{}}
	// A missing face may be one that could not be read.
	unsure := r.dims == 0 || r.Section("domain").Broken("periodic")
	for _, s := range r.All("boundary") {
		b := Boundary{Name: s.Name()}
		e := s.Get("type")
		if r.need(s, "type", "type = "+language.OneOf(language.QuoteAll(s.Table.Find("type").Choices))) && e != nil {
			b.Kind = of(boundary.FindKind(e.Text))
			r.boundaryKeys(s, b.Kind)
		}
		ef := s.Get("faces")
		if !r.need(s, "faces", `faces = ["x-", "x+"]: x- is the face at the smallest x`) || ef == nil {
			unsure = true
			continue
		}
		if len(ef.Words) == 0 {
			r.Add(ef.At, `faces = ["x-", "x+"]: x- is the face at the smallest x`, "%s has no face: faces is empty", s.Head())
		}
		ok := true
		if b.Region, ok = r.region(s); !ok {
			unsure = true
		}
		r.claim(s, ef, &b, ok, known)
		r.faceNumbers(s, &b)
		b.Model = r.wallModel(s, b.Kind)
		b.Temperature = r.thermal.wallTemperature(s, b.Kind.Law, b.Kind.Law == boundary.VelocityFace && b.MayEnter())
		if b.Kind.Law == boundary.ModelledWall {
			r.thermal.ofModel(s, &b.Model, b.Temperature)
		}
		r.Boundaries = append(r.Boundaries, b)
	}
	if unsure || !r.haveBox {
		return
	}
	r.uncovered(known)
}

// claims are the faces and parts that boundaries occupy.
type claims struct {
	whole map[Face]*language.Section // the rest of a face beside other boundaries
	parts map[Face][]facePart
}

// claim notes the faces of a boundary beside the faces of earlier boundaries. ok: its part is known.
func (r *faces) claim(s *language.Section, faces *language.Entry, b *Boundary, ok bool, known claims) {
	for i, w := range faces.Words {
		f := Face{Axis: axisOf(w[:1])}
		if w[1] == '+' {
			f.Side = 1
		}
		at := faces.WordAt[i]
		switch {
		case r.dims == 0:
		case f.Axis >= r.dims:
			r.Add(at, "", "a 2D case has no face %s", w)
			continue
		case r.Periodic[f.Axis]:
			r.Add(at, "the two faces of a periodic axis are joined, and have no boundary", "%s belongs to a periodic axis", w)
			continue
		}
		switch o := known.whole[f]; {
		case !ok:
		case b.Region != nil:
			if r.haveBox && !r.part(at, facePart{s, *b.Region}, f, known.parts[f]) {
				continue
			}
			known.parts[f] = append(known.parts[f], facePart{s, *b.Region})
		case o != nil:
			r.Add(at, "a face may have several boundaries if all but one specify their part of it: from and to, or centre and radius", "face %s already belongs to %s", w, o.Head())
			continue
		default:
			known.whole[f] = s
		}
		b.Faces = append(b.Faces, f)
	}
}

// uncovered reports faces that have no boundary, wholly or in part.
func (r *faces) uncovered(known claims) {
	var bare []string
	for a := 0; a < r.dims; a++ {
		for side := 0; side < 2; side++ {
			f := Face{a, side}
			if r.Periodic[a] || known.whole[f] != nil {
				continue
			}
			if len(known.parts[f]) == 0 {
				bare = append(bare, f.String())
				continue
			}
			u, v := geometry.Along(a)
			rest := r.Cells[u] * r.Cells[v]
			for _, p := range known.parts[f] {
				rest -= p.region.Share(a, r.Cells, nil)
			}
			if rest > 0 {
				r.Add(known.parts[f][0].s.At, fmt.Sprintf("a boundary with %s in faces, but without from, to, centre and radius, takes the remaining cells; a wall, for example", f), "%s cells of face %s have no boundary", language.Grouped(rest), f)
			}
		}
	}
	if len(bare) > 0 {
		plural := ""
		if len(bare) > 1 {
			plural = "s"
		}
		r.Add(language.Nowhere, "every face must be listed in faces of a [boundary.NAME], or its axis in [domain] periodic", "no boundary for face%s %s", plural, strings.Join(bare, ", "))
	}
}

// facePart is a part of a face that a boundary occupies.
type facePart struct {
	s      *language.Section
	region geometry.Region
}

// region returns the part of its faces that a boundary occupies; nil: no part. It is false
// with an error.
func (r *faces) region(s *language.Section) (*geometry.Region, bool) {
	box, disc := s.Has("from") || s.Has("to"), s.Has("centre") || s.Has("radius")
	if !box && !disc {
		return nil, true
	}
	if box && disc {
		r.Add(s.At, "a box has from and to, a disc centre and radius", "the part of the face covered by %s is a box or a disc, not both", s.Head())
		return nil, false
	}
	keys := []string{"from", "to"}
	if disc {
		keys = []string{"centre", "radius"}
	}
	for _, k := range keys {
		if !r.need(s, k, "a box has from and to, a disc centre and radius") || s.Get(k) == nil {
			return nil, false
		}
		if s.Table.Find(k).Kind == language.Vector && r.vector(s, k) == nil {
			return nil, false
		}
	}
	if !r.haveBox {
		return nil, false
	}
	if disc {
		return &geometry.Region{Centre: r.pointOf(s, "centre"), Radius: r.cellsOf(s.Get("radius"))}, true
	}
	g := &geometry.Region{Lo: r.pointOf(s, "from"), Hi: r.pointOf(s, "to")}
	if r.dims == 2 {
		g.Lo[2], g.Hi[2] = 0, 1
	}
	return g, true
}

// part checks a part of a face against those before it.
func (r *faces) part(at language.Mark, p facePart, f Face, others []facePart) bool {
	if p.region.Share(f.Axis, r.Cells, nil) == 0 {
		r.Add(at, "a cell of the face belongs to the part when its centre lies in it; the spacing is "+r.si(r.Units.Length, model.Length), "%s has no cell of face %s", p.s.Head(), f)
		return false
	}
	for _, o := range others {
		if n := p.region.Share(f.Axis, r.Cells, &o.region); n > 0 {
			r.Add(at, "", "%s and %s overlap: they share %d cells of face %s", o.s.Head(), p.s.Head(), n, f)
			return false
		}
	}
	return true
}

// faceNumbers reads the velocity, the pressure and the other numbers of a boundary.
func (r *faces) faceNumbers(s *language.Section, b *Boundary) {
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
	if e := s.Get("pressure"); e != nil {
		b.Density = r.lattice(e.Values[0], model.Pressure) / model.CS2
		if b.Density < -0.5 || b.Density > 1 {
			r.Add(e.At, "density = 1 + pressure/cs^2 must stay near 1 in lattice units; a smaller lattice velocity makes pressures smaller",
				"the pressure is %s in lattice units", language.Short(b.Density*model.CS2))
		}
	}
	r.direction(s, b)
	r.change(s, b)
	r.inflow(s, b)
	r.sponge(s, b)
	if b.Kind.Law != boundary.Outflow {
		return
	}
	if e := s.Get("relaxation"); e != nil {
		b.Relax = e.Values[0].Value
	} else if len(b.Faces) > 0 && r.haveBox {
		// Poinsot & Lele, J. Comput. Phys. 101 (1992) 104, eq. 40, with a smaller sigma than
		// their 0.25: of a pulse as long as a tenth of the domain 1 % would be reflected.
		b.Relax = 0.1 * math.Sqrt(model.CS2) / float64(max(1, r.Cells[b.Faces[0].Axis]))
	}
}

// direction reads the direction of the fluid that enters through a pressure face.
func (r *faces) direction(s *language.Section, b *Boundary) {
	v := r.vector(s, "direction")
	if v == nil || b.Kind.Law != boundary.PressureFace {
		return
	}
	var d [3]float64
	for a := range v {
		d[a] = v[a].Value
	}
	for _, f := range b.Faces {
		if !(d[f.Axis]*float64(1-2*f.Side) > 0) {
			r.Add(s.Get("direction").At, "fluid enters in this direction; for another direction on another face add a boundary", "the direction of %s does not lead into the domain at face %s", s.Head(), f)
			return
		}
	}
	b.Direction = &d
}

// sponge reads the layer in front of a face in which the viscosity rises.
func (r *faces) sponge(s *language.Section, b *Boundary) {
	e := s.Get("sponge")
	if e == nil {
		if s.Has("sponge_viscosity") && !s.Has("sponge") {
			r.Add(s.KeyAt("sponge_viscosity"), "sponge is its thickness", "%s has a sponge_viscosity but no sponge", s.Head())
		}
		return
	}
	if law := r.Spec.Viscosity; law.OfFluid() {
		r.Add(e.KeyAt, "a sponge raises a constant viscosity", "a sponge cannot be combined with viscosity_law = %q", law)
		return
	}
	nu := (r.Tau - 0.5) / 3
	most := math.Max(10*nu, 1./6)
	if !s.Has("sponge_viscosity") {
		r.SetDefault(s, "sponge_viscosity", language.Amount{Value: most * r.Units.Factor(model.Viscosity), Bare: !r.Units.Physical, Dim: model.Viscosity}.TOML())
	}
	if e := s.Get("sponge_viscosity"); e != nil {
		if most = r.latticeViscosity(e); most < nu {
			r.Add(e.At, "a sponge damps by its viscosity, which rises to this value at the face", "the sponge of %s is less viscous than the fluid", s.Head())
		}
	}
	thick := r.cellsOf(e)
	for _, f := range b.Faces {
		if r.haveBox && thick >= float64(r.Cells[f.Axis]) {
			r.Add(e.At, "give a smaller thickness, or a longer domain", "the sponge before face %s fills the whole domain", f)
			return
		}
	}
	for i := 0; float64(i)+0.5 < thick; i++ {
		rise := 1 - (float64(i)+0.5)/thick
		tau := 0.5 + 3*(nu+(most-nu)*rise*rise)
		b.Sponge = append(b.Sponge, r.Rheology.numbers(r.Spec, tau, model.NewParams(r.Spec.Collision, tau, r.Values, r.Force.Density)))
	}
	if len(b.Sponge) == 0 {
		r.Add(e.At, "a cell belongs to the sponge if its centre lies in it", "the sponge before %s is thinner than half a cell", s.Head())
	}
}

// change reads the factors of velocity and pressure: ramp, table and profile.
func (r *faces) change(s *language.Section, b *Boundary) {
	if e := s.Get("ramp"); e != nil {
		b.Ramp = r.lattice(e.Values[0], model.Time)
	}
	b.Table = r.tableFile(s, "table", "sha256", r.Units.Time)
	if e := s.Get("repeat"); e != nil {
		if b.Table != nil {
			b.Table.Repeat = e.Flag
		} else if !s.Has("table") {
			r.Add(e.KeyAt, "a table is a file with one period of the factor", "%s has repeat but no table", s.Head())
		}
	}
	if b.Outline = r.tableFile(s, "profile", "profile_sha256", r.Units.Length); b.Outline == nil {
		if s.Has("profile_along") && !s.Has("profile") {
			r.Add(s.KeyAt("profile_along"), "", "%s has profile_along but no profile", s.Head())
		}
		return
	}
	for _, f := range b.Faces {
		if f.Axis != b.Faces[0].Axis {
			r.Add(s.Get("profile").At, "make a boundary for each axis", "a profile is for faces across one axis, and %s has %s and %s", s.Head(), b.Faces[0], f)
			return
		}
	}
	disc := b.Region != nil && b.Region.Radius > 0
	if !s.Has("profile_along") {
		word := ""
		switch {
		case disc:
			word = "r"
		case r.dims == 2 && len(b.Faces) > 0:
			word = axes()[1-b.Faces[0].Axis]
		default:
			r.missing(s, `"x", "y" or "z"; "r" for a boundary on a disc`, "%s needs profile_along", s.Head())
			return
		}
		r.SetDefault(s, "profile_along", language.Quote(word))
	}
	e := s.Get("profile_along")
	if e == nil {
		return
	}
	b.Along = 3
	switch {
	case e.Text == "r" && !disc:
		r.Add(e.At, "a disc has centre and radius", "profile_along = \"r\", but %s is not a disc", s.Head())
	case e.Text == "r":
	case axisOf(e.Text) >= r.dims:
		r.Add(e.At, "", "a 2D case has no axis %s", e.Text)
	case len(b.Faces) > 0 && axisOf(e.Text) == b.Faces[0].Axis:
		r.Add(e.At, "", "profile_along = %q runs across the face %s, where it has one value", e.Text, b.Faces[0])
	default:
		b.Along = axisOf(e.Text)
		b.Outline.Start = r.Origin[b.Along]
	}
}

// tableFile reads the file of two columns that a boundary names; nil: none, or an error.
func (r *faces) tableFile(s *language.Section, name, sum string, unit float64) *TableFile {
	e := s.Get(name)
	if e == nil {
		if s.Has(sum) && !s.Has(name) {
			r.Add(s.KeyAt(sum), "", "%s has %s but no %s", s.Head(), sum, name)
		}
		return nil
	}
	path, ok := r.file(s, e)
	digest, right := r.digest(s, sum)
	if !ok || !right {
		return nil
	}
	return &TableFile{Key: name, Boundary: s.Name(), Path: path, Shown: e.Text, SHA256: digest, Unit: unit, At: r.Spot(e.At)}
}

// wallVelocity reads the velocity of a wall that moves in its plane.
func (r *faces) wallVelocity(s *language.Section, b *Boundary, v []language.Amount) {
	if s.Broken("type") {
		return
	}
	for a := range v {
		if v[a].Expr != nil {
			r.Add(v[a].At, "", "the velocity of a %s must be constant", b.Kind.Name)
			continue
		}
		b.Velocity[a] = r.lattice(v[a], model.Velocity)
		for _, f := range b.Faces {
			if f.Axis == a && v[a].Value != 0 {
				r.Add(v[a].At, "a wall that moves out of its plane would push fluid through the wall", "%s moves along %s, but face %s must stay in its plane", s.Head(), axes()[a], f)
			}
		}
	}
}

// profile reads the velocity at a face that the fluid passes.
func (r *faces) profile(s *language.Section, b *Boundary, v []language.Amount) {
	var parts [3]ReferenceFunction
	constant := !turbulent(s) // otherwise devices need it as a function
	for a := range parts {
		parts[a] = func(x, y, z, t float64) float64 { return 0 }
		if a >= len(v) {
			continue
		}
		constant = constant && v[a].Expr == nil
		b.Timed = b.Timed || v[a].Expr != nil && v[a].Expr.DependsOn(language.VarT)
		f := r.function(v[a], model.Velocity)
		parts[a] = f
	}
	if !constant {
		b.Profile = &parts
		for a := range b.Code {
			if b.Code[a] = language.InC(0); a < len(v) {
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
func (r *faces) boundaryKeys(s *language.Section, row boundary.Kind) {
	for _, k := range row.Keys {
		r.need(s, k, "a boundary of type "+row.Name+" has it")
	}
	for _, k := range boundaryKeys() {
		if s.Has(k.Name) && !slices.Contains(row.Keys, k.Name) && !slices.Contains(row.May, k.Name) {
			var users []string
			for _, b := range boundary.Kinds {
				if slices.Contains(b.Keys, k.Name) || slices.Contains(b.May, k.Name) {
					users = append(users, b.Name)
				}
			}
			r.Add(s.KeyAt(k.Name), k.Name+" is for type "+language.OneOf(language.QuoteAll(users)), "a boundary of type %q cannot have %s", row.Name, k.Name)
		}
	}
}
