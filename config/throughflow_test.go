// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// A velocity that points out of the domain, or along its face, is warned of.
func TestDirectionsOfInlets(t *testing.T) {
	const box = "[domain]\ncells = [40, 20]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 100\n[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n"
	const in, out = "[boundary.in]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = %U\n", "[boundary.out]\nfaces = [\"x+\"]\ntype = %T\n"
	for name, c := range map[string]struct{ velocity, kind, want string }{
		"inwards":            {"[0.05, 0]", `"outflow"`, ""},
		"outwards":           {"[-0.05, 0]", `"outflow"`, "[boundary.in]: the velocity points out of the domain at face x-"},
		"sucked":             {"[-0.05, 0]", `"pressure"`, "enters through [boundary.out] of type \"pressure\""},
		"profile":            {`["-0.05*4*y*(Ly-y)/Ly^2", 0]`, `"outflow"`, "points out of the domain"},
		"partly out":         {`["0.05*(y/Ly - 0.2)", 0]`, `"outflow"`, ""},
		"along":              {"[0, 0.05]", `"outflow"`, "the velocity points along face x-"},
		"nothing":            {"[0, 0]", `"outflow"`, ""},
		"breathes":           {`["0.05*sin(2*pi*t/50)+0.01", 0]`, `"pressure"`, ""},
		"a fan":              {"[-0.05, 0]", "\"pressure\"\ndirection = [-1, 0]", ""},
		"a fan of warm air":  {"[-0.05, 0]", "\"pressure\"\ntemperature = 1\n[temperature]\ndiffusivity = 0.01", ""},
		"and a second inlet": {"[-0.02, 0]", "\"velocity\"\nvelocity = [-0.02, 0]", ""},
	} {
		c.velocity = strings.Replace(in, "%U", c.velocity, 1) + strings.Replace(out, "%T", c.kind, 1)
		got := doubted(load(t, box+c.velocity), "the velocity points")
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// One or two cells between walls have no room for a profile; between faces that slip they have.
func TestThinDomains(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one cell":  {"cells = [40, 1]\nperiodic = [\"x\"]\n[boundary.w]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]", "one cell thick along y"},
		"two cells": {"cells = [2, 40]\nperiodic = [\"y\"]\n[boundary.w]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\"]", "2 cells thick along x"},
		"three":     {"cells = [40, 3]\nperiodic = [\"x\"]\n[boundary.w]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]", ""},
		"periodic":  {"cells = [40, 1]\nperiodic = [\"x\", \"y\"]", ""},
		"slip":      {"cells = [40, 40, 1]\nperiodic = [\"x\", \"y\"]\n[boundary.w]\ntype = \"slip\"\nfaces = [\"z-\", \"z+\"]", ""},
		"mixed":     {"cells = [40, 40, 1]\nperiodic = [\"x\", \"y\"]\n[boundary.s]\ntype = \"slip\"\nfaces = [\"z-\"]\n[boundary.w]\ntype = \"wall\"\nfaces = [\"z+\"]", "[boundary.w]"},
	} {
		got := doubted(load(t, "[domain]\n"+c.text+"\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 10\n"), "cannot resolve a velocity profile")
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
