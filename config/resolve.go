package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"lbmsim/model"
)

// From sections of values to a Case. Every conversion from SI to lattice units is
// made here, by lattice, position and function. Checks go on after an error as
// long as what they need is known, so that all errors show at once.

// resolver fills a Case.
type resolver struct {
	*reader
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
	if e := r.section("").get("title"); e != nil {
		r.c.Title = strings.Map(func(c rune) rune { // it goes to terminals
			if unicode.IsControl(c) {
				return ' '
			}
			return c
		}, e.text)
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
	r.volumes()
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
	e *entry
	a amount
}

// units decides whether the case is in SI or in lattice units, and refuses a
// mixture: a forgotten unit would be taken for another number, silently. The
// lengths of the domain set the style, otherwise the majority.
func (r *resolver) units() bool {
	var si, lattice []place // votes; values that could not be read have one too
	lead := 0
	for _, s := range r.sections {
		for i := range s.table.keys {
			e := s.keys[s.table.keys[i].name]
			if s.table.path == "expect.force.*" {
				continue // coefficients are bare in any case: forceValue looks itself
			}
			if e == nil || !e.given || e.key.dim == model.Dimensionless && !e.key.any && e.key.kind != kPeriod {
				continue
			}
			for _, a := range e.vals {
				vote := 1
				switch {
				case a.neutral():
					continue
				case a.bare:
					lattice = append(lattice, place{e, a})
					vote = -1
				default:
					si = append(si, place{e, a})
				}
				if s.table.path == "domain" {
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
		reason += fmt.Sprintf(". %s in %s %s", many[0].e.key.name, r.where(many[0].a.at), map[bool]string{true: "has a unit", false: "has none"}[physical])
	}
	for _, p := range few {
		if !p.e.ok {
			continue
		}
		hint := ""
		if d := p.e.key.dim; physical && d != model.Dimensionless {
			hint = fmt.Sprintf("; give it one, such as %q", "0.1 "+symbol(d))
		}
		r.add(p.a.at, reason, "%s %s, but the case %s%s", p.e.key.name, is, not, hint)
	}
	return false
}

// lattice converts a constant to lattice units.
func (r *resolver) lattice(a amount, d model.Dimension) float64 {
	return a.v / r.c.Units.Factor(d)
}

// position converts a point of the user's coordinates to cells from the lower
// corner.
func (r *resolver) position(v []amount) [3]float64 {
	var p [3]float64
	for i, a := range v {
		p[i] = (a.v - r.origin[i]) / r.c.Units.Length
	}
	return p
}

// vars are the variables of expressions at a point in cells and a time in steps.
func (r *resolver) vars() func(x, y, z, t float64) env {
	u, o, l := r.c.Units, r.origin, r.size
	dims := r.dims
	return func(x, y, z, t float64) env {
		e := env{o[0] + x*u.Length, o[1] + y*u.Length, o[2] + z*u.Length, t * u.Time, l[0], l[1], l[2]}
		if dims == 2 {
			e[varZ] = 0
		}
		return e
	}
}

// function makes a value of the given dimension a function of position and time
// in lattice units.
func (r *resolver) function(a amount, d model.Dimension) ReferenceFunction {
	if a.f == nil {
		v := r.lattice(a, d)
		return func(x, y, z, t float64) float64 { return v }
	}
	vars, f, scale := r.vars(), a.f.eval, a.scale/r.c.Units.Factor(d)
	return func(x, y, z, t float64) float64 { return f(vars(x, y, z, t)) * scale }
}

// code is the same function as C, in double, of the variables x, y, z (cells) and t (steps).
func (r *resolver) code(a amount, d model.Dimension) string {
	if a.f == nil {
		return number(r.lattice(a, d))
	}
	u, z := r.c.Units, number(0)
	along := func(axis int) string {
		return "(" + number(r.origin[axis]) + " + " + "xyz"[axis:axis+1] + "*" + number(u.Length) + ")"
	}
	if r.dims == 3 {
		z = along(varZ)
	}
	values := []string{"{0}", along(varX), "{1}", along(varY), "{2}", z, "{3}", "(t*" + number(u.Time) + ")"}
	for a, l := range r.size {
		values = append(values, fmt.Sprintf("{%d}", varLx+a), number(l))
	}
	return strings.NewReplacer(values...).Replace(a.f.code) + "*" + number(a.scale/u.Factor(d))
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
func (r *resolver) vector(s *section, name string) []amount {
	e := s.get(name)
	if e == nil || r.dims == 0 {
		return nil
	}
	if len(e.vals) != r.dims {
		r.add(e.at, "", "%s has %d values in a case of %d dimensions", name, len(e.vals), r.dims)
		return nil
	}
	return e.vals
}

// lengths of a vector of amounts.
func norm(v []amount) float64 {
	s := 0.0
	for _, a := range v {
		s = math.Hypot(s, a.v)
	}
	return s
}

// need reports a key that must be there; false when it is not.
func (r *resolver) need(s *section, name, reason string) bool {
	if s.has(name) {
		return true
	}
	r.missing(s, reason, "%s needs %s", s.head(), name)
	return false
}

// missing adds an error about something absent from a section.
func (r *resolver) missing(s *section, reason, format string, args ...any) {
	at := s.at
	if !s.given {
		at = nowhere
	}
	r.add(at, reason, format, args...)
}

// exclusive reports keys of which only one may be given.
func (r *resolver) exclusive(s *section, reason string, keys ...string) {
	var first *entry
	for _, k := range keys {
		if !s.has(k) {
			continue
		}
		if e := s.keys[k]; first == nil {
			first = e
		} else {
			r.add(e.keyAt, reason, "%s and %s cannot both be given", first.key.name, k)
		}
	}
}

// si writes a value in the case's units for a message.
func (r *resolver) si(v float64, d model.Dimension) string {
	s := short(v)
	if r.c.Units.Physical && d != model.Dimensionless {
		s += " " + symbol(d)
	}
	return s
}

// short is a number for people: five digits.
func short(v float64) string {
	s := fmt.Sprintf("%.5g", v)
	s = strings.Replace(s, "e-0", "e-", 1)
	return strings.Replace(s, "e+0", "e", 1)
}

// grouped is a whole number with its thousands apart: 1,048,576. Four digits are read without.
func grouped(n int) string {
	s := strconv.Itoa(n)
	if n < 0 || len(s) < 5 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// crossed is a number of cells on each axis: 32 x 64.
func crossed(cells []int) string {
	list := make([]string, len(cells))
	for a, n := range cells {
		list[a] = grouped(n)
	}
	return strings.Join(list, " x ")
}

// inLattice is a value in lattice units, which may be none.
func inLattice(v float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 0):
		return "infinite"
	}
	return short(v) + " in lattice units"
}
