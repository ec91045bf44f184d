// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"strings"
	"testing"
)

// A case with implausible numbers gets a warning; walls far from zero are no reason for
// another Rayleigh number.
func TestTemperatureOfTheWholeCase(t *testing.T) {
	const text = `
[domain]
cells = [40, 40]
[fluid]
viscosity = 0.02
length = 40
%s
[temperature]
prandtl = 0.7
reference = %v
expansion = 1e-3
gravity = [0, -1e-3]
[boundary.hot]
type = "wall"
faces = ["x-"]
temperature = 310
[boundary.cold]
type = "wall"
faces = ["x+"]
temperature = 300
[boundary.rest]
type = "wall"
faces = ["y-", "y+"]
[run]
steps = 10
`
	rayleigh := func(c *Case) string {
		for _, r := range c.Table {
			if strings.HasPrefix(r.Name, "Rayleigh") {
				return r.Lattice
			}
		}
		return "none"
	}
	want := ""
	for _, reference := range []int{305, 300, 0} {
		c, err := Load("a.toml", []byte(fmt.Sprintf(text, "", reference)))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = rayleigh(c)
		}
		if got := rayleigh(c); got != want || got == "none" {
			t.Errorf("reference %d: Ra = %s instead of %s", reference, got, want)
		}
		if warned := strings.Contains(strings.Join(c.Warnings.Texts(), "\n"), "is the reference right?"); warned != (reference == 0) {
			t.Errorf("reference %d: warnings %q", reference, c.Warnings)
		}
	}
	wide := strings.Replace(fmt.Sprintf(text, "", 0), "cells = [40, 40]", "cells = [40, 2000, 2000]", 1)
	wide = strings.Replace(wide, `faces = ["y-", "y+"]`, `faces = ["y-", "y+", "z-", "z+"]`, 1)
	wide = strings.Replace(wide, "[0, -1e-3]", "[0, -1e-3, 0]", 1)
	for reference, full := range map[string]bool{"reference = 0": true, "reference = 305": false} {
		c, err := Load("a.toml", []byte(strings.Replace(wide, "reference = 0", reference, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(c.Warnings.Texts(), "\n"), "through a face of 4000000 cells overflows") != full {
			t.Errorf("%s: warnings %q", reference, c.Warnings)
		}
	}
	c, err := Load("a.toml", []byte(fmt.Sprintf(text, "viscosity_law = \"power_law\"\nindex = 0.8\nshear_rate = 1e-3", 305)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(c.Warnings.Texts(), "\n"), "diffusivity remains constant") {
		t.Errorf("warnings %q", c.Warnings)
	}
}
