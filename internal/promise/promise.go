// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package promise compares, in tests, lists of names that every 1.x keeps (docs/compatibility.md) with the present ones. A list is a
// file testdata/MAJOR.MINOR/NAME, a name per line. It gains lines until the release of its version, and loses lines with a new major
// version alone.
package promise

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Kept verifies that the present names contain the list of 1.0, which has at least so many. broken states what a missing name breaks.
func Kept(t *testing.T, name string, now []string, least int, broken string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "1.0", name))
	if err != nil {
		t.Fatal(err)
	}
	listed := lines(b)
	if len(listed) < least {
		t.Errorf("only %d names, want at least %d", len(listed), least)
	}
	for _, line := range missing(listed, now) {
		t.Errorf("%q of 1.0 is gone or has changed: %s, which 1.x promises not to do; docs/compatibility.md lists the permitted changes", line, broken)
	}
}

// Complete verifies that the list of the coming version, by the file VERSION in the folder root, has all present names, so that it is
// complete at the release. With update it adds them, and leaves missing names for Kept to report.
func Complete(t *testing.T, root, name string, now []string, update bool) {
	t.Helper()
	version, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	number := strings.SplitN(string(version), ".", 3)
	path := filepath.Join("testdata", number[0]+"."+number[1], name)
	b, err := os.ReadFile(path)
	if err != nil && !update {
		t.Fatalf("%v: run this test with -update", err)
	}
	listed := lines(b)
	if !update {
		for _, line := range missing(now, listed) {
			t.Errorf("%s lacks %q: run this test with -update", path, line)
		}
		return
	}
	now = append(slices.Clone(now), missing(listed, now)...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines returns the lines of a list that are not empty.
func lines(b []byte) []string {
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
}

// missing returns the names that are not among others, in order.
func missing(names, others []string) (gone []string) {
	has := map[string]bool{}
	for _, o := range others {
		has[o] = true
	}
	for _, n := range names {
		if !has[n] {
			gone = append(gone, n)
		}
	}
	return gone
}
