package language

import (
	"strings"
	"testing"
)

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
		got, _, err := changed([]byte(src), []string{c.change})
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %v\n%s\nwant %q in it", c.change, err, got, c.want)
		}
		if raw := parse(problems{Source: got}, Schema{Tables: []Table{{}}}); len(raw.Sections) == 0 {
			t.Errorf("%s: no TOML any more:\n%s", c.change, got)
		}
	}
	for _, bad := range []string{"", "a", "=1", "a.=1", "a b=1", "run.steps=", "run.steps=[1", "x=1\n2"} {
		if _, _, err := changed([]byte(src), []string{bad}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	// Several changes see each other.
	got, _, err := changed([]byte(src), []string{"a.b=1", "a.c=2", "a.b=3"})
	if err != nil || !strings.Contains(string(got), "[a]\nc = 2\nb = 3\n") {
		t.Errorf("%v\n%s", err, got)
	}
}
