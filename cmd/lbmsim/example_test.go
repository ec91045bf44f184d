// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/cases/examples"
)

// Every example of the folder is in lbmsim, has a title, and is written unchanged; an existing file
// is kept.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../cases/examples/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := examples.All()
	if len(all) != len(files) {
		t.Errorf("%d examples in the program, %d in the folder", len(all), len(files))
	}
	texts := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(f)] = string(b)
	}
	was, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(was) })
	for _, e := range all {
		if e.Title == "" {
			t.Errorf("%s has no title", e.Name)
		}
		if code := execute([]string{"example", e.Name}); code != 0 {
			t.Errorf("%s: exit code %d", e.Name, code)
		}
		b, err := os.ReadFile(e.Name + ".toml")
		if err != nil || string(b) != texts[e.Name+".toml"] {
			t.Errorf("%s: other bytes than in the folder, %v", e.Name, err)
		}
	}
	if err := os.WriteFile("cavity.toml", []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := execute([]string{"example", "cavity"}); code == 0 {
		t.Error("a file that was there is replaced")
	}
	if b, err := os.ReadFile("cavity.toml"); err != nil || string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
	if err := func() error { _, err := exampleOf("cavty"); return err }(); err == nil || !strings.Contains(err.Error(), "there are buildings, cavity") {
		t.Errorf("an unknown example: %v", err)
	}
}
