package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// vocabulary returns what a case may say, a line for each word: keys with their defaults, the words that a key may have, models,
// types of boundaries, fields, units and functions.
func vocabulary() (list []string) {
	for _, t := range caseLanguage().Tables {
		for _, k := range t.Keys {
			key := fmt.Sprintf("key %s.%s", t.Path, k.Name)
			list = append(list, key)
			if k.Default != "" {
				list = append(list, fmt.Sprintf("%s default %s", key, k.Default))
			}
			for _, c := range k.Choices {
				list = append(list, fmt.Sprintf("%s may be %s", key, c))
			}
		}
	}
	for _, c := range model.Collisions {
		list = append(list, "collision "+c.Name)
		for _, p := range c.Params {
			list = append(list, fmt.Sprintf("collision %s parameter %s default %.6g", c.Name, p.Name, p.Default))
		}
	}
	for _, l := range model.ViscosityLaws {
		list = append(list, "viscosity law "+l.Name)
	}
	for _, k := range boundary.Kinds {
		list = append(list, "boundary "+k.Name)
	}
	for _, f := range model.Fields {
		list = append(list, fmt.Sprintf("field %s of %d components", f.Name, f.Components))
	}
	for _, u := range language.NamedUnits() {
		list = append(list, "unit "+u.Name)
	}
	for _, f := range language.Functions() {
		list = append(list, "function "+f.Name)
	}
	return list
}

// Every 1.x takes the words of 1.0, with the same defaults (docs/compatibility.md). testdata/1.0/words.txt gains lines until 1.0
// is released, and loses lines with a new major version alone.
func TestWordsOfOneZero(t *testing.T) {
	b, err := os.ReadFile("testdata/1.0/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]bool{}
	for _, line := range vocabulary() {
		now[line] = true
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) < 700 {
		t.Errorf("only %d words", len(lines))
	}
	for _, line := range lines {
		if !now[line] {
			t.Errorf("%q of 1.0 is gone or has changed: cases break, which 1.x promises not to do; docs/compatibility.md says what is allowed", line)
		}
	}
}

// The cases of 1.0 are read without an error, and resolve to themselves.
func TestCasesOfOneZero(t *testing.T) {
	cases, err := filepath.Glob("testdata/1.0/*.toml")
	if err != nil || len(cases) == 0 {
		t.Fatal(cases, err)
	}
	for _, path := range cases {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, err := Load(path, b)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		second, err := Load(path, []byte(first.Resolved))
		if err != nil || second.Resolved != first.Resolved {
			t.Errorf("%s: the resolved copy is read as another case, %v", path, err)
		}
	}
}

// Lists of the coming version, by VERSION, are complete, so that they are at its release. -update completes them, and leaves what the
// program no longer has for TestWordsOfOneZero to report.
func TestWordsOfThisVersion(t *testing.T) {
	version, err := os.ReadFile("../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	number := strings.SplitN(string(version), ".", 3)
	path := filepath.Join("testdata", number[0]+"."+number[1], "words.txt")
	b, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatalf("%v: run this test with -update", err)
	}
	now := vocabulary()
	listed := strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
	for _, line := range now {
		if !*update && !slices.Contains(listed, line) {
			t.Errorf("%s lacks %q: run this test with -update", path, line)
		}
	}
	if !*update {
		return
	}
	for _, line := range listed {
		if !slices.Contains(now, line) {
			now = append(now, line)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
