// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// A profile is along a line in the face, or around the centre of one.
func TestProfilesOfFaces(t *testing.T) {
	const text = `
[domain]
cells = [10, 10, 10]
[fluid]
viscosity = 0.1
[boundary.inlet]
type = "velocity"
faces = FACES
velocity = [0.01, 0.01, 0]
profile = "a.csv"
profile_along = "y"
[boundary.outlet]
type = "outflow"
faces = ["z-"]
[boundary.rest]
type = "wall"
faces = REST
[run]
steps = 10
`
	for _, c := range []struct{ faces, rest, want string }{
		{`["x-"]`, `["x+", "y-", "y+", "z+"]`, ""},
		{`["x-", "x+"]`, `["y-", "y+", "z+"]`, ""},
		{`["x-", "z+"]`, `["x+", "y-", "y+"]`, "has x- and z+"},
		{`["y-"]`, `["x-", "x+", "y+", "z+"]`, "runs across the face y-"},
	} {
		_, err := Load("a.toml", []byte(strings.NewReplacer("FACES", c.faces, "REST", c.rest).Replace(text)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("faces %s: %v, want %q", c.faces, err, c.want)
		}
	}
}
