package config

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"lbmsim/config/language"
	"lbmsim/model"
)

// From sections of values to a Case. Every conversion from SI to lattice units is
// made here, by lattice, position and function. Checks go on after an error as
// long as what they need is known, so that all errors show at once.

// resolver fills a Case.
type resolver struct {
	*language.Reader
	c        *Case
	dims     int
	haveBox  bool // cells, spacing and origin are known
	haveTime bool // and the length of a step and tau: all units are known
	origin   [3]float64
	size     [3]float64 // in the user's length

	speedAt    []faceSpeed // of the boundaries, in their order
	refinement Refinement
	samples    []func() // looks at expressions, which wait for the bodies
}

func (r *resolver) resolve() {
	if e := r.Section("").Get("title"); e != nil {
		r.c.Title = strings.Map(func(c rune) rune { // it goes to terminals
			if unicode.IsControl(c) {
				return ' '
			}
			return c
		}, e.Text)
	}
	if !r.units() {
		return // every further message would be a guess
	}
	r.domain()
	r.collision()
	r.scaling()
	r.run() // how long it is says at which times others are looked at
	r.rheology()
	r.force()
	r.initial()
	r.temperature()
	r.withoutTemperature()
	r.boundaries()
	r.bodies()
	r.movingWalls()
	r.lookAtFaces()
	r.balance()
	r.pulsation()
	r.obstructions()
	r.device()
	r.checkTemperature()
	r.outputs()
	r.expectations()
	r.sampleAll()
	r.speeds()
	r.porous()
	r.table()
}

// warn notes something that is allowed but often regretted.
func (r *resolver) warn(format string, args ...any) {
	r.c.Warnings = append(r.c.Warnings, fmt.Sprintf(format, args...))
}

// place is a value with a dimension.
type place struct {
	e *language.Entry
	a language.Amount
}

// units decides whether the case is in SI or in lattice units, and refuses a
// mixture: a forgotten unit would be taken for another number, silently. The
// lengths of the domain set the style, otherwise the majority.
func (r *resolver) units() bool {
	var si, lattice []place // votes; values that could not be read have one too
	lead := 0
	for _, s := range r.Sections {
		for i := range s.Table.Keys {
			e := s.InFile(s.Table.Keys[i].Name)
			if s.Table.Path == "expect.force.*" {
				continue // coefficients are bare in any case: forceValue looks itself
			}
			if e == nil || e.Key.Dim == model.Dimensionless && !e.Key.Any && e.Key.Kind != language.Period {
				continue
			}
			for _, a := range e.Values {
				vote := 1
				switch {
				case a.Neutral():
					continue
				case a.Bare:
					lattice = append(lattice, place{e, a})
					vote = -1
				default:
					si = append(si, place{e, a})
				}
				if s.Table.Path == "domain" {
					lead += vote
				}
			}
		}
	}
	physical := len(si) > 0 && len(si) >= len(lattice)
	if lead != 0 {
		physical = lead > 0
	}
	r.c.Units = Units{Length: 1, Time: 1, Density: 1, Physical: physical}
	few, many, is, not := lattice, si, "has no unit", "has units"
	if !physical {
		few, many, is, not = si, lattice, "has a unit", "is in lattice units, without any"
	}
	if len(few) == 0 {
		return true
	}
	reason := "bare numbers are lattice units (cells, steps); units and lattice units are never mixed"
	if len(many) > 0 {
		reason += fmt.Sprintf(". %s in %s %s", many[0].e.Key.Name, r.Where(many[0].a.At), map[bool]string{true: "has a unit", false: "has none"}[physical])
	}
	for _, p := range few {
		if !p.e.OK {
			continue
		}
		hint := ""
		if d := p.e.Key.Dim; physical && d != model.Dimensionless {
			hint = fmt.Sprintf("; give it one, such as %q", "0.1 "+language.Symbol(d))
		}
		r.Add(p.a.At, reason, "%s %s, but the case %s%s", p.e.Key.Name, is, not, hint)
	}
	return false
}

// lattice converts a constant to lattice units.
func (r *resolver) lattice(a language.Amount, d model.Dimension) float64 {
	return a.Value / r.c.Units.Factor(d)
}

// position converts a point of the user's coordinates to cells from the lower
// corner.
func (r *resolver) position(v []language.Amount) [3]float64 {
	var p [3]float64
	for i, a := range v {
		p[i] = (a.Value - r.origin[i]) / r.c.Units.Length
	}
	return p
}

// vars are the variables of expressions at a point in cells and a time in steps.
func (r *resolver) vars() func(x, y, z, t float64) language.Env {
	u, o, l := r.c.Units, r.origin, r.size
	dims := r.dims
	return func(x, y, z, t float64) language.Env {
		e := language.Env{o[0] + x*u.Length, o[1] + y*u.Length, o[2] + z*u.Length, t * u.Time, l[0], l[1], l[2]}
		if dims == 2 {
			e[language.VarZ] = 0
		}
		return e
	}
}

// function makes a value of the given dimension a function of position and time
// in lattice units.
func (r *resolver) function(a language.Amount, d model.Dimension) ReferenceFunction {
	if a.Expr == nil {
		v := r.lattice(a, d)
		return func(x, y, z, t float64) float64 { return v }
	}
	vars, f, scale := r.vars(), a.Expr.Eval, a.Scale/r.c.Units.Factor(d)
	return func(x, y, z, t float64) float64 { return f(vars(x, y, z, t)) * scale }
}

// code is the same function as C, in double, of the variables x, y, z (cells) and t (steps).
func (r *resolver) code(a language.Amount, d model.Dimension) string {
	if a.Expr == nil {
		return language.InC(r.lattice(a, d))
	}
	u, z := r.c.Units, language.InC(0)
	along := func(axis int) string {
		return "(" + language.InC(r.origin[axis]) + " + " + "xyz"[axis:axis+1] + "*" + language.InC(u.Length) + ")"
	}
	if r.dims == 3 {
		z = along(language.VarZ)
	}
	values := []string{"{0}", along(language.VarX), "{1}", along(language.VarY), "{2}", z, "{3}", "(t*" + language.InC(u.Time) + ")"}
	for a, l := range r.size {
		values = append(values, fmt.Sprintf("{%d}", language.VarLx+a), language.InC(l))
	}
	return strings.NewReplacer(values...).Replace(a.Expr.Code) + "*" + language.InC(a.Scale/u.Factor(d))
}

// times are moments of the run, in steps: in the middle of its first and last step, and
// between them as many more, at distances that no period agrees with.
func (r *resolver) times(more int) []float64 {
	n := math.Max(float64(r.c.Run.Steps), 1)
	list := []float64{0.5, n - 0.5}
	const golden = 0.6180339887498949
	for i := 1; i <= more; i++ {
		_, share := math.Modf(float64(i) * golden)
		list = append(list, 0.5+math.Floor(share*n))
	}
	return list
}

// vector is a value per axis; it must have as many as the case has dimensions.
func (r *resolver) vector(s *language.Section, name string) []language.Amount {
	e := s.Get(name)
	if e == nil || r.dims == 0 {
		return nil
	}
	if len(e.Values) != r.dims {
		r.Add(e.At, "", "%s has %d values in a case of %d dimensions", name, len(e.Values), r.dims)
		return nil
	}
	return e.Values
}

// lengths of a vector of amounts.
func norm(v []language.Amount) float64 {
	s := 0.0
	for _, a := range v {
		s = math.Hypot(s, a.Value)
	}
	return s
}

// need reports a key that must be there; false when it is not.
func (r *resolver) need(s *language.Section, name, reason string) bool {
	if s.Has(name) {
		return true
	}
	r.missing(s, reason, "%s needs %s", s.Head(), name)
	return false
}

// missing adds an error about something absent from a section.
func (r *resolver) missing(s *language.Section, reason, format string, args ...any) {
	at := s.At
	if !s.Given {
		at = language.Nowhere
	}
	r.Add(at, reason, format, args...)
}

// exclusive reports keys of which only one may be given.
func (r *resolver) exclusive(s *language.Section, reason string, keys ...string) {
	var first *language.Entry
	for _, k := range keys {
		e := s.InFile(k)
		if e == nil {
			continue
		}
		if first == nil {
			first = e
		} else {
			r.Add(e.KeyAt, reason, "%s and %s cannot both be given", first.Key.Name, k)
		}
	}
}

// si writes a value in the case's units for a message.
func (r *resolver) si(v float64, d model.Dimension) string {
	s := language.Short(v)
	if r.c.Units.Physical && d != model.Dimensionless {
		s += " " + language.Symbol(d)
	}
	return s
}

// inLattice is a value in lattice units, which may be none.
func inLattice(v float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 0):
		return "infinite"
	}
	return language.Short(v) + " in lattice units"
}
