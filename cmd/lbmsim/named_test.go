// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/sim"
)

// A picture never replaces an input or a file of another kind.
func TestPreviewSparesFiles(t *testing.T) {
	dir := t.TempDir()
	before, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(before) })
	put := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("b.stl", tetrahedron)
	put("case.toml", "[domain]\n")
	put("notes.png", "not a picture\n")
	put("surface.png", tetrahedron)
	if err := os.Symlink("b.stl", "link.png"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("folder.png", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, preview string }{
		{"b.stl", "b.stl"}, {"b.stl", "case.toml"}, {"b.stl", "new"}, {"b.stl", "notes.png"}, {"b.stl", "link.png"},
		{"b.stl", "folder.png"}, {"surface.png", "surface.png"},
	} {
		before, _ := os.ReadFile(c.preview)
		if code := execute([]string{"stl", c.file, "--preview", c.preview}); code != sim.ExitUsage {
			t.Errorf("%+v: exit code %d", c, code)
		}
		if after, _ := os.ReadFile(c.preview); string(after) != string(before) {
			t.Errorf("%+v: the file was written over", c)
		}
	}
	for range 2 { // a picture may replace a picture
		if code := execute([]string{"stl", "b.stl", "--preview", "b.png"}); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	// check draws NAME.png into a folder.
	put("flow.toml", strings.Replace(stlCase, "FILE", "b.stl", 1))
	put(filepath.Join("folder.png", "tet.png"), "mine\n")
	if code := execute([]string{"check", "flow.toml"}); code != 0 {
		t.Fatalf("check without pictures: exit code %d", code)
	}
	if code := execute([]string{"check", "flow.toml", "--preview", "folder.png"}); code != sim.ExitUsage {
		t.Errorf("check: exit code %d", code)
	}
	if b, _ := os.ReadFile(filepath.Join("folder.png", "tet.png")); string(b) != "mine\n" {
		t.Error("check wrote over a file that is not a picture")
	}
}

const tetrahedron = `solid t
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 1 1 1
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid t
`

const stlCase = `
[domain]
cells = [24, 24, 24]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.1
[body.tet]
shape = "stl"
file = "FILE"
scale = 12
translate = [6, 6, 6]
[run]
steps = 2
`
