// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"
	"strings"
	"testing"

	"lbmsim/internal/finding"
)

// Waves of 100 cells decay by 2.6e-7 of themselves in a step at tau = 0.5002, by 2.6e-8 at 0.50002.
func TestWeakViscosity(t *testing.T) {
	tunnel := strings.Replace(tunnel, "0.0005", "1e-6", 1)
	if got := doubted(load(t, tunnel), "standing wave"); len(got) > 0 {
		t.Errorf("behind an inlet: %q", got)
	}
	for _, c := range []struct {
		tau, collision string
		warns          bool
	}{
		{"0.5002", "model = \"bgk\"", true},
		{"0.5002", "model = \"regularized\"", false},
		{"0.50002", "model = \"regularized\"", true},
		{"0.50002", "model = \"trt\"", false},
		{"0.50002", "model = \"regularized\"\nprecision = \"float64\"", false},
		{"0.50002", "model = \"regularized\"\n[turbulence]\nmodel = \"smagorinsky\"", false},
	} {
		w := load(t, plain+"[scaling]\ntau = "+c.tau+"\n[collision]\n"+c.collision).Warnings
		if got := slices.ContainsFunc(w, func(f finding.Finding) bool { return f.Kind == finding.WeakViscosity.Name }); got != c.warns {
			t.Errorf("tau %s, %s: warnings %v", c.tau, c.collision, w)
		}
	}
}
