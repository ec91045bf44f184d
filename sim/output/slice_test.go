// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"testing"

	"lbmsim/config"
	"lbmsim/model"
)

// A slice outside the domain is refused in cells that are there, of a plane case too.
func TestSliceOutsideTheDomain(t *testing.T) {
	c := &config.Case{Grid: config.Grid{Cells: [3]int{40, 30, 1}}}
	c.Spec.Lattice.Dims = 2
	f, _ := model.FindField("speed")
	for at, want := range map[int]string{
		0:   "",
		-1:  "at = -1 is outside the domain: along z level 0 has the cells 0 to 0",
		900: "at = 900 is outside the domain: along z level 0 has the cells 0 to 0",
	} {
		text := ""
		if err := (Slice{Field: f, Component: -1, Axis: 2, At: at}).Check(c); err != nil {
			text = err.Error()
		}
		if text != want {
			t.Errorf("at %d: %q, want %q", at, text, want)
		}
	}
}
