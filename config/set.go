package config

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Keys of a case given beside its file: `--set collision.model=trt`. The text is changed
// where the value stands, so that everything after it, messages and the stored case
// included, sees one case. What was changed is noted, because a message must not send
// anybody to a line that the file does not have.

// edit is what one change has put into the text.
type edit struct {
	mark         // in the text as it is now
	grown int    // bytes that the text has more by it
	value int    // where the value begins
	extra int    // quotes before it that were left out in the change
	arg   string // KEY=VALUE, as it was given
}

// at is the place of the value in the text as given, for a mark inside the edit.
func (e edit) at(m mark) mark {
	from := strings.IndexByte(e.arg, '=') + 1
	from += len(e.arg[from:]) - len(strings.TrimLeft(e.arg[from:], " \t"))
	if m.off < e.value { // the key, or a table's header made for it
		return mark{0, len(strings.TrimRight(e.arg[:strings.IndexByte(e.arg, '=')], " \t"))}
	}
	off := max(0, m.off-e.value-e.extra)
	return mark{min(from+off, len(e.arg)), m.len}
}

// changed is the text of a case with values changed or added, and where. A change is
// KEY=VALUE, the key a dotted path and the value TOML; quotes around a word may be left out.
func changed(src []byte, changes []string) ([]byte, []edit, error) {
	var edits []edit
	for _, c := range changes {
		name, value, ok := strings.Cut(c, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		path := strings.Split(name, ".")
		for _, part := range path {
			ok = ok && goodName(part)
		}
		if !ok || value == "" || strings.ContainsAny(value, "\r\n") {
			return nil, nil, fmt.Errorf("--set %s: give KEY=VALUE, such as collision.model=trt or domain.cells=[64,64]", shortQuote(c))
		}
		e := edit{arg: c}
		probe := map[string]any{}
		if _, err := toml.Decode("v = "+value, &probe); err != nil || len(probe) != 1 {
			if strings.ContainsAny(value, "\"'[]{}\\") {
				return nil, nil, fmt.Errorf("--set %s: the value is not TOML: a text is KEY='\"TEXT\"', a list KEY='[1, 2]'", shortQuote(c))
			}
			value, e.extra = quote(value), 1
		}
		m, msg, _ := scan(src)
		if msg != "" {
			return nil, nil, fmt.Errorf("--set %s: the case has %s", shortQuote(c), msg)
		}
		if at, ok := m.key[join(path...)]; ok && src[at.off] == '[' {
			return nil, nil, fmt.Errorf("--set %s: %s is a table: give one of its keys, %s.KEY=VALUE", shortQuote(c), name, name)
		}
		before, gone, after := slot(src, m, path)
		text := before + value + after
		at := gone.off
		src = append(append(bytes.Clone(src[:at]), text...), src[at+gone.len:]...)
		e.mark, e.grown, e.value = mark{at, len(text)}, len(text)-gone.len, at+len(before)
		for i := range edits {
			edits[i].moved(gone, e.grown)
		}
		edits = append(edits, e)
	}
	return src, edits, nil
}

// slot is where a change goes: the bytes that it replaces, and what stands around its value. A
// value that is not there yet comes below its table's header, or both come at the end.
func slot(src []byte, m marks, path []string) (before string, gone mark, after string) {
	if at, ok := m.val[join(path...)]; ok {
		return "", at, ""
	}
	table, name := path[:len(path)-1], path[len(path)-1]+" = "
	if len(table) == 0 { // keys of the top level stand before every table
		return name, mark{0, 0}, "\n"
	}
	if at, ok := m.key[join(table...)]; ok && bytes.HasPrefix(src[at.off:], []byte("[")) {
		if n := bytes.IndexByte(src[at.off:], '\n'); n >= 0 {
			return name, mark{at.off + n + 1, 0}, "\n"
		}
		return "\n" + name, mark{len(src), 0}, "\n"
	}
	return "\n[" + strings.Join(table, ".") + "]\n" + name, mark{len(src), 0}, "\n"
}

// moved follows another change of the text, which took some bytes' place.
func (e *edit) moved(gone mark, grown int) {
	switch end := gone.off + gone.len; {
	case e.off >= end:
		e.off += grown
		e.value += grown
	case gone.off <= e.off: // a list or a table with this one in it
		e.mark = mark{gone.off, 0}
	case gone.off < e.off+e.len:
		e.len += grown
	}
}
