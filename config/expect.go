package config

import (
	"fmt"
	"math"

	"lbmsim/model"
)

// [expect]: the quantities of the end state that make a case a test.

func (r *resolver) expectations() {
	if e := r.section("expect").get("mass_error"); e != nil {
		r.expect(Expectation{Name: "expect.mass_error", Quantity: MassError, Tolerance: e.vals[0].v})
	}
	if s := r.section("expect.max_speed"); s != nil {
		r.valued(s, Expectation{Quantity: MaxSpeed, Dim: model.Velocity, Component: -1})
	}
	if s := r.section("expect.kinetic_energy"); s != nil {
		r.valued(s, Expectation{Quantity: KineticEnergy, Dim: model.Pressure, Component: -1})
	}
	if s := r.section("expect.mean_velocity"); s != nil {
		x := Expectation{Quantity: MeanVelocity, Dim: model.Velocity}
		if e := s.get("component"); e != nil {
			if x.Component = axisOf(e.text); x.Component >= max(r.dims, 2) {
				r.add(e.at, "", "a case in 2D has no component %s", e.text)
			}
		}
		r.valued(s, x)
	}
	r.errorNorms()
	for _, s := range r.all("expect.probe") {
		r.probeValue(s)
	}
	for _, s := range r.all("expect.force") {
		r.forceValue(s)
	}
	for _, s := range r.all("expect.line") {
		r.lineNumber(s)
	}
	r.seriesLines()
}

func (r *resolver) expect(e Expectation) { r.c.Expect = append(r.c.Expect, e) }

// valued reads value and within and adds the expectation.
func (r *resolver) valued(s *section, x Expectation) {
	head := s.head()
	x.Name = head[1 : len(head)-1]
	if !s.has("value") && !s.has("within") {
		x.Free = true
		r.expect(x)
		return
	}
	okV := r.need(s, "value", "the expected value; with neither value nor within the quantity is only measured")
	okW := r.need(s, "within", "the largest deviation: within = \"1 %\", or a quantity")
	v, w := s.get("value"), s.get("within")
	if !okV || !okW || v == nil || w == nil {
		return
	}
	a, t := v.vals[0], w.vals[0]
	if !a.bare && a.dim != x.Dim && a.v != 0 {
		r.add(a.at, "", "value must be %s, not %s", inWords(x.Dim), inWords(a.dim))
		return
	}
	x.Value, x.Tolerance = a.v, t.v
	if !t.bare && t.dim == model.Dimensionless {
		if a.v == 0 {
			r.add(t.at, "", "a percentage of 0 is 0: give a quantity")
			return
		}
		x.Tolerance = t.v * math.Abs(a.v)
	} else if !t.bare && t.dim != x.Dim {
		r.add(t.at, "", "within must be a percentage or %s, not %s", inWords(x.Dim), inWords(t.dim))
		return
	}
	if !(x.Tolerance > 0) {
		r.add(t.at, "numbers are never exactly equal", "within must be above 0")
		return
	}
	r.expect(x)
}

// errorNorms against a reference.
func (r *resolver) errorNorms() {
	s := r.section("expect.velocity")
	if s == nil {
		return
	}
	if !s.has("l2") && !s.has("linf") {
		r.missing(s, "l2 = 0.01: how large the norm of the error may be", "[expect.velocity] needs l2 or linf")
	}
	r.need(s, "reference", "the exact velocity, such as [\"0.1*y/Ly m/s\", 0]")
	ref := r.vector(s, "reference")
	if ref == nil || !r.haveTime {
		return
	}
	none := func(x, y, z, t float64) float64 { return 0 }
	f := [3]ReferenceFunction{none, none, none}
	t := float64(r.c.Run.Steps)
	for a := range ref {
		f[a] = r.function(ref[a], model.Velocity)
		r.sample(s.get("reference"), ref[a], model.Velocity, r.centres(t), identity, anyNumber)
	}
	for _, n := range []struct{ key, quantity string }{{"l2", VelocityL2Error}, {"linf", VelocityLinfError}} {
		if e := s.get(n.key); e != nil {
			r.expect(Expectation{Name: "expect.velocity." + n.key, Quantity: n.quantity, Tolerance: e.vals[0].v, Reference: f})
		}
	}
}

// fieldOf reads field and component.
func (r *resolver) fieldOf(s *section, x *Expectation) bool {
	e := s.get("field")
	if e == nil {
		return false
	}
	x.Field, _ = model.FindField(e.text)
	x.Dim = x.Field.Dim
	x.Component = r.component(s, x.Field)
	return true
}

func (r *resolver) probeValue(s *section) {
	x := Expectation{Quantity: ProbeValue}
	if !s.has("probe") {
		r.setDefault(s, "probe", quote(s.name()))
	}
	e := s.get("probe")
	if !r.fieldOf(s, &x) || e == nil {
		return
	}
	var known []string
	found := false
	for _, p := range r.c.Probes {
		known = append(known, p.Name)
		if p.Name == e.text {
			x.Probe, x.Cell, found = p.Name, p.Cell, true
		}
	}
	if !found && r.section("output.probe."+e.text) != nil {
		return // one that is wrong itself
	}
	if !found {
		reason := "the case has no probes"
		if len(known) > 0 {
			reason = "probes of the case: " + oneOf(quoteAll(known))
		}
		r.add(e.at, reason, "there is no [output.probe.%s]%s", e.text, meant(e.text, known))
		return
	}
	r.valued(s, x)
}

// lineNumber is a number of a line.
func (r *resolver) lineNumber(s *section) {
	var x Expectation
	okA := r.need(s, "along", "the axis that the line is parallel to")
	okT := r.need(s, "through", "a point of the line")
	okE := s.has("extremum") || s.has("crossing")
	if !okE {
		r.missing(s, "extremum = \"min\" or \"max\" is the smallest or the largest value; crossing = \"first\" or \"last\" where the field changes its sign", "%s needs extremum or crossing", s.head())
	}
	if !r.fieldOf(s, &x) || !okA || !okT || !okE || !r.lineQuantity(s, &x) {
		return
	}
	ea, v := s.get("along"), r.vector(s, "through")
	if ea == nil || v == nil || !r.haveBox {
		return
	}
	if x.Axis = axisOf(ea.text); x.Axis >= r.dims {
		r.add(ea.at, "", "a case in 2D has no axis %s", ea.text)
		return
	}
	p := r.position(v)
	x.Columns = []Column{{Weight: 1}}
	for a := 0; a < r.dims; a++ {
		if a == x.Axis {
			continue
		}
		if _, ok := r.index(p[a], a); !ok {
			r.add(v[a].at, "", "the line lies outside of the domain")
			return
		}
		x.Columns = across(x.Columns, p[a], a, r.c.Cells[a])
	}
	if r.span(s, &x) {
		r.valued(s, x)
	}
}

// lineQuantity is what is wanted of a line.
func (r *resolver) lineQuantity(s *section, x *Expectation) bool {
	r.exclusive(s, "a number of a line is an extremum or a crossing", "extremum", "crossing")
	if s.has("crossing") {
		e := s.get("crossing")
		if !s.has("direction") {
			r.setDefault(s, "direction", `"any"`)
		}
		d, m := s.get("direction"), s.get("measure")
		if e == nil || d == nil {
			return false
		}
		x.Quantity, x.Dim, x.Last = LineCrossing, model.Length, e.text == "last"
		x.Direction = map[string]int{"rising": 1, "falling": -1}[d.text]
		switch {
		case m != nil && m.text == "value":
			r.add(m.at, "leave measure out", "a crossing is a position: the value there is 0")
			return false
		case s.broken("component"):
			return false
		case x.Field.Components > 1 && x.Component < 0:
			at := e.at
			if c := s.get("component"); c != nil && c.given {
				at = c.at
			}
			r.add(at, "component = \"x\", say, has a sign", "a magnitude is never negative: it crosses nothing")
			return false
		case x.Field.Name == "density" || x.Field.Name == "speed":
			r.add(e.at, "", "the %s is never negative: it crosses nothing", x.Field.Name)
			return false
		}
		return true
	}
	if s.has("direction") {
		r.add(s.keys["direction"].keyAt, "", "an extremum has no direction: it is for a crossing")
		return false
	}
	if !s.has("measure") {
		r.setDefault(s, "measure", `"value"`)
	}
	e, m := s.get("extremum"), s.get("measure")
	if e == nil || m == nil {
		return false
	}
	x.Quantity = map[string]string{"min value": LineMin, "max value": LineMax, "min position": LineMinPlace, "max position": LineMaxPlace}[e.text+" "+m.text]
	if m.text == "position" {
		x.Dim = model.Length
	}
	return true
}

// span is the cells of a line whose centres lie in the part that is looked at.
func (r *resolver) span(s *section, x *Expectation) bool {
	x.Span = [2]int{0, r.c.Cells[x.Axis]}
	ends := [2]float64{0, float64(x.Span[1])}
	var at *entry
	for i, k := range []string{"from", "to"} {
		e := s.get(k)
		if e == nil {
			if s.has(k) {
				return false
			}
			continue
		}
		at = e
		ends[i] = (e.vals[0].v - r.origin[x.Axis]) / r.c.Units.Length
		if _, ok := r.index(ends[i], x.Axis); !ok {
			r.add(e.at, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[x.Axis], r.si(r.origin[x.Axis], model.Length), r.si(r.origin[x.Axis]+r.size[x.Axis], model.Length)),
				"%s of %s lies outside of the domain", k, s.head())
			return false
		}
	}
	// Centres that are meant are not lost to rounding.
	x.Span[0] = max(x.Span[0], int(math.Ceil(ends[0]-0.5-1e-6)))
	x.Span[1] = min(x.Span[1], int(math.Floor(ends[1]-0.5+1e-6))+1)
	n, least, few := x.Span[1]-x.Span[0], 1, "no value between its ends"
	if x.Quantity == LineCrossing {
		least, few = 2, "fewer than two values between its ends, which a crossing needs"
	}
	if n >= least {
		return true
	}
	if at == nil { // one cell across
		at = s.get("along")
	}
	r.add(at.at, "values are those at the centres of cells", "%s has %s", s.head(), few)
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
