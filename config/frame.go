// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Every conversion from SI to lattice units is made here, by lattice, position and function.

// frame leads from the numbers of the file to cells and steps. The domain and the scaling complete it.
type frame struct {
	*source
	*Grid
	refinement Refinement
	dims       int
	haveBox    bool              // cells, spacing and origin are known
	haveTime   bool              // and the length of a step and tau: all units are known
	size       [3]float64        // in the user's length
	places     []Row             // of outputs beside cells' centres
	finer      *decomp.Hierarchy // the levels of a refined grid, on one rank; nil: all cells are of level 0
}

// cellsOf returns a length in cells.
func (r *frame) cellsOf(e *language.Entry) float64 { return e.Values[0].Value / r.Units.Length }

// pointOf returns the position under a key; in 2D it lies in the plane of the cells' centres.
func (r *frame) pointOf(s *language.Section, key string) [3]float64 {
	p := r.position(s.Get(key).Values)
	if r.dims == 2 {
		p[2] = 0.5
	}
	return p
}

// index of the cell at a coordinate in cells.
func (r *frame) index(p float64, axis int) (int, bool) {
	n := float64(r.Cells[axis])
	if !(p >= -1e-9*n && p <= n*(1+1e-9)) {
		return 0, false
	}
	return int(math.Min(math.Max(math.Floor(p+1e-9*n), 0), n-1)), true
}

// coordinates formats a point in cells as a TOML list in the case's coordinates.
func (r *frame) coordinates(p [3]float64) string {
	var parts []string
	for a := range r.dims {
		v := r.Origin[a] + p[a]*r.Units.Length
		parts = append(parts, language.Amount{Value: v, Bare: !r.Units.Physical, Dim: model.Length}.TOML())
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// point writes a position.
func (r *frame) point(p [3]float64) string {
	t := "("
	for a := 0; a < r.dims; a++ {
		if a > 0 {
			t += ", "
		}
		t += language.Short(p[a])
	}
	t += ")"
	if r.Units.Physical {
		t += " m"
	}
	return t
}

// inSteps converts a number of steps of the file to steps of the refined case.
func (r *frame) inSteps(steps int) int {
	return max(1, int(math.Ceil(float64(steps)*r.refinement.steps()-1e-9)))
}

// place is a value with a dimension.
type place struct {
	e *language.Entry
	a language.Amount
}

// units decides whether the case is in SI or in lattice units, and refuses a
// mixture: a forgotten unit would be taken for another number, silently. The
// lengths of the domain set the style, otherwise the majority.
func (r *frame) units() bool {
	var si, lattice []place // votes; values that could not be read have one too
	lead := 0
	for _, s := range r.Sections {
		for i := range s.Table.Keys {
			e := s.InFile(s.Table.Keys[i].Name)
			if s.Table.Path == "expect.force.*" {
				continue // coefficients are bare in any case: forceValue checks them
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
	r.Units = Units{Length: 1, Time: 1, Density: 1, Physical: physical}
	few, many, is, not := lattice, si, "has no unit", "has units"
	if !physical {
		few, many, is, not = si, lattice, "has a unit", "is in lattice units"
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
func (r *frame) lattice(a language.Amount, d model.Dimension) float64 {
	return a.Value / r.Units.Factor(d)
}

// kinematic returns a viscosity in the user's units, of one that may be given as the dynamic one.
func (r *frame) kinematic(e *language.Entry) (nu float64, ok bool) {
	a, f := e.Values[0], r.Section("fluid")
	switch {
	case a.Dim != language.DynamicViscosity():
		return a.Value, true
	case f.Broken("density"):
		return 0, false
	case !f.Has("density"):
		r.Add(e.At, "kinematic = dynamic / density", "a dynamic viscosity needs the density: [fluid] density = \"1000 kg/m3\"")
		return 0, false
	}
	return a.Value / r.Units.Density, true
}

// latticeViscosity returns it in lattice units; 0 where it is not known.
func (r *frame) latticeViscosity(e *language.Entry) float64 {
	nu, _ := r.kinematic(e)
	return nu / r.Units.Factor(model.Viscosity)
}

// position converts a point of the user's coordinates to cells from the lower
// corner.
func (r *frame) position(v []language.Amount) [3]float64 {
	var p [3]float64
	for i, a := range v {
		p[i] = (a.Value - r.Origin[i]) / r.Units.Length
	}
	return p
}

// vars returns a function for the variables of expressions at a point in cells and a time in steps.
func (r *frame) vars() func(x, y, z, t float64) language.Env {
	u, o, l := r.Units, r.Origin, r.size
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
func (r *frame) function(a language.Amount, d model.Dimension) ReferenceFunction {
	if a.Expr == nil {
		v := r.lattice(a, d)
		return func(x, y, z, t float64) float64 { return v }
	}
	vars, f, scale := r.vars(), a.Expr.Eval, a.Scale/r.Units.Factor(d)
	return func(x, y, z, t float64) float64 { return f(vars(x, y, z, t)) * scale }
}

// initial makes a value of the given dimension a function of the position at the start, in lattice units.
func (r *frame) initial(a language.Amount, d model.Dimension) Function {
	if a.Expr == nil {
		return Constant(r.lattice(a, d))
	}
	vars, scale := r.vars(), a.Scale/r.Units.Factor(d)
	free := &sync.Pool{New: func() any { return new([]float64) }}
	return func(values, x []float64, y, z float64) {
		at := free.Get().(*[]float64)
		defer free.Put(at)
		*at = (*at)[:0]
		for _, v := range x {
			*at = append(*at, r.Origin[0]+v*r.Units.Length)
		}
		a.Expr.Row(values, *at, vars(0, y, z, 0))
		for i, v := range values {
			values[i] = v * scale
		}
	}
}

// code returns the same function as C, in double, of the variables x, y, z (cells) and t (steps).
func (r *frame) code(a language.Amount, d model.Dimension) string {
	if a.Expr == nil {
		return language.InC(r.lattice(a, d))
	}
	u, z := r.Units, language.InC(0)
	along := func(axis int) string {
		return "(" + language.InC(r.Origin[axis]) + " + " + "xyz"[axis:axis+1] + "*" + language.InC(u.Length) + ")"
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

// vector returns a value per axis; there must be as many as the case has dimensions.
func (r *frame) vector(s *language.Section, name string) []language.Amount {
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

// si writes a value in the case's units for a message.
func (r *frame) si(v float64, d model.Dimension) string {
	s := language.Short(v)
	if r.Units.Physical && d != model.Dimensionless {
		s += " " + language.Symbol(d)
	}
	return s
}

// norm returns the length of a vector of amounts.
func norm(v []language.Amount) float64 {
	s := 0.0
	for _, a := range v {
		s = math.Hypot(s, a.Value)
	}
	return s
}

// sizeOf a vector.
func sizeOf(v [3]float64) float64 { return math.Hypot(math.Hypot(v[0], v[1]), v[2]) }

// percent formats a share in per cent with two digits, as precise as an estimate, and without an exponent.
func percent(share float64) string {
	if v := 100 * share; math.Abs(v) >= 9.95 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", 100*share)
}

// roughly returns a number rounded to two digits.
func roughly(v float64) float64 {
	v, _ = strconv.ParseFloat(fmt.Sprintf("%.2g", v), 64)
	return v
}

// inLattice formats a value in lattice units, which may be infinite or not a number.
func inLattice(v float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 0):
		return "infinite"
	}
	return language.Short(v) + " in lattice units"
}

func identity(v float64) float64 { return v }

func anyNumber(float64) string { return "" }
