// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"reflect"
	"slices"
	"testing"
)

// Every part of a program is on the lists that its methods are for: a forgotten one would leak its memory, lack its
// kernels or skip its cells.
func TestPartsAreOnTheirLists(t *testing.T) {
	p := newProgram(&core{})
	v := reflect.ValueOf(p).Elem()
	counts := map[string]int{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.Anonymous || f.Type == reflect.TypeFor[*core]() {
			continue
		}
		at := reflect.NewAt(f.Type, v.Field(i).Addr().UnsafePointer()).Interface()
		check := func(list string, is, on bool) {
			if is != on {
				t.Errorf("%s: has the methods for the list of %s: %v; is on it: %v", f.Name, list, is, on)
			}
			if is {
				counts[list]++
			}
		}
		one, is := at.(part)
		check("parts", is, slices.Contains(p.parts, one))
		first, is := at.(placed)
		check("placed", is, slices.Contains(p.placed, first))
		last, is := at.(behind)
		check("behind", is, slices.Contains(p.behind, last))
	}
	if counts["parts"] != len(p.parts) || counts["placed"] != len(p.placed) || counts["behind"] != len(p.behind) || len(p.behind) != 3 {
		t.Errorf("%v parts are embedded, and the lists have %d, %d and %d", counts, len(p.parts), len(p.placed), len(p.behind))
	}
}

// The lists of eddies and of links are placed before what reads their addresses, and kernels are unloaded last.
func TestOrderOfParts(t *testing.T) {
	p := newProgram(&core{})
	before := func(a, b placed) {
		if slices.Index(p.placed, a) > slices.Index(p.placed, b) {
			t.Errorf("%T is placed after %T", a, b)
		}
	}
	before(&p.eddies, &p.boxLists)
	before(&p.boxLists, &p.faces)
	before(&p.links, &p.faces)
	before(&p.links, &p.timed)
	before(&p.faces, &p.timed)
	before(&p.faces, &p.multistep)
	if want := []behind{&p.links, &p.scalar, &p.faces}; !slices.Equal(p.behind, want) {
		t.Errorf("behind a step come %T", p.behind)
	}
}
