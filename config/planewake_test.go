// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// The wake of a bluff body is three-dimensional above Re 200; a case in two dimensions with a force on one says so.
func TestWakesInTwoDimensions(t *testing.T) {
	const plane = `
[domain]
cells = [400, 200]
periodic = ["y"]
[fluid]
viscosity = NU
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0]
[boundary.out]
type = "outflow"
faces = ["x+"]
[run]
steps = 10
`
	const rod = "[body.rod]\nshape = \"cylinder\"\ncentre = [150, 100]\nradius = 10\n"
	const plate = "[body.rod]\nshape = \"box\"\nfrom = [100, 98]\nto = [180, 102]\n"
	const force = "[output.force.rod]\n"
	for name, c := range map[string]struct{ text, want string }{
		"Re 200":       {strings.Replace(plane, "NU", "0.005", 1) + rod + force, ""},
		"Re 500":       {strings.Replace(plane, "NU", "0.002", 1) + rod + force, "[output.force.rod]: at Re 500 (height of [body.rod])"},
		"no force":     {strings.Replace(plane, "NU", "0.002", 1) + rod, ""},
		"a long plate": {strings.Replace(plane, "NU", "0.0008", 1) + plate + force, ""},
		"3D":           {tunnel + "[body.rod]\nshape = \"sphere\"\ncentre = [40, 32, 20]\nradius = 8\n" + force, ""},
	} {
		got := doubted(load(t, c.text), "the wake is three-dimensional")
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
