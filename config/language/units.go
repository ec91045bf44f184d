// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lbmsim/model"
)

// Units of the file: text such as "kg/m3" to a dimension and a factor to SI
// and back. A factor is kept as a power of ten and a rest, so that "20 mm" reads
// as exactly 0.02 and writing a case back changes nothing.

// unit is the unit behind a number.
type unit struct {
	dim   model.Dimension
	exp10 int     // power of ten
	mult  float64 // the rest: 1, or 60 for min
}

// unitError points into the text of a unit.
type unitError struct {
	off, len    int
	msg, reason string
}

// DynamicViscosity, in Pa s, may stand for the kinematic one where the density is known.
func DynamicViscosity() model.Dimension { return model.Dimension{M: -1, S: -1, Kg: 1} }

// NamedUnit is a word of the unit language.
type NamedUnit struct {
	Name   string
	unit   unit
	prefix bool // may carry an SI prefix
}

// NamedUnits returns the words of units.
func NamedUnits() []NamedUnit {
	d := func(m, s, kg int) model.Dimension { return model.Dimension{M: m, S: s, Kg: kg} }
	return []NamedUnit{
		{"m", unit{d(1, 0, 0), 0, 1}, true},
		{"s", unit{d(0, 1, 0), 0, 1}, true},
		{"K", unit{model.Temperature, 0, 1}, true},
		{"g", unit{d(0, 0, 1), -3, 1}, true},
		{"min", unit{d(0, 1, 0), 0, 60}, false},
		{"h", unit{d(0, 1, 0), 0, 3600}, false},
		{"d", unit{d(0, 1, 0), 0, 86400}, false},
		{"Hz", unit{d(0, -1, 0), 0, 1}, true},
		{"N", unit{d(1, -2, 1), 0, 1}, true},
		{"Pa", unit{d(-1, -2, 1), 0, 1}, true},
		{"bar", unit{d(-1, -2, 1), 5, 1}, true},
		{"J", unit{d(2, -2, 1), 0, 1}, true},
		{"W", unit{d(2, -3, 1), 0, 1}, true},
		{"L", unit{d(3, 0, 0), -3, 1}, true},
		{"l", unit{d(3, 0, 0), -3, 1}, true},
		{"St", unit{d(2, -1, 0), -4, 1}, true},
		{"P", unit{d(-1, -1, 1), -1, 1}, true},
		{"%", unit{d(0, 0, 0), -2, 1}, false},
		{"rad", unit{d(0, 0, 0), 0, 1}, false},
		{"rev", unit{d(0, 0, 0), 0, 2 * math.Pi}, false},
		{"rpm", unit{d(0, -1, 0), 0, 2 * math.Pi / 60}, false},
	}
}

// prefixExp returns the power of ten of an SI prefix.
func prefixExp(p string) (int, bool) {
	switch p {
	case "n":
		return -9, true
	case "u", "µ", "μ":
		return -6, true
	case "m":
		return -3, true
	case "c":
		return -2, true
	case "d":
		return -1, true
	case "h":
		return 2, true
	case "k":
		return 3, true
	case "M":
		return 6, true
	case "G":
		return 9, true
	}
	return 0, false
}

// lookUnit finds a symbol, with or without a prefix.
func lookUnit(sym string) (unit, bool) {
	all := NamedUnits()
	for _, n := range all {
		if n.Name == sym {
			return n.unit, true
		}
	}
	for _, n := range all {
		if n.prefix && strings.HasSuffix(sym, n.Name) {
			if e, ok := prefixExp(strings.TrimSuffix(sym, n.Name)); ok {
				u := n.unit
				u.exp10 += e
				return u, true
			}
		}
	}
	return unit{}, false
}

// maxFactors of a unit, and the largest power of one.
const (
	maxFactors = 8
	maxPower   = 6
)

// parseUnit reads a whole text as a unit: symbols with powers (m2, m^2, m², s-1),
// joined by spaces, * or /. After a / one factor or a bracket is expected; a
// product after a / without brackets is ambiguous and refused.
func parseUnit(s string) (unit, *unitError) {
	p := &unitParser{s: s}
	u, err := p.product(0)
	if err == nil && p.i < len(s) {
		err = &unitError{p.i, 1, fmt.Sprintf("%s is not valid here in a unit", strconv.Quote(s[p.i:min(p.i+1, len(s))])), unitForms}
	}
	for _, n := range []int{u.dim.M, u.dim.S, u.dim.Kg, u.dim.K} {
		if err == nil && (n > maxPower || n < -maxPower) {
			err = &unitError{0, len(s), fmt.Sprintf("a power above %d in a unit", maxPower), ""}
		}
	}
	return u, err
}

const unitForms = `units look like "m/s", "m2/s", "kg/m3", "Pa s", "N/(m s)", with prefixes as in "mm" or "kPa"`

type unitParser struct {
	s       string
	i       int
	factors int
}

func (p *unitParser) blank() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
}

// product reads factors up to a closing bracket or the end.
func (p *unitParser) product(depth int) (unit, *unitError) {
	u := unit{mult: 1}
	slashed := false
	for first := true; ; first = false {
		before := p.i
		p.blank()
		apart := p.i > before
		if p.i >= len(p.s) || p.s[p.i] == ')' {
			if first {
				return u, &unitError{p.i, 1, "a unit is missing here", unitForms}
			}
			return u, nil
		}
		op, at := "*", p.i
		switch {
		case first:
		case p.s[p.i] == '/':
			op = "/"
			p.i++
		case p.s[p.i] == '*':
			p.i++
		case strings.HasPrefix(p.s[p.i:], "·"):
			p.i += len("·")
		case !apart && p.s[p.i] != '(':
			return u, &unitError{p.i, 1, "a space, * or / is missing between two units", unitForms}
		}
		if slashed && op == "*" {
			return u, &unitError{at, 1, "a product after / is ambiguous",
				`write brackets: "kg/(m s)", or "kg s/m"`}
		}
		slashed = slashed || op == "/"
		f, err := p.factor(depth)
		if err != nil {
			return u, err
		}
		sign := 1
		if op == "/" {
			sign = -1
		}
		u.times(f, sign)
	}
}

// times multiplies by a power of another unit.
func (u *unit) times(f unit, n int) {
	u.dim.M += n * f.dim.M
	u.dim.S += n * f.dim.S
	u.dim.Kg += n * f.dim.Kg
	u.dim.K += n * f.dim.K
	u.exp10 += n * f.exp10
	u.mult *= math.Pow(f.mult, float64(n))
}

// factor reads a symbol or a bracket, with its power.
func (p *unitParser) factor(depth int) (unit, *unitError) {
	p.blank()
	if p.factors++; p.factors > maxFactors {
		return unit{}, &unitError{p.i, 1, fmt.Sprintf("a unit of more than %d factors", maxFactors), ""}
	}
	start := p.i
	var f unit
	switch {
	case p.i < len(p.s) && p.s[p.i] == '(':
		if depth > 1 {
			return f, &unitError{start, 1, "brackets nested too deep in a unit", unitForms}
		}
		p.i++
		in, err := p.product(depth + 1)
		if err != nil {
			return f, err
		}
		if p.i >= len(p.s) {
			return f, &unitError{start, 1, "this bracket is not closed", ""}
		}
		p.i++
		f = in
	case strings.HasPrefix(p.s[p.i:], "%"):
		p.i++
		f, _ = lookUnit("%")
	case strings.HasPrefix(p.s[p.i:], "1") && !strings.HasPrefix(p.s[p.i:], "1."):
		p.i++
		f = unit{mult: 1}
	default:
		for _, r := range p.s[p.i:] {
			if !('a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80) && r != 'µ' && r != 'μ' {
				break
			}
			p.i += len(string(r))
		}
		sym := p.s[start:p.i]
		if start == len(p.s) {
			return f, &unitError{start, 1, "a unit is missing here", unitForms}
		}
		if sym == "" {
			return f, &unitError{start, 1, fmt.Sprintf("%s is not a unit", strconv.Quote(p.s[start:])), unitForms}
		}
		u, ok := lookUnit(sym)
		if !ok {
			var names []string
			for _, n := range NamedUnits() {
				names = append(names, n.Name)
			}
			return f, &unitError{start, len(sym), fmt.Sprintf("unknown unit %q%s", sym, unitMeant(sym, names)),
				"known: " + strings.Join(names, " ") + ", most of them with a prefix n u m c d h k M G"}
		}
		f = u
	}
	n, err := p.power()
	if err != nil {
		return f, err
	}
	out := unit{mult: 1}
	out.times(f, n)
	return out, nil
}

// unitMeant suggests only for words of at least three letters: shorter ones all look similar.
func unitMeant(sym string, names []string) string {
	switch strings.ToLower(sym) {
	case "sec", "second", "seconds":
		return `; did you mean "s"?`
	case "hr", "hour", "hours":
		return `; did you mean "h"?`
	case "meter", "metre", "meters", "metres":
		return `; did you mean "m"?`
	case "minute", "minutes":
		return `; did you mean "min"?`
	}
	for _, n := range names {
		if strings.EqualFold(n, sym) {
			return fmt.Sprintf("; did you mean %q?", n)
		}
	}
	if len(sym) < 3 {
		return ""
	}
	return Meant(sym, names)
}

// power reads 2, -1, ^2, ^-1, ², ⁻¹; without any it is 1.
func (p *unitParser) power() (int, *unitError) {
	start := p.i
	sign, n, digits := 1, 0, 0
	if p.i < len(p.s) && p.s[p.i] == '^' {
		p.i++
	}
	for p.i < len(p.s) {
		r := []rune(p.s[p.i:min(p.i+3, len(p.s))])[0]
		d, width := -1, len(string(r))
		if r >= '0' && r <= '9' {
			d = int(r - '0')
		} else if k := strings.IndexRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r); k >= 0 && r > 0x7f && r != '\uFFFD' {
			d = len([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹"[:k]))
		}
		if d < 0 {
			if digits == 0 && sign == 1 && (r == '-' || r == '⁻') {
				sign = -1
				p.i += width
				continue
			}
			break
		}
		p.i += width
		digits++
		if n = n*10 + d; n > maxPower {
			return 0, &unitError{start, p.i - start, fmt.Sprintf("a power above %d in a unit", maxPower), ""}
		}
	}
	if p.i == start {
		return 1, nil
	}
	if digits == 0 {
		return 0, &unitError{start, max(1, p.i-start), "a power is missing here", unitForms}
	}
	return sign * n, nil
}

// scaled returns text (a decimal number without sign) times the unit's factor. The
// power of ten goes into the decimal exponent, where it is exact.
func (u unit) scaled(text string) (float64, error) {
	mantissa, exp := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e > 10000 || e < -10000 {
			return 0, fmt.Errorf("an exponent out of range")
		}
		mantissa, exp = text[:i], e
	}
	v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exp+u.exp10), 64)
	if err != nil {
		return 0, err
	}
	return v * u.mult, nil
}

// factor leads to SI.
func (u unit) factor() float64 { return math.Pow10(u.exp10) * u.mult }

// Symbol writes a dimension as an SI unit, e.g. "kg/m3" or "kg/(m s)".
func Symbol(d model.Dimension) string {
	switch d {
	case model.Dimensionless:
		return "1"
	case model.Pressure:
		return "Pa"
	case model.ForceDensity:
		return "N/m3"
	case model.Force:
		return "N"
	case model.Torque:
		return "N m"
	case model.ForcePerDepth:
		return "N/m"
	case DynamicViscosity():
		return "Pa s"
	}
	var up, down []string
	add := func(u string, n int) {
		s := &up
		if n < 0 {
			s, n = &down, -n
		}
		switch {
		case n == 1:
			*s = append(*s, u)
		case n > 1:
			*s = append(*s, u+strconv.Itoa(n))
		}
	}
	add("kg", d.Kg)
	add("K", d.K)
	add("m", d.M)
	add("s", d.S)
	top, bottom := strings.Join(up, " "), strings.Join(down, " ")
	if top == "" {
		top = "1"
	}
	switch len(down) {
	case 0:
		return top
	case 1:
		return top + "/" + bottom
	}
	return top + "/(" + bottom + ")"
}

// InWords returns a dimension with its unit: "a velocity (m/s)".
func InWords(d model.Dimension) string {
	if d == model.Dimensionless {
		return dimensionName(d)
	}
	return dimensionName(d) + " (" + Symbol(d) + ")"
}

// dimensionName returns a dimension in words, for messages and the reference.
func dimensionName(d model.Dimension) string {
	switch d {
	case model.Dimensionless:
		return "a number without a unit"
	case model.Length:
		return "a length"
	case model.Time:
		return "a time"
	case model.Velocity:
		return "a velocity"
	case model.Viscosity:
		return "a kinematic viscosity"
	case model.Acceleration:
		return "an acceleration"
	case model.ForceDensity:
		return "a force density"
	case model.Density:
		return "a mass density"
	case model.Pressure:
		return "a pressure"
	case model.Rate:
		return "a rate"
	case model.Area:
		return "an area"
	case model.FlowRate:
		return "a volume flow rate"
	case model.Force:
		return "a force"
	case model.Torque:
		return "a torque"
	case model.ForcePerDepth:
		return "a force per metre of depth"
	case model.Temperature:
		return "a temperature"
	case model.Expansion:
		return "an expansion"
	case model.HeatFlux:
		return "a heat flux"
	case model.HeatSource:
		return "a heat source"
	case model.Heat, model.HeatPerDepth:
		return "a heat flow rate"
	case model.SecondInvariant:
		return "a squared rate"
	case DynamicViscosity():
		return "a dynamic viscosity"
	}
	return "a quantity"
}
