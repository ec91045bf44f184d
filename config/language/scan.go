// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The position of each key and value in the source. The TOML library decodes the
// text but does not say where values and elements of arrays are; this scanner
// walks the same text and notes it. It understands just enough of TOML for that,
// accepts any mistake (the library reports errors of syntax), and refuses nesting
// that no case has before the library has to deal with it.

// limits of a case file, far above what any case needs.
const (
	MaxSource = 1 << 18 // bytes
	maxDepth  = 8       // arrays and inline tables inside each other
	maxParts  = 8       // parts of a dotted key
)

// Marks are the places of keys and values by path. Implied are tables that have no line of their own: the first header below them.
type Marks struct{ Keys, Values, Implied map[string]Mark }

// join makes the index of a path; elements of arrays are "#0", "#1", ...
func join(path ...string) string { return strings.Join(path, "\x1f") }

// keyAt returns the place of a key, or of the nearest table around it.
func (m Marks) keyAt(path ...string) Mark {
	for n := len(path); n > 0; n-- {
		k := join(path[:n]...)
		if at, ok := m.Keys[k]; ok {
			return at
		}
		if at, ok := m.Implied[k]; ok {
			return at
		}
	}
	return Nowhere
}

// valAt returns the place of a value or of an element, or of the nearest thing around.
func (m Marks) valAt(path ...string) Mark {
	for n := len(path); n > 0; n-- {
		if at, ok := m.Values[join(path[:n]...)]; ok {
			return at
		}
	}
	return m.keyAt(path...)
}

// alias makes the entry of a path available at another one, too.
func (m Marks) alias(from, to []string) {
	f, t := join(from...), join(to...)
	for _, places := range []map[string]Mark{m.Keys, m.Values} {
		found := map[string]Mark{}
		for path, at := range places {
			if rest, ok := strings.CutPrefix(path, f); ok && (rest == "" || rest[0] == '\x1f') {
				found[t+rest] = at
			}
		}
		for path, at := range found {
			if _, there := places[path]; !there {
				places[path] = at
			}
		}
	}
}

type scanner struct {
	src   []byte
	i     int
	m     Marks
	table []string
	err   string // nesting beyond the limits ...
	errAt Mark
}

// Scan records the places of all keys and values. A non-empty message states why the
// text must not be decoded.
func Scan(src []byte) (Marks, string, Mark) {
	s := &scanner{src: src, m: Marks{map[string]Mark{}, map[string]Mark{}, map[string]Mark{}}}
	for s.i < len(s.src) && s.err == "" {
		s.line()
	}
	return s.m, s.err, s.errAt
}

// line scans one header or one key with its value.
func (s *scanner) line() {
	s.blank(true)
	switch {
	case s.i >= len(s.src):
		return
	case s.src[s.i] == '[':
		start := s.i
		for s.peek() == '[' {
			s.i++
		}
		s.blank(false)
		s.table = s.keys(nil)
		s.blank(false)
		for s.peek() == ']' {
			s.i++
		}
		s.note(s.m.Keys, s.table, Mark{start, s.i - start})
		for n := len(s.table) - 1; n > 0; n-- {
			s.note(s.m.Implied, s.table[:n], s.m.Keys[join(s.table...)])
		}
	default:
		s.pair(s.table, 0)
	}
	// The rest of the line is a comment or a mistake.
	if n := bytes.IndexByte(s.src[s.i:], '\n'); n >= 0 {
		s.i += n + 1
	} else {
		s.i = len(s.src)
	}
}

func (s *scanner) peek() byte {
	if s.i < len(s.src) {
		return s.src[s.i]
	}
	return 0
}

// blank skips white space, and newlines with comments where they are allowed.
func (s *scanner) blank(lines bool) {
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case c == ' ' || c == '\t' || c == '\r':
			s.i++
		case lines && c == '\n':
			s.i++
		case lines && c == '#':
			for s.i < len(s.src) && s.src[s.i] != '\n' {
				s.i++
			}
		default:
			return
		}
	}
}

// pair scans key = value below a path.
func (s *scanner) pair(base []string, depth int) {
	start := s.i
	path := s.keys(base)
	end := s.i
	s.blank(false)
	if s.peek() != '=' {
		return
	}
	s.note(s.m.Keys, path, Mark{start, end - start})
	s.i++
	s.blank(false)
	s.value(path, depth)
}

// keys scans a dotted key and appends its parts to a copy of base.
func (s *scanner) keys(base []string) []string {
	path := append([]string{}, base...)
	start := s.i
	for {
		part, ok := s.key()
		if !ok {
			return path
		}
		path = append(path, part)
		if len(path) > maxParts {
			s.fail(Mark{start, s.i - start}, fmt.Sprintf("a key of more than %d parts", maxParts))
			return path
		}
		n := s.i
		s.blank(false)
		if s.peek() != '.' {
			s.i = n
			return path
		}
		s.i++
		s.blank(false)
	}
}

// key scans one part of a key, bare or quoted.
func (s *scanner) key() (string, bool) {
	start := s.i
	if c := s.peek(); c == '"' || c == '\'' {
		s.quoted(c)
		text := string(s.src[start:s.i])
		if c == '"' {
			if u, err := strconv.Unquote(text); err == nil {
				return u, true
			}
		}
		return strings.Trim(text, string(c)), true
	}
	for s.i < len(s.src) && bareKey(s.src[s.i]) {
		s.i++
	}
	return string(s.src[start:s.i]), s.i > start
}

func bareKey(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// quoted skips a string on one line.
func (s *scanner) quoted(q byte) {
	s.i++
	for s.i < len(s.src) && s.src[s.i] != '\n' {
		switch {
		case s.src[s.i] == '\\' && q == '"' && s.i+1 < len(s.src):
			s.i++
		case s.src[s.i] == q:
			s.i++
			return
		}
		s.i++
	}
}

// value scans one value and notes its place.
func (s *scanner) value(path []string, depth int) {
	start := s.i
	if depth > maxDepth {
		s.fail(Mark{start, 1}, fmt.Sprintf("arrays or tables more than %d levels deep", maxDepth))
	}
	if s.err != "" {
		return
	}
	rest := s.src[s.i:]
	switch {
	case bytes.HasPrefix(rest, []byte(`"""`)):
		s.long([]byte(`"""`))
	case bytes.HasPrefix(rest, []byte(`'''`)):
		s.long([]byte(`'''`))
	case s.peek() == '"' || s.peek() == '\'':
		s.quoted(s.peek())
	case s.peek() == '[':
		s.i++
		for n := 0; ; n++ {
			s.blank(true)
			if c := s.peek(); c == ']' || s.i >= len(s.src) {
				s.i = min(s.i+1, len(s.src))
				break
			}
			before := s.i
			s.value(append(append([]string{}, path...), "#"+strconv.Itoa(n)), depth+1)
			s.blank(true)
			if s.peek() == ',' {
				s.i++
			}
			if s.err != "" || s.i == before {
				return
			}
		}
	case s.peek() == '{':
		s.i++
		for {
			s.blank(true)
			if c := s.peek(); c == '}' || s.i >= len(s.src) {
				s.i = min(s.i+1, len(s.src))
				break
			}
			before := s.i
			s.pair(path, depth+1)
			s.blank(true)
			if s.peek() == ',' {
				s.i++
			}
			if s.err != "" || s.i == before {
				return
			}
		}
	default:
		for s.i < len(s.src) && !bytes.ContainsRune([]byte(",]}#\n"), rune(s.src[s.i])) {
			s.i++
		}
	}
	text := bytes.TrimRight(s.src[start:s.i], " \t\r")
	s.note(s.m.Values, path, Mark{start, len(text)})
}

// long skips a string of several lines.
func (s *scanner) long(q []byte) {
	s.i += 3
	for s.i < len(s.src) {
		if s.src[s.i] == '\\' && q[0] == '"' {
			s.i += 2
			continue
		}
		if bytes.HasPrefix(s.src[s.i:], q) {
			s.i += 3
			// Up to two quotes may belong to the text.
			for s.peek() == q[0] {
				s.i++
			}
			return
		}
		s.i++
	}
	s.i = len(s.src)
}

// note records the first place of a path.
func (s *scanner) note(m map[string]Mark, path []string, at Mark) {
	if k := join(path...); len(path) > 0 {
		if _, ok := m[k]; !ok {
			m[k] = at
		}
	}
}

func (s *scanner) fail(at Mark, msg string) {
	if s.err == "" {
		s.err, s.errAt = msg, at
	}
}
