// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"testing"
)

// Bounds of a temperature come from walls, bodies, inflows and the initial state; with a flux, or a
// formula without known range, there are no bounds.
func TestBoundsOfTheTemperature(t *testing.T) {
	const text = `
[domain]
cells = [40, 20]
[fluid]
viscosity = 0.02
[temperature]
diffusivity = 0.02
%s
[boundary.hot]
type = "wall"
faces = ["x-"]
%s
[boundary.rest]
type = "wall"
faces = ["x+", "y-", "y+"]
%s
[run]
steps = 10
`
	const inlet = `
[boundary.inlet]
type = "velocity"
velocity = [0, 0]
faces = ["y-"]
from = [10, 0]
to = [20, 0]
temperature = 5
[body.ball]
shape = "cylinder"
centre = [20, 10]
radius = 4
temperature = -7
`
	const initial, reference, hot = "[temperature] initial", "[temperature] reference", "[boundary.hot]"
	for name, c := range map[string]struct {
		table, wall, more string
		want              *Bounds // nil: no bounds
	}{
		"all at the reference":   {"", "", "", nil},
		"a wall":                 {"", "temperature = 3", "", &Bounds{0, 3, reference, hot}},
		"a reference":            {"reference = 300", "temperature = 290", "", &Bounds{-10, 0, hot, reference}},
		"a number":               {"initial = 2", "temperature = 3", "", &Bounds{0, 1, initial, hot}},
		"all alike":              {"reference = 0\ninitial = 2", "temperature = 2", "", &Bounds{2, 2, initial, initial}},
		"faces and bodies":       {"", "", inlet, &Bounds{-7, 5, "[body.ball]", "[boundary.inlet]"}},
		"a formula":              {`initial = "301 + sin(2*pi*y/Ly)"` + "\nreference = 300", "temperature = 301.5", "", &Bounds{0, 2, initial, initial}},
		"a steep one":            {`initial = "0.5 - 0.5*tanh((y - 10)/0.1)"`, "", "", &Bounds{0, 1, initial, initial}},
		"one that is used twice": {`initial = "x/Lx - (x/Lx)^2"`, "", "", &Bounds{0, 0.25, initial, initial}},
		"no flux":                {"", "heat_flux = 0", inlet, &Bounds{-7, 5, "[body.ball]", "[boundary.inlet]"}},
		"a flux":                 {"", "heat_flux = -0.1", inlet, nil},
		"unknown":                {`initial = "log(abs(x - 10))"`, "temperature = 3", "", nil},
	} {
		loaded, err := Load("a.toml", []byte(fmt.Sprintf(text, c.table, c.wall, c.more)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := loaded.Temperature.Bounds
		if got == nil || c.want == nil {
			if got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
			continue
		}
		// Bounds of a formula enclose its values; they may be a little wider.
		const wider = 0.02
		if got.LoOf != c.want.LoOf || got.HiOf != c.want.HiOf || got.Lo > c.want.Lo+0.02 || got.Hi < c.want.Hi-0.02 || got.Lo < c.want.Lo-wider || got.Hi > c.want.Hi+wider {
			t.Errorf("%s: %+v, want %+v", name, *got, *c.want)
		}
	}
}

// The span of temperatures that are alike is how far they are from the reference.
func TestSpanOfTemperatures(t *testing.T) {
	for _, c := range []struct{ lo, hi, far, span float64 }{{-1, 3, 3, 4}, {2, 2, 2, 2}, {-5, -5 + 1e-12, 5, 5}, {299, 301, 301, 2}} {
		b := Bounds{Lo: c.lo, Hi: c.hi}
		if b.Far() != c.far || math.Abs(b.Span()-c.span) > 1e-9 {
			t.Errorf("%g to %g: span %g, far %g", c.lo, c.hi, b.Span(), b.Far())
		}
	}
}
