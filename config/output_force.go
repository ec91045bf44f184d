// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// [output.force.NAME], [expect.force.NAME] and [run] stop_when: forces of the fluid on
// bodies and faces.

// forceOutput describes [output.force.NAME].
func forceOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.force.*", Keys: append([]language.Key{
			{Name: "of", Kind: language.Names, DefaultDoc: "the name of this table", Doc: "the bodies and boundaries whose forces are summed: names of [body.NAME] and [boundary.NAME]"},
			{Name: "about", Kind: language.Vector, Dim: model.Length, DefaultDoc: "the middle of the box around the body; the domain's lower corner for several, for faces and for bodies from files", Doc: "reference point of the torque"},
			{Name: "velocity", Kind: language.Quantity, Dim: model.Velocity, Within: language.Above(0), Doc: "reference velocity U of the coefficients of drag and lift"},
			{Name: "area", Kind: language.Quantity, Dim: model.Area, Within: language.Above(0), Doc: "3D: reference area A of the coefficients F/(rho U^2 A/2) with the reference density rho"},
			{Name: "length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "reference length L of the Strouhal number f L/U and of the Nusselt number; in 2D also of the coefficients F/(rho U^2 L/2)"},
			{Name: "temperature_difference", Kind: language.Quantity, Dim: model.Temperature, Doc: "reference difference dT of the Nusselt number Nu = heat L/(diffusivity dT A), the ratio of the mean heat flux through the surface A to conduction across L (Nusselt, Gesundheits-Ing. 38 (1915) 477). In 3D L is length and A is area. In 2D A is heated_length and L is length, by default heated_length: then Nu = heat/(diffusivity dT)"},
			{Name: "heated_length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "with temperature_difference and length: the length of the boundary's faces not covered by a body, and the circumference of a cylinder or a box", Doc: "2D: length of the heated surface, the A of the Nusselt number"},
			{Name: "drag_direction", Kind: language.Vector, DefaultDoc: "x", Doc: "direction of the drag, of any length"},
			{Name: "lift_direction", Kind: language.Vector, DefaultDoc: "y without its part along drag_direction; where that is along y, -x in 2D and z in 3D", Doc: "direction of the lift, of any length, perpendicular to the drag"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "start of the samples for means, extremes and frequencies, after the initial transient"},
		}, scheduleKeys("10", "false", "false")...), Doc: "Force and torque of the fluid on bodies or faces by momentum exchange (Ladd, J. Fluid Mech. 271 (1994) 285), as CSV. A step has the mean of the exchange before and after it. Means have half-widths of their 95 % confidence intervals, which account for correlated samples (blocking: Flyvbjerg & Petersen, J. Chem. Phys. 91 (1989) 461). The half-width is +Inf with fewer than 16 samples, and the interval of a single sample while the series is too short for its correlation time. In 2D forces are per metre of span. The pressure at the reference density exerts no force. With [temperature] also heat, the heat flow from the walls into the fluid, divided by density and heat capacity. On walls of type wall_model also the parts of the force: friction, the traction by the law of the wall over the modelled area, and pressure, the total minus the friction."},
		read: func(r *outputs, s *language.Section) { r.forces.forceOutput(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Forces {
				list = append(list, tableFootprint("[output.force."+p.Name+"]", p.Schedule, 1, 3*len(p.Series(c.Dims()))))
			}
			return list
		},
	}
}

// ForceOutput is [output.force.NAME]: force and torque on walls over time, as CSV.
type ForceOutput struct {
	Name     string
	Schedule Schedule
	Types    []uint8    // of cells: k+1 for boundary k, behind these the bodies
	About    [3]float64 // point of the torque, in cells from the domain's lower corner
	// Drag and Lift are unit vectors.
	Drag, Lift [3]float64
	// Coefficient turns a force in lattice units into a coefficient of drag or lift; 0:
	// there is no reference.
	Coefficient float64
	// Velocity and Size are the reference values of Coefficient: a speed, and an area or in 2D a length; in lattice units.
	Velocity, Size float64
	// Heat exists with a temperature, and Nusselt turns it, in lattice units, into a Nusselt
	// number; 0: there is no reference.
	Heat    bool
	Nusselt float64
	// Modelled is set where walls have a model: their friction is known beside the total.
	Modelled bool `json:",omitempty"`
	// Strouhal turns a frequency in oscillations a step into a Strouhal number; 0: none.
	Strouhal float64
	Start    int // the first step that counts for statistics
}

// ForceSeries is one number that is followed over time.
type ForceSeries struct {
	Name string // word of the case file
	Dim  model.Dimension
	kind forceKind
}

// Alike reports whether two are of the same kind: both forces, torques, or coefficients.
func (s ForceSeries) Alike(o ForceSeries) bool { return s.kind == o.kind }

// Thermal reports whether it is a flux of heat.
func (s ForceSeries) Thermal() bool { return s.kind == ofHeat || s.kind == ofNusselt }

// Series of an output, in the order of its columns.
func (f ForceOutput) Series(dims int) []ForceSeries {
	force, torque, heat := model.Force, model.Torque, model.Heat
	if dims == 2 {
		force, torque, heat = model.ForcePerDepth, model.Force, model.HeatPerDepth
	}
	var list []ForceSeries
	for _, q := range forceQuantities {
		of := ForceSeries{Name: q.name, Dim: model.Dimensionless, kind: q.kind}
		there := false
		switch q.kind {
		case ofForce:
			of.Dim, there = force, q.axis < dims
		case ofTorque:
			of.Dim, there = torque, dims == 3 || q.axis == 2
		case ofCoefficient:
			there = f.Coefficient > 0
		case ofHeat:
			of.Dim, there = heat, f.Heat
		case ofNusselt:
			there = f.Nusselt != 0
		default:
			panic("no rule for when a force has " + q.name)
		}
		if there && (f.Modelled || !q.part) {
			list = append(list, of)
		}
	}
	return list
}

// forceKind is the condition under which a number of a force exists, and its dimension.
type forceKind int

const (
	ofForce forceKind = iota
	ofTorque
	ofCoefficient
	ofHeat
	ofNusselt
)

// forceQuantity is a number of a force.
type forceQuantity struct {
	name string
	kind forceKind
	axis int  // of forces and torques
	part bool // of the total, where walls have a model
}

// forceQuantities are the numbers of a force, in the order of their columns.
var forceQuantities = []forceQuantity{
	{"force_x", ofForce, 0, false}, {"force_y", ofForce, 1, false}, {"force_z", ofForce, 2, false},
	{"torque_x", ofTorque, 0, false}, {"torque_y", ofTorque, 1, false}, {"torque_z", ofTorque, 2, false},
	{"drag", ofCoefficient, 0, false}, {"lift", ofCoefficient, 0, false}, {"heat", ofHeat, 0, false}, {"nusselt", ofNusselt, 0, false},
	{"friction_x", ofForce, 0, true}, {"friction_y", ofForce, 1, true}, {"friction_z", ofForce, 2, true},
	{"pressure_x", ofForce, 0, true}, {"pressure_y", ofForce, 1, true}, {"pressure_z", ofForce, 2, true},
	{"friction_drag", ofCoefficient, 0, true}, {"pressure_drag", ofCoefficient, 0, true},
}

// ForceQuantities returns the words of all forceQuantities.
func ForceQuantities() (words []string) {
	for _, q := range forceQuantities {
		words = append(words, q.name)
	}
	return words
}

// Statistics returns the words for the statistics of a series that a case may expect.
func Statistics() []string {
	return []string{"mean", "min", "max", "amplitude", "last", "frequency", "strouhal"}
}

// StopRule is one condition of stop_when: half the width of a mean's confidence
// interval. Width is in the unit of the outputs, or a share of the mean.
type StopRule struct {
	Text     string // as in the case file
	Force    string // name of the output
	Series   string
	Width    float64
	Relative bool
}

// forces reads [output.force.NAME] and what asks for its numbers.
type forces struct {
	*timing
	*Flow
	*Solids
	*Outputs
	openings *openings
}

func (r *forces) forceOutput(s *language.Section) {
	f := ForceOutput{Name: s.Name(), Schedule: r.schedule(s), Start: r.beginning(s), Drag: [3]float64{1}, Lift: [3]float64{0, 1}}
	if !s.Has("of") {
		r.SetDefault(s, "of", "["+language.Quote(s.Name())+"]")
	}
	var body *Body
	if e := s.Get("of"); e != nil {
		if len(e.Words) == 0 {
			r.Add(e.At, "", "%s lists no surfaces", s.Head())
		}
		for i, w := range e.Words {
			t, b := r.typeOf(w)
			if t == 0 && (r.Named("body", w) != nil || r.Named("boundary", w) != nil) {
				return // one that is wrong itself
			}
			if t == 0 {
				at, known := e.At, r.known()
				if e.Given {
					at = e.WordAt[i]
				}
				reason := "the case has no bodies and boundaries"
				if len(known) > 0 {
					reason = "bodies and boundaries of the case: " + language.OneOf(language.QuoteAll(known))
				}
				r.Add(at, reason, "%s: there is no [body.%s] and no [boundary.%s]%s", s.Head(), w, w, language.Meant(w, known))
				return
			}
			f.Types = append(f.Types, t)
			f.Modelled = f.Modelled || r.law(t) == boundary.ModelledWall
			if body = b; len(e.Words) > 1 {
				body = nil
			}
		}
	}
	if s.Has("about") {
		if v := r.vector(s, "about"); v != nil && r.haveBox {
			f.About = r.position(v)
		}
	} else if r.haveBox {
		if body != nil {
			f.About = body.middle(r.Cells)
		}
		if r.dims == 2 {
			f.About[2] = 0 // torques are about the line across the plane
		}
		r.SetDefault(s, "about", r.coordinates(f.About))
	}
	r.directions(s, &f)
	f.Heat = r.Spec.Scalar
	r.references(s, &f)
	r.nusselt(s, &f)
	r.Forces = append(r.Forces, f)
}

// mostAligned is the largest cosine between drag and lift that is taken for a right angle written with few digits.
const mostAligned = 0.01

// directions reads the directions of drag and lift. By default the lift is at a right angle to the drag.
func (r *forces) directions(s *language.Section, f *ForceOutput) {
	read := func(key string, to *[3]float64) bool {
		v := r.vector(s, key)
		if v == nil {
			return !s.Has(key)
		}
		size := norm(v)
		if size == 0 {
			r.Add(s.Get(key).At, "", "%s has no length", key)
			return false
		}
		*to = [3]float64{}
		for a := range v {
			to[a] = v[a].Value / size
		}
		return true
	}
	if !read("drag_direction", &f.Drag) || !read("lift_direction", &f.Lift) {
		return
	}
	if !s.Has("lift_direction") {
		f.Lift = acrossDrag(f.Drag, r.dims)
	}
	cosine := 0.0
	for a := range f.Drag {
		cosine += f.Drag[a] * f.Lift[a]
	}
	switch {
	case math.Abs(cosine) > 1-mostAligned:
		r.Add(s.ValueAt("lift_direction"), "without lift_direction the lift is perpendicular to drag_direction", "%s: the lift has the direction of the drag, so their coefficients are the same number", s.Head())
	case math.Abs(cosine) > mostAligned:
		r.warn(finding.ObliqueLift, "%s: drag_direction and lift_direction are not perpendicular (cosine %s): each coefficient contains a part of the other", s.Head(), language.Short(roughly(cosine)))
	}
}

// acrossDrag returns the direction of the lift at a right angle to the drag: y without its part along the drag, and where the
// drag is along y, -x in 2D and z in 3D.
func acrossDrag(drag [3]float64, dims int) (lift [3]float64) {
	for a := range lift {
		lift[a] = -drag[1] * drag[a]
	}
	lift[1]++
	size := sizeOf(lift)
	switch {
	case size > 1e-6:
		for a := range lift {
			lift[a] /= size
		}
		return lift
	case dims == 2:
		return [3]float64{-1, 0, 0}
	}
	return [3]float64{0, 0, 1}
}

// references of the coefficients.
func (r *forces) references(s *language.Section, f *ForceOutput) {
	own, other, what := "area", "", "3D"
	if r.dims == 2 {
		own, other, what = "length", "area", "2D"
	}
	if other != "" && s.Has(other) {
		r.Add(s.KeyAt(other), "forces in 2D are per metre of depth: coefficients need a length", "an area in %s", what)
	}
	if s.Has("heated_length") && (!s.Has("temperature_difference") || !s.Has("length")) && r.dims == 2 {
		r.Add(s.KeyAt("heated_length"), "the Nusselt number is heat length/(diffusivity dT heated_length)", "%s has heated_length, but not both temperature_difference and length", s.Head())
	}
	if s.Has(own) && !s.Has("velocity") && !s.Has("temperature_difference") {
		r.Add(s.KeyAt(own), "coefficients are F/(rho U^2 A/2)", "%s has %s but no velocity", s.Head(), own)
	}
	if s.Has("velocity") && !s.Has(own) {
		r.Add(s.KeyAt("velocity"), "coefficients are F/(rho U^2 A/2), in 2D with a length instead of the area A", "%s has velocity but no %s", s.Head(), own)
	}
	u, a, l := s.Get("velocity"), s.Get(own), s.Get("length")
	if u == nil || !r.haveTime {
		return
	}
	v := r.lattice(u.Values[0], model.Velocity)
	if a != nil {
		d := model.Area
		if r.dims == 2 {
			d = model.Length
		}
		f.Velocity, f.Size = v, r.lattice(a.Values[0], d)
		f.Coefficient = 2 / (v * v * f.Size)
		if math.IsNaN(f.Coefficient) || f.Coefficient > mostFactor || f.Coefficient < 1/mostFactor {
			r.Add(u.At, "the reference values are a speed and an area of the flow, in 2D a length", "a coefficient is %g times the force in lattice units, which is out of range", f.Coefficient)
			f.Coefficient = 0
		}
	}
	if l != nil {
		f.Strouhal = r.lattice(l.Values[0], model.Length) / v
	}
}

// mostFactor is the largest factor between a force in lattice units and its coefficient, and one over it the least: squares of
// coefficients stay numbers.
const mostFactor = 1e60

// nusselt reads the reference of the Nusselt number.
func (r *forces) nusselt(s *language.Section, f *ForceOutput) {
	e := s.Get("temperature_difference")
	if e == nil || !r.haveTime || r.Temperature.Diffusivity == 0 {
		return
	}
	if e.Values[0].Value == 0 {
		r.Add(e.At, "", "the temperature_difference of %s is 0", s.Head())
		return
	}
	f.Nusselt = 1 / (r.Temperature.Diffusivity * e.Values[0].Value)
	if r.dims == 2 {
		f.Nusselt *= r.acrossHeated(s, f)
		return
	}
	if s.Has("heated_length") {
		r.Add(s.KeyAt("heated_length"), "the Nusselt number is heat L/(diffusivity dT A)", "heated_length in 3D, where area is the surface")
	}
	const reason = "the Nusselt number is heat L/(diffusivity dT A)"
	if !r.need(s, "length", reason) || !r.need(s, "area", reason) || s.Get("length") == nil || s.Get("area") == nil {
		return
	}
	f.Nusselt *= r.lattice(s.Get("length").Values[0], model.Length) / r.lattice(s.Get("area").Values[0], model.Area)
}

// acrossHeated returns the length of a Nusselt number in 2D divided by the length of the surface that gives the
// heat, which is given or found.
func (r *forces) acrossHeated(s *language.Section, f *ForceOutput) float64 {
	l := s.Get("length")
	if l == nil { // the surface's is meant
		return 1
	}
	if !s.Has("heated_length") {
		n, ok := r.heated(f)
		if !ok || !(n > 0) {
			r.missing(s, "the Nusselt number is heat length/(diffusivity dT heated_length); the lengths of faces, cylinders and boxes are known", "%s needs heated_length: the length of the heated surface", s.Head())
			return 1
		}
		r.SetDefault(s, "heated_length", language.Amount{Value: n * r.Units.Length, Bare: !r.Units.Physical, Dim: model.Length}.TOML())
	}
	e := s.Get("heated_length")
	if e == nil {
		return 1
	}
	return l.Values[0].Value / e.Values[0].Value
}

// heated returns the length of the walls of an output in 2D, in cells, where it is known.
func (r *forces) heated(f *ForceOutput) (n float64, ok bool) {
	shapes := r.knownShapes(r.Bodies)
	ok = r.haveBox
	for _, t := range f.Types {
		i := int(t) - 1
		if i >= len(r.Boundaries) {
			b := r.Bodies[i-len(r.Boundaries)]
			if !b.Whole() {
				return 0, false
			}
			switch shape := b.Shape(nil).(type) {
			case geometry.Cylinder:
				n += 2 * math.Pi * shape.Radius
			case geometry.Box:
				n += 2 * (shape.Hi[0] - shape.Lo[0] + shape.Hi[1] - shape.Lo[1])
			default:
				return 0, false
			}
			continue
		}
		ok = ok && len(shapes) == len(r.Bodies) // a body from a file may cover the face
		for _, face := range r.Boundaries[i].Faces {
			r.openings.placesOn(i, face, MaxAxis, false, func(p [3]float64, cells float64) bool {
				if q := face.beside(p); !slices.ContainsFunc(shapes, func(s geometry.Shape) bool { return s.Contains(q[0], q[1], q[2]) }) {
					n += cells
				}
				return true
			})
		}
	}
	return n, ok
}

// typeOf returns the type of the cells of a boundary or a body; 0: no such name.
func (r *forces) typeOf(name string) (uint8, *Body) {
	for i := range r.Bodies {
		if r.Bodies[i].Name == name {
			return uint8(len(r.Boundaries) + i + 1), &r.Bodies[i]
		}
	}
	for i, b := range r.Boundaries {
		if b.Name == name {
			return uint8(i + 1), nil
		}
	}
	return 0, nil
}

// law returns the law of a type's wall.
func (r *forces) law(t uint8) boundary.Law {
	if i := int(t) - 1 - len(r.Boundaries); i >= 0 {
		return r.Bodies[i].Kind.Law
	}
	return r.Boundaries[t-1].Kind.Law
}

// known returns the names of all bodies and boundaries.
func (r *forces) known() (list []string) {
	for _, b := range r.Bodies {
		list = append(list, b.Name)
	}
	for _, b := range r.Boundaries {
		list = append(list, b.Name)
	}
	return list
}

// forceOf finds an output and one of its series, and reports errors.
func (r *forces) forceOf(at language.Mark, name, series string) (f ForceOutput, s ForceSeries, ok bool) {
	var known, words []string
	for _, f := range r.Forces {
		if f.Name != name {
			known = append(known, f.Name)
			continue
		}
		for _, s := range f.Series(r.dims) {
			if s.Name == series {
				return f, s, true
			}
			words = append(words, s.Name)
		}
		if !r.haveTime || r.Section("temperature").Broken() || r.Named("output.force", name).Broken() {
			return f, s, false
		}
		reason := "it has " + strings.Join(words, ", ")
		switch {
		case !f.Modelled && slices.ContainsFunc(forceQuantities, func(q forceQuantity) bool { return q.part && q.name == series }):
			reason += "; its parts are known on walls of type wall_model: give such a wall a separate output; for resolved walls use the field wall_shear_stress"
		case f.Coefficient == 0:
			reason += "; coefficients need velocity, and area or in 2D length"
		}
		r.Add(at, reason, "[output.force.%s] has no %s%s", name, language.ShortQuote(series), language.Meant(series, words))
		return f, s, false
	}
	if r.Named("output.force", name) != nil {
		return f, s, false // one that is wrong itself
	}
	reason := "the case has no [output.force.NAME]"
	if len(known) > 0 {
		reason = "forces of the case: " + language.OneOf(language.QuoteAll(known))
	}
	r.Add(at, reason, "there is no [output.force.%s]%s", name, language.Meant(name, known))
	return f, s, false
}

// condition is "drag.body +-0.5 %".
var condition = regexp.MustCompile(`^\s*([A-Za-z_]+)\.([A-Za-z0-9_-]+?)\s*(?:\+-|\+/-|±)\s*(.+?)\s*$`)

func (r *forces) stopWhen() {
	e := r.Section("run").Get("stop_when")
	if e == nil {
		return
	}
	for _, text := range strings.Split(e.Text, " and ") {
		m := condition.FindStringSubmatch(text)
		if m == nil {
			r.Add(e.At, `it looks like "drag.body +-0.5 %" or "drag.body +-0.5 % and lift.body +-0.01"`, "stop_when: %s is not a condition", language.ShortQuote(text))
			return
		}
		f, of, ok := r.forceOf(e.At, m[2], m[1])
		if !ok {
			return
		}
		before := r.Count
		a := r.TextAmount(e.At, &language.Key{Name: "stop_when", Dim: of.Dim}, m[3])
		if !r.Fine(before) {
			return
		}
		rule := StopRule{Text: strings.TrimSpace(text), Force: f.Name, Series: of.Name, Width: a.Value}
		switch percent := !a.Bare && a.Dim == model.Dimensionless; {
		case a.Expr != nil:
			r.Add(e.At, "", "stop_when: %s must be constant", language.ShortQuote(m[3]))
			return
		case !(a.Value > 0) || math.IsInf(a.Value, 0):
			r.Add(e.At, "", "stop_when: the width of an interval is above 0, not %s", language.ShortQuote(m[3]))
			return
		case percent:
			rule.Relative = true
		case !a.Bare && (a.Dim != of.Dim || !r.Units.Physical) || a.Bare && r.Units.Physical && of.Dim != model.Dimensionless:
			r.Add(e.At, "bare numbers are coefficients, or lattice units in a case without units", "stop_when: the width of %s must be a percentage or %s", m[1], language.InWords(of.Dim))
			return
		}
		r.Run.StopWhen = append(r.Run.StopWhen, rule)
	}
}
