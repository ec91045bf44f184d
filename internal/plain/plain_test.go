// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package plain

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Common errors of the libraries lose all of their wording.
func TestLibrariesWords(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "none.csv")
	_, open := os.Open(gone)
	_, stat := os.Stat(gone)
	rename := os.Rename(gone, filepath.Join(dir, "b"))
	_, float := strconv.ParseFloat("abc", 64)
	_, whole := strconv.Atoi("1.5")
	_, large := strconv.ParseFloat("1e999", 64)
	var v struct{ Step int }
	_, picture := png.Decode(strings.NewReader("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIDAT"))
	program := exec.Command("there-is-no-such-program").Run()
	for _, c := range []struct {
		err  error
		want string
	}{
		{open, gone + ": no such file or directory"},
		{stat, gone + ": no such file or directory"},
		{fmt.Errorf("reading the case: %w", open), "reading the case: " + gone + ": no such file or directory"},
		{rename, gone + " to " + filepath.Join(dir, "b") + ": no such file or directory"},
		{float, `"abc" is not a number`},
		{whole, `"1.5" is not a whole number`},
		{large, `"1e999" is out of range for a number`},
		{fmt.Errorf("no VTI file: %w", xml.Unmarshal([]byte("<a>\n<b"), &v)), "no VTI file: the XML is truncated in line 2"},
		{xml.Unmarshal([]byte("<a>\n<1>"), &v), "line 2 is not valid XML"},
		{fmt.Errorf("a.png: %w", picture), "a.png: its PNG data is damaged"},
		{json.Unmarshal([]byte(`{"a": `), &v), "the JSON is truncated"},
		{json.Unmarshal([]byte(`{"a" 1}`), &v), "not valid JSON at byte 6"},
		{json.Unmarshal([]byte(`[1]`), &v), "not a JSON object, but its array"},
		{json.Unmarshal([]byte(`{"Step": "x"}`), &v), `its "Step" is a string, of another type than expected`},
		{fmt.Errorf("a.json: %w", io.ErrUnexpectedEOF), "a.json: it is empty or truncated"},
		{errors.Join(fmt.Errorf("one: %w", float), fmt.Errorf("two: %w", io.EOF)), "one: \"abc\" is not a number\ntwo: it is empty or truncated"},
		{program, "there-is-no-such-program: not found on PATH"},
		{errors.New("a plain one: EOF"), "a plain one: EOF"},
	} {
		if got := Text(c.err); got != c.want {
			t.Errorf("%q: %q, want %q", c.err, got, c.want)
		}
	}
}

// Sources format errors of libraries with %w, so that Text finds them, and do not write their words themselves.
func TestChainsAreKept(t *testing.T) {
	word := regexp.MustCompile(`strconv\.Parse\w+:|invalid syntax|cannot unmarshal|unexpected end of JSON`)
	cut := regexp.MustCompile(`fmt\.Errorf\("[^"]*%v"[^)]*, err\)`)
	for _, root := range []string{"cmd", "config", "sim", "io", "geometry", "internal", "comm", "halo", "device"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "plain.go" || strings.HasSuffix(filepath.Dir(path), "test") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range append(word.FindAll(text, -1), cut.FindAll(text, -1)...) {
				t.Errorf("%s: %s", path, m)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
