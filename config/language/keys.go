// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lbmsim/model"
)

// The parts of a language: kinds of values, keys, tables. Parsing, suggestions, the canonical
// text and the reference all come from them.

// Kind is the form of a value.
type Kind int

const (
	Text       Kind = iota // any text
	Word                   // one of choices
	Words                  // a list of choices
	Integer                // a whole number
	Integers               // one per axis
	Number                 // a dimensionless number
	Quantity               // a constant with a unit
	Vector                 // one quantity per axis
	Formula                // a quantity or an expression in x, y, z
	Formulas               // one per axis
	Pair                   // two quantities of any dimension
	Quantities             // a list of quantities
	Duration               // wall time
	Period                 // a number of steps or a simulated time
	Tolerance              // a percentage or a quantity
	Flag                   // true or false
	Name                   // of a named table
	Names                  // a list of names
)

// Span is a range of numbers, in SI or lattice units as the value is.
type Span struct {
	set            bool
	lo, hi         float64
	openLo, openHi bool
}

// Above returns the range of all numbers above lo.
func Above(lo float64) Span { return Span{true, lo, inf, true, true} }

// Between returns the range of all numbers between two, excluding both.
func Between(lo, hi float64) Span { return Span{true, lo, hi, true, true} }

// AtLeast returns the range of lo and all numbers above.
func AtLeast(lo float64) Span { return Span{true, lo, inf, false, true} }

// Counts returns the range from one number to another, including both.
func Counts(lo, hi float64) Span { return Span{true, lo, hi, false, false} }

const inf = 1e300 // larger values are refused everywhere

// limits of what can be counted and named.
const (
	MaxCount = 1 << 40 // steps
	maxName  = 60      // letters of a name
	maxNames = 240     // in a list
	maxList  = 1000    // quantities in a list
)

func (r Span) holds(v float64) bool {
	return !r.set || (v > r.lo || v == r.lo && !r.openLo) && (v < r.hi || v == r.hi && !r.openHi)
}

// mayBeZero reports whether the range of the key allows 0 as a time; no other mark says so.
func (k *Key) mayBeZero() bool { return k.Within.set && k.Within.holds(0) }

func (r Span) String() string {
	if !r.set {
		return ""
	}
	short := func(v float64) string {
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return Grouped(int(v))
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	lo := "above " + short(r.lo)
	if !r.openLo {
		lo = "at least " + short(r.lo)
	}
	if r.hi == inf {
		return lo
	}
	if r.openHi {
		return lo + " and below " + short(r.hi)
	}
	return lo + " and at most " + short(r.hi)
}

// Key is one row: a key of a table.
type Key struct {
	Name       string
	Kind       Kind
	Dim        model.Dimension   // of quantities
	Alt        []model.Dimension // also accepted
	Any        bool              // any dimension; checked where it is used
	Time       bool              // expressions may contain t
	Default    string            // TOML text; empty = none
	DefaultDoc string            // a default that depends on other keys, in words
	Choices    []string
	Within     Span
	Why        string // reason of the range, or a note on the choices, for messages
	Doc        string
}

// Table is one table of a file. A path that ends in ".*" stands for named tables.
type Table struct {
	Path     string
	Keys     []Key
	Doc      string
	Optional bool       // its presence enables a feature: without it there are no defaults
	Most     int        // of a kind of named tables
	OneOf    [][]string // groups of keys of which a case has one; a --set of one takes the others out
}

// Schema is a language: its tables, in the order of the documentation and of the canonical
// text, and in words where expressions may stand.
type Schema struct {
	Tables   []Table
	Formulas string // where formulas of the position may
	Times    string // where formulas of the time may
	Absent   []Absent
}

// Absent is a feature of other programs of the field that lbmsim does not have.
type Absent struct {
	Words  []string // parts of keys that ask for it, in lower case
	Answer string
}

// absent returns the answer to a word of an absent feature.
func (s Schema) absent(word string) string {
	word = strings.ToLower(word)
	parts := strings.FieldsFunc(word, func(c rune) bool { return c == '_' || c == '-' })
	for _, a := range s.Absent {
		for _, w := range a.Words {
			if w == word || slices.Contains(parts, w) {
				return a.Answer
			}
		}
	}
	return ""
}

func (t Table) named() bool { return strings.HasSuffix(t.Path, ".*") }

// Head returns the table's header, "[body.NAME]".
func (t Table) Head() string { return "[" + strings.Replace(t.Path, "*", "NAME", 1) + "]" }

// Find returns the key of a name; nil: the table has none.
func (t Table) Find(name string) *Key {
	for i := range t.Keys {
		if t.Keys[i].Name == name {
			return &t.Keys[i]
		}
	}
	return nil
}

// find looks a table up by a concrete path such as "body.ball".
func (l Schema) find(path []string) *Table {
	for i := range l.Tables {
		if l.Tables[i].at(path) {
			return &l.Tables[i]
		}
	}
	return nil
}

// at reports whether a table may stand at a path.
func (t Table) at(path []string) bool {
	rest, part := t.Path, ""
	for _, p := range path {
		if rest == "" {
			return false
		}
		if part, rest, _ = strings.Cut(rest, "."); part != p && part != "*" {
			return false
		}
	}
	return rest == ""
}

// mostBelow returns the largest number of tables of any name at a path.
func (l Schema) mostBelow(path []string) int {
	if t := l.find(append(path[:len(path):len(path)], "*")); t != nil && t.named() {
		return t.Most
	}
	return 0
}

// below lists the words that may follow a path as tables: fixed names, and
// whether any name may.
func (l Schema) below(path []string) (fixed []string, any bool) {
	seen := map[string]bool{}
	for _, t := range l.Tables {
		p := strings.Split(t.Path, ".")
		if t.Path == "" || len(p) <= len(path) {
			continue
		}
		match := true
		for j := range path {
			match = match && (p[j] == path[j] || p[j] == "*")
		}
		if !match {
			continue
		}
		if n := p[len(path)]; n == "*" {
			any = true
		} else if !seen[n] {
			seen[n] = true
			fixed = append(fixed, n)
		}
	}
	return fixed, any
}

// Form describes the form of a value.
func (k Key) Form() string {
	d := "of the field"
	if !k.Any {
		d = dimensionName(k.Dim)
		d = strings.TrimPrefix(strings.TrimPrefix(d, "a "), "an ") + " (" + Symbol(k.Dim)
		for _, o := range k.Alt {
			d += " or " + Symbol(o)
		}
		d += ")"
	}
	s := ""
	switch k.Kind {
	case Text:
		s = "text"
	case Name:
		s = "name"
	case Names:
		s = "list of names"
	case Word:
		s = "one of " + strings.Join(ticks(k.Choices), " ")
	case Words:
		s = "list of " + strings.Join(ticks(k.Choices), " ")
	case Integer:
		s = "whole number"
	case Integers:
		s = "list of whole numbers, one per axis"
	case Number:
		s = "number"
	case Quantity:
		s = d
	case Vector:
		s = "list, one per axis: " + d
		if k.Dim == model.Dimensionless {
			s = "list of numbers, one per axis"
		}
	case Formula:
		s = "expression: " + d
	case Formulas:
		s = "list of expressions, one per axis: " + d
	case Pair:
		s = "list of two values " + d
	case Quantities:
		s = "list of values: " + d
	case Duration:
		s = "wall time (s, min, h)"
		for _, word := range ticks(k.Choices) {
			s += " or " + word
		}
	case Period:
		s = "whole number of steps, or time (s)"
	case Tolerance:
		s = "percentage or quantity"
	case Flag:
		s = "`true` or `false`"
	default:
		panic(fmt.Sprintf("no description for values of kind %d, such as %s", k.Kind, k.Name))
	}
	if k.Within.set && (k.Kind != Integer && k.Kind != Integers || k.Within.lo != 1 && k.Within.lo != 0) {
		s += ", " + k.Within.String()
	}
	return s
}

func ticks(words []string) []string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = "`" + w + "`"
	}
	return q
}

// Standard returns the default as Markdown.
func (k Key) Standard() string {
	switch {
	case k.Default != "":
		return "`" + k.Default + "`"
	case k.DefaultDoc != "":
		return k.DefaultDoc
	}
	return ""
}

func goodName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !bareKey(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}
