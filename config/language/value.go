// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"lbmsim/model"
)

// One value of the file: from the decoded TOML to a checked
// value of its key's kind, and back to canonical TOML.

// Amount is a number with its unit, or an expression with one.
type Amount struct {
	At    Mark            // in the source
	Value float64         // constant: the value in SI, or as written without a unit
	Bare  bool            // no unit: lattice units, or a plain number
	Dim   model.Dimension // of the unit
	Expr  *Expr           // not constant; scale leads to SI
	Scale float64
	src   string // text of the expression with its unit
}

// Neutral amounts fit a case in SI as well as one in lattice units.
func (a Amount) Neutral() bool {
	return a.Expr == nil && a.Value == 0 || !a.Bare && a.Dim == model.Dimensionless
}

// TOML writes the amount back, constants in SI.
func (a Amount) TOML() string {
	switch {
	case a.Expr != nil:
		return Quote(a.src)
	case a.Value == 0:
		return "0"
	case a.Bare:
		return Float(a.Value)
	case a.Dim == model.Dimensionless:
		percent := Float(a.Value * 100)
		if v, err := (unit{exp10: -2, mult: 1}).scaled(percent); err == nil && v == a.Value {
			return Quote(percent + " %")
		}
		return Quote(Float(a.Value) + " 1")
	}
	return Quote(Float(a.Value) + " " + Symbol(a.Dim))
}

// Float returns the shortest text that reads back as the same number.
func Float(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	// 1e-06 is right but unusual.
	s = strings.Replace(s, "e-0", "e-", 1)
	return strings.Replace(s, "e+0", "e+", 1)
}

// Entry is a key with its value, as given or by default.
type Entry struct {
	Key      *Key
	path     []string // of the table
	KeyAt    Mark
	At       Mark // of the value; of the key or table when it is a default
	Given    bool
	OK       bool
	Text     string   // kText, kWord, kName
	Words    []string // kWords, kNames
	WordAt   []Mark
	Ints     []int
	Values   []Amount
	Flag     bool
	Duration time.Duration
	Steps    bool // kPeriod: ints[0] steps; otherwise vals[0]
}

// toml returns the canonical text of the value.
func (e *Entry) toml() string {
	switch e.Key.Kind {
	case Text, Word, Name:
		return Quote(e.Text)
	case Words, Names:
		s := make([]string, len(e.Words))
		for i, w := range e.Words {
			s[i] = Quote(w)
		}
		return "[" + strings.Join(s, ", ") + "]"
	case Flag:
		return strconv.FormatBool(e.Flag)
	case Integer:
		return strconv.Itoa(e.Ints[0])
	case Integers:
		s := make([]string, len(e.Ints))
		for i, n := range e.Ints {
			s[i] = strconv.Itoa(n)
		}
		return "[" + strings.Join(s, ", ") + "]"
	case Duration:
		if e.Text != "" {
			return Quote(e.Text)
		}
		return Quote(Float(e.Duration.Seconds()) + " s")
	case Period:
		if e.Steps {
			return strconv.Itoa(e.Ints[0])
		}
		return e.Values[0].TOML()
	case Vector, Formulas, Pair, Quantities:
		s := make([]string, len(e.Values))
		for i, a := range e.Values {
			s[i] = a.TOML()
		}
		return "[" + strings.Join(s, ", ") + "]"
	case Number:
		return Float(e.Values[0].Value)
	case Quantity, Formula, Tolerance:
		return e.Values[0].TOML()
	}
	panic(fmt.Sprintf("no writer for values of kind %d, such as %s", e.Key.Kind, e.Key.Name))
}

// read fills the entry from a decoded value; problems go to r and leave OK false.
func (r *Reader) read(e *Entry, raw any) {
	before := r.Count
	k := e.Key
	switch k.Kind {
	case Text, Name:
		r.readText(e, raw)
	case Word:
		e.Text = r.choice(e.At, k, raw)
	case Words:
		r.readWords(e, raw)
	case Names:
		r.readNames(e, raw)
	case Flag:
		b, ok := raw.(bool)
		if !ok {
			r.wrongType(e.At, k, raw, "true or false")
		}
		e.Flag = b
	case Integer:
		e.Ints = []int{r.integer(e.At, k, raw)}
	case Integers:
		if list, ok := r.list3(e, raw, "[128, 128]"); ok {
			for i, el := range list {
				e.Ints = append(e.Ints, r.integer(r.elem(e, i), k, el))
			}
		}
	case Number, Quantity, Formula, Tolerance:
		e.Values = []Amount{r.dimensioned(e.At, k, raw)}
	case Vector, Formulas:
		if list, ok := r.list3(e, raw, fmt.Sprintf(`["0.1 %s", 0]`, Symbol(k.Dim))); ok {
			r.readAmounts(e, list)
		}
	case Pair:
		list, ok := raw.([]any)
		if !ok || len(list) != 2 {
			r.Add(e.At, "", "%s needs two values: [smallest, largest]", k.Name)
			break
		}
		r.readAmounts(e, list)
	case Quantities:
		r.readQuantities(e, raw)
	case Duration:
		r.duration(e, raw)
	case Period:
		r.readPeriod(e, raw)
	default:
		panic(fmt.Sprintf("no reader for values of kind %d, such as %s", k.Kind, k.Name))
	}
	e.OK = r.Fine(before)
}

func (r *Reader) readText(e *Entry, raw any) {
	s, ok := raw.(string)
	if !ok {
		r.wrongType(e.At, e.Key, raw, "a string in quotes")
		return
	}
	e.Text = s
	if len(s) > 500 || strings.ContainsAny(s, "\x00\n\r") {
		r.Add(e.At, "", "%s must be one line of at most 500 characters", e.Key.Name)
	}
}

// readWords reads a list of choices.
func (r *Reader) readWords(e *Entry, raw any) {
	k := e.Key
	list, ok := raw.([]any)
	if !ok {
		r.wrongType(e.At, k, raw, fmt.Sprintf("a list such as [%q]", k.Choices[0]))
		return
	}
	if len(list) > 2*len(k.Choices) {
		r.Add(e.At, "", "%s has %d values, but there are only %d possible values", k.Name, len(list), len(k.Choices))
		return
	}
	for i, el := range list {
		at := r.elem(e, i)
		w := r.choice(at, k, el)
		for _, o := range e.Words {
			if o == w && w != "" {
				r.Add(at, "", "%q is listed twice in %s", w, k.Name)
			}
		}
		e.Words, e.WordAt = append(e.Words, w), append(e.WordAt, at)
	}
}

// readNames reads a list of names of tables.
func (r *Reader) readNames(e *Entry, raw any) {
	k := e.Key
	list, ok := raw.([]any)
	if !ok {
		r.wrongType(e.At, k, raw, `a list of names such as ["a", "b"]`)
		return
	}
	for i, el := range list {
		at := r.elem(e, i)
		w, ok := el.(string)
		switch {
		case i == maxNames:
			r.Add(at, "", "%s has %d names", k.Name, len(list))
		case i > maxNames:
		case !ok:
			r.wrongType(at, k, el, "a list of names")
		case !goodName(w):
			r.Add(at, "", "%s is not a valid name", ShortQuote(w))
		case slices.Contains(e.Words, w):
			r.Add(at, "", "%q is listed twice in %s", w, k.Name)
		}
		e.Words, e.WordAt = append(e.Words, w), append(e.WordAt, at)
	}
}

// readQuantities reads a list of any length.
func (r *Reader) readQuantities(e *Entry, raw any) {
	list, ok := raw.([]any)
	switch {
	case !ok:
		r.wrongType(e.At, e.Key, raw, fmt.Sprintf(`a list such as ["0.1 %s"]`, Symbol(e.Key.Dim)))
	case len(list) == 0:
		r.Add(e.At, "", "%s is empty", e.Key.Name)
	case len(list) > maxList:
		r.Add(e.At, "", "%s has %s values; at most %s are allowed", e.Key.Name, Grouped(len(list)), Grouped(maxList))
	default:
		r.readAmounts(e, list)
	}
}

func (r *Reader) readAmounts(e *Entry, list []any) {
	for i, el := range list {
		e.Values = append(e.Values, r.dimensioned(r.elem(e, i), e.Key, el))
	}
}

// readPeriod reads a number of steps or a simulated time.
func (r *Reader) readPeriod(e *Entry, raw any) {
	before, k := r.Count, e.Key
	steps, time := Counts(1, MaxCount), Above(0)
	if k.mayBeZero() {
		steps, time = Counts(0, MaxCount), k.Within
	}
	if n, ok := raw.(int64); ok {
		e.Steps = true
		e.Ints = []int{r.integer(e.At, &Key{Name: k.Name, Within: steps}, n)}
		return
	}
	a := r.dimensioned(e.At, &Key{Name: k.Name, Kind: Quantity, Dim: model.Time, Within: time}, raw)
	if a.Bare && r.Fine(before) {
		r.Add(a.At, "a whole number is a number of steps; simulated time has a unit: \"0.1 s\"", "%s needs a whole number of steps or a time with a unit", k.Name)
	}
	e.Values = []Amount{a}
}

// Fine reports whether no problem was added since.
func (r *Reader) Fine(before int) bool { return r.Count == before }

// elem returns the place of an element of a list.
func (r *Reader) elem(e *Entry, i int) Mark {
	if !e.Given {
		return e.At
	}
	return r.marks.valAt(append(append([]string{}, e.path...), e.Key.Name, "#"+strconv.Itoa(i))...)
}

func (r *Reader) wrongType(at Mark, k *Key, raw any, want string) {
	r.Add(at, "", "%s must be %s, not %s", k.Name, want, given(raw))
}

// given describes the type of a decoded value.
func given(raw any) string {
	switch v := raw.(type) {
	case string:
		return "the text " + ShortQuote(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return Float(v)
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	case time.Time:
		return "a date"
	default:
		return fmt.Sprintf("a %T", v)
	}
}

// choice reads one of the words of a key.
func (r *Reader) choice(at Mark, k *Key, raw any) string {
	s, ok := raw.(string)
	if !ok {
		r.wrongType(at, k, raw, "one of the words "+OneOf(QuoteAll(k.Choices)))
		return ""
	}
	for _, c := range k.Choices {
		if c == s {
			return s
		}
	}
	what := k.Name
	if k.Kind == Words {
		what = "word in " + k.Name + ":"
	}
	reason := "allowed: " + OneOf(QuoteAll(k.Choices))
	if k.Why != "" {
		reason += "; " + k.Why
	}
	r.Add(at, reason, "unknown %s %s%s", what, ShortQuote(s), Meant(s, k.Choices))
	return ""
}

// integer reads a whole number in the key's range.
func (r *Reader) integer(at Mark, k *Key, raw any) int {
	n, ok := raw.(int64)
	if f, isFloat := raw.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1e15 {
		n, ok = int64(f), true // 1e6 is a whole number to people
	}
	if !ok {
		if s, isText := raw.(string); isText {
			r.Add(at, "write the number without quotes or unit", "%s must be a whole number, not the string %s", k.Name, ShortQuote(s))
		} else {
			r.wrongType(at, k, raw, "a whole number")
		}
		return 1
	}
	if !k.Within.holds(float64(n)) {
		r.Add(at, "allowed: "+k.Within.String(), "%s = %d is out of range", k.Name, n)
		return 1
	}
	return int(n)
}

// list3 checks a list with one value per axis.
func (r *Reader) list3(e *Entry, raw any, example string) ([]any, bool) {
	list, ok := raw.([]any)
	if !ok {
		r.wrongType(e.At, e.Key, raw, "a list with one value per axis, such as "+example)
		return nil, false
	}
	if len(list) < 2 || len(list) > 3 {
		r.Add(e.At, "one value per axis: two in 2D, three in 3D", "%s has %d values", e.Key.Name, len(list))
		return nil, false
	}
	return list, true
}

// amount reads a number, or a text of a number or expression and a unit.
func (r *Reader) amount(at Mark, k *Key, raw any) Amount {
	switch v := raw.(type) {
	case int64:
		return Amount{At: at, Value: float64(v), Bare: true}
	case float64:
		if math.IsNaN(v) || math.Abs(v) >= inf {
			r.Add(at, "", "%s must be a finite number", k.Name)
			return Amount{At: at, Bare: true}
		}
		return Amount{At: at, Value: v, Bare: true}
	case string:
		return r.TextAmount(at, k, v)
	}
	r.wrongType(at, k, raw, "a number or a string such as "+strconv.Quote(example(k)))
	return Amount{At: at, Bare: true}
}

func example(k *Key) string {
	if k.Dim == model.Dimensionless {
		return "0.1"
	}
	return "0.1 " + Symbol(k.Dim)
}

// TextAmount reads "0.1 m/s" or "0.1*sin(y) m/s".
func (r *Reader) TextAmount(at Mark, k *Key, s string) Amount {
	bad := Amount{At: at, Bare: true}
	body := strings.TrimSpace(s)
	if len(body) > 4000 {
		r.Add(at, "", "a value of more than 4000 characters")
		return bad
	}
	if body == "" {
		r.Add(at, "", "%s is empty; a value looks like %s", k.Name, strconv.Quote(example(k)))
		return bad
	}
	lead := strings.Index(s, body)
	e, rest, xerr := parseExpr(body)
	if xerr != nil {
		r.Add(r.inside(at, s, lead+xerr.off, xerr.len), xerr.reason, "%s: %s", k.Name, xerr.msg)
		return bad
	}
	u, unitText := unit{mult: 1}, strings.TrimSpace(body[rest:])
	a := Amount{At: at, Bare: unitText == "", Expr: e, src: body}
	if unitText != "" {
		var uerr *unitError
		off := lead + rest + strings.Index(body[rest:], unitText)
		if u, uerr = parseUnit(unitText); uerr != nil {
			r.Add(r.inside(at, s, off+uerr.off, uerr.len), uerr.reason, "%s: %s", k.Name, uerr.msg)
			return Amount{At: at, Value: 1, Dim: k.Dim} // records at least that units are meant
		}
		a.Dim = u.dim
	}
	a.Scale = u.factor()
	if !e.constant {
		return a
	}
	// A plain number takes the exact path.
	a.Expr = nil
	a.Value = e.value * a.Scale
	digits := strings.TrimSpace(body[:rest])
	sign := 1.0
	if strings.HasPrefix(digits, "-") {
		sign, digits = -1, strings.TrimSpace(digits[1:])
	}
	if numberLen(digits) == len(digits) {
		if v, err := u.scaled(digits); err == nil {
			a.Value = sign * v
		}
	}
	if math.IsNaN(a.Value) || math.Abs(a.Value) >= inf {
		r.Add(at, "", "%s = %s is not a finite number", k.Name, ShortQuote(s))
		return bad
	}
	return a
}

// inside returns a place in a text value if its source shows the text unchanged, otherwise the place of the value.
func (r *Reader) inside(at Mark, s string, off, n int) Mark {
	if at.Off < 0 || at.Len != len(s)+2 || string(r.Source[at.Off+1:at.Off+1+len(s)]) != s {
		return at
	}
	return Mark{at.Off + 1 + min(off, len(s)), max(1, min(n, len(s)-off))}
}

// dimensioned reads an amount and checks its dimension, its range and whether it
// may depend on the position.
func (r *Reader) dimensioned(at Mark, k *Key, raw any) Amount {
	before := r.Count
	a := r.amount(at, k, raw)
	if !r.Fine(before) {
		return a
	}
	if a.Expr != nil {
		vars := Variables()
		for i, m := range a.Expr.uses {
			if m.Len == 0 {
				continue
			}
			s, _ := raw.(string)
			lead := strings.Index(s, strings.TrimSpace(s))
			place := r.inside(at, s, lead+m.Off, m.Len)
			switch {
			case k.Kind != Formula && k.Kind != Formulas:
				r.Add(place, r.schema.Formulas, "%s must be constant, but it contains %s", k.Name, vars[i])
				return a
			case i == VarT && !k.Time:
				r.Add(place, r.schema.Times, "%s cannot depend on the time t", k.Name)
				return a
			}
		}
	}
	if !a.Bare && !k.Any && !k.accepts(a.Dim) && !(a.Expr == nil && a.Value == 0 && a.Dim == model.Dimensionless) {
		r.Add(at, heatReason(k.Dim, a.Dim), "%s must be %s, not %s", k.Name, InWords(k.Dim), InWords(a.Dim))
		return a
	}
	if a.Expr == nil && !k.Within.holds(a.Value) {
		r.Add(at, k.Why, "%s = %s is out of range: it must be %s", k.Name, strings.Trim(a.TOML(), `"`), k.Within)
	}
	return a
}

func (k *Key) accepts(d model.Dimension) bool {
	if d == k.Dim {
		return true
	}
	for _, o := range k.Alt {
		if o == d {
			return true
		}
	}
	return false
}

// duration reads wall time, which always has a unit.
func (r *Reader) duration(e *Entry, raw any) {
	if word, _ := raw.(string); slices.Contains(e.Key.Choices, word) {
		e.Text = word
		return
	}
	before := r.Count
	a := r.dimensioned(e.At, &Key{Name: e.Key.Name, Kind: Quantity, Dim: model.Time, Within: e.Key.Within}, raw)
	if !r.Fine(before) {
		return
	}
	switch {
	case a.Bare:
		r.Add(e.At, "", "%s is wall time and needs a unit, such as \"10 min\"", e.Key.Name)
	case a.Value > 1e8:
		r.Add(e.At, "", "%s is longer than three years", e.Key.Name)
	case a.Value < 1e-3 && !(a.Value == 0 && e.Key.mayBeZero()):
		r.Add(e.At, "", "%s is shorter than a millisecond", e.Key.Name)
	default:
		e.Duration = time.Duration(math.Round(a.Value * 1e9))
	}
}

// heatReason explains how watts become a quantity of heat that is divided by density and heat capacity.
func heatReason(want, given model.Dimension) string {
	given.Kg, given.M, given.S, given.K = given.Kg-1, given.M+1, given.S+2, given.K+1
	if want.K == 1 && given == want {
		return "divide it by the density and the heat capacity of the fluid, in J/(m3 K): the solver computes temperatures"
	}
	return ""
}
