package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// Text to tables: the TOML library decodes, the schema says which keys there are,
// and every value is read by its kind. Nothing here knows physics.

// section is one table of the file with its keys, defaults included.
type section struct {
	table *table
	path  []string
	at    mark // header
	given bool
	keys  map[string]*entry
}

// name of a named table.
func (s *section) name() string { return s.path[len(s.path)-1] }

// head is how the table is written.
func (s *section) head() string { return "[" + strings.Join(s.path, ".") + "]" }

// reader reads one file.
type reader struct {
	problems
	marks    marks
	tables   []table
	sections []*section // in the order of the schema, named ones in that of the file
}

// parse reads a text into sections. With problems in it some entries are missing
// or not ok.
func parse(p problems) *reader {
	r, src := &reader{problems: p, tables: schema()}, p.src
	if len(src) > maxSource {
		r.add(nowhere, "", "the file has %d bytes; a case file has at most %d", len(src), maxSource)
		return r
	}
	var msg string
	var at mark
	if r.marks, msg, at = scan(src); msg != "" {
		r.add(at, "", "%s", msg)
		return r
	}
	raw := map[string]any{}
	if _, err := toml.Decode(string(src), &raw); err != nil {
		r.syntax(err)
		return r
	}
	r.mend(nil, raw, raw)
	r.walk(nil, raw)
	r.defaults()
	return r
}

// syntax turns the library's error into a problem.
func (r *reader) syntax(err error) {
	var p toml.ParseError
	if !errors.As(err, &p) {
		r.add(nowhere, "", "%v", err)
		return
	}
	at := mark{min(max(p.Position.Start, 0), len(r.src)), max(p.Position.Len, 1)}
	msg := p.Message
	if msg == "" {
		msg = strings.TrimPrefix(p.Error(), "toml: ")
	}
	reason := "the file is not valid TOML: https://toml.io"
	if strings.Contains(msg, "array terminator") {
		reason = "is the list before it closed by ]?"
	}
	if name, ok := strings.CutSuffix(msg, "' has already been defined."); ok {
		name = strings.TrimPrefix(name, "Key '")
		msg, reason = name+" is given twice", "the first is in "+r.where(r.marks.keyAt(strings.Split(name, ".")...))
	} else if m := unquoted.FindSubmatch(r.src[bytes.LastIndexByte(r.src[:at.off], '\n')+1:]); m != nil {
		msg, reason = "a text without quotes", fmt.Sprintf("write %s = %q; a number with a unit is a text, too", m[1], m[2])
	}
	r.add(at, reason, "%s", msg)
}

// unquoted is a line such as `viscosity = 1e-6 m2/s`.
var unquoted = regexp.MustCompile(`^\s*([A-Za-z0-9_-]+)\s*=\s*([A-Za-z0-9+-][^"'\[\]{}#\n]*[A-Za-z0-9%])\s*(?:#[^\n]*)?(?:\n|$)`)

// walk reads the table at a path.
func (r *reader) walk(path []string, raw map[string]any) {
	t := findTable(r.tables, path)
	sub, anyName := below(r.tables, path)
	var s *section
	if t != nil {
		s = &section{table: t, path: path, at: r.marks.keyAt(path...), given: true, keys: map[string]*entry{}}
		r.sections = append(r.sections, s)
	}
	if n, most := len(raw), maxNamed(path); anyName && n > most {
		r.add(r.marks.keyAt(path...), "", "%d tables [%s.NAME]; at most %d are possible", n, strings.Join(path, "."), most)
		return
	}
	for _, k := range sorted(raw) {
		full := append(append([]string{}, path...), k)
		at := r.marks.keyAt(full...)
		isTable := anyName || contains(sub, k)
		if isTable {
			m, ok := raw[k].(map[string]any)
			switch {
			case ok && anyName && !goodName(k):
				r.add(at, "names consist of letters, digits, _ and -, at most 60 of them, since they become names of files", "%s is not a valid name", shortQuote(k))
			case ok:
				r.walk(full, m)
			case anyName:
				r.add(at, "", "%s stands directly in [%[2]s]: give the table a name, [%[2]s.NAME]", k, strings.Join(path, "."))
			default:
				_, named := below(r.tables, full)
				head := "[" + strings.Join(full, ".") + "]"
				if named {
					head = "[" + strings.Join(full, ".") + ".NAME]"
				}
				r.add(at, "", "%s must be a table: %s", k, head)
			}
			continue
		}
		var row *key
		if t != nil {
			row = t.find(k)
		}
		if row == nil {
			continue // mend has said so
		}
		e := &entry{key: row, path: path, keyAt: at, at: r.marks.valAt(full...), given: true}
		s.keys[k] = e
		r.read(e, raw[k])
	}
}

// mend reports words that no table has and puts what they were meant to be in their place, where
// that can be guessed: one misspelt word should be one message, not another one for each thing that
// is missing without it. Errors end the reading of a case, so no guess is ever run.
func (r *reader) mend(path []string, raw, root map[string]any) {
	t := findTable(r.tables, path)
	sub, anyName := below(r.tables, path)
	for _, k := range sorted(raw) {
		full := append(append([]string{}, path...), k)
		if !anyName && !contains(sub, k) && (t == nil || t.find(k) == nil) {
			meant := r.unknown(t, path, sub, k, r.marks.keyAt(full...))
			if r.count < maxKept && meant != nil {
				r.put(root, full, meant, raw[k])
			}
			delete(raw, k)
		}
	}
	for _, k := range sorted(raw) {
		if m, ok := raw[k].(map[string]any); ok && (anyName || contains(sub, k)) {
			r.mend(append(append([]string{}, path...), k), m, root)
		}
	}
}

// put moves a value to the path that was meant.
func (r *reader) put(root map[string]any, from, to []string, value any) {
	last := len(to) - 1
	for _, part := range to[:last] {
		if root[part] == nil {
			root[part] = map[string]any{}
		}
		below, ok := root[part].(map[string]any)
		if !ok {
			return
		}
		root = below
	}
	r.merge(root, from, to, value)
}

// merge puts a value into the table around its path. What stands there already stays.
func (r *reader) merge(table map[string]any, from, to []string, value any) {
	name := to[len(to)-1]
	if table[name] == nil {
		table[name] = value
		r.marks.alias(from, to)
		return
	}
	old, ok := table[name].(map[string]any)
	more, both := value.(map[string]any)
	if !ok || !both {
		return
	}
	for _, k := range sorted(more) {
		r.merge(old, append(from[:len(from):len(from)], k), append(to[:len(to):len(to)], k), more[k])
	}
}

// unknown explains a word that no table has, with the nearest that there is or the one table that
// has it, and returns the path that was meant, if any.
func (r *reader) unknown(t *table, path, sub []string, k string, at mark) (meantPath []string) {
	var words []string
	if t != nil {
		words = names(t.keys, func(k key) string { return k.name })
	}
	words = append(words, sub...)
	where := " in [" + strings.Join(path, ".") + "]"
	kindOf := "key"
	if len(path) == 0 {
		kindOf, where = "table or key", ""
	}
	suggestion := meant(k, words)
	if near := nearest(k, words); near != "" {
		meantPath = append(append([]string{}, path...), near)
	} else {
		var homes []string
		for _, o := range r.tables {
			if o.find(k) != nil && o.path != "" {
				homes = append(homes, o.head())
				meantPath = append(strings.Split(o.path, "."), k)
			}
		}
		if len(homes) > 0 && len(homes) < 4 {
			suggestion = fmt.Sprintf("; %s belongs to %s", k, oneOf(homes))
		}
		if len(homes) != 1 || strings.Contains(homes[0], "NAME") {
			meantPath = nil
		}
	}
	r.add(at, "known here: "+strings.Join(words, ", "), "unknown %s %s%s%s", kindOf, shortQuote(k), where, suggestion)
	return meantPath
}

func sorted[T any](m map[string]T) []string {
	var s []string
	for k := range m {
		s = append(s, k)
	}
	sort.Strings(s)
	return s
}

func contains(list []string, w string) bool {
	for _, o := range list {
		if o == w {
			return true
		}
	}
	return false
}

func goodName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !bareKey(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// defaults adds the tables and keys that are not in the file, and puts the
// sections in order. Tables that turn something on by being there stay away.
func (r *reader) defaults() {
	for i := range r.tables {
		t := &r.tables[i]
		if !t.named() && !optional(t.path) && r.section(t.path) == nil {
			var path []string
			if t.path != "" {
				path = strings.Split(t.path, ".")
			}
			r.sections = append(r.sections, &section{table: t, path: path, at: nowhere, keys: map[string]*entry{}})
		}
	}
	order := map[*table]int{}
	for i := range r.tables {
		order[&r.tables[i]] = i
	}
	sort.SliceStable(r.sections, func(i, j int) bool {
		a, b := r.sections[i], r.sections[j]
		if order[a.table] != order[b.table] {
			return order[a.table] < order[b.table]
		}
		return a.at.off < b.at.off
	})
	for _, s := range r.sections {
		for i := range s.table.keys {
			if k := &s.table.keys[i]; k.def != "" && s.keys[k.name] == nil {
				r.setDefault(s, k.name, k.def)
			}
		}
	}
}

// optional tables mean nothing when they are absent.
func optional(path string) bool {
	switch path {
	case "output.fields", "output.averages", "output.picture", "checkpoint":
		return true
	}
	return strings.HasPrefix(path, "expect") || path == "force" || path == "initial" || path == "temperature" || path == "turbulence"
}

// setDefault gives a key a value from TOML text.
func (r *reader) setDefault(s *section, name, def string) *entry {
	raw := map[string]any{}
	if _, err := toml.Decode("v = "+def, &raw); err != nil {
		panic("config: default of " + name + ": " + err.Error()) // a mistake in the schema
	}
	e := &entry{key: s.table.find(name), path: s.path, keyAt: s.at, at: s.at}
	s.keys[name] = e
	r.read(e, raw["v"])
	return e
}

// section by its path; nil when it is not there.
func (r *reader) section(path string) *section {
	for _, s := range r.sections {
		if strings.Join(s.path, ".") == path {
			return s
		}
	}
	return nil
}

// all sections of a named table, in the order of the file.
func (r *reader) all(prefix string) []*section {
	var list []*section
	for _, s := range r.sections {
		if s.table.path == prefix+".*" {
			list = append(list, s)
		}
	}
	return list
}

// get is a readable value of a section, or nil.
func (s *section) get(name string) *entry {
	if s == nil {
		return nil
	}
	if e := s.keys[name]; e != nil && e.ok {
		return e
	}
	return nil
}

// broken reports that one of the keys, or of all, is in the file but could not be read: what
// follows from that is no news.
func (s *section) broken(names ...string) bool {
	if s == nil {
		return false
	}
	if len(names) == 0 {
		names = sorted(s.keys)
	}
	for _, name := range names {
		if s.has(name) && s.get(name) == nil {
			return true
		}
	}
	return false
}

// has reports whether the key is in the file, readable or not.
func (s *section) has(name string) bool {
	return s != nil && s.keys[name] != nil && s.keys[name].given
}
