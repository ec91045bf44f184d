// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Keys of a case given beside its file: `--set collision.model=trt`. The text is changed
// at the place of the value, so that all later stages, messages and the stored case
// included, see one case. Changes are recorded, because a message must not
// point to a line that the file does not have.

// edit is the text inserted by one change.
type edit struct {
	Mark         // in the text as it is now
	grown int    // bytes that the text has more by it
	value int    // where the value begins
	extra int    // quotes before it that were left out in the change
	arg   string // KEY=VALUE, as it was given
}

// at returns the place in the change as it was given, for a mark inside the edit.
func (e edit) at(m Mark) Mark {
	from := strings.IndexByte(e.arg, '=') + 1
	from += len(e.arg[from:]) - len(strings.TrimLeft(e.arg[from:], " \t"))
	if m.Off < e.value { // the key, or a table's header made for it
		return Mark{0, len(strings.TrimRight(e.arg[:strings.IndexByte(e.arg, '=')], " \t"))}
	}
	off := max(0, m.Off-e.value-e.extra)
	return Mark{min(from+off, len(e.arg)), m.Len}
}

// changed returns the text of a case with values changed or added, and where. A change is
// KEY=VALUE, the key a dotted path and the value TOML; quotes around a word may be left out.
// Of mutually exclusive keys of a table, setting one removes the others.
func changed(src []byte, changes []string, l Schema) ([]byte, []edit, error) {
	var edits []edit
	put := func(e edit, gone Mark, text string) {
		at := gone.Off
		src = append(append(bytes.Clone(src[:at]), text...), src[at+gone.Len:]...)
		e.Mark, e.grown = Mark{at, len(text)}, len(text)-gone.Len
		for i := range edits {
			edits[i].moved(gone, e.grown)
		}
		edits = append(edits, e)
	}
	for _, c := range changes {
		name, value, ok := strings.Cut(c, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		path := strings.Split(name, ".")
		for _, part := range path {
			ok = ok && goodName(part)
		}
		if !ok || value == "" || strings.ContainsAny(value, "\r\n") {
			return nil, nil, fmt.Errorf("--set %s: give KEY=VALUE, such as collision.model=trt or domain.cells=[64,64]", ShortQuote(c))
		}
		e := edit{arg: c}
		probe := map[string]any{}
		if _, err := toml.Decode("v = "+value, &probe); err != nil || len(probe) != 1 {
			if strings.ContainsAny(value, "\"'[]{}\\") {
				return nil, nil, fmt.Errorf("--set %s: the value is not TOML: a string is KEY='\"TEXT\"', a list KEY='[1, 2]'", ShortQuote(c))
			}
			value, e.extra = Quote(value), 1
		}
		m, msg, _ := Scan(src)
		if msg != "" {
			return nil, nil, fmt.Errorf("--set %s: the case has %s", ShortQuote(c), msg)
		}
		if at, ok := m.Keys[join(path...)]; ok && src[at.Off] == '[' {
			return nil, nil, fmt.Errorf("--set %s: %s is a table: give one of its keys, %s.KEY=VALUE", ShortQuote(c), name, name)
		}
		before, gone, after := slot(src, m, path)
		e.value = gone.Off + len(before)
		put(e, gone, before+value+after)
		for _, other := range l.instead(path) {
			if gone, ok := whole(src, other); ok && !slices.ContainsFunc(changes, func(c string) bool { return names(c, other) }) {
				put(edit{arg: c, value: gone.Off}, gone, "")
			}
		}
	}
	return src, edits, nil
}

// instead returns the keys that a case cannot have beside this one.
func (l Schema) instead(path []string) (others [][]string) {
	table := path[:len(path)-1]
	for _, t := range l.Tables {
		if !t.at(table) {
			continue
		}
		for _, group := range t.OneOf {
			if !slices.Contains(group, path[len(path)-1]) {
				continue
			}
			for _, name := range group {
				if name != path[len(path)-1] {
					others = append(others, append(slices.Clone(table), name))
				}
			}
		}
	}
	return others
}

// names reports whether a change is one of this key.
func names(change string, path []string) bool {
	name, _, _ := strings.Cut(change, "=")
	return strings.TrimSpace(name) == strings.Join(path, ".")
}

// whole returns the place of a key with its value, where they are on separate lines. Others, within an
// inline table, stay: an error reports that the case has both.
func whole(src []byte, path []string) (Mark, bool) {
	m, msg, _ := Scan(src)
	key, ok := m.Keys[join(path...)]
	value, ok2 := m.Values[join(path...)]
	if msg != "" || !ok || !ok2 {
		return Mark{}, false
	}
	line := bytes.LastIndexByte(src[:key.Off], '\n') + 1
	if before := strings.TrimSpace(string(src[line:key.Off])); before != "" && before != strings.Join(path[:len(path)-1], ".")+"." {
		return Mark{}, false
	}
	return Mark{line, value.Off + value.Len - line}, true
}

// slot returns the place of a change: the bytes that it replaces, and the text around its value.
// A value that is not there yet comes below its table's header, or both come at the end.
func slot(src []byte, m Marks, path []string) (before string, gone Mark, after string) {
	if at, ok := m.Values[join(path...)]; ok {
		return "", at, ""
	}
	table, name := path[:len(path)-1], path[len(path)-1]+" = "
	if len(table) == 0 { // keys of the top level stand before every table
		return name, Mark{0, 0}, "\n"
	}
	if at, ok := m.Keys[join(table...)]; ok && bytes.HasPrefix(src[at.Off:], []byte("[")) {
		if n := bytes.IndexByte(src[at.Off:], '\n'); n >= 0 {
			return name, Mark{at.Off + n + 1, 0}, "\n"
		}
		return "\n" + name, Mark{len(src), 0}, "\n"
	}
	return "\n[" + strings.Join(table, ".") + "]\n" + name, Mark{len(src), 0}, "\n"
}

// moved adjusts the edit to another change of the text, which replaced some bytes.
func (e *edit) moved(gone Mark, grown int) {
	switch end := gone.Off + gone.Len; {
	case e.Off >= end:
		e.Off += grown
		e.value += grown
	case gone.Off <= e.Off: // a list or a table with this one in it
		e.Mark = Mark{gone.Off, 0}
	case gone.Off < e.Off+e.Len:
		e.Len += grown
	}
}

// Blame adds the changes to mistakes in lines of the file that are mistakes only with them: a wall
// has no velocity, and the command line has made it a wall.
func Blame(list Errors, changes []string, fine func(changes []string) bool) {
	if !fine(nil) {
		return
	}
	guilty := changes
	for i := range changes {
		if fine(slices.Delete(slices.Clone(changes), i, i+1)) {
			guilty = changes[i : i+1]
		}
	}
	var words []string
	for _, c := range guilty {
		words = append(words, "--set "+headline(c))
	}
	for i := range list {
		if p := &list[i]; p.Set == "" {
			p.Reason = strings.TrimPrefix(p.Reason+"\nthe file itself has no errors: this one is caused by "+strings.Join(words, ", "), "\n")
		}
	}
}

// headline returns a text of the user on one line, cut to the length of a headline.
func headline(s string) string {
	r := printable(s)
	if len(r) > 60 {
		r = append(r[:57:57], []rune("...")...)
	}
	return string(r)
}
