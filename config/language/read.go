// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// Text to tables: the TOML library decodes, the schema lists the keys,
// and every value is read by its kind. Nothing here knows physics.

// Section is one table of the file with its keys, defaults included.
type Section struct {
	Table *Table
	path  []string
	At    Mark // header
	Given bool
	keys  map[string]*Entry
}

// Name of a named table.
func (s *Section) Name() string { return s.path[len(s.path)-1] }

// Head returns the table's header.
func (s *Section) Head() string { return "[" + strings.Join(s.path, ".") + "]" }

// Reader reads one file.
type Reader struct {
	problems
	marks    Marks
	schema   Schema
	Sections []*Section // in the order of the schema, named ones in the order of the file
	// Overfull: there are more tables of a kind than are possible, and none of them was read.
	Overfull bool
}

// Read reads a text, of the file at a path, with the changes that --set makes: KEY=VALUE each.
// The error is a syntax error of the text, or of a change, of type Errors where it has a place. Values
// that cannot be read are among the problems of the reader, to which their user adds his own.
func Read(path string, src []byte, changes []string, l Schema) (*Reader, error) {
	text, edits, err := changed(src, changes, l)
	if err != nil {
		return nil, err
	}
	r := parse(problems{Path: path, Source: text, asis: src, edits: edits}, l)
	if len(r.Sections) == 0 { // not TOML
		return nil, r.Err()
	}
	return r, nil
}

// parse reads a text into sections. With problems in it some entries are missing
// or not ok.
func parse(p problems, l Schema) *Reader {
	r, src := &Reader{problems: p, schema: l}, p.Source
	if len(src) > MaxSource {
		r.Add(Nowhere, "", "the file has %d bytes; a case file has at most %d", len(src), MaxSource)
		return r
	}
	var msg string
	var at Mark
	if r.marks, msg, at = Scan(src); msg != "" {
		r.Add(at, "", "%s", msg)
		return r
	}
	raw := map[string]any{}
	if _, err := toml.Decode(string(src), &raw); err != nil {
		r.syntax(err)
		return r
	}
	r.correct(nil, raw, raw)
	r.walk(nil, raw)
	r.defaults()
	return r
}

// syntax turns the library's error into a problem.
func (r *Reader) syntax(err error) {
	var p toml.ParseError
	if !errors.As(err, &p) {
		r.Add(Nowhere, "", "%v", err)
		return
	}
	at := Mark{min(max(p.Position.Start, 0), len(r.Source)), max(p.Position.Len, 1)}
	msg := p.Message
	if msg == "" {
		msg = strings.TrimPrefix(p.Error(), "toml: ")
	}
	msg = strings.Replace(msg, "unexpected EOF", "unexpected end of the file", 1)
	reason := "the file is not valid TOML: https://toml.io"
	if strings.Contains(msg, "array terminator") {
		reason = "is the preceding list closed by ]?"
	}
	if name, ok := strings.CutSuffix(msg, "' has already been defined."); ok {
		name = strings.TrimPrefix(name, "Key '")
		msg, reason = name+" is given twice", "the first is in "+r.Where(r.marks.keyAt(strings.Split(name, ".")...))
	} else if m := unquoted.FindSubmatch(r.Source[bytes.LastIndexByte(r.Source[:at.Off], '\n')+1:]); m != nil {
		msg, reason = "a string without quotes", fmt.Sprintf("write %s = %s; a number with a unit is a string, too", headline(string(m[1])), ShortQuote(string(m[2])))
	}
	r.Add(at, reason, "%s", msg)
}

// unquoted is a line such as `viscosity = 1e-6 m2/s`.
var unquoted = regexp.MustCompile(`^\s*([A-Za-z0-9_-]+)\s*=\s*([A-Za-z0-9+-][^"'\[\]{}#\n]*[A-Za-z0-9%])\s*(?:#[^\n]*)?(?:\n|$)`)

// walk reads the table at a path.
func (r *Reader) walk(path []string, raw map[string]any) {
	t := r.schema.find(path)
	sub, anyName := r.schema.below(path)
	var s *Section
	known := func(k string) bool { return t != nil && t.Find(k) != nil }
	if t != nil && !(anyName && parentOnly(raw, known)) {
		s = &Section{Table: t, path: path, At: r.marks.keyAt(path...), Given: true, keys: map[string]*Entry{}}
		r.Sections = append(r.Sections, s)
	}
	if n, most := len(raw), r.schema.mostBelow(path); anyName && n > most {
		r.Overfull = true
		r.Add(r.marks.keyAt(path...), "", "%d tables [%s.NAME]; at most %d are possible", n, strings.Join(path, "."), most)
		return
	}
	for _, k := range sorted(raw) {
		full := append(append([]string{}, path...), k)
		at := r.marks.keyAt(full...)
		isTable := anyName && !known(k) || slices.Contains(sub, k)
		if isTable {
			m, ok := raw[k].(map[string]any)
			switch {
			case ok && anyName && !goodName(k):
				r.Add(at, "names consist of letters, digits, _ and -, at most 60 of them, since they become file names", "%s is not a valid name", ShortQuote(k))
			case ok:
				r.walk(full, m)
			case anyName:
				r.Add(at, "", "%s is directly in [%[2]s]: give the table a name, [%[2]s.NAME]", k, strings.Join(path, "."))
			default:
				_, named := r.schema.below(full)
				head := "[" + strings.Join(full, ".") + "]"
				if named {
					head = "[" + strings.Join(full, ".") + ".NAME]"
				}
				r.Add(at, "", "%s must be a table: %s", k, head)
			}
			continue
		}
		var row *Key
		if t != nil {
			row = t.Find(k)
		}
		if row == nil {
			continue // correct has reported it
		}
		e := &Entry{Key: row, path: path, KeyAt: at, At: r.marks.valAt(full...), Given: true}
		s.keys[k] = e
		r.read(e, raw[k])
	}
}

// parentOnly reports whether a table has nothing but tables with names in it.
func parentOnly(raw map[string]any, known func(string) bool) bool {
	for k, v := range raw {
		if _, isTable := v.(map[string]any); known(k) || !isTable {
			return false
		}
	}
	return len(raw) > 0
}

// correct reports words that no table has and replaces them by the intended words, where
// these can be guessed: one misspelt word should be one message, not another one for each key that
// is missing without it. Errors end the reading of a case, so no guess is ever run.
func (r *Reader) correct(path []string, raw, root map[string]any) {
	t := r.schema.find(path)
	sub, anyName := r.schema.below(path)
	for _, k := range sorted(raw) {
		full := append(append([]string{}, path...), k)
		_, isTable := raw[k].(map[string]any)
		if !(anyName && (t == nil || isTable)) && !slices.Contains(sub, k) && (t == nil || t.Find(k) == nil) {
			meant := r.unknown(t, path, sub, k, r.marks.keyAt(full...))
			if r.Count < maxKept && meant != nil {
				r.put(root, full, meant, raw[k])
			}
			delete(raw, k)
		}
	}
	for _, k := range sorted(raw) {
		if m, ok := raw[k].(map[string]any); ok && (anyName || slices.Contains(sub, k)) {
			r.correct(append(append([]string{}, path...), k), m, root)
		}
	}
}

// put moves a value to the path that was meant.
func (r *Reader) put(root map[string]any, from, to []string, value any) {
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

// merge puts a value into the table around its path. A value that is there already stays.
func (r *Reader) merge(table map[string]any, from, to []string, value any) {
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

// unknown explains a word that no table has, with the nearest existing word or the one table that
// has it, and returns the path that was meant, if any.
func (r *Reader) unknown(t *Table, path, sub []string, k string, at Mark) (meantPath []string) {
	var words []string
	if t != nil {
		for _, k := range t.Keys {
			words = append(words, k.Name)
		}
	}
	words = append(words, sub...)
	where := " in [" + strings.Join(path, ".") + "]"
	kindOf := "key"
	if len(path) == 0 {
		kindOf, where = "table or key", ""
	}
	suggestion := Meant(k, words)
	if near := nearest(k, words); near != "" {
		meantPath = append(append([]string{}, path...), near)
	} else {
		var homes []string
		for _, o := range r.schema.Tables {
			if o.Find(k) != nil && o.Path != "" {
				homes = append(homes, o.Head())
				meantPath = append(strings.Split(o.Path, "."), k)
			}
		}
		if len(homes) > 0 && len(homes) < 4 {
			suggestion = fmt.Sprintf("; %s belongs to %s", k, OneOf(homes))
		}
		if len(homes) != 1 || strings.Contains(homes[0], "NAME") {
			meantPath = nil
		}
	}
	if answer := r.schema.absent(k); answer != "" && len(meantPath) == 0 {
		r.Add(at, answer, "unknown %s %s%s: lbmsim does not compute this", kindOf, ShortQuote(k), where)
		return nil
	}
	r.Add(at, "known here: "+strings.Join(words, ", "), "unknown %s %s%s%s", kindOf, ShortQuote(k), where, suggestion)
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

// defaults adds the tables and keys that are not in the file, and puts the
// sections in order. Tables that enable a feature by their presence are not added.
func (r *Reader) defaults() {
	for i := range r.schema.Tables {
		t := &r.schema.Tables[i]
		if !t.named() && !t.Optional && r.Section(t.Path) == nil {
			var path []string
			if t.Path != "" {
				path = strings.Split(t.Path, ".")
			}
			r.Sections = append(r.Sections, &Section{Table: t, path: path, At: Nowhere, keys: map[string]*Entry{}})
		}
	}
	order := map[*Table]int{}
	for i := range r.schema.Tables {
		order[&r.schema.Tables[i]] = i
	}
	sort.SliceStable(r.Sections, func(i, j int) bool {
		a, b := r.Sections[i], r.Sections[j]
		if order[a.Table] != order[b.Table] {
			return order[a.Table] < order[b.Table]
		}
		return a.At.Off < b.At.Off
	})
	for _, s := range r.Sections {
		for i := range s.Table.Keys {
			if k := &s.Table.Keys[i]; k.Default != "" && s.keys[k.Name] == nil {
				r.SetDefault(s, k.Name, k.Default)
			}
		}
	}
}

// SetDefault gives a key a value from TOML text.
func (r *Reader) SetDefault(s *Section, name, def string) *Entry {
	raw := map[string]any{}
	if _, err := toml.Decode("v = "+def, &raw); err != nil {
		panic("default of " + name + ": " + err.Error()) // a mistake in the schema
	}
	e := &Entry{Key: s.row(name), path: s.path, KeyAt: s.At, At: s.At}
	s.keys[name] = e
	r.read(e, raw["v"])
	return e
}

// Section by its path; nil when it is not there.
func (r *Reader) Section(path string) *Section {
	if path == "" {
		return r.at()
	}
	return r.at(strings.Split(path, ".")...)
}

// Named returns a section of a named table; nil when it is not there.
func (r *Reader) Named(table, name string) *Section {
	return r.at(append(strings.Split(table, "."), name)...)
}

// at returns the section at a path. It panics if the schema has no such table: no file could contain it.
func (r *Reader) at(path ...string) *Section {
	if r.schema.find(path) == nil {
		panic("the schema has no table [" + strings.Join(path, ".") + "]")
	}
	for _, s := range r.Sections {
		if slices.Equal(s.path, path) {
			return s
		}
	}
	return nil
}

// All sections of a named table, in the order of the file.
func (r *Reader) All(prefix string) []*Section {
	if r.schema.find(append(strings.Split(prefix, "."), "*")) == nil {
		panic("the schema has no tables [" + prefix + ".NAME]")
	}
	var list []*Section
	for _, s := range r.Sections {
		if s.Table.Path == prefix+".*" {
			list = append(list, s)
		}
	}
	return list
}

// Knows reports whether a section may have a key.
func (s *Section) Knows(name string) bool { return s.Table.Find(name) != nil }

// row returns the key of a name. It panics if the schema has no such key: no file could set it.
func (s *Section) row(name string) *Key {
	k := s.Table.Find(name)
	if k == nil {
		panic("the schema has no key " + name + " in " + s.Table.Head())
	}
	return k
}

// Get returns a readable value of a section, or nil. Like all methods that ask for a key it panics if the
// schema has none of that name.
func (s *Section) Get(name string) *Entry {
	if s == nil {
		return nil
	}
	if e := s.keys[s.row(name).Name]; e != nil && e.OK {
		return e
	}
	return nil
}

// InFile returns a value that is in the file, readable or not, or nil.
func (s *Section) InFile(name string) *Entry {
	if s == nil {
		return nil
	}
	if e := s.keys[s.row(name).Name]; e != nil && e.Given {
		return e
	}
	return nil
}

// KeyAt returns the place of a key that is in the section.
func (s *Section) KeyAt(name string) Mark { return s.keys[s.row(name).Name].KeyAt }

// ValueAt returns the place of the key's value.
func (s *Section) ValueAt(name string) Mark { return s.keys[s.row(name).Name].At }

// Drop forgets a key, its default included.
func (s *Section) Drop(name string) { delete(s.keys, s.row(name).Name) }

// Broken reports whether one of the keys, or of all, is in the file but could not be read: its
// consequences are not reported.
func (s *Section) Broken(names ...string) bool {
	if s == nil {
		return false
	}
	if len(names) == 0 {
		names = sorted(s.keys)
	}
	for _, name := range names {
		if s.Has(name) && s.Get(name) == nil {
			return true
		}
	}
	return false
}

// Has reports whether the key is in the file, readable or not.
func (s *Section) Has(name string) bool {
	return s.InFile(name) != nil
}
