package config

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Keys of a case given beside its file: `--set collision.model=trt`. The text is changed
// where the value stands, so that everything after it, messages and the stored case
// included, sees one case.

// Set returns the text with values changed or added. A change is KEY=VALUE, the key a
// dotted path and the value TOML; quotes around a word may be left out.
func Set(src []byte, changes []string) ([]byte, error) {
	for _, c := range changes {
		name, value, ok := strings.Cut(c, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		path := strings.Split(name, ".")
		for _, part := range path {
			ok = ok && goodName(part)
		}
		if !ok || value == "" || strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("%s: give KEY=VALUE, such as collision.model=trt or domain.cells=[64,64]", shortQuote(c))
		}
		probe := map[string]any{}
		if _, err := toml.Decode("v = "+value, &probe); err != nil || len(probe) != 1 {
			if strings.ContainsAny(value, "\"'[]{}\\") {
				return nil, fmt.Errorf("%s: the value is not TOML", shortQuote(c))
			}
			value = quote(value)
		}
		var err error
		if src, err = set(src, path, value); err != nil {
			return nil, fmt.Errorf("%s: %w", shortQuote(c), err)
		}
	}
	return src, nil
}

// set changes one value, or adds it below its table's header, or adds both at the end.
func set(src []byte, path []string, value string) ([]byte, error) {
	m, msg, _ := scan(src)
	if msg != "" {
		return nil, fmt.Errorf("the case has %s", msg)
	}
	put := func(at, length int, text string) []byte {
		return append(append(bytes.Clone(src[:at]), text...), src[at+length:]...)
	}
	if at, ok := m.val[join(path...)]; ok {
		return put(at.off, at.len, value), nil
	}
	table, line := path[:len(path)-1], path[len(path)-1]+" = "+value+"\n"
	if len(table) == 0 { // keys of the top level stand before every table
		return put(0, 0, line), nil
	}
	head := "[" + strings.Join(table, ".") + "]"
	if at, ok := m.key[join(table...)]; ok && bytes.HasPrefix(src[at.off:], []byte("[")) {
		end := len(src)
		if n := bytes.IndexByte(src[at.off:], '\n'); n >= 0 {
			return put(at.off+n+1, 0, line), nil
		}
		return put(end, 0, "\n"+line), nil
	}
	return append(bytes.Clone(src), "\n"+head+"\n"+line...), nil
}
