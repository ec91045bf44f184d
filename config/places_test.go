// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// Outputs that are not at the centres of cells are listed with the centres whose values they have; others are not.
func TestPlacesBesideCentres(t *testing.T) {
	const text = `
[domain]
size = ["40 mm", "20 mm", "10 mm"]
spacing = "1 mm"
periodic = ["x", "y", "z"]
[fluid]
density = "1000 kg/m3"
viscosity = "1e-6 m2/s"
[scaling]
tau = 0.8
[run]
steps = 1
[output.probe.centre]
at = ["10.5 mm", "3.5 mm", "4.5 mm"]
[output.probe.beside]
at = ["10.8 mm", "3.1 mm", "4.5 mm"]
[output.plane.middle]
normal = "y"
[output.plane.face]
normal = "x"
at = "10 mm"
[output.picture]
normal = "z"
at = "5.2 mm"
`
	got := ""
	k := load(t, text)
	for _, r := range k.Table {
		if strings.HasPrefix(r.Name, "place of") {
			got += r.Name + ": " + r.Lattice + ", " + r.SI + "\n"
		}
	}
	const want = `place of [output.picture]: nearest cell centre, 0.3 cells away, z = 0.0055 m
place of [output.probe.beside]: nearest cell centre, 0.5 cells away, (0.0105, 0.0035, 0.0045) m
place of [output.plane.face]: nearest cell centre, 0.5 cells away, x = 0.0105 m
`
	if got != want {
		t.Errorf("%s", got)
	}
}
