package config

import (
	"errors"
	"fmt"
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
	r.add(at, "the file is not valid TOML: https://toml.io", "%s", msg)
}

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
				r.add(at, "names consist of letters, digits, _ and -, at most 60 of them, since they become names of files", "%s is no name", shortQuote(k))
			case ok:
				r.walk(full, m)
			case anyName:
				r.add(at, "", "%s must be a table: [%s.NAME]", strings.Join(full, "."), strings.Join(path, "."))
			default:
				_, named := below(r.tables, full)
				head := "[" + strings.Join(full, ".") + "]"
				if named {
					head = "[" + strings.Join(full, ".") + ".NAME]"
				}
				r.add(at, "", "%s is a table here: %s", k, head)
			}
			continue
		}
		var row *key
		if t != nil {
			row = t.find(k)
		}
		if row == nil {
			near := r.unknown(t, path, sub, k, at)
			if _, there := raw[near]; t != nil && t.find(near) != nil && !there {
				// Not to be reported as missing as well.
				s.keys[near] = &entry{key: t.find(near), path: path, keyAt: at, at: at, given: true}
			}
			continue
		}
		e := &entry{key: row, path: path, keyAt: at, at: r.marks.valAt(full...), given: true}
		s.keys[k] = e
		r.read(e, raw[k])
	}
}

// unknown explains a key that no table has, with the nearest that there is, which
// it returns.
func (r *reader) unknown(t *table, path, sub []string, k string, at mark) string {
	var words []string
	if t != nil {
		words = names(t.keys, func(k key) string { return k.name })
	}
	words = append(words, sub...)
	where := "[" + strings.Join(path, ".") + "]"
	if len(path) == 0 {
		where = "the file"
	}
	suggestion := meant(k, words)
	reason := "known here: " + strings.Join(words, ", ")
	if suggestion == "" {
		var homes []string
		for _, o := range r.tables {
			if o.find(k) != nil && o.path != "" {
				homes = append(homes, o.head())
			}
		}
		if len(homes) > 0 && len(homes) < 4 {
			suggestion = fmt.Sprintf("; %s belongs to %s", k, oneOf(homes))
		}
	}
	kindOf := "key"
	if len(path) == 0 {
		kindOf = "table or key"
	}
	r.add(at, reason, "unknown %s %s in %s%s", kindOf, shortQuote(k), where, suggestion)
	return nearest(k, words)
}

func sorted(m map[string]any) []string {
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

// has reports whether the key is in the file, readable or not.
func (s *section) has(name string) bool {
	return s != nil && s.keys[name] != nil && s.keys[name].given
}
