// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"testing"
)

// A caller that reads a table or key that the schema does not have gets an error with both.
func TestUnknownKeysPanic(t *testing.T) {
	l := Schema{Tables: []Table{{}, {Path: "fluid", Keys: []Key{{Name: "density", Kind: Number, Default: "1"}}}, {Path: "body.*", Most: 3}}}
	r, err := Read("a.toml", []byte("[fluid]\n[body.ball]\n"), nil, l)
	if err != nil || r.Err() != nil {
		t.Fatal(err, r.Err())
	}
	s := r.Section("fluid")
	if got := s.Get("density").Values[0].Value; got != 1 || s.Has("density") || r.Named("body", "cube") != nil || len(r.All("body")) != 1 {
		t.Errorf("density = %v", got)
	}
	for want, ask := range map[string]func(){
		"the schema has no key densty in [fluid]":    func() { s.Get("densty") },
		"the schema has no key mass in [fluid]":      func() { s.Has("mass") },
		"the schema has no key shape in [body.NAME]": func() { r.All("body")[0].InFile("shape") },
		"the schema has no key m in [fluid]":         func() { s.Broken("m") },
		"the schema has no key n in [fluid]":         func() { r.SetDefault(s, "n", "1") },
		"the schema has no table [solid]":            func() { r.Section("solid") },
		"the schema has no table [boundary.ball]":    func() { r.Named("boundary", "ball") },
		"the schema has no tables [boundary.NAME]":   func() { r.All("boundary") },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			ask()
		}()
	}
}
