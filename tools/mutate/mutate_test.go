// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"path/filepath"
	"testing"
	"time"

	"lbmsim/internal/harness"
)

// The short form of `make mutate`, always the same cases.
func TestMutatedCases(t *testing.T) {
	t.Setenv("GOGC", "100") // whatever the tests have: memory has a bound
	dir := t.TempDir()
	program, err := harness.Build("../..", dir)
	if err != nil {
		t.Fatal(err)
	}
	m := mutator{count: 40, cases: "cases/examples/*.toml", program: program, dir: filepath.Join(dir, "cases"), moment: 200 * time.Millisecond, log: t.Errorf}
	err = m.prepare("../..", 1)
	if err == nil {
		m.all(0)
		err = m.verdict()
	}
	t.Log(m.figures)
	if err != nil {
		t.Error(err)
	}
	// Some cases were accepted, some rejected.
	if f := m.figures; f.Refused < 5 || f.Taken < 5 {
		t.Errorf("%d cases were refused and %d taken", f.Refused, f.Taken)
	}
}

// A wrong answer is detected.
func TestFault(t *testing.T) {
	for text, want := range map[string]bool{
		"c.toml:3:1: error: x":     false,
		"c.toml: error: x":         false,
		"lbmsim: open c.toml: bad": true,
	} {
		if got := (answer{code: wrong, text: text}).fault("c.toml") != ""; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, a := range []answer{{code: -1}, {late: true}, {code: 2, text: "c.toml:1:1: error: \npanic: goroutine 1"}, {text: "mean density NaN"}} {
		if a.fault("c.toml") == "" {
			t.Errorf("%+v passes", a)
		}
	}
	for text, want := range map[string]bool{
		"  cells   64 x 64 = 4096\n  memory per rank   45 MiB\n":         true,
		"  cells   64 x 64 = 4096\n  memory per rank   4.5 GiB\n":        false,
		"  cells   9000 x 9000 = 81000000\n  memory per rank   45 MiB\n": false,
		"": false,
	} {
		if bytes, here := memory(text); here != want || here && bytes != 45<<20 {
			t.Errorf("%q: %g bytes, %v", text, bytes, here)
		}
	}
}
