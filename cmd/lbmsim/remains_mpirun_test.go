// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contents returns the contents of a folder's files by path, without hidden files and status.json.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "status.json" || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameFiles(a, b map[string]string) bool {
	for path, text := range a {
		if b[path] != text {
			return false
		}
	}
	return len(a) == len(b)
}

// A forgotten --restart, and another case of the same name, leave results unchanged; a deliberate restart from scratch
// leaves no old results among the new ones.
func TestResultsAreNotWrittenOver(t *testing.T) {
	dir, out := t.TempDir(), ""
	caseFile := writeCase(t, dir, strings.Replace(fmt.Sprintf(box, 60, 20), "[output.fields]", "[output.fields]\nevery = 20", 1))
	out = filepath.Join(dir, "out", "case")
	if r := runProgram(t, dir, 2, caseFile); r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	before := contents(t, out)
	elsewhere := t.TempDir()
	other := writeCase(t, elsewhere, fmt.Sprintf(box, 10, 10))
	for _, c := range []struct {
		dir   string
		ranks int
		args  []string
	}{
		{dir, 0, []string{caseFile}}, {dir, 2, []string{caseFile}}, {dir, 3, []string{caseFile, "--set", "run.steps=80"}},
		{elsewhere, 2, []string{other, "--output", out}},
	} {
		r := runProgram(t, c.dir, c.ranks, c.args...)
		if r.code != 2 {
			t.Errorf("%q on %d ranks: exit code %d\n%s", c.args, c.ranks, r.code, r.out)
		}
		for _, word := range []string{"contains the results of a run of case.toml", "step 60 of 60", "--restart latest", "--output", "--overwrite"} {
			if !strings.Contains(r.out, word) {
				t.Errorf("%q: no %q in\n%s", c.args, word, r.out)
			}
		}
		if !sameFiles(before, contents(t, out)) {
			t.Fatalf("%q: the results changed", c.args)
		}
	}
	for _, args := range [][]string{{"--restart", ""}, {"--output", ""}, {"--overwrite", "--restart", "latest"}} {
		if r := runProgram(t, dir, 0, append([]string{caseFile}, args...)...); r.code != 2 || !sameFiles(before, contents(t, out)) {
			t.Errorf("%q: exit code %d, or the results changed\n%s", args, r.code, r.out)
		}
	}
	if r := runProgram(t, dir, 2, caseFile, "--overwrite", "--set", "run.steps=30", "--set", "output.fields.every=30"); r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	for path := range contents(t, out) {
		if strings.Contains(path, "0000000040") || strings.Contains(path, "0000000060") {
			t.Errorf("%s is of the run before", path)
		}
	}
}

// A run that was killed before its first checkpoint has started over the previous run's tables: the previous run can still
// be continued.
func TestRestartWithAnotherTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(text []byte) []byte
	}{
		{"shorter", func(text []byte) []byte { return text[:len(text)/2] }},
		{"of another run", func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("step,"), []byte("stop,")) }},
		{"empty", func([]byte) []byte { return nil }},
	} {
		dir := t.TempDir()
		caseFile := writeCase(t, dir, fmt.Sprintf(box, 40, 20))
		if r := runProgram(t, dir, 0, caseFile); r.code != 0 {
			t.Fatalf("exit code %d\n%s", r.code, r.out)
		}
		path := filepath.Join(dir, "out", "case", "probe_p.csv")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := c.change(text)
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		r := runProgram(t, dir, 2, caseFile, "--restart", "latest", "--set", "run.steps=60")
		if r.code != 0 || !strings.Contains(r.out, "probe p: ") || !strings.Contains(r.out, "probe_p.csv.before1") {
			t.Errorf("%s: exit code %d\n%s", c.name, r.code, r.out)
		}
		if aside, err := os.ReadFile(path + ".before1"); err != nil || !bytes.Equal(aside, changed) {
			t.Errorf("%s: the file that was there is not kept: %v", c.name, err)
		}
		if text, err = os.ReadFile(path); err != nil || !bytes.Contains(text, []byte("\n60,")) || bytes.Contains(text, []byte("\n20,")) {
			t.Errorf("%s: %v\n%s", c.name, err, text)
		}
	}
}
