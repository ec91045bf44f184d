// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A run that resumes an older version's outputs reports that its film has files of two kinds.
func TestFilmOfTwoVersions(t *testing.T) {
	const text = `
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 20
[output.fields]
every = 5
[checkpoint]
every = 10
`
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	const warning = "files of an older version"
	if s := (trial{text: text, ranks: 1, dir: dir, restart: Latest}).must(t); s.warnedOf(warning) > 0 {
		t.Errorf("files of this version: %q", s.warned)
	}
	path := filepath.Join(dir, "fields", "fields.hdf.series")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = regexp.MustCompile(`(?m),"grid".*?(,?)$`).ReplaceAll(b, []byte("}$1"))
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if s := (trial{text: text, ranks: 2, dir: dir, restart: Latest}).must(t); s.warnedOf(warning) != 1 {
		t.Errorf("%q\n%s", s.warned, b)
	}
}
