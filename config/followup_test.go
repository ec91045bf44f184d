// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"lbmsim/config/language"
	"lbmsim/internal/brief"
)

// One mistake is one message: consequences of a misspelt word, or of a value that cannot be
// read, are left out. Every key and every table of every example is misspelt once, and every value
// spoilt, in a short run each kind of key and value in two examples.
func TestOneMistakeIsOneMessage(t *testing.T) {
	brief.Fewer(t, "cases")
	var files []string
	for _, dir := range []string{"../cases/examples", "../cases/validation"} {
		list, err := filepath.Glob(dir + "/*.toml")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	tried := map[string]int{}
	enough := func(what, path string) bool {
		tried[what+kindOf(path)]++
		return testing.Short() && tried[what+kindOf(path)] > 2
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(f, src); err != nil {
			t.Fatal(err)
		}
		m, _, _ := language.Scan(src)
		try := func(what string, at language.Mark, text string) {
			_, err := Load(f, append(append(append([]byte{}, src[:at.Off]...), text...), src[at.Off+at.Len:]...))
			var list Errors
			if !errors.As(err, &list) || len(list) != 1 {
				t.Errorf("%s, %s:\n%v", f, what, err)
			}
		}
		for _, path := range paths(m.Keys) {
			at := m.Keys[path]
			word := string(src[at.Off : at.Off+at.Len])
			name := strings.ReplaceAll(path, "\x1f", ".")
			if enough("key", path) {
				continue
			}
			if strings.HasPrefix(word, "[") {
				parts := strings.Split(strings.Trim(word, "[]"), ".")
				for i := range parts {
					if len(parts[i]) > 3 && (i == 0 || parts[0] == "output" || parts[0] == "expect") && i < 2 {
						bad := append([]string{}, parts...)
						bad[i] = misspell(bad[i])
						try(fmt.Sprintf("[%s]", strings.Join(bad, ".")), at, "["+strings.Join(bad, ".")+"]")
					}
				}
				continue
			}
			if len(word) > 2 {
				try("key "+name+" misspelt", at, misspell(word))
			}
		}
		for _, path := range paths(m.Values) {
			if strings.HasSuffix(path, "\x1ffile") || enough("value", path) {
				continue // any text may name a file, which is read later
			}
			if at := m.Values[path]; !strings.HasPrefix(path, "title") {
				name := strings.ReplaceAll(path, "\x1f", ".")
				try(name+" spoilt", at, `"12 parsec"`)
				if strings.Contains(name, "#") {
					continue
				}
				_, err := Load(f, src, name+"=12 parsec")
				var list Errors
				if !errors.As(err, &list) || len(list) != 1 || list[0].Set != name+"=12 parsec" {
					t.Errorf("%s, --set %s:\n%v", f, name, err)
				}
			}
		}
	}
}

// kindOf returns a path without the names that a case chooses and the places in lists: body.*.radius, output.line.*.from.#.
func kindOf(path string) string {
	path, _, list := strings.Cut(path, "\x1f#")
	parts := strings.Split(path, "\x1f")
	if n := len(parts); n > 3 || n == 3 && parts[0] != "output" {
		parts[n-2] = "*"
	}
	if list {
		parts = append(parts, "#")
	}
	return strings.Join(parts, ".")
}

func paths(m map[string]language.Mark) []string {
	var list []string
	for p := range m {
		list = append(list, p)
	}
	sort.Strings(list)
	return list
}

// misspell swaps two letters, or doubles the first.
func misspell(word string) string {
	for i := 1; i+1 < len(word); i++ {
		if word[i] != word[i+1] {
			return word[:i] + string(word[i+1]) + string(word[i]) + word[i+2:]
		}
	}
	return word[:1] + word
}

// A key in the wrong table is one mistake, too, where only one table has such a key.
func TestStrayKey(t *testing.T) {
	const text = "[domain]\ncells = [8, 8]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\nsteps = 10\n"
	for _, more := range []string{"", "[run]\nwatch_every = 5\n"} {
		_, err := Load("a", []byte(text+more))
		var list Errors
		if !errors.As(err, &list) || len(list) != 1 || !strings.Contains(err.Error(), "a:6:1: error: unknown key \"steps\" in [fluid]; steps belongs to [run]") {
			t.Errorf("%v", err)
		}
	}
}
