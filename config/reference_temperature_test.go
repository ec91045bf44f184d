// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"strings"
	"testing"
)

// room is air in a box with one wall that has a temperature.
const room = `
[domain]
size = ["1 m", "1 m"]
cells = [32, 32]
[fluid]
viscosity = "1e-3 m2/s"
[scaling]
lattice_velocity = 0.02
velocity = "0.1 m/s"
[temperature]
prandtl = 0.7
%s
[boundary.hot]
type = "wall"
faces = ["x-"]
temperature = %q
[boundary.rest]
type = "wall"
faces = ["x+", "y-", "y+"]
[run]
steps = 10
`

// The default of the reference is the initial temperature; with an expansion it has no other. The resolved
// copy has it.
func TestDefaultOfTheReference(t *testing.T) {
	const buoyant = "\nexpansion = \"1/300 1/K\"\ngravity = [0, \"-9.81 m/s2\"]"
	for name, c := range map[string]struct {
		keys, fails string
		want        float64
	}{
		"a constant":             {`initial = "300 K"` + buoyant, "", 300},
		"one that is given":      {`initial = "300 K"` + "\nreference = \"290 K\"" + buoyant, "", 290},
		"neither":                {buoyant, "needs reference or initial", 0},
		"a formula":              {`initial = "300 + x/Lx K"` + buoyant, "depends on the position", 0},
		"neither, no expansion":  {"", "", 0},
		"formula, no expansion":  {`initial = "300 + x/Lx K"`, "", 0},
		"constant, no expansion": {`initial = "300 K"`, "", 300},
	} {
		got, err := Load("a.toml", fmt.Appendf(nil, room, c.keys, "310 K"))
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %q", name, err, c.fails)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Temperature.Reference != c.want {
			t.Errorf("%s: reference %v, want %v", name, got.Temperature.Reference, c.want)
		}
		again, err := Load("b.toml", []byte(got.Resolved))
		if err != nil || again.Temperature.Reference != c.want {
			t.Errorf("%s: the resolved copy has %v (%v)", name, again.Temperature.Reference, err)
		}
	}
}

// Implausible temperatures and buoyancies are warned of, with the number.
func TestTemperaturesHardlyMeant(t *testing.T) {
	const air = "initial = \"300 K\"\n"
	const falls = "\ngravity = [0, \"-9.81 m/s2\"]"
	for name, c := range map[string]struct{ keys, wall, want string }{
		"Boussinesq":         {air + `expansion = "1/300 1/K"` + falls, "606 K", "is 306 K from the reference of 300 K, which changes the density by 100 % with an expansion of 0.0033333 1/K"},
		"initial far away":   {air + "reference = \"0 K\"\n" + `expansion = "3.4e-3 1/K"` + falls, "301 K", "[boundary.hot] is 301 K from the reference of 0 K, which changes the density by 100 %"},
		"no expansion":       {air + `expansion = "0 1/K"` + falls, "301 K", "expansion is 0"},
		"no gravity":         {air + `expansion = "1/300 1/K"` + "\ngravity = [0, 0]", "301 K", "gravity is 0"},
		"below zero":         {air, "-5 K", "[boundary.hot] is -5 K, below absolute zero"},
		"below zero alone":   {"", "-5 K", "below absolute zero"},
		"initial below zero": {`initial = "-5 K"`, "10 K", "below absolute zero"},
		"differences":        {"reference = \"0 K\"", "-5 K", ""},
		"fine":               {air + `expansion = "1/300 1/K"` + falls, "310 K", ""},
	} {
		got, err := Load("a.toml", fmt.Appendf(nil, room, c.keys, c.wall))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var of []string
		for _, w := range got.Warnings.Texts() {
			if strings.Contains(w, "[temperature]") {
				of = append(of, w)
			}
		}
		if text := strings.Join(of, "\n"); c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: warnings %q, want %q", name, of, c.want)
		}
	}
}
