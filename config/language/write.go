// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// The text written back: every key with its value in canonical form, defaults included,
// quantities in SI. Two equivalent files give the same text, so comparing them is
// comparing these texts key by key.

// Canonical returns the text of everything that was read.
func (r *Reader) Canonical() string {
	var b strings.Builder
	for _, s := range r.Sections {
		var lines []string
		for i := range s.Table.Keys {
			if e := s.Get(s.Table.Keys[i].Name); e != nil {
				lines = append(lines, e.Key.Name+" = "+e.toml()+"\n")
			}
		}
		if len(lines) == 0 && !(s.Given && s.Table.Optional) {
			continue
		}
		if s.Table.Path != "" {
			b.WriteString("\n" + s.Head() + "\n")
		}
		b.WriteString(strings.Join(lines, ""))
	}
	return b.String()
}

// Diff compares two resolved cases. It returns a line for every key that differs
// and that mayDiffer (nil: none) does not excuse: `domain.spacing: 0.1 m / 0.2 m`,
// the value of a first. Keys are dotted paths.
func Diff(a, b string, mayDiffer func(key string) bool) []string {
	va, erra := flatten(a)
	vb, errb := flatten(b)
	if erra != nil || errb != nil {
		return []string{fmt.Sprintf("a case cannot be read: %v", firstError(erra, errb))}
	}
	seen := map[string]bool{}
	var keys []string
	for _, m := range []map[string]string{va, vb} {
		for k := range m {
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
	}
	sort.Strings(keys)
	var out []string
	for _, k := range keys {
		if va[k] == vb[k] || mayDiffer != nil && mayDiffer(k) {
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s / %s", k, shown(va, k), shown(vb, k)))
	}
	return out
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func shown(m map[string]string, k string) string {
	if v, ok := m[k]; ok {
		return v
	}
	return "not given"
}

// flatten maps the dotted path of every key to its value as text.
func flatten(text string) (map[string]string, error) {
	// The text may be from an untrusted checkpoint. A copy with all defaults is longer
	// than its case.
	if len(text) > 4*MaxSource {
		return nil, fmt.Errorf("a case of %d bytes is too large", len(text))
	}
	if _, msg, _ := Scan([]byte(text)); msg != "" {
		return nil, errors.New(msg)
	}
	raw := map[string]any{}
	if _, err := toml.Decode(text, &raw); err != nil {
		return nil, err
	}
	out := map[string]string{}
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for k, v := range m {
			if t, ok := v.(map[string]any); ok {
				walk(prefix+k+".", t)
				continue
			}
			out[prefix+k] = fmt.Sprint(v)
		}
	}
	walk("", raw)
	return out, nil
}
