// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"strings"
	"testing"
)

var oneOf = Schema{Tables: []Table{{Path: "run", OneOf: [][]string{{"steps", "time"}}}}}

// A change of one of two exclusive keys removes the other, unless both are changed or it is within a line.
func TestSetInstead(t *testing.T) {
	for _, c := range []struct {
		src, want string
		changes   []string
	}{
		{"[run]\ntime = \"1 s\" # long\nwatch_every = 5\n", "[run]\nsteps = 20\n # long\nwatch_every = 5\n", []string{"run.steps=20"}},
		{"[run]\n  steps = 10", "[run]\ntime = \"1 s\"\n", []string{"run.time=1 s"}},
		{"run.time = \"1 s\"\n", "\n\n[run]\nsteps = 20\n", []string{"run.steps=20"}},
		{"[run]\ntime = \"1 s\"\n", "[run]\nsteps = 20\ntime = \"2 s\"\n", []string{"run.steps=20", "run.time=2 s"}},
		{"run = {time = \"1 s\", steps = 3}\n", "run = {time = \"1 s\", steps = 20}\n", []string{"run.steps=20"}},
	} {
		got, edits, err := changed([]byte(c.src), c.changes, oneOf)
		if err != nil || string(got) != c.want {
			t.Errorf("%q, %q: %v, %q, want %q", c.src, c.changes, err, got, c.want)
		}
		grown := 0
		for _, e := range edits {
			grown += e.grown
		}
		if len(got) != len(c.src)+grown {
			t.Errorf("%q: edits say %d bytes more", c.src, grown)
		}
	}
}

func TestSet(t *testing.T) {
	src := "title = \"a\" # b\n[domain]\ncells = [8, # eight\n 8]\n[run]\nsteps = 10"
	for _, c := range []struct{ change, want string }{
		{"title=x y", "title = \"x y\" # b\n"},
		{"domain.cells=[16, 4]", "cells = [16, 4]\n[run]"},
		{"run.steps=20", "steps = 20"},
		{"run.watch_every = 5", "[run]\nwatch_every = 5\nsteps = 10"},
		{"collision.model=trt", "steps = 10\n[collision]\nmodel = \"trt\"\n"},
		{"expect.velocity.reference=[\"0.1*y m/s\", 0]", "\n[expect.velocity]\nreference = [\"0.1*y m/s\", 0]\n"},
	} {
		got, _, err := changed([]byte(src), []string{c.change}, oneOf)
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %v\n%s\nwant %q in it", c.change, err, got, c.want)
		}
		if raw := parse(problems{Source: got}, Schema{Tables: []Table{{}}}); len(raw.Sections) == 0 {
			t.Errorf("%s: no TOML any more:\n%s", c.change, got)
		}
	}
	for _, bad := range []string{"", "a", "=1", "a.=1", "a b=1", "run.steps=", "run.steps=[1", "x=1\n2"} {
		if _, _, err := changed([]byte(src), []string{bad}, oneOf); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	// A table without a line in the file is not the first one below it.
	under := []byte("[output.fields]\nevery = 5\n")
	if got, _, err := changed(under, []string{"output.dir=x"}, oneOf); err != nil || string(got) != string(under)+"\n[output]\ndir = \"x\"\n" {
		t.Errorf("%v\n%s", err, got)
	}
	// Later changes apply to the text of earlier ones.
	got, _, err := changed([]byte(src), []string{"a.b=1", "a.c=2", "a.b=3"}, oneOf)
	if err != nil || !strings.Contains(string(got), "[a]\nc = 2\nb = 3\n") {
		t.Errorf("%v\n%s", err, got)
	}
}
