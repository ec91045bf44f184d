// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lbmsim/sim/domain"
)

func TestLegs(t *testing.T) {
	leg := func(from, ranks int) Leg { return Leg{From: from, Version: "v", Ranks: ranks} }
	var p Provenance
	for i, c := range []struct {
		next Leg
		want []Leg
	}{
		{leg(0, 1), []Leg{leg(0, 1)}},
		{leg(10, 1), []Leg{leg(0, 1)}}, // as before
		{leg(20, 2), []Leg{leg(0, 1), leg(20, 2)}},
		{leg(30, 4), []Leg{leg(0, 1), leg(20, 2), leg(30, 4)}},
		{leg(20, 4), []Leg{leg(0, 1), leg(20, 4)}}, // from an older checkpoint
		{leg(15, 1), []Leg{leg(0, 1)}},
		{leg(0, 3), []Leg{leg(0, 3)}},
	} {
		if p = p.And(c.next); !reflect.DeepEqual(p.Legs, c.want) {
			t.Errorf("%d: %+v, want %+v", i, p.Legs, c.want)
		}
		if back, err := ProvenanceOf(p.String()); err != nil || back.String() != p.String() {
			t.Errorf("%d: %v, %v", i, back, err)
		}
	}
}

// Copies of inputs are the files that the run read, or do not exist.
func TestInputsAreKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.stl")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	to := filepath.Join(dir, "inputs")
	for range 2 { // the second run finds it there
		if err := keepInput(domain.Input{Path: path, SHA256: sum}, to); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(to, sum+".stl")); err != nil || string(got) != "abc" {
			t.Errorf("%q", got)
		}
	}
	other := strings.Repeat("0", 64)
	if err := keepInput(domain.Input{Path: path, SHA256: other}, to); err == nil || !strings.Contains(err.Error(), "it changed while") {
		t.Errorf("a file that has changed: %v", err)
	}
	if left, _ := os.ReadDir(to); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}
