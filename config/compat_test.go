// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/internal/promise"
	"lbmsim/model"
)

// vocabulary returns the words of a case, one per line: keys with their defaults, the words that a key may have, models,
// types of boundaries, fields, units and functions.
func vocabulary() (list []string) {
	for _, t := range caseLanguage().Tables {
		for _, k := range t.Keys {
			key := fmt.Sprintf("key %s.%s", t.Path, k.Name)
			list = append(list, key)
			if k.Default != "" {
				list = append(list, fmt.Sprintf("%s default %s", key, k.Default))
			}
			for _, c := range k.Choices {
				list = append(list, fmt.Sprintf("%s may be %s", key, c))
			}
		}
	}
	for _, c := range model.Collisions {
		list = append(list, "collision "+c.Name)
		for _, p := range c.Params {
			list = append(list, fmt.Sprintf("collision %s parameter %s default %.6g", c.Name, p.Name, p.Default))
		}
	}
	for _, l := range model.ViscosityLaws {
		list = append(list, "viscosity law "+l.Name)
	}
	for _, k := range boundary.Kinds {
		list = append(list, "boundary "+k.Name)
	}
	for _, f := range model.Fields {
		list = append(list, fmt.Sprintf("field %s of %d components", f.Name, f.Components))
	}
	for _, u := range language.NamedUnits() {
		list = append(list, "unit "+u.Name)
	}
	for _, f := range language.Functions() {
		list = append(list, "function "+f.Name)
	}
	return list
}

// Every 1.x accepts the words of 1.0, with the same defaults (docs/compatibility.md).
func TestWordsOfOneZero(t *testing.T) {
	promise.Kept(t, "words.txt", vocabulary(), 700, "cases break")
}

// The cases of 1.0 are read without an error, and resolve to themselves.
func TestCasesOfOneZero(t *testing.T) {
	cases, err := filepath.Glob("testdata/1.0/*.toml")
	if err != nil || len(cases) == 0 {
		t.Fatal(cases, err)
	}
	for _, path := range cases {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, err := Load(path, b)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		second, err := Load(path, []byte(first.Resolved))
		if err != nil || second.Resolved != first.Resolved {
			t.Errorf("%s: the resolved copy is read as another case, %v", path, err)
		}
	}
}

// -update completes the list of the coming version.
func TestWordsOfThisVersion(t *testing.T) {
	promise.Complete(t, "..", "words.txt", vocabulary(), *update)
}
