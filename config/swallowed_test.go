// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"

	"lbmsim/internal/finding"
)

// A body without a cell that counts is reported; one that takes a part of another one's surface is not.
func TestSwallowedBodies(t *testing.T) {
	const (
		domain = "domain = { cells = [40, 40, 40], periodic = [\"x\", \"y\", \"z\"] }\nfluid.viscosity = 0.05\ntemperature = { diffusivity = 0.05, initial = 0, reference = 0 }\nrun.steps = 1\n"
		block  = "from = [16, 11, 8], to = [24, 19, 16]"
		inner  = "from = [18, 13, 10], to = [22, 17, 14]"
		patch  = "from = [17, 12, 14], to = [23, 18, 16]"
		left   = "from = [10, 7, 6], to = [20, 23, 20]"
		right  = "from = [20, 7, 6], to = [30, 23, 20]"
	)
	for _, c := range []struct {
		name   string
		bodies []string
		want   string
	}{
		{"apart", []string{left, right}, ""},
		{"inside, later", []string{block, inner}, "[body.b1] lies entirely inside [body.b0]"},
		{"inside, earlier", []string{inner, block}, "[body.b0] lies entirely inside [body.b1]"},
		{"a later one at the surface", []string{block, patch}, ""},
		{"an earlier one at the surface", []string{patch, block}, "[body.b0] lies entirely inside [body.b1]"},
		{"heater at the surface", []string{block, patch + ", temperature = 5"}, ""},
		{"twice", []string{block, block}, "[body.b0] lies entirely inside [body.b1]"},
		{"by two together", []string{block, left, right}, "[body.b0] lies entirely inside the union of other bodies"},
		{"in two earlier together", []string{left, right, block}, "[body.b2] lies entirely inside the union of other bodies"},
		{"by one of two only", []string{block, left}, ""},
		{"rod in a shell", []string{block + ", diffusivity = 0.1, heat_capacity = 1", inner + ", diffusivity = 0.2, heat_capacity = 1"}, ""},
		{"large", []string{"from = [0, 0, 0], to = [39, 40, 40]", "from = [0, 0, 0], to = [39, 39, 40]"}, ""},
	} {
		text := domain
		for i, b := range c.bodies {
			text += "body.b" + string(rune('0'+i)) + " = { shape = \"box\", " + b + " }\n"
		}
		got, err := Load("case.toml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		found := got.Warnings.Of(finding.SwallowedBody)
		if said := strings.Join(found.Texts(), "\n"); !strings.Contains(said, c.want) || len(found) > 1 || c.want == "" && said != "" {
			t.Errorf("%s: %q, expected %q", c.name, said, c.want)
		}
	}
}
