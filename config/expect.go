// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"

	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/model"
)

// [expect]: the quantities of the end state that make a case a test.

// expectations reads [expect], after the outputs.
type expectations struct {
	*timing
	*Flow
	*Outputs
	looks   *sampler
	outputs *outputs
	forces  *forces
	Expect  []Expectation
}

func (r *expectations) read() {
	if e := r.Section("expect").Get("mass_error"); e != nil {
		r.expect(Expectation{Name: "expect.mass_error", Quantity: MassError, Tolerance: e.Values[0].Value})
	}
	if s := r.Section("expect.max_speed"); s != nil {
		r.valued(s, Expectation{Quantity: MaxSpeed, Dim: model.Velocity, Component: -1})
	}
	if s := r.Section("expect.kinetic_energy"); s != nil {
		r.valued(s, Expectation{Quantity: KineticEnergy, Dim: model.Pressure, Component: -1})
	}
	if s := r.Section("expect.mean_velocity"); s != nil {
		x := Expectation{Quantity: MeanVelocity, Dim: model.Velocity}
		if e := s.Get("component"); e != nil {
			if x.Component = axisOf(e.Text); x.Component >= max(r.dims, 2) {
				r.Add(e.At, "", "a 2D case has no component %s", e.Text)
			}
		}
		r.valued(s, x)
	}
	r.errorNorms()
	for _, s := range r.All("expect.probe") {
		r.probeValue(s)
	}
	for _, s := range r.All("expect.force") {
		r.forceValue(s)
	}
	for _, s := range r.All("expect.line") {
		r.lineNumber(s)
	}
	r.seriesLines()
}

func (r *expectations) expect(e Expectation) { r.Expect = append(r.Expect, e) }

// valued reads value and within and adds the expectation.
func (r *expectations) valued(s *language.Section, x Expectation) {
	head := s.Head()
	x.Name = head[1 : len(head)-1]
	if !s.Has("value") && !s.Has("within") {
		x.Free = true
		r.expect(x)
		return
	}
	okV := r.need(s, "value", "value = the expected value; with neither value nor within, the quantity is only measured")
	okW := r.need(s, "within", "the largest allowed deviation: within = \"1 %\", or a quantity")
	v, w := s.Get("value"), s.Get("within")
	if !okV || !okW || v == nil || w == nil {
		return
	}
	a, t := v.Values[0], w.Values[0]
	if !a.Bare && a.Dim != x.Dim && a.Value != 0 {
		r.Add(a.At, "", "value must be %s, not %s", language.InWords(x.Dim), language.InWords(a.Dim))
		return
	}
	x.Value, x.Tolerance = a.Value, t.Value
	if !t.Bare && t.Dim == model.Dimensionless {
		if a.Value == 0 {
			r.Add(t.At, "", "a percentage of 0 is 0: use a quantity")
			return
		}
		x.Tolerance = t.Value * math.Abs(a.Value)
	} else if !t.Bare && t.Dim != x.Dim {
		r.Add(t.At, "", "within must be a percentage or %s, not %s", language.InWords(x.Dim), language.InWords(t.Dim))
		return
	}
	if !(x.Tolerance > 0) {
		r.Add(t.At, "floating-point results are never exactly equal", "within must be above 0")
		return
	}
	r.expect(x)
}

// errorNorms against a reference.
func (r *expectations) errorNorms() {
	s := r.Section("expect.velocity")
	if s == nil {
		return
	}
	if !s.Has("l2") && !s.Has("linf") {
		r.missing(s, "l2 = 0.01: the largest norm of the error", "[expect.velocity] needs l2 or linf")
	}
	r.need(s, "reference", "the exact velocity, such as [\"0.1*y/Ly m/s\", 0]")
	ref := r.vector(s, "reference")
	if ref == nil || !r.haveTime {
		return
	}
	none := func(x, y, z, t float64) float64 { return 0 }
	f := [3]ReferenceFunction{none, none, none}
	t := float64(r.Run.Steps)
	for a := range ref {
		f[a] = r.function(ref[a], model.Velocity)
		r.looks.sample(s.Get("reference"), ref[a], model.Velocity, r.looks.centres(t), identity, anyNumber)
	}
	for _, n := range []struct{ key, quantity string }{{"l2", VelocityL2Error}, {"linf", VelocityLinfError}} {
		if e := s.Get(n.key); e != nil {
			r.expect(Expectation{Name: "expect.velocity." + n.key, Quantity: n.quantity, Tolerance: e.Values[0].Value, Reference: f})
		}
	}
}

// fieldOf reads field and component.
func (r *expectations) fieldOf(s *language.Section, x *Expectation) bool {
	e := s.Get("field")
	if e == nil {
		return false
	}
	x.Field = of(model.FindField(e.Text))
	x.Dim = x.Field.Dim
	x.Component = r.outputs.component(s, x.Field)
	return true
}

func (r *expectations) probeValue(s *language.Section) {
	x := Expectation{Quantity: ProbeValue}
	if !s.Has("probe") {
		r.SetDefault(s, "probe", language.Quote(s.Name()))
	}
	e := s.Get("probe")
	if !r.fieldOf(s, &x) || e == nil {
		return
	}
	var known []string
	found := false
	for _, p := range r.Probes {
		known = append(known, p.Name)
		if p.Name == e.Text {
			x.Probe, x.Cell, x.Within, found = p.Name, p.Cell, p.Within, true
		}
	}
	if !found && r.Named("output.probe", e.Text) != nil {
		return // it has an error already
	}
	if !found {
		reason := "the case has no probes"
		if len(known) > 0 {
			reason = "probes of the case: " + language.OneOf(language.QuoteAll(known))
		}
		r.Add(e.At, reason, "there is no [output.probe.%s]%s", e.Text, language.Meant(e.Text, known))
		return
	}
	r.valued(s, x)
}

// lineNumber reads the expectation of a number of a line.
func (r *expectations) lineNumber(s *language.Section) {
	var x Expectation
	okA := r.need(s, "along", "the axis parallel to the line")
	okT := r.need(s, "through", "a point of the line")
	okE := s.Has("extremum") || s.Has("crossing")
	if !okE {
		r.missing(s, "extremum = \"min\" or \"max\" is the smallest or the largest value; crossing = \"first\" or \"last\" where the field changes sign", "%s needs extremum or crossing", s.Head())
	}
	if !r.fieldOf(s, &x) || !okA || !okT || !okE || !r.lineQuantity(s, &x) {
		return
	}
	ea, v := s.Get("along"), r.vector(s, "through")
	if ea == nil || v == nil || !r.haveBox {
		return
	}
	if x.Axis = axisOf(ea.Text); x.Axis >= r.dims {
		r.Add(ea.At, "", "a 2D case has no axis %s", ea.Text)
		return
	}
	p := r.position(v)
	if x.Through = p; r.dims == 2 {
		x.Through[2] = 0.5
	}
	x.Columns = []Column{{Weight: 1}}
	for a := 0; a < r.dims; a++ {
		if a == x.Axis {
			continue
		}
		if _, ok := r.index(p[a], a); !ok {
			r.Add(v[a].At, "", "the line lies outside the domain")
			return
		}
		x.Columns = across(x.Columns, p[a], a, r.Cells[a])
	}
	if r.span(s, &x) {
		r.valued(s, x)
	}
}

// lineQuantity reads the quantity expected of a line.
func (r *expectations) lineQuantity(s *language.Section, x *Expectation) bool {
	r.exclusive(s, "a line measures either an extremum or a crossing", "extremum", "crossing")
	if s.Has("crossing") {
		e := s.Get("crossing")
		if !s.Has("direction") {
			r.SetDefault(s, "direction", `"any"`)
		}
		d, m := s.Get("direction"), s.Get("measure")
		if e == nil || d == nil {
			return false
		}
		x.Quantity, x.Dim, x.Last = LineCrossing, model.Length, e.Text == "last"
		x.Direction = directions[indexOf(crossingWords(), d.Text)].sign
		switch {
		case m != nil && m.Text == "value":
			r.Add(m.At, "remove measure", "a crossing is a position: the value there is 0")
			return false
		case s.Broken("component"):
			return false
		case x.Field.Components > 1 && x.Component < 0:
			at := e.At
			if c := s.Get("component"); c != nil && c.Given {
				at = c.At
			}
			r.Add(at, "a component such as component = \"x\" has a sign", "a magnitude is never negative: it has no zero crossing")
			return false
		case x.Field.Name == "density" || x.Field.Name == "speed":
			r.Add(e.At, "", "the %s is never negative: it has no zero crossing", x.Field.Name)
			return false
		}
		return true
	}
	if s.Has("direction") {
		r.Add(s.KeyAt("direction"), "", "an extremum has no direction: it is for a crossing")
		return false
	}
	if !s.Has("measure") {
		r.SetDefault(s, "measure", `"value"`)
	}
	e, m := s.Get("extremum"), s.Get("measure")
	if e == nil || m == nil {
		return false
	}
	x.Quantity = extremum(e.Text, m.Text)
	if m.Text == "position" {
		x.Dim = model.Length
	}
	return true
}

// span returns the cells of a line whose centres lie in the part that is compared.
func (r *expectations) span(s *language.Section, x *Expectation) bool {
	x.Span = [2]int{0, r.Cells[x.Axis]}
	ends := [2]float64{0, float64(x.Span[1])}
	var at *language.Entry
	for i, k := range []string{"from", "to"} {
		e := s.Get(k)
		if e == nil {
			if s.Has(k) {
				return false
			}
			continue
		}
		at = e
		ends[i] = (e.Values[0].Value - r.Origin[x.Axis]) / r.Units.Length
		if _, ok := r.index(ends[i], x.Axis); !ok {
			r.Add(e.At, fmt.Sprintf("the domain spans %s = %s to %s", axes()[x.Axis], r.si(r.Origin[x.Axis], model.Length), r.si(r.Origin[x.Axis]+r.size[x.Axis], model.Length)),
				"%s of %s lies outside the domain", k, s.Head())
			return false
		}
	}
	x.Ends = ends
	// Rounding must not exclude centres at the ends.
	x.Span[0] = max(x.Span[0], int(math.Ceil(ends[0]-0.5-1e-6)))
	x.Span[1] = min(x.Span[1], int(math.Floor(ends[1]-0.5+1e-6))+1)
	n, least, few := len(x.Places()), 1, "no value between its ends"
	if x.Quantity == LineCrossing {
		least, few = 2, "fewer than two values between its ends, which a crossing needs"
	}
	if r.finer != nil {
		n = len(decomp.Along(r.finer, x.Axis, x.Through, ends[0], ends[1]))
	}
	if n >= least {
		return true
	}
	if at == nil { // one cell across
		at = s.Get("along")
	}
	r.Add(at.At, "values are at cell centres", "%s has %s", s.Head(), few)
	return false
}

// across refines columns by linear interpolation along one more axis; beyond the
// outermost cell centres the outermost cell counts.
func across(cols []Column, p float64, axis, n int) []Column {
	q := math.Min(math.Max(p-0.5, 0), float64(n-1))
	i := int(math.Floor(q))
	w := q - float64(i)
	if w < 1e-9 || w > 1-1e-9 {
		i, w = int(math.Round(q)), 0
	}
	var out []Column
	for _, c := range cols {
		lo, hi := c, c
		lo.Cell[axis], lo.Weight = i, c.Weight*(1-w)
		out = append(out, lo)
		if w > 0 {
			hi.Cell[axis], hi.Weight = i+1, c.Weight*w
			out = append(out, hi)
		}
	}
	return out
}

func (r *expectations) forceValue(s *language.Section) {
	x := Expectation{Quantity: ForceValue, Component: -1}
	if !s.Has("force") {
		r.SetDefault(s, "force", language.Quote(s.Name()))
	}
	name, series, statistic := s.Get("force"), s.Get("quantity"), s.Get("statistic")
	if name == nil || series == nil || statistic == nil {
		return
	}
	f, of, ok := r.forces.forceOf(name.At, name.Text, series.Text)
	if !ok {
		return
	}
	x.Force, x.Series, x.Statistic, x.Dim = f.Name, of.Name, statistic.Text, of.Dim
	switch x.Statistic {
	case "mean", "min", "max", "amplitude", "last":
	case "frequency":
		x.Dim = model.Rate
	case "strouhal":
		if x.Dim = model.Dimensionless; f.Strouhal == 0 {
			if r.Named("output.force", f.Name).Broken() {
				return
			}
			r.Add(statistic.At, "the Strouhal number is f L/U", "[output.force.%s] has no velocity, or no length", f.Name)
			return
		}
	default:
		panic("no dimension for the statistic " + x.Statistic)
	}
	for _, k := range []string{"value", "within"} {
		e := s.Get(k)
		if e == nil || e.Values[0].Value == 0 || x.Dim == model.Dimensionless {
			continue
		}
		switch a := e.Values[0]; {
		case a.Bare && r.Units.Physical:
			r.Add(a.At, "only coefficients are dimensionless", "%s has no unit: it must be %s", k, language.InWords(x.Dim))
			return
		case !a.Bare && a.Dim != model.Dimensionless && !r.Units.Physical:
			r.Add(a.At, "", "%s has a unit, but the case is in lattice units", k)
			return
		}
	}
	r.valued(s, x)
}
