// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"
	"strings"
	"testing"

	"lbmsim/internal/finding"
)

// Only stresses over an axis along which the flow is not homogeneous are warned of.
func TestUnalike(t *testing.T) {
	const channel = `
domain.cells = [16, 8, 12]
domain.periodic = ["x", "z"]
fluid.viscosity = 0.1
force.acceleration = [1e-6, 0, 0]
boundary.walls = { type = "wall", faces = ["y-", "y+"] }
run.steps = 10
`
	const duct = `
domain.cells = [16, 8, 12]
domain.periodic = ["x"]
fluid.viscosity = 0.1
force.acceleration = [1e-6, 0, 0]
boundary.walls = { type = "wall", faces = ["y-", "y+", "z-", "z+"] }
run.steps = 10
`
	const profile = `output.profile.up = { along = "y", every = 5 }
`
	const rib = `body.rib = { shape = "box", from = [4, 0, 0], to = [6, 2, 12] }
`
	for _, test := range []struct{ name, text, says string }{
		{"channel", channel + profile, ""},
		{"duct", duct + profile, "[output.profile.up] averages over z, where the domain is not periodic: its reynolds_stress"},
		{"duct, means alone", duct + `output.profile.up = { along = "y", every = 5, fields = ["mean_velocity"] }`, ""},
		{"rib", channel + profile + rib, "[output.profile.up] averages over x, where [body.rib] ends"},
		{"rib, over its span", channel + rib + `output.averages = { over = "z" }`, ""},
		{"ball", channel + `output.averages = { over = "z" }
body.ball = { shape = "sphere", centre = [8, 4, 6], radius = 2 }
`, "[output.averages] averages over z, where [body.ball] ends"},
		{"floor", channel + profile + `body.floor = { shape = "box", from = [0, 0, 0], to = [16, 2, 12] }
`, ""},
	} {
		c, err := Load("case.toml", []byte(test.text))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var of []string
		for _, w := range c.Warnings {
			if w.Kind == finding.Unalike.Name {
				of = append(of, w.Text)
			}
		}
		if all := strings.Join(of, "|"); test.says == "" && all != "" || !strings.HasPrefix(all, test.says) {
			t.Errorf("%s: %q instead of %q", test.name, of, test.says)
		}
	}
}

// Smagorinsky's eddies carry heat up to a shear rate, which a large constant or a tau near 1 brings within reach.
func TestHeatOfEddiesHasALimit(t *testing.T) {
	const text = `
domain.cells = [16, 8]
domain.periodic = ["x", "y"]
fluid.viscosity = 0.01
turbulence = { model = "smagorinsky", constant = %C }
temperature.diffusivity = 0.01
initial.velocity = ["%U*sin(2*pi*y/Ly)", 0]
run.steps = 10
`
	for _, test := range []struct {
		constant, speed string
		warned          bool
	}{{"0.1", "0.1", false}, {"0.9", "0.05", false}, {"0.9", "0.06", true}, {"0.6", "0.16", true}} {
		c, err := Load("case.toml", []byte(strings.NewReplacer("%C", test.constant, "%U", test.speed).Replace(text)))
		if err != nil {
			t.Fatal(err)
		}
		if warned := slices.ContainsFunc(c.Warnings, func(w finding.Finding) bool { return w.Kind == finding.EddyHeatLimit.Name }); warned != test.warned {
			t.Errorf("%+v: warned %v, largest velocity %v", test, warned, c.Mean)
		}
	}
}

// On finer levels tau is larger: the limit is for the finest level with an eddy heat flux, and the first level without one is named.
func TestHeatOfEddiesOnLevels(t *testing.T) {
	const text = `
domain.cells = [16, 16]
domain.periodic = ["x", "y"]
fluid.viscosity = %N
turbulence = { model = "%M", constant = 0.6 }
temperature.diffusivity = 0.01
initial.velocity = ["%U*sin(2*pi*y/Ly)", 0]
run.steps = 10
refine.a = { level = 1, from = [2, 2], to = [14, 14] }
refine.b = { level = 2, from = [5, 5], to = [11, 11] }
`
	for _, test := range []struct {
		law, viscosity, speed string
		limit                 bool
		without               string
	}{
		{"smagorinsky", "0.01", "0.08", false, ""},
		{"smagorinsky", "0.03", "0.05", true, ""}, // tau 0.86 on level 2
		{"smagorinsky", "0.04", "0.05", false, "from level 2 on, where it is 0.98"},
		{"smagorinsky", "0.08", "0.01", false, "from level 1 on, where it is 0.98"},
		{"wale", "0.08", "0.05", false, ""},
	} {
		c, err := Load("case.toml", []byte(strings.NewReplacer("%M", test.law, "%N", test.viscosity, "%U", test.speed).Replace(text)))
		if err != nil {
			t.Fatal(err)
		}
		limit, without := false, ""
		for _, w := range c.Warnings {
			limit = limit || w.Kind == finding.EddyHeatLimit.Name
			if w.Kind == finding.EddiesWithoutHeat.Name {
				without = w.Text
			}
		}
		if limit != test.limit || (without != "") != (test.without != "") || !strings.Contains(without, test.without) {
			t.Errorf("%+v: limit %v, without %q", test, limit, without)
		}
	}
}
