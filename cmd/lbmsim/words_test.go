// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"lbmsim/report"
)

// Messages about a command line or a file have no words of Go's libraries.
func TestMessagesHaveNoWordsOfGo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"cut": `{"step": 1`, "empty": "", "list": "[1]", "type": `{"step": "x"}`, "text": "no JSON"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "status.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	words := regexp.MustCompile(`strconv|invalid syntax|json:|unmarshal|unexpected end of JSON|invalid character|\b(open|stat|lstat|read|mkdir|rename) [^ ]+: |\bEOF\b|\bGo (value|struct)`)
	for _, args := range [][]string{
		{"a.toml", "--threads", "abc"}, {"a.toml", "--threads", "99999999999999999999"}, {"check", "a.toml", "-n", "1.5"}, {"study", "a.toml", "--ratio", "x"},
		{"bench", "--size", "x"}, {"check", "a.toml"}, {"diff", "a", "b"}, {"reproduce", "a"}, {"stl", "a.stl"}, {"status", "nowhere"},
		{"status", filepath.Join(dir, "cut")}, {"status", filepath.Join(dir, "empty")}, {"status", filepath.Join(dir, "list")}, {"status", filepath.Join(dir, "type")}, {"status", filepath.Join(dir, "text")},
	} {
		root := command()
		root.SetArgs(args)
		err := root.Execute()
		if err == nil {
			t.Errorf("%q: no error", args)
		} else if text := report.Failure(err); words.MatchString(text) {
			t.Errorf("%q: %q", args, text)
		}
	}
}
