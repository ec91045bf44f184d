// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden files and docs/reference.md")

// golden compares a text with a file, or writes the file with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./config -update rewrites it)\n--- got\n%s\n--- want\n%s", file, got, want)
	}
}

// Messages are part of the program: each file in testdata/messages has its messages
// beside it.
func TestMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/messages/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Load(filepath.Base(f), src)
			got := ""
			if err != nil {
				var list Errors
				if !errors.As(err, &list) || list.ExitCode() != 2 {
					t.Fatalf("%T is no Errors", err)
				}
				got = err.Error() + "\n"
			} else {
				got = "no errors\n"
				for _, w := range c.Warnings {
					got += "warning: " + w.Text + "\n"
				}
			}
			golden(t, strings.TrimSuffix(f, ".toml")+".golden", got)
		})
	}
}

// A mistake in a --set is shown there: the file may not have the line, or may have a valid one.
// The lines of all other mistakes are lines of the file.
func TestMessagesOfChanges(t *testing.T) {
	src, err := os.ReadFile("testdata/messages/set/case.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load("case.toml", src); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, changes := range [][]string{
		{"run.steps=0"},
		{"collision.modl=trt"},
		{"fluid.viscosity=1e-6 parsec"},
		{`fluid.viscosity = "1e-6 parsec"`},
		{"domain.spacing=0.01"},                                // which sets the style of the other lengths
		{"boundary.lid.velocity=[\"1 mm/s\", \"coz(x) m/s\"]"}, // a place inside the value
		{"output.probe.far.at=[\"1 m\", \"1 mm\"]"},            // a table that the file does not have
		{"output.probe.far.every=10"},                          // and one that lacks a key
		{"title=new", "boundary.lid.type=wall"},                // the file's own line is wrong then, and not one further
		{"domain.periodic=[]", "domain.periodic=[\"w\"]"},      // the last one counts
		{"collision.precision=double", "run.steps=0", "colision.model=trt"},
		{"run=3"},
		{"run.steps=[1"},
	} {
		for _, c := range changes {
			got.WriteString("--set '" + c + "' ")
		}
		_, err := Load("case.toml", src, changes...)
		if err == nil {
			t.Errorf("%q: no error", changes)
			continue
		}
		got.WriteString("\n" + err.Error() + "\n\n")
	}
	golden(t, "testdata/messages/set/case.golden", got.String())
}

func TestReference(t *testing.T) { golden(t, "../docs/reference.md", Reference()) }

// An endless list of problems would hide the first.
func TestManyProblems(t *testing.T) {
	src := strings.Repeat("[x]\n", 1) + strings.Repeat("a = 1\n", 1)
	for i := 0; i < 100; i++ {
		src += "k" + strings.Repeat("x", i+1) + " = 1\n"
	}
	src = "[run]\n" + src[len("[x]\n"):]
	_, err := Load("many.toml", []byte(src))
	if err == nil || !strings.Contains(err.Error(), "more") || len(err.Error()) > 20000 {
		t.Errorf("%v", err)
	}
}
