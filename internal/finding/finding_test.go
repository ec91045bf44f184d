// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/reliability.md")

const page = "../../docs/reliability.md"

// The page has every warning of lbmsim.
func TestTableIsOnThePage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const first, last = "-update -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), first)
	_, after, ended := strings.Cut(rest, last)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	want := before + first + "\n" + Table() + "\n" + last + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("the table of %s differs from the list (go test ./internal/finding -update writes it)", page)
	}
}

// Names are unique and stable words; each warning is raised somewhere.
func TestEveryKindIsRaised(t *testing.T) {
	code := sources(t)
	seen := map[string]bool{}
	word := regexp.MustCompile(`^[a-z_]+$`)
	for _, k := range kinds {
		if seen[k.Name] || !word.MatchString(k.Name) || k.Measures == "" || k.Threshold == "" || k.Why == "" {
			t.Errorf("%+v: a name that is taken, or something is missing", *k)
		}
		seen[k.Name] = true
	}
	list, err := os.ReadFile("list.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t(\w+) += add\(`).FindAllStringSubmatch(string(list), -1)
	if len(names) != len(kinds) {
		t.Errorf("list.go declares %d kinds, %d are known", len(names), len(kinds))
	}
	for _, n := range names {
		if !strings.Contains(code, "finding."+n[1]) {
			t.Errorf("finding.%s is never raised", n[1])
		}
	}
}

// sources returns all Go code of the tree except tests and this package.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range []string{"config", "sim", "internal", "cmd", "geometry", "io", "device", "report"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// Earlier versions wrote the text alone.
func TestOldStatus(t *testing.T) {
	var l List
	if err := json.Unmarshal([]byte(`["old", {"kind": "speed", "text": "new"}]`), &l); err != nil || len(l) != 2 || l[0].Text != "old" || l[1] != Speed.Says("new") {
		t.Errorf("%v %v", l, err)
	}
}
