package config

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// The case written back: every key with its value in canonical form, defaults
// included, quantities in SI. Two files that mean the same give the same text, so
// comparing cases is comparing these texts key by key.

func (r *resolver) echo() string {
	var b strings.Builder
	for _, s := range r.sections {
		var lines []string
		for i := range s.table.keys {
			if e := s.get(s.table.keys[i].name); e != nil {
				lines = append(lines, e.key.name+" = "+e.toml()+"\n")
			}
		}
		if len(lines) == 0 && !(s.given && optional(s.table.path)) {
			continue
		}
		if s.table.path != "" {
			b.WriteString("\n" + s.head() + "\n")
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
	// The text may come out of a stranger's checkpoint. A copy with all defaults is longer
	// than its case.
	if len(text) > 4*maxSource {
		return nil, fmt.Errorf("a case of %d bytes is none", len(text))
	}
	if _, msg, _ := scan([]byte(text)); msg != "" {
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

// RestartMayChange tells which keys may differ between a checkpoint and the case
// that continues it: how long the run is, where it runs, how it is watched and what
// it writes. The physics, the grid, the scaling and the precision must be the same.
func RestartMayChange(key string) bool {
	if key == "title" {
		return true
	}
	for _, t := range []string{"run.", "device.", "output.", "checkpoint.", "expect."} {
		if strings.HasPrefix(key, t) {
			return true
		}
	}
	return false
}

// Pin writes the checksums of files, those of boundaries and behind them those of
// bodies, in their order, into a resolved copy: cases whose files have changed then differ,
// though their texts are the same.
func Pin(resolved string, sums []string) string {
	var b strings.Builder
	lines := strings.SplitAfter(resolved, "\n")
	var keys [][2]string // of files and of their checksums, here
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "[boundary."):
			keys = [][2]string{{"table = ", "sha256 = "}, {"profile = ", "profile_sha256 = "}}
		case strings.HasPrefix(line, "[body."):
			keys = [][2]string{{"file = ", "sha256 = "}}
		case strings.HasPrefix(line, "["):
			keys = nil
		}
		b.WriteString(line)
		for _, k := range keys {
			if strings.HasPrefix(line, k[0]) && len(sums) > 0 {
				if i+1 < len(lines) && !strings.HasPrefix(lines[i+1], k[1]) {
					b.WriteString(k[1] + quote(sums[0]) + "\n")
				}
				sums = sums[1:]
			}
		}
	}
	return b.String()
}
