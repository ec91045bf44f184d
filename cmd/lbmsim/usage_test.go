package main

import (
	"testing"

	"lbmsim/sim"
)

// Arguments that a command does not take are an error of usage, not of the run.
func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{
		{"version", "x"}, {"info", "x"}, {"list", "nope"}, {"list", "reference", "x"}, {"example", "cavity", "couette"}, {"bench", "x"}, {"check"}, {"nope"},
	} {
		if code := execute(args); code != sim.ExitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}
