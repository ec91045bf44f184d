package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"lbmsim/model"
)

// One value of the case file: from what the TOML library decoded to a checked
// value of its key's kind, and back to canonical TOML.

// amount is a number with its unit, or an expression with one.
type amount struct {
	at    mark            // in the source
	v     float64         // constant: the value in SI, or as written without a unit
	bare  bool            // no unit: lattice units, or a plain number
	dim   model.Dimension // of the unit
	f     *expr           // not constant; scale leads to SI
	scale float64
	src   string // text of the expression with its unit
}

// neutral amounts fit a case in SI as well as one in lattice units.
func (a amount) neutral() bool {
	return a.f == nil && a.v == 0 || !a.bare && a.dim == model.Dimensionless
}

// toml writes the amount back, constants in SI.
func (a amount) toml() string {
	switch {
	case a.f != nil:
		return quote(a.src)
	case a.v == 0:
		return "0"
	case a.bare:
		return float(a.v)
	case a.dim == model.Dimensionless:
		percent := float(a.v * 100)
		if v, err := (unit{exp10: -2, mult: 1}).scaled(percent); err == nil && v == a.v {
			return quote(percent + " %")
		}
		return quote(float(a.v) + " 1")
	}
	return quote(float(a.v) + " " + symbol(a.dim))
}

// float is the shortest text that reads back as the same number.
func float(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	// 1e-06 is right but unusual.
	s = strings.Replace(s, "e-0", "e-", 1)
	return strings.Replace(s, "e+0", "e+", 1)
}

// quote writes a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// entry is a key with its value, as given or by default.
type entry struct {
	key    *key
	path   []string // of the table
	keyAt  mark
	at     mark // of the value; of the key or table when it is a default
	given  bool
	ok     bool
	text   string   // kText, kWord, kName
	words  []string // kWords, kNames
	wordAt []mark
	ints   []int
	vals   []amount
	flag   bool
	dur    time.Duration
	steps  bool // kPeriod: ints[0] steps; else vals[0]
}

// toml is the canonical text of the value.
func (e *entry) toml() string {
	switch e.key.kind {
	case kText, kWord, kName:
		return quote(e.text)
	case kWords, kNames:
		s := make([]string, len(e.words))
		for i, w := range e.words {
			s[i] = quote(w)
		}
		return "[" + strings.Join(s, ", ") + "]"
	case kFlag:
		return strconv.FormatBool(e.flag)
	case kInteger:
		return strconv.Itoa(e.ints[0])
	case kIntegers:
		s := make([]string, len(e.ints))
		for i, n := range e.ints {
			s[i] = strconv.Itoa(n)
		}
		return "[" + strings.Join(s, ", ") + "]"
	case kDuration:
		if e.text != "" {
			return quote(e.text)
		}
		return quote(float(e.dur.Seconds()) + " s")
	case kPeriod:
		if e.steps {
			return strconv.Itoa(e.ints[0])
		}
		return e.vals[0].toml()
	case kVector, kFormulas, kPair:
		s := make([]string, len(e.vals))
		for i, a := range e.vals {
			s[i] = a.toml()
		}
		return "[" + strings.Join(s, ", ") + "]"
	case kNumber:
		return float(e.vals[0].v)
	}
	return e.vals[0].toml()
}

// read fills the entry from a decoded value; problems go to r and leave ok false.
func (r *reader) read(e *entry, raw any) {
	before := r.count
	k := e.key
	switch k.kind {
	case kText, kName:
		s, ok := raw.(string)
		if !ok {
			r.wrongType(e.at, k, raw, "a text in quotes")
			break
		}
		e.text = s
		if len(s) > 500 || strings.ContainsAny(s, "\x00\n\r") {
			r.add(e.at, "", "%s must be one line of at most 500 characters", k.name)
		}
	case kWord:
		e.text = r.choice(e.at, k, raw)
	case kWords:
		list, ok := raw.([]any)
		if !ok {
			r.wrongType(e.at, k, raw, fmt.Sprintf("a list such as [%q]", k.choices[0]))
			break
		}
		if len(list) > 2*len(k.choices) {
			r.add(e.at, "", "%s has %d values, but there are only %d words for it", k.name, len(list), len(k.choices))
			break
		}
		for i, el := range list {
			at := r.elem(e, i)
			w := r.choice(at, k, el)
			for _, o := range e.words {
				if o == w && w != "" {
					r.add(at, "", "%q is listed twice in %s", w, k.name)
				}
			}
			e.words, e.wordAt = append(e.words, w), append(e.wordAt, at)
		}
	case kNames:
		list, ok := raw.([]any)
		if !ok {
			r.wrongType(e.at, k, raw, `a list of names such as ["a", "b"]`)
			break
		}
		for i, el := range list {
			at := r.elem(e, i)
			w, ok := el.(string)
			switch {
			case i == maxNamed([]string{"body"}):
				r.add(at, "", "%s has %d names", k.name, len(list))
			case i > maxNamed([]string{"body"}):
			case !ok:
				r.wrongType(at, k, el, "a list of names")
			case !goodName(w):
				r.add(at, "", "%s is not a valid name", shortQuote(w))
			case contains(e.words, w):
				r.add(at, "", "%q is listed twice in %s", w, k.name)
			}
			e.words, e.wordAt = append(e.words, w), append(e.wordAt, at)
		}
	case kFlag:
		b, ok := raw.(bool)
		if !ok {
			r.wrongType(e.at, k, raw, "true or false")
		}
		e.flag = b
	case kInteger:
		e.ints = []int{r.integer(e.at, k, raw)}
	case kIntegers:
		list, ok := r.list3(e, raw, "[128, 128]")
		if ok {
			for i, el := range list {
				e.ints = append(e.ints, r.integer(r.elem(e, i), k, el))
			}
		}
	case kNumber:
		e.vals = []amount{r.dimensioned(e.at, k, raw)}
	case kQuantity, kFormula, kTolerance:
		e.vals = []amount{r.dimensioned(e.at, k, raw)}
	case kVector, kFormulas:
		list, ok := r.list3(e, raw, fmt.Sprintf(`["0.1 %s", 0]`, symbol(k.dim)))
		if ok {
			for i, el := range list {
				e.vals = append(e.vals, r.dimensioned(r.elem(e, i), k, el))
			}
		}
	case kPair:
		list, ok := raw.([]any)
		if !ok || len(list) != 2 {
			r.add(e.at, "", "%s needs two values: [smallest, largest]", k.name)
			break
		}
		for i, el := range list {
			e.vals = append(e.vals, r.dimensioned(r.elem(e, i), k, el))
		}
	case kDuration:
		r.duration(e, raw)
	case kPeriod:
		steps, time := counts(1, maxSteps), above(0)
		if k.mayBeZero() {
			steps, time = counts(0, maxSteps), k.within
		}
		if n, ok := raw.(int64); ok {
			e.steps = true
			e.ints = []int{r.integer(e.at, &key{name: k.name, within: steps}, n)}
			break
		}
		a := r.dimensioned(e.at, &key{name: k.name, kind: kQuantity, dim: model.Time, within: time}, raw)
		if a.bare && r.fine(before) {
			r.add(a.at, "a whole number counts steps; simulated time has a unit: \"0.1 s\"", "%s needs a whole number of steps or a time with a unit", k.name)
		}
		e.vals = []amount{a}
	}
	e.ok = r.fine(before)
}

// fine reports whether no problem was added since.
func (r *reader) fine(before int) bool { return r.count == before }

// elem is the place of an element of a list.
func (r *reader) elem(e *entry, i int) mark {
	if !e.given {
		return e.at
	}
	return r.marks.valAt(append(append([]string{}, e.path...), e.key.name, "#"+strconv.Itoa(i))...)
}

func (r *reader) wrongType(at mark, k *key, raw any, want string) {
	r.add(at, "", "%s must be %s, not %s", k.name, want, given(raw))
}

// given says what a decoded value is.
func given(raw any) string {
	switch v := raw.(type) {
	case string:
		return "the text " + shortQuote(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return float(v)
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
func (r *reader) choice(at mark, k *key, raw any) string {
	s, ok := raw.(string)
	if !ok {
		r.wrongType(at, k, raw, "one of the words "+oneOf(quoteAll(k.choices)))
		return ""
	}
	for _, c := range k.choices {
		if c == s {
			return s
		}
	}
	what := k.name
	if k.kind == kWords {
		what = "word in " + k.name + ":"
	}
	reason := "allowed: " + oneOf(quoteAll(k.choices))
	if k.why != "" {
		reason += "; " + k.why
	}
	r.add(at, reason, "unknown %s %s%s", what, shortQuote(s), meant(s, k.choices))
	return ""
}

func quoteAll(words []string) []string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = strconv.Quote(w)
	}
	return q
}

// shortQuote quotes a text of the user, cut to a length that a message can bear.
func shortQuote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "..."
	}
	return strconv.Quote(s)
}

// integer reads a whole number in the key's range.
func (r *reader) integer(at mark, k *key, raw any) int {
	n, ok := raw.(int64)
	if f, isFloat := raw.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1e15 {
		n, ok = int64(f), true // 1e6 is a whole number to people
	}
	if !ok {
		if s, isText := raw.(string); isText {
			r.add(at, "write the number without quotes and without a unit", "%s must be a whole number, not the text %s", k.name, shortQuote(s))
		} else {
			r.wrongType(at, k, raw, "a whole number")
		}
		return 1
	}
	if !k.within.holds(float64(n)) {
		r.add(at, "allowed: "+k.within.String(), "%s = %d is out of range", k.name, n)
		return 1
	}
	return int(n)
}

// list3 checks a list with one value per axis.
func (r *reader) list3(e *entry, raw any, example string) ([]any, bool) {
	list, ok := raw.([]any)
	if !ok {
		r.wrongType(e.at, e.key, raw, "a list with one value per axis, such as "+example)
		return nil, false
	}
	if len(list) < 2 || len(list) > 3 {
		r.add(e.at, "one value per axis: two in 2D, three in 3D", "%s has %d values", e.key.name, len(list))
		return nil, false
	}
	return list, true
}

// amount reads a number, or a text of a number or expression and a unit.
func (r *reader) amount(at mark, k *key, raw any) amount {
	switch v := raw.(type) {
	case int64:
		return amount{at: at, v: float64(v), bare: true}
	case float64:
		if math.IsNaN(v) || math.Abs(v) >= inf {
			r.add(at, "", "%s must be a finite number", k.name)
			return amount{at: at, bare: true}
		}
		return amount{at: at, v: v, bare: true}
	case string:
		return r.textAmount(at, k, v)
	}
	r.wrongType(at, k, raw, "a number or a text such as "+strconv.Quote(example(k)))
	return amount{at: at, bare: true}
}

func example(k *key) string {
	if k.dim == model.Dimensionless {
		return "0.1"
	}
	return "0.1 " + symbol(k.dim)
}

// textAmount reads "0.1 m/s" or "0.1*sin(y) m/s".
func (r *reader) textAmount(at mark, k *key, s string) amount {
	bad := amount{at: at, bare: true}
	body := strings.TrimSpace(s)
	if len(body) > 4000 {
		r.add(at, "", "a value of more than 4000 characters")
		return bad
	}
	if body == "" {
		r.add(at, "", "%s is empty; a value looks like %s", k.name, strconv.Quote(example(k)))
		return bad
	}
	lead := strings.Index(s, body)
	e, rest, xerr := parseExpr(body)
	if xerr != nil {
		r.add(r.inside(at, s, lead+xerr.off, xerr.len), xerr.reason, "%s: %s", k.name, xerr.msg)
		return bad
	}
	u, unitText := unit{mult: 1}, strings.TrimSpace(body[rest:])
	a := amount{at: at, bare: unitText == "", f: e, src: body}
	if unitText != "" {
		var uerr *unitError
		off := lead + rest + strings.Index(body[rest:], unitText)
		if u, uerr = parseUnit(unitText); uerr != nil {
			r.add(r.inside(at, s, off+uerr.off, uerr.len), uerr.reason, "%s: %s", k.name, uerr.msg)
			return amount{at: at, v: 1, dim: k.dim} // tells at least that units are meant
		}
		a.dim = u.dim
	}
	a.scale = u.factor()
	if !e.constant {
		return a
	}
	// A plain number takes the exact way.
	a.f = nil
	a.v = e.value * a.scale
	digits := strings.TrimSpace(body[:rest])
	sign := 1.0
	if strings.HasPrefix(digits, "-") {
		sign, digits = -1, strings.TrimSpace(digits[1:])
	}
	if numberLen(digits) == len(digits) {
		if v, err := u.scaled(digits); err == nil {
			a.v = sign * v
		}
	}
	if math.IsNaN(a.v) || math.Abs(a.v) >= inf {
		r.add(at, "", "%s = %s is not a finite number", k.name, shortQuote(s))
		return bad
	}
	return a
}

// inside is a place in a text value, when its source shows the text unchanged.
func (r *reader) inside(at mark, s string, off, n int) mark {
	if at.off < 0 || at.len != len(s)+2 || string(r.src[at.off+1:at.off+1+len(s)]) != s {
		return at
	}
	return mark{at.off + 1 + min(off, len(s)), max(1, min(n, len(s)-off))}
}

// dimensioned reads an amount and checks its dimension, its range and whether it
// may depend on the position.
func (r *reader) dimensioned(at mark, k *key, raw any) amount {
	before := r.count
	a := r.amount(at, k, raw)
	if !r.fine(before) {
		return a
	}
	if a.f != nil {
		vars := variables()
		for i, m := range a.f.uses {
			if m.len == 0 {
				continue
			}
			s, _ := raw.(string)
			lead := strings.Index(s, strings.TrimSpace(s))
			place := r.inside(at, s, lead+m.off, m.len)
			switch {
			case k.kind != kFormula && k.kind != kFormulas:
				r.add(place, "expressions in x, y, z may stand in [initial], in the velocity of a face and in [expect.velocity]", "%s must be constant, but %s is in it", k.name, vars[i])
				return a
			case i == varT && !k.time:
				r.add(place, "only the velocity of a face, the force and what is expected may", "%s cannot depend on the time t", k.name)
				return a
			}
		}
	}
	if !a.bare && !k.any && !k.accepts(a.dim) && !(a.f == nil && a.v == 0 && a.dim == model.Dimensionless) {
		r.add(at, "", "%s must be %s, not %s", k.name, inWords(k.dim), inWords(a.dim))
		return a
	}
	if a.f == nil && !k.within.holds(a.v) {
		r.add(at, k.why, "%s = %s is out of range: it must be %s", k.name, strings.Trim(a.toml(), `"`), k.within)
	}
	return a
}

func (k *key) accepts(d model.Dimension) bool {
	if d == k.dim {
		return true
	}
	for _, o := range k.alt {
		if o == d {
			return true
		}
	}
	return false
}

// duration reads wall time, which always has a unit.
func (r *reader) duration(e *entry, raw any) {
	if word, _ := raw.(string); contains(e.key.choices, word) {
		e.text = word
		return
	}
	before := r.count
	a := r.dimensioned(e.at, &key{name: e.key.name, kind: kQuantity, dim: model.Time, within: e.key.within}, raw)
	if !r.fine(before) {
		return
	}
	switch {
	case a.bare:
		r.add(e.at, "", "%s is wall time and needs a unit, such as \"10 min\"", e.key.name)
	case a.v > 1e8:
		r.add(e.at, "", "%s is longer than three years", e.key.name)
	case a.v < 1e-3 && !(a.v == 0 && e.key.mayBeZero()):
		r.add(e.at, "", "%s is shorter than a millisecond", e.key.name)
	default:
		e.dur = time.Duration(math.Round(a.v * 1e9))
	}
}
